//! The shapes of results of tools without an output schema, learned from calls and kept
//! across restarts.
//!
//! In: successful answers, from the bridge. Out: [`ObservedSchema`] for the renderers.
//! A shape counts only for the definition it was learned with; when a server
//! lists another one, it is forgotten ([`Shapes::forget_changed`]).
//!
//! Invariant: learning never makes a call wait for the disk or for another call that is
//! learning, and answers are examined only while that still teaches something.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tidegate_catalog::{ObservedSchema, ServerTools, Shape, definition_hash};
use tidegate_model::{Answer, ToolDef, ToolRef};
use tidegate_store::{ShapeRecord, Shapes as StoredShapes, StoreError};

use crate::privacy::Unscanned;

/// After this many results that taught nothing …
const SETTLED_AFTER: u32 = 16;
/// … only one in this many is examined.
const LOOK_EVERY: u32 = 8;

/// Text must be parsed to be examined. Text longer than this is parsed only a few times.
const LONG_TEXT_BYTES: usize = 1024 * 1024;
const LONG_TEXTS: u32 = 4;

/// The shapes of all tools.
pub(crate) struct Shapes {
    known: RwLock<HashMap<ToolRef, Arc<Mutex<Learned>>>>,
    stored: StoredShapes,
    /// Grows with every change that the types of results should reflect.
    version: AtomicU64,
}

struct Learned {
    definition_hash: String,
    /// The definition that was last found to have this hash, since hashing one takes
    /// longer than examining a small answer.
    definition: Option<Arc<ToolDef>>,
    shape: Shape,
    /// Answers since the last one that changed the shape.
    unchanged: u32,
    /// Whether some results are not stored yet.
    unkept: bool,
    observed: Option<Arc<ObservedSchema>>,
}

impl Shapes {
    /// Loads what was learned before. Blocks this thread: a gateway that opens its state
    /// serves nobody yet.
    pub(crate) fn open(stored: StoredShapes) -> Result<Self, StoreError> {
        let kept = stored.all().wait()?.into_iter().filter_map(|(tool, record)| {
            // A shape that cannot be read is learned again.
            let shape = serde_json::from_str(&record.shape).ok()?;
            let learned = Learned { shape, ..Learned::new(record.definition_hash) };
            Some((tool, Arc::new(Mutex::new(learned))))
        });
        let known: HashMap<_, _> = kept.collect();
        let version = AtomicU64::new(u64::from(!known.is_empty()));
        Ok(Self { known: RwLock::new(known), stored, version })
    }

