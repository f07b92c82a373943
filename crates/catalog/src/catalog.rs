//! The catalog: the tools of all servers.
//!
//! In: tool lists as servers send them, observed result schemas, and how tools differ from
//! their accepted versions. Out: definitions, typed APIs, notes and search hits; `resolve`
//! finds the tool for a name in a program. Derived data is built on first use and kept until
//! the server changes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use tidegate_model::{Change, OnChange, ToolDef, ToolList, ToolRef, cleaned_line};

use crate::api::{
    DocumentedTool, ServerApi, definition, python_definition, python_signature, signature,
};
use crate::index::{Hit, Index, Scoring, ServerIndex};
use crate::instructions::holds_instructions;
use crate::note::{Note, with_notes};
use crate::prose::withheld;
use crate::server_tools::ServerTools;
use crate::shape::ObservedSchema;

mod resolve;

pub use resolve::Resolution;

/// All known tools. Cheap to clone: a running program keeps the catalog it started with,
/// even if servers change meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    servers: BTreeMap<String, ServerEntry>,
    index: OnceLock<Arc<Index>>,
    scoring: Scoring,
}

#[derive(Debug, Clone)]
struct ServerEntry {
    tools: Arc<ServerTools>,
    /// The observed result schemas, by tool.
    observed: Arc<BTreeMap<String, Arc<ObservedSchema>>>,
    /// Tools that differ from their accepted version.
    changes: Arc<BTreeMap<String, (Change, OnChange)>>,
    /// Built on first use.
    api: OnceLock<Arc<ServerApi>>,
    /// This server's part of the index, built by the first search.
    server_index: OnceLock<Arc<ServerIndex>>,
    /// The category of the server, if known.
    category: Option<String>,
}

impl ServerEntry {
    fn new(tools: ServerTools) -> Self {
        Self {
            tools: Arc::new(tools),
            observed: Arc::default(),
            changes: Arc::default(),
            api: OnceLock::new(),
            server_index: OnceLock::new(),
            category: None,
        }
    }

    /// A tool in the form in which it is shown.
    fn shown(&self, at: usize) -> Option<Cow<'_, ToolDef>> {
        let tool = self.tools.tools.get(at)?;
        Some(match self.changes.get(&tool.name) {
            Some((_, OnChange::Quarantine)) => Cow::Owned(withheld(tool)),
            Some((_, OnChange::Mark)) | None => Cow::Borrowed(tool.as_ref()),
        })
    }

    /// The notes on a tool's text.
    fn notes(&self, at: usize) -> Vec<Note> {
        let Some(tool) = self.tools.tools.get(at) else { return Vec::new() };
        let change = self.changes.get(&tool.name).cloned();
        let hid_text = self.tools.hid_text.get(at) == Some(&true);
        let known = self.tools.instructs.get(at);
        let instructs = known.is_some_and(|known| *known.get_or_init(|| holds_instructions(tool)));
        let change = change.map(|(change, follows)| Note::Changed(change, follows));
        let hidden = hid_text.then_some(Note::HiddenText);
        change.into_iter().chain(instructs.then_some(Note::Instructions)).chain(hidden).collect()
    }
}

impl Catalog {
    /// Adds a configured server whose tools are not known yet.
    pub fn add_server(&mut self, server: &str) {
        self.servers
            .entry(server.to_owned())
            .or_insert_with(|| ServerEntry::new(ServerTools::default()));
    }

    /// Sets or replaces a server's tools. Discards what was observed of the old ones.
    pub fn set_tools(&mut self, server: &str, list: &ToolList) {
        self.servers.insert(server.to_owned(), ServerEntry::new(ServerTools::new(list)));
        self.index = OnceLock::new();
    }

    /// Sets the observed schemas of a server's results.
    pub fn set_observed(&mut self, server: &str, observed: BTreeMap<String, Arc<ObservedSchema>>) {
        if let Some(entry) = self.servers.get_mut(server)
            && *entry.observed != observed
        {
            entry.observed = Arc::new(observed);
            entry.api = OnceLock::new();
        }
    }

    /// Sets which of a server's tools differ from their accepted version, and the consequence.
    pub fn set_changes(&mut self, server: &str, changes: BTreeMap<String, (Change, OnChange)>) {
        if let Some(entry) = self.servers.get_mut(server)
            && *entry.changes != changes
        {
            entry.changes = Arc::new(changes);
            entry.api = OnceLock::new();
        }
    }

    /// How a tool differs from its accepted version, if it does.
    pub fn change(&self, id: &ToolRef) -> Option<&Change> {
        self.servers.get(&id.server)?.changes.get(&id.tool).map(|(change, _)| change)
    }

    /// The notes on a tool's text.
    pub fn notes(&self, id: &ToolRef) -> Vec<Note> {
        let Some(entry) = self.servers.get(&id.server) else { return Vec::new() };
        let at = entry.tools.tools.iter().position(|tool| tool.name == id.tool);
        at.map_or_else(Vec::new, |at| entry.notes(at))
    }

