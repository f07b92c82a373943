//! The tools of all servers, and what a name in a program means.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use tidegate_model::{
    Change, Language, OnChange, ServerInfo, ToolDef, ToolList, ToolRef, cleaned_line, did_you_mean,
    shown_name,
};

use crate::api::{ServerApi, Subject, definition, python_definition, python_signature, signature};
use crate::index::{Analysed, Hit, Index, Scoring};
use crate::instructions::holds_instructions;
use crate::names::{fold, function_names, python_function_names, python_parameters};
use crate::note::{Note, marked};
use crate::prose::{Cleaned, clean, withheld};
use crate::shape::Observed;

/// The tools of one server.
#[derive(Debug, Clone)]
pub struct ServerTools {
    /// Who sent them.
    pub info: ServerInfo,
    /// The tools, in the server's order.
    pub tools: Vec<Arc<ToolDef>>,
    /// Function names, in the same order.
    pub functions: Vec<String>,
    /// Whether text was hidden in the tool, in the same order.
    hid_text: Vec<bool>,
    /// Whether its text speaks to the model; looked at when it is first shown.
    instructs: Vec<OnceLock<bool>>,
    by_spelling: HashMap<String, usize>,
}

/// A function of Python: its name, the tool, and its parameters in the order in
/// which they can be given without their names: how each is written, and what the
/// tool calls it.
pub type PythonFunction<'a> = (String, &'a str, Vec<(String, &'a str, bool)>);

/// All known tools. Cheap to clone: a running program keeps the one it started
/// with, whatever servers do meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    servers: BTreeMap<String, Listed>,
    index: OnceLock<Arc<Index>>,
    scoring: Scoring,
}

#[derive(Debug, Clone)]
struct Listed {
    tools: Arc<ServerTools>,
    /// What results looked like, by tool.
    observed: Arc<BTreeMap<String, Arc<Observed>>>,
    /// Tools that are not as they were accepted.
    changes: Arc<BTreeMap<String, (Change, OnChange)>>,
    /// Made when somebody first reads it.
    api: OnceLock<Arc<ServerApi>>,
    /// This server's part of the index, made at the first search.
    analysed: OnceLock<Arc<Analysed>>,
    /// What kind of server it is, if somebody says.
    category: Option<String>,
}

impl Listed {
    fn new(tools: ServerTools) -> Self {
        Self {
            tools: Arc::new(tools),
            observed: Arc::default(),
            changes: Arc::default(),
            api: OnceLock::new(),
            analysed: OnceLock::new(),
            category: None,
        }
    }

    /// A tool as it is shown.
    fn shown(&self, at: usize) -> Option<Cow<'_, ToolDef>> {
        let tool = self.tools.tools.get(at)?;
        Some(match self.changes.get(&tool.name) {
            Some((_, OnChange::Quarantine)) => Cow::Owned(withheld(tool)),
            Some((_, OnChange::Mark)) | None => Cow::Borrowed(tool.as_ref()),
        })
    }

    /// What a reader of a tool should know about its text.
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

/// What a name means.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// Exactly this tool.
    Tool {
        /// Its identity.
        id: ToolRef,
        /// Its definition.
        tool: Arc<ToolDef>,
    },
    /// The server exists, but its tools are not known yet.
    NotListed {
        /// The server.
        server: String,
    },
    /// There is no such server.
    UnknownServer {
        /// The name as written.
        given: String,
        /// What was probably meant.
        hint: String,
    },
    /// The server has no such tool.
    UnknownTool {
        /// The server.
        server: String,
        /// The name as written.
        given: String,
        /// What was probably meant.
        hint: String,
    },
}