    /// Learns from an answer that a program gets.
    pub(crate) fn learn(&self, id: &ToolRef, tool: &Arc<ToolDef>, answer: &Unscanned<Answer>) {
        if answer.fact(|answer| answer.is_error) || tool.output_schema.is_some() {
            return;
        }
        let entry = self.entry(id, tool);
        // Another call of this tool is teaching right now; that is enough.
        let Ok(mut learned) = entry.try_lock() else { return };
        if !learned.is_for(tool) {
            *learned = Learned::new(definition_hash(tool));
        }
        if learned.look_at(answer) {
            self.keep(id, &mut learned);
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Changes when something new is learned.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// What is known about the results of a server's tools.
    pub(crate) fn of_server(
        &self,
        server: &str,
        tools: &ServerTools,
    ) -> BTreeMap<String, Arc<ObservedSchema>> {
        let known: Vec<String> = {
            let known = self.read();
            known.keys().filter(|id| id.server == server).map(|id| id.tool.clone()).collect()
        };
        let observed = known.into_iter().filter_map(|name| {
            let tool = tools.tools.iter().find(|tool| tool.name == name)?;
            let observed = self.observed(&ToolRef::new(server, &name), tool)?;
            Some((name, observed))
        });
        observed.collect()
    }

    /// Stores everything that is not stored yet. Changed counts alone are not worth a
    /// write each.
    pub(crate) fn keep_all(&self) {
        for (id, learned) in self.read().iter() {
            let mut learned = lock(learned);
            if learned.unkept {
                self.keep(id, &mut learned);
            }
        }
    }

    /// What is known about the results of a tool with this definition.
    pub(crate) fn observed(
        &self,
        id: &ToolRef,
        tool: &Arc<ToolDef>,
    ) -> Option<Arc<ObservedSchema>> {
        if tool.output_schema.is_some() {
            return None;
        }
        let entry = Arc::clone(self.read().get(id)?);
        let mut learned = lock(&entry);
        if learned.shape.results() == 0 || !learned.is_for(tool) {
            return None;
        }
        let learned = &mut *learned;
        let shape = &learned.shape;
        let observed = learned.observed.get_or_insert_with(|| {
            Arc::new(ObservedSchema { schema: shape.to_schema(), results: shape.results() })
        });
        Some(Arc::clone(observed))
    }

    /// Forgets the shapes of tools that a server no longer has, or has changed.
    pub(crate) fn forget_changed(&self, server: &str, tools: &ServerTools) {
        let entries: Vec<(ToolRef, Arc<Mutex<Learned>>)> = self
            .read()
            .iter()
            .filter(|(id, _)| id.server == server)
            .map(|(id, learned)| (id.clone(), Arc::clone(learned)))
            .collect();
        for (id, learned) in entries {
            let tool = tools.tools.iter().find(|tool| tool.name == id.tool);
            let hash = tool.map(|tool| definition_hash(tool));
            if hash.as_ref() != Some(&lock(&learned).definition_hash) {
                self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
                self.stored.remove(id);
            }
        }
    }

    fn entry(&self, id: &ToolRef, tool: &ToolDef) -> Arc<Mutex<Learned>> {
        if let Some(known) = self.read().get(id) {
            return Arc::clone(known);
        }
        let hash = definition_hash(tool);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(id.clone());
        Arc::clone(entry.or_insert_with(|| Arc::new(Mutex::new(Learned::new(hash)))))
    }

    fn keep(&self, id: &ToolRef, learned: &mut Learned) {
        learned.unkept = false;
        // Plain data: this cannot fail.
        let Ok(shape) = serde_json::to_string(&learned.shape) else { return };
        let definition_hash = learned.definition_hash.clone();
        let record = ShapeRecord { definition_hash, results: learned.shape.results(), shape };
        self.stored.set(id.clone(), record);
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, HashMap<ToolRef, Arc<Mutex<Learned>>>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learned {
    fn new(definition_hash: String) -> Self {
        let shape = Shape::default();
        Self {
            definition_hash,
            definition: None,
            shape,
            unchanged: 0,
            unkept: false,
            observed: None,
        }
    }

    fn is_for(&mut self, tool: &Arc<ToolDef>) -> bool {
        if self.definition.as_ref().is_some_and(|known| Arc::ptr_eq(known, tool)) {
            return true;
        }
        let same = definition_hash(tool) == self.definition_hash;
        if same {
            self.definition = Some(Arc::clone(tool));
        }
        same
    }

    /// Examines an answer. Returns whether there is something to store.
    fn look_at(&mut self, answer: &Unscanned<Answer>) -> bool {
        self.unchanged = self.unchanged.saturating_add(1);
        let settled = self.unchanged > SETTLED_AFTER;
        if settled && !self.unchanged.is_multiple_of(LOOK_EVERY) {
            return false;
        }
        if answer.fact(Answer::text_bytes) > LONG_TEXT_BYTES && self.shape.results() >= LONG_TEXTS {
            return false;
        }
        let Some(changed) = answer.teach(&mut self.shape) else { return false };
        self.observed = None;
        self.unkept = true;
        if changed {
            self.unchanged = 0;
        }
        changed || self.shape.results().is_power_of_two()
    }
}

fn lock(learned: &Mutex<Learned>) -> MutexGuard<'_, Learned> {
    learned.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
