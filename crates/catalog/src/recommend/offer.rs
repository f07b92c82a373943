//! An offer: a known server or a skill that is not configured yet.
//!
//! In: the tools of such a server, or the description of a skill. Out: its index, and one line
//! per tool. Definitions are not kept: nobody can call them, and they take most of a catalog's
//! memory.

use std::sync::Arc;

use serde_json::json;
use tidegate_model::ToolDef;

use crate::api::one_line;
use crate::index::terms::Terms;
use crate::index::{Scoring, ServerIndex};
use crate::instructions::instructs;
use crate::server_tools::ServerTools;

/// Words in server names that identify no server.
const FILLER_WORDS: [&str; 2] = ["mcp", "server"];

/// A known server or a skill.
#[derive(Debug)]
pub struct Offer {
    /// What it is.
    pub kind: OfferKind,
    /// Its name.
    pub name: String,
    /// What it does, tool by tool; a skill counts as one tool.
    pub tools: Vec<OfferedTool>,
    pub(super) server_index: Arc<ServerIndex>,
    /// The terms of its name, without filler words.
    pub(super) name_terms: Vec<Box<str>>,
}

/// What an offer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferKind {
    /// A server that could be configured.
    Server,
    /// A skill that could be loaded.
    Skill,
}

/// One tool of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTool {
    /// As its server spells it.
    pub name: String,
    /// What it does, in one line.
    pub line: String,
}

impl Offer {
    /// A server that could be configured.
    pub fn server(name: &str, tools: &ServerTools, scoring: Scoring) -> Self {
        let definitions = || tools.tools.iter().map(AsRef::as_ref);
        let line = |tool: &ToolDef| OfferedTool { name: tool.name.clone(), line: one_line(tool) };
        Self {
            kind: OfferKind::Server,
            name: name.to_owned(),
            tools: definitions().map(line).collect(),
            server_index: Arc::new(ServerIndex::new(name, definitions(), scoring)),
            name_terms: name_terms(name),
        }
    }

    /// A skill that could be loaded.
    pub fn skill(name: &str, description: &str, triggers: &[String], scoring: Scoring) -> Self {
        let text = [description].into_iter().chain(triggers.iter().map(String::as_str));
        let tool = ToolDef {
            name: name.to_owned(),
            title: None,
            description: Some(text.collect::<Vec<_>>().join(". ")),
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
        };
        let tools = vec![OfferedTool { name: name.to_owned(), line: description.to_owned() }];
        // The tool already has this name, which would otherwise count twice.
        let server_index = Arc::new(ServerIndex::new("", [&tool].into_iter(), scoring));
        Self {
            kind: OfferKind::Skill,
            name: name.to_owned(),
            tools,
            server_index,
            name_terms: Vec::new(),
        }
    }
}

impl OfferedTool {
    /// What it does. Empty if the text addresses the model: such a text is not worth showing for a
    /// server that is not configured.
    pub fn text(&self) -> &str {
        if instructs(&self.line) { "" } else { &self.line }
    }
}

fn name_terms(name: &str) -> Vec<Box<str>> {
    let mut terms = Terms::new();
    terms.each_of_name(name, |_| {});
    let mut name_terms = terms.into_list();
    name_terms.retain(|term| !FILLER_WORDS.contains(&&**term));
    name_terms
}