impl ServerTools {
    /// The functions of this server as programs in Python call them.
    pub fn python_functions(&self) -> Vec<PythonFunction<'_>> {
        let names = python_function_names(self.tools.iter().map(AsRef::as_ref));
        let function = |(name, tool)| {
            let tool: &ToolDef = tool;
            (name, tool.name.as_str(), python_parameters(&tool.input_schema))
        };
        names.into_iter().zip(self.tools.iter().map(AsRef::as_ref)).map(function).collect()
    }

    /// The functions of all tools, as a language writes them.
    pub fn names_in(&self, language: Language) -> Cow<'_, [String]> {
        match language {
            Language::TypeScript => Cow::Borrowed(&self.functions),
            Language::Python => {
                Cow::Owned(python_function_names(self.tools.iter().map(AsRef::as_ref)))
            }
        }
    }

    /// Prepares a tool list for look-ups. All text of servers comes in here: what
    /// cannot be seen is taken out of prose, names stay what they are.
    pub fn new(list: &ToolList) -> Self {
        let functions = function_names(&list.tools);
        let mut by_spelling = HashMap::new();
        // Later entries win: an exact name beats a function name, which beats a
        // folded spelling. A folded spelling of two tools means neither.
        let mut folded: HashMap<String, Option<usize>> = HashMap::new();
        for (at, tool) in list.tools.iter().enumerate() {
            folded.entry(fold(&tool.name)).and_modify(|entry| *entry = None).or_insert(Some(at));
        }
        by_spelling.extend(folded.into_iter().filter_map(|(name, at)| Some((name, at?))));
        by_spelling.extend(functions.iter().cloned().enumerate().map(|(at, name)| (name, at)));
        // As it is shown, where that is not the name itself.
        let shown = |(at, tool): (usize, &ToolDef)| (shown_name(&tool.name).into_owned(), at);
        by_spelling.extend(list.tools.iter().enumerate().map(shown));
        by_spelling.extend(list.tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)));
        let (mut tools, mut hid_text) = (Vec::new(), Vec::new());
        for Cleaned { tool, hid_text: hidden } in list.tools.iter().map(clean) {
            tools.push(Arc::new(tool));
            hid_text.push(hidden);
        }
        let instructs = vec![OnceLock::new(); tools.len()];
        let info = clean_info(&list.info);
        Self { info, tools, functions, hid_text, instructs, by_spelling }
    }

    /// The tool of this name, in any of its spellings.
    pub fn find(&self, name: &str) -> Option<&Arc<ToolDef>> {
        self.tools.get(self.position(name)?)
    }

    /// The function of the tool of this name, in any of its spellings.
    pub fn function_of(&self, name: &str) -> Option<&str> {
        self.functions.get(self.position(name)?).map(String::as_str)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.by_spelling.get(name).or_else(|| self.by_spelling.get(&fold(name))).copied()
    }
}

impl Catalog {
    /// Adds a configured server whose tools are not known yet.
    pub fn add_server(&mut self, server: &str) {
        self.servers.entry(server.to_owned()).or_insert_with(|| {
            Listed::new(ServerTools {
                info: ServerInfo::default(),
                tools: Vec::new(),
                functions: Vec::new(),
                hid_text: Vec::new(),
                instructs: Vec::new(),
                by_spelling: HashMap::new(),
            })
        });
    }

    /// Sets or replaces a server's tools. What was observed of them is forgotten.
    pub fn set_tools(&mut self, server: &str, list: &ToolList) {
        self.servers.insert(server.to_owned(), Listed::new(ServerTools::new(list)));
        self.index = OnceLock::new();
    }

    /// Sets what results of a server's tools looked like.
    pub fn set_observed(&mut self, server: &str, observed: BTreeMap<String, Arc<Observed>>) {
        if let Some(listed) = self.servers.get_mut(server)
            && *listed.observed != observed
        {
            listed.observed = Arc::new(observed);
            listed.api = OnceLock::new();
        }
    }

    /// Sets which of a server's tools are not as they were accepted, and what
    /// follows from it.
    pub fn set_changes(&mut self, server: &str, changes: BTreeMap<String, (Change, OnChange)>) {
        if let Some(listed) = self.servers.get_mut(server)
            && *listed.changes != changes
        {
            listed.changes = Arc::new(changes);
            listed.api = OnceLock::new();
        }
    }

    /// How a tool differs from the one that was accepted, if it does.
    pub fn change(&self, id: &ToolRef) -> Option<&Change> {
        self.servers.get(&id.server)?.changes.get(&id.tool).map(|(change, _)| change)
    }

    /// What a reader of a tool should know about its text.
    pub fn notes(&self, id: &ToolRef) -> Vec<Note> {
        let Some(listed) = self.servers.get(&id.server) else { return Vec::new() };
        let at = listed.tools.tools.iter().position(|tool| tool.name == id.tool);
        at.map_or_else(Vec::new, |at| listed.notes(at))
    }