    /// A tool as everyone sees it except the person who accepts it: a quarantined tool has none
    /// of its server's text.
    pub fn shown(&self, id: &ToolRef) -> Option<Cow<'_, ToolDef>> {
        let entry = self.servers.get(&id.server)?;
        entry.shown(entry.tools.tools.iter().position(|tool| tool.name == id.tool)?)
    }

    /// A tool's text with its notes in front.
    pub fn with_notes(&self, id: &ToolRef, text: &str) -> String {
        with_notes(&self.notes(id), text)
    }

    /// Every tool that differs from its accepted version.
    pub fn changes(&self) -> impl Iterator<Item = (ToolRef, &Change)> {
        self.servers.iter().flat_map(|(server, entry)| {
            let changes = entry.changes.iter();
            changes.map(move |(tool, (change, _))| (ToolRef::new(server, tool), change))
        })
    }

    /// Sets the category of a server.
    pub fn set_category(&mut self, server: &str, category: &str) {
        if let Some(entry) = self.servers.get_mut(server) {
            entry.category = Some(cleaned_line(category));
        }
    }

    /// A copy of the catalog with the category of each server, where known.
    pub fn with_categories<'a>(&self, kind: impl Fn(&str) -> Option<&'a str>) -> Self {
        // Built here once, instead of in every copy.
        self.index();
        let mut copy = self.clone();
        for (name, entry) in &mut copy.servers {
            entry.category = kind(name).map(str::to_owned).or(entry.category.take());
        }
        copy
    }

    /// The category of a server, if known.
    pub fn category(&self, server: &str) -> Option<&str> {
        self.servers.get(server)?.category.as_deref()
    }

    /// Copies a server from another catalog.
    pub fn adopt(&mut self, server: &str, other: &Self) {
        if let Some(entry) = other.servers.get(server) {
            self.servers.insert(server.to_owned(), entry.clone());
            self.index = OnceLock::new();
        }
    }

    /// The self-contained definition of one tool in TypeScript.
    pub fn definition(&self, id: &ToolRef) -> Option<String> {
        let entry = self.servers.get(&id.server)?;
        let at = entry.tools.tools.iter().position(|tool| tool.name == id.tool)?;
        let (tool, function) = (entry.shown(at)?, &entry.tools.functions[at]);
        let observed = entry.observed.get(&tool.name).map(AsRef::as_ref);
        Some(definition(DocumentedTool { tool: &tool, function, observed, notes: entry.notes(at) }))
    }

    /// The name of a tool's Python function, and its definition.
    pub fn python_definition(&self, id: &ToolRef) -> Option<(String, String)> {
        let entry = self.servers.get(&id.server)?;
        let at = entry.tools.position(&id.tool)?;
        let tool = entry.shown(at)?;
        let function = entry.tools.python_functions().into_iter().nth(at)?.0;
        let observed = entry.observed.get(&tool.name).map(AsRef::as_ref);
        let subject =
            DocumentedTool { tool: &tool, function: &function, observed, notes: entry.notes(at) };
        let definition = python_definition(subject);
        Some((function, definition))
    }

    /// A tool's signature in Python: enough to correct a call.
    pub fn python_signature(&self, id: &ToolRef) -> Option<String> {
        let tools = self.server(&id.server)?;
        let functions = tools.python_functions();
        let (function, ..) = functions.into_iter().find(|(_, name, _)| *name == id.tool)?;
        Some(python_signature(tools.find(&id.tool)?, &function))
    }

    /// A tool's signature in TypeScript: enough to correct a call.
    pub fn signature(&self, id: &ToolRef) -> Option<String> {
        let tools = self.server(&id.server)?;
        Some(signature(tools.find(&id.tool)?, tools.function_of(&id.tool)?))
    }

    /// The typed API of a server.
    pub fn api(&self, server: &str) -> Option<&Arc<ServerApi>> {
        let entry = self.servers.get(server)?;
        Some(entry.api.get_or_init(|| {
            let shown: Vec<Cow<'_, ToolDef>> =
                (0..entry.tools.tools.len()).filter_map(|at| entry.shown(at)).collect();
            let notes = |at| entry.notes(at);
            Arc::new(ServerApi::new(&shown, &entry.tools.functions, &entry.observed, notes))
        }))
    }

    /// Names of all servers, sorted.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// A server's tools by its exact name.
    pub fn server(&self, name: &str) -> Option<&Arc<ServerTools>> {
        self.servers.get(name).map(|entry| &entry.tools)
    }

    /// Every tool with its identity.
    pub fn tools(&self) -> impl Iterator<Item = (ToolRef, &Arc<ToolDef>)> {
        self.servers.iter().flat_map(|(server, entry)| {
            entry.tools.tools.iter().map(move |tool| (ToolRef::new(server, &tool.name), tool))
        })
    }

    /// An empty catalog whose search uses this scoring.
    pub fn with_scoring(scoring: Scoring) -> Self {
        Self { scoring, ..Self::default() }
    }

    /// The best tools for a query, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index().search(query, limit)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::join(self.server_indexes())))
    }

    /// The indexes of all servers. Reuses the index of a server whose tools have not changed.
    pub(crate) fn server_indexes(&self) -> impl Iterator<Item = (&str, Arc<ServerIndex>)> {
        self.servers.iter().map(|(server, entry)| {
            let tools = || entry.tools.tools.iter().map(AsRef::as_ref);
            let server_index = entry
                .server_index
                .get_or_init(|| Arc::new(ServerIndex::new(server, tools(), self.scoring)));
            (server.as_str(), Arc::clone(server_index))
        })
    }

    /// The name under which a program imports a tool's function.
    pub fn function_name(&self, id: &ToolRef) -> Option<&str> {
        let tools = self.server(&id.server)?;
        let at = tools.tools.iter().position(|tool| tool.name == id.tool)?;
        tools.functions.get(at).map(String::as_str)
    }
}
