//! The accepted definitions of tools, and how the current ones differ.
//!
//! In: tool lists exactly as servers send them. Out: what is new or changed since
//! the server was accepted. The first list of a server is accepted as it is (trust
//! on first use); every later difference waits for a person
//! (`tidegate tools accept`). Decides nothing: `policy` does, based on these changes.
//!
//! Blocks the calling thread on the database: lists of servers are taken in where nothing
//! can await, once per list and not during a call.
//!
//! A server is identified by its name and by how it is started or reached: changing
//! either in the configuration makes it a new server.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use tidegate_catalog::{definition_hash, difference, server_fingerprint};
use tidegate_model::{Change, OnChange, ServerSpec, ToolDef, ToolList};
use tidegate_store::{AcceptedServer, AcceptedTool, AcceptedTools, StoreError};

/// The changes of a server's tools, by name.
pub(crate) type Changes = BTreeMap<String, (Change, OnChange)>;

/// Hashes of accepted definitions, by server and tool.
type Hashes = HashMap<AcceptedServer, HashMap<String, String>>;

/// The accepted definitions.
pub(crate) struct Acceptance {
    stored: AcceptedTools,
    on_change: OnChange,
    known: RwLock<Hashes>,
    /// Grows when something is accepted.
    version: AtomicU64,
}

impl Acceptance {
    /// Loads what was accepted before.
    pub(crate) fn open(stored: AcceptedTools, on_change: OnChange) -> Result<Self, StoreError> {
        let known = RwLock::new(read(&stored)?);
        Ok(Self { stored, on_change, known, version: AtomicU64::new(0) })
    }

    /// Changes when something is accepted.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// How the tools of a server differ from the accepted ones. If none were accepted
    /// yet, these are. `hashes` are those of the list, where they are known.
    pub(crate) fn changes(
        &self,
        spec: &ServerSpec,
        list: &ToolList,
        hashes: Option<&BTreeMap<String, String>>,
    ) -> Changes {
        let server = identity(spec);
        let known = self.known(&server).or_else(|| {
            self.accept_first(&server, list);
            self.known(&server)
        });
        let Some(known) = known else { return Changes::new() };
        let mut changes = Changes::new();
        for tool in &list.tools {
            let hash = hashes.and_then(|hashes| hashes.get(&tool.name)).cloned();
            let hash = hash.unwrap_or_else(|| definition_hash(tool));
            let change = match known.get(&tool.name) {
                None => Some(Change::New),
                Some(accepted) if *accepted == hash => None,
                Some(_) => self.change(&server, tool),
            };
            changes.extend(change.map(|change| (tool.name.clone(), (change, self.on_change))));
        }
        changes
    }

    /// Reads again what was accepted, since other processes may have accepted something.
    /// Returns whether anything is new.
    pub(crate) fn refresh(&self) -> bool {
        let read = match read(&self.stored) {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(%error, "accepted tools cannot be read");
                return false;
            }
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if *known == read {
            return false;
        }
        *known = read;
        self.version.fetch_add(1, Ordering::Release);
        true
    }

    /// Accepts these definitions of a server's tools.
    pub(crate) fn accept(&self, spec: &ServerSpec, tools: &[ToolDef]) -> Result<(), StoreError> {
        self.stored.accept(identity(spec), tools.iter().map(accepted).collect()).wait()?;
        self.refresh();
        Ok(())
    }

    /// The accepted definition of a tool, if it can be read.
    pub(crate) fn accepted(&self, spec: &ServerSpec, tool: &str) -> Option<ToolDef> {
        self.definition(&identity(spec), tool)
    }

    fn definition(&self, server: &AcceptedServer, tool: &str) -> Option<ToolDef> {
        let text = self.stored.definition(server.clone(), tool.to_owned()).wait().ok()??;
        serde_json::from_str(&text).ok()
    }

    /// How a tool with a different hash differs. A tool that cannot be compared counts as
    /// new, never as unchanged.
    fn change(&self, server: &AcceptedServer, tool: &ToolDef) -> Option<Change> {
        match self.definition(server, &tool.name) {
            Some(accepted) => difference(&accepted, tool),
            None => Some(Change::New),
        }
    }

    fn accept_first(&self, server: &AcceptedServer, list: &ToolList) {
        if list.tools.is_empty() {
            return;
        }
        let tools: Vec<AcceptedTool> = list.tools.iter().map(accepted).collect();
        if let Err(error) = self.stored.accept_first(server.clone(), tools.clone()).wait() {
            tracing::warn!(%error, "the first tool list of a server cannot be stored");
        }
        // Another gateway may have been the first.
        self.refresh();
        let hashes = tools.into_iter().map(|tool| (tool.name, tool.definition_hash)).collect();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(server.clone()).or_insert(hashes);
    }

    fn known(&self, server: &AcceptedServer) -> Option<HashMap<String, String>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(server).cloned()
    }
}

fn identity(spec: &ServerSpec) -> AcceptedServer {
    AcceptedServer { name: spec.name.clone(), source: server_fingerprint(spec) }
}

fn accepted(tool: &ToolDef) -> AcceptedTool {
    AcceptedTool {
        name: tool.name.clone(),
        definition_hash: definition_hash(tool),
        // Plain data: this cannot fail.
        definition: serde_json::to_string(tool).unwrap_or_default(),
    }
}

fn read(stored: &AcceptedTools) -> Result<Hashes, StoreError> {
    let mut hashes = Hashes::new();
    for (server, tool, hash) in stored.hashes().wait()? {
        hashes.entry(server).or_default().insert(tool, hash);
    }
    Ok(hashes)
}