    /// A tool as it is shown to anybody but the person who accepts it: one that is in
    /// quarantine without a word of its server.
    pub fn shown(&self, id: &ToolRef) -> Option<Cow<'_, ToolDef>> {
        let listed = self.servers.get(&id.server)?;
        listed.shown(listed.tools.tools.iter().position(|tool| tool.name == id.tool)?)
    }

    /// A text of a tool behind what a reader should know about it.
    pub fn marked(&self, id: &ToolRef, text: &str) -> String {
        marked(&self.notes(id), text)
    }

    /// Every tool that is not as it was accepted.
    pub fn changes(&self) -> impl Iterator<Item = (ToolRef, &Change)> {
        self.servers.iter().flat_map(|(server, listed)| {
            let changes = listed.changes.iter();
            changes.map(move |(tool, (change, _))| (ToolRef::new(server, tool), change))
        })
    }

    /// Says what kind of server it is.
    pub fn set_category(&mut self, server: &str, category: &str) {
        if let Some(listed) = self.servers.get_mut(server) {
            listed.category = Some(cleaned_line(category));
        }
    }

    /// The same catalog, with what kind each server is, if somebody says.
    pub fn with_categories<'a>(&self, kind: impl Fn(&str) -> Option<&'a str>) -> Self {
        // Made here, so that it is not made again for every copy.
        self.index();
        let mut copy = self.clone();
        for (name, listed) in &mut copy.servers {
            listed.category = kind(name).map(str::to_owned).or(listed.category.take());
        }
        copy
    }

    /// What kind of server it is, if somebody has said.
    pub fn category(&self, server: &str) -> Option<&str> {
        self.servers.get(server)?.category.as_deref()
    }

    /// Takes over a server from another catalog.
    pub fn adopt(&mut self, server: &str, other: &Self) {
        if let Some(listed) = other.servers.get(server) {
            self.servers.insert(server.to_owned(), listed.clone());
            self.index = OnceLock::new();
        }
    }

    /// The definition of one tool in TypeScript, complete in itself.
    pub fn definition(&self, id: &ToolRef) -> Option<String> {
        let listed = self.servers.get(&id.server)?;
        let at = listed.tools.tools.iter().position(|tool| tool.name == id.tool)?;
        let (tool, function) = (listed.shown(at)?, &listed.tools.functions[at]);
        let observed = listed.observed.get(&tool.name).map(AsRef::as_ref);
        Some(definition(Subject { tool: &tool, function, observed, notes: listed.notes(at) }))
    }

    /// The function that a program in Python calls, and its definition.
    pub fn python_definition(&self, id: &ToolRef) -> Option<(String, String)> {
        let listed = self.servers.get(&id.server)?;
        let at = listed.tools.position(&id.tool)?;
        let tool = listed.shown(at)?;
        let function = listed.tools.python_functions().into_iter().nth(at)?.0;
        let observed = listed.observed.get(&tool.name).map(AsRef::as_ref);
        let subject =
            Subject { tool: &tool, function: &function, observed, notes: listed.notes(at) };
        let definition = python_definition(subject);
        Some((function, definition))
    }

    /// What a tool takes, in Python: enough to correct a call.
    pub fn python_signature(&self, id: &ToolRef) -> Option<String> {
        let tools = self.server(&id.server)?;
        let functions = tools.python_functions();
        let (function, ..) = functions.into_iter().find(|(_, name, _)| *name == id.tool)?;
        Some(python_signature(tools.find(&id.tool)?, &function))
    }

    /// What a tool takes, in TypeScript: enough to correct a call.
    pub fn signature(&self, id: &ToolRef) -> Option<String> {
        let tools = self.server(&id.server)?;
        Some(signature(tools.find(&id.tool)?, tools.function_of(&id.tool)?))
    }

    /// The typed API of a server.
    pub fn api(&self, server: &str) -> Option<&Arc<ServerApi>> {
        let listed = self.servers.get(server)?;
        Some(listed.api.get_or_init(|| {
            let shown: Vec<Cow<'_, ToolDef>> =
                (0..listed.tools.tools.len()).filter_map(|at| listed.shown(at)).collect();
            let notes = |at| listed.notes(at);
            Arc::new(ServerApi::new(&shown, &listed.tools.functions, &listed.observed, notes))
        }))
    }

    /// Names of all servers, sorted.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// A server's tools by its exact name.
    pub fn server(&self, name: &str) -> Option<&Arc<ServerTools>> {
        self.servers.get(name).map(|listed| &listed.tools)
    }

    /// Every tool with its identity.
    pub fn tools(&self) -> impl Iterator<Item = (ToolRef, &Arc<ToolDef>)> {
        self.servers.iter().flat_map(|(server, listed)| {
            listed.tools.tools.iter().map(move |tool| (ToolRef::new(server, &tool.name), tool))
        })
    }

    /// The exact name of a server that is written in some spelling.
    pub fn server_name(&self, given: &str) -> Result<&str, String> {
        if let Some((name, _)) = self.servers.get_key_value(given) {
            return Ok(name);
        }
        // Names are unique after folding; the configuration sees to it.
        let folded = fold(given);
        let same = self.servers.keys().find(|name| !folded.is_empty() && fold(name) == folded);
        same.map(String::as_str).ok_or_else(|| self.server_hint(given))
    }

    /// What a tool name in a program means: `server__tool`, `server.tool` or
    /// `mcp__server__tool`, with each part in any of its spellings.
    pub fn resolve(&self, name: &str) -> Resolution {
        self.resolve_in(Language::TypeScript, name)
    }

    /// The same, with hints that name functions as a language writes them.
    pub fn resolve_in(&self, language: Language, name: &str) -> Resolution {
        let Some((given_server, given_tool)) = ToolRef::parts(name) else {
            return self.resolve_bare(name.strip_prefix("mcp__").unwrap_or(name));
        };
        let server = match self.server_name(given_server) {
            Ok(server) => server.to_owned(),
            Err(hint) => {
                // Of an address a part would be told that nobody recognises any more.
                let given = if name.contains(['@', ' ']) { name } else { given_server };
                return Resolution::UnknownServer { given: given.to_owned(), hint };
            }
        };
        let Some(tools) = self.server(&server) else {
            return Resolution::NotListed { server };
        };
        if let Some(tool) = tools.find(given_tool) {
            let id = ToolRef::new(&server, &tool.name);
            return Resolution::Tool { id, tool: Arc::clone(tool) };
        }
        if tools.tools.is_empty() {
            return Resolution::NotListed { server };
        }
        let hint = self.owner_hint(language, given_tool);
        let hint = hint.unwrap_or_else(|| tool_hint(&tools.names_in(language), given_tool));
        Resolution::UnknownTool { server, given: given_tool.to_owned(), hint }
    }

    /// A name without a server is a slip, unless only one server has the tool.
    fn resolve_bare(&self, name: &str) -> Resolution {
        let owners: Vec<(&String, &Arc<ToolDef>)> = self
            .servers
            .iter()
            .filter_map(|(server, listed)| Some((server, listed.tools.find(name)?)))
            .collect();
        if let [(server, tool)] = owners.as_slice() {
            let id = ToolRef::new(*server, &tool.name);
            return Resolution::Tool { id, tool: Arc::clone(tool) };
        }
        if let Ok(server) = self.server_name(name)
            && let Some(tool) = self.server(server).and_then(|tools| tools.tools.first())
        {
            let example = ToolRef::new(server, &tool.name);
            let hint = format!("name the tool too, such as `{example}`");
            return Resolution::UnknownTool {
                server: server.to_owned(),
                given: name.to_owned(),
                hint,
            };
        }
        let hint = match owners.as_slice() {
            [] => "write it as `server__tool`".to_owned(),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .map(|(server, tool)| format!("`{}`", ToolRef::new(*server, &tool.name)))
                    .collect();
                format!("write one of {}", names.join(", "))
            }
        };
        Resolution::UnknownServer { given: name.to_owned(), hint }
    }

    /// Which other server has a tool of exactly this name.
    fn owner_hint(&self, language: Language, given: &str) -> Option<String> {
        let mut owners =
            self.servers.iter().filter(|(_, listed)| listed.tools.find(given).is_some());
        let (server, listed) = owners.next()?;
        if owners.next().is_some() {
            return None;
        }
        let at = listed.tools.position(given)?;
        let names = listed.tools.names_in(language);
        let function = names.get(at)?;
        Some(format!("`{server}` has it: write `servers.{server}.{function}`"))
    }

    fn server_hint(&self, given: &str) -> String {
        did_you_mean(given, self.servers()).unwrap_or_else(|| {
            let names: Vec<String> =
                self.servers().take(12).map(|name| format!("`{name}`")).collect();
            match names.as_slice() {
                [] => "no server is configured".to_owned(),
                _ => format!("the servers are {}", names.join(", ")),
            }
        })
    }

    /// An empty catalog that finds tools in this way.
    pub fn with_scoring(scoring: Scoring) -> Self {
        Self { scoring, ..Self::default() }
    }

    /// The best tools for a query, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.index().search(query, limit)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Arc::new(Index::join(self.analysed())))
    }

    /// Of a server whose tools have not changed, what was analysed before counts.
    pub(crate) fn analysed(&self) -> impl Iterator<Item = (&str, Arc<Analysed>)> {
        self.servers.iter().map(|(server, listed)| {
            let tools = || listed.tools.tools.iter().map(AsRef::as_ref);
            let analysed = listed
                .analysed
                .get_or_init(|| Arc::new(Analysed::new(server, tools(), self.scoring)));
            (server.as_str(), Arc::clone(analysed))
        })
    }

    /// The function name of a tool, as one would import it.
    pub fn function_name(&self, id: &ToolRef) -> Option<&str> {
        let tools = self.server(&id.server)?;
        let at = tools.tools.iter().position(|tool| tool.name == id.tool)?;
        tools.functions.get(at).map(String::as_str)
    }
}

