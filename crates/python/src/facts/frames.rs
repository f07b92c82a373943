//! The names of a program during evaluation, and their values.
//!
//! In: writes, in the order in which the program makes them. Out: the value of a name at a
//! point. Branches are evaluated one by one from the same state and then joined. Inside a
//! function, an outer name has its final value, and only if it was written once.

use std::collections::{HashMap, HashSet};

use super::value::{FrameId, Value};

/// The frame of the module itself.
pub(super) const MODULE: FrameId = 0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    Module,
    Function,
    Class,
    /// Of a comprehension, which runs immediately.
    Inner,
}

struct Frame<'a> {
    parent: Option<FrameId>,
    kind: FrameKind,
    names: HashMap<&'a str, Slot<'a>>,
    /// Names declared `global`.
    global: HashSet<&'a str>,
}

#[derive(Clone, Debug)]
struct Slot<'a> {
    value: Value<'a>,
    writes: u32,
}

/// What a branch changed: the values before it and at its end.
pub(super) type Changes<'a> = HashMap<(FrameId, &'a str), Change<'a>>;

pub(super) struct Change<'a> {
    before: Option<Slot<'a>>,
    after: Option<Slot<'a>>,
}

/// All frames of a program.
pub(super) struct Frames<'a> {
    all: Vec<Frame<'a>>,
    pub(super) current: FrameId,
    log: Vec<(FrameId, &'a str, Option<Slot<'a>>)>,
    /// Names that functions write outside themselves: their values are uncertain.
    pub(super) shared_names: HashSet<&'a str>,
}

impl<'a> Frames<'a> {
    pub(super) fn new() -> Self {
        let all = vec![Frame::new(None, FrameKind::Module)];
        Self { all, current: MODULE, log: Vec::new(), shared_names: HashSet::new() }
    }

    /// Enters a new frame and returns the previous one.
    pub(super) fn enter(&mut self, parent: FrameId, kind: FrameKind) -> FrameId {
        self.all.push(Frame::new(Some(parent), kind));
        std::mem::replace(&mut self.current, self.all.len() - 1)
    }

    /// The number of frames, for undoing tentative evaluations.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn forget(&mut self, count: usize) {
        self.all.truncate(count);
    }

    pub(super) fn is_in_class(&self) -> bool {
        self.all[self.current].kind == FrameKind::Class
    }

    pub(super) fn declare_global(&mut self, name: &'a str) {
        self.all[self.current].global.insert(name);
    }

    /// The value of a name; `None` if the program does not define it.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        let mut at = Some(self.current);
        let mut captured = false;
        while let Some(id) = at {
            let frame = &self.all[id];
            let seen = frame.kind != FrameKind::Class || id == self.current;
            if frame.global.contains(name) {
                return self.all[MODULE].names.get(name).map(|slot| slot.value.widened());
            }
            if let Some(slot) = frame.names.get(name).filter(|_| seen) {
                let unsure = (captured && slot.writes > 1) || self.shared_names.contains(name);
                return Some(if unsure { slot.value.widened() } else { slot.value.clone() });
            }
            captured |= frame.kind == FrameKind::Function;
            at = frame.parent;
        }
        None
    }

    pub(super) fn in_module(&self, name: &str) -> Option<Value<'a>> {
        self.all[MODULE].names.get(name).map(|slot| slot.value.clone())
    }

    pub(super) fn set(&mut self, name: &'a str, value: Value<'a>) {
        let id = match self.all[self.current].global.contains(name) {
            true => MODULE,
            false => self.current,
        };
        self.set_in(id, name, value);
    }

    /// Sets a name as `:=` does: in the frame enclosing comprehensions.
    pub(super) fn set_outside(&mut self, name: &'a str, value: Value<'a>) {
        let mut id = self.current;
        while let (FrameKind::Inner, Some(parent)) = (self.all[id].kind, self.all[id].parent) {
            id = parent;
        }
        self.set_in(id, name, value);
    }

    /// Changes the value of a name in the frame that binds it.
    pub(super) fn change(&mut self, name: &'a str, value: Value<'a>) {
        let mut at = Some(self.current);
        while let Some(id) = at {
            if self.all[id].names.contains_key(name) {
                return self.set_in(id, name, value);
            }
            at = self.all[id].parent;
        }
    }

    fn set_in(&mut self, id: FrameId, name: &'a str, value: Value<'a>) {
        let before = self.all[id].names.get(name).cloned();
        let writes = before.as_ref().map_or(0, |slot| slot.writes) + 1;
        self.all[id].names.insert(name, Slot { value, writes });
        self.log.push((id, name, before));
    }

    pub(super) fn remove(&mut self, name: &'a str) {
        let id = self.current;
        let before = self.all[id].names.remove(name);
        self.log.push((id, name, before));
    }

    /// Starts a branch.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Ends a branch: undoes and returns its changes.
    pub(super) fn undo(&mut self, mark: usize) -> Changes<'a> {
        let mut changes = Changes::new();
        while self.log.len() > mark {
            let Some((id, name, before)) = self.log.pop() else { break };
            let Some(frame) = self.all.get_mut(id) else { continue };
            let after = match before.clone() {
                Some(slot) => frame.names.insert(name, slot),
                None => frame.names.remove(name),
            };
            changes
                .entry((id, name))
                .and_modify(|change| change.before = before.clone())
                .or_insert(Change { before, after });
        }
        changes
    }

    /// Joins branches that started at the same point. `absent` gives the value of names that
    /// the program does not define.
    pub(super) fn join(
        &mut self,
        branches: &[Changes<'a>],
        may_pass: bool,
        absent: impl Fn(&str) -> Option<Value<'a>>,
    ) {
        let mut seen = HashSet::new();
        for ((id, name), change) in branches.iter().flatten() {
            if !seen.insert((*id, *name)) {
                continue;
            }
            let passing = may_pass.then_some(&change.before);
            let ends = branches.iter().map(|branch| match branch.get(&(*id, *name)) {
                Some(change) => &change.after,
                None => &change.before,
            });
            let mut writes = 0;
            let values = ends.chain(passing).filter_map(|slot| match slot {
                Some(slot) => {
                    writes = writes.max(slot.writes);
                    Some(slot.value.clone())
                }
                None => absent(name),
            });
            let concat = values.reduce(|one, other| one.or(&other));
            let before = self.all[*id].names.get(name).cloned();
            self.log.push((*id, name, before));
            match concat {
                Some(value) => self.all[*id].names.insert(name, Slot { value, writes }),
                None => self.all[*id].names.remove(name),
            };
        }
    }
}

impl Frame<'_> {
    fn new(parent: Option<FrameId>, kind: FrameKind) -> Self {
        Self { parent, kind, names: HashMap::new(), global: HashSet::new() }
    }
}
