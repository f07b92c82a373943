//! Resolves tool names as programs write them.
//!
//! In: a name such as `server__tool` or `server.tool`. Out: the exact tool, or why there is
//! none, with the nearest name that exists.

use std::sync::Arc;

use tidegate_model::{Language, ToolDef, ToolRef, did_you_mean};

use crate::catalog::Catalog;
use crate::names::fold;

/// The result of resolving a name.
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

impl Catalog {
    /// The exact name of a server, given any of its spellings.
    pub fn server_name(&self, given: &str) -> Result<&str, String> {
        if let Some((name, _)) = self.servers.get_key_value(given) {
            return Ok(name);
        }
        // Names are unique after folding; the configuration guarantees it.
        let folded = fold(given);
        let same = self.servers.keys().find(|name| !folded.is_empty() && fold(name) == folded);
        same.map(String::as_str).ok_or_else(|| self.server_hint(given))
    }

    /// Resolves a tool name in a program: `server__tool`, `server.tool` or
    /// `mcp__server__tool`, with each part in any of its spellings.
    pub fn resolve(&self, name: &str) -> Resolution {
        self.resolve_in(Language::TypeScript, name)
    }

    /// The same, with hints that spell function names as the language does.
    pub fn resolve_in(&self, language: Language, name: &str) -> Resolution {
        let Some((given_server, given_tool)) = ToolRef::parts(name) else {
            return self.resolve_bare(name.strip_prefix("mcp__").unwrap_or(name));
        };
        let server = match self.server_name(given_server) {
            Ok(server) => server.to_owned(),
            Err(hint) => {
                // The hint repeats all of an email address: a part of it would not be recognised
                // as one.
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

    /// Resolves a name without a server, which works only if exactly one server has the tool.
    fn resolve_bare(&self, name: &str) -> Resolution {
        let owners: Vec<(&String, &Arc<ToolDef>)> = self
            .servers
            .iter()
            .filter_map(|(server, entry)| Some((server, entry.tools.find(name)?)))
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

    /// Hints at the one other server that has a tool of this name.
    fn owner_hint(&self, language: Language, given: &str) -> Option<String> {
        let mut owners = self.servers.iter().filter(|(_, entry)| entry.tools.find(given).is_some());
        let (server, entry) = owners.next()?;
        if owners.next().is_some() {
            return None;
        }
        let at = entry.tools.position(given)?;
        let names = entry.tools.names_in(language);
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

    /// The resolution of a name, in one line.
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
            catalog
                .set_tools(server, &ToolList { left_out: 0, info: ServerInfo::default(), tools });
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
            catalog
                .set_tools(server, &ToolList { left_out: 0, info: ServerInfo::default(), tools });
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