/// What a server says of itself, in one line and without what cannot be seen.
fn clean_info(info: &ServerInfo) -> ServerInfo {
    ServerInfo {
        name: cleaned_line(&info.name),
        version: cleaned_line(&info.version),
        protocol_version: cleaned_line(&info.protocol_version),
    }
}

fn tool_hint(functions: &[String], given: &str) -> String {
    did_you_mean(given, functions.iter().map(String::as_str)).unwrap_or_else(|| {
        let names: Vec<String> =
            functions.iter().take(12).map(|name| format!("`{name}`")).collect();
        let more = functions.len().saturating_sub(12);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("it has {}{rest}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::{Language, ServerInfo, ToolDef, ToolList};

    use super::{Catalog, Resolution};

    /// What a name means, in one line.
    fn resolved(name: &str) -> String {
        let tool = |name: &&str| ToolDef {
            name: (*name).to_owned(),
            title: None,
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
        };
        let mut catalog = Catalog::default();
        for (server, tools) in [("crm", ["get_lead", "search"]), ("drive", ["get_file", "search"])]
        {
            let tools = tools.iter().map(tool).collect();
            catalog.set_tools(server, &ToolList { info: ServerInfo::default(), tools });
        }
        match catalog.resolve(name) {
            Resolution::Tool { id, .. } => id.to_string(),
            Resolution::NotListed { server } => format!("{server} not listed"),
            Resolution::UnknownServer { given, hint } => format!("no {given}: {hint}"),
            Resolution::UnknownTool { server, given, hint } => {
                format!("no {given} in {server}: {hint}")
            }
        }
    }

    #[test]
    fn a_tool_of_another_server_is_found_there() {
        assert_eq!(
            resolved("drive__get-lead"),
            "no get-lead in drive: `crm` has it: write `servers.crm.getLead`"
        );
        assert_eq!(resolved("drive__getFiel"), "no getFiel in drive: did you mean `getFile`?");
    }

    #[test]
    fn hints_name_functions_as_the_language_writes_them() {
        let tool = |name: &str| ToolDef {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
        };
        let mut catalog = Catalog::default();
        for (server, tools) in [("crm", ["getLead", "list-leads"]), ("drive", ["get", "put"])] {
            let tools = tools.into_iter().map(tool).collect();
            catalog.set_tools(server, &ToolList { info: ServerInfo::default(), tools });
        }
        let hint = |name: &str| match catalog.resolve_in(Language::Python, name) {
            Resolution::UnknownTool { hint, .. } => hint,
            other => panic!("{other:?}"),
        };
        assert_eq!(hint("crm__get_laed"), "did you mean `get_lead`?");
        assert_eq!(hint("crm__x"), "it has `get_lead`, `list_leads`");
        assert_eq!(hint("drive__getLead"), "`crm` has it: write `servers.crm.get_lead`");
    }

    #[test]
    fn a_name_without_a_server_or_without_a_tool_is_told_what_is_missing() {
        assert_eq!(resolved("get_lead"), "crm__get_lead");
        assert_eq!(resolved("search"), "no search: write one of `crm__search`, `drive__search`");
        assert_eq!(resolved("crm"), "no crm in crm: name the tool too, such as `crm__get_lead`");
    }
}
