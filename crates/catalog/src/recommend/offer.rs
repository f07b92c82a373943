//! What could be had beside the configured tools: a known server, or a skill.
//!
//! In: the tools of a server that is not configured, or what a skill says of itself.
//! Out: its part of an index, and one line for each tool. The definitions are not kept:
//! nobody can call them, and of a catalog they are most of the memory.

use std::sync::Arc;

use serde_json::json;
use tidegate_model::ToolDef;

use crate::api::one_line;
use crate::index::terms::Terms;
use crate::index::{Scoring, ServerIndex};
use crate::instructions::instructs;
use crate::server_tools::ServerTools;

/// Words in the names of servers that name none.
const FILLER_WORDS: [&str; 2] = ["mcp", "server"];

/// A known server or a skill.
#[derive(Debug)]
pub struct Offer {
    /// What it is.
    pub kind: OfferKind,
    /// Its name.
    pub name: String,
    /// What it does, tool by tool; a skill is one.
    pub tools: Vec<OfferedTool>,
    pub(super) server_index: Arc<ServerIndex>,
    /// What somebody says who means it, as terms.
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
        // Its name is that of the tool; twice it would count twice.
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
    /// What it does; nothing if the text speaks to the model: nobody needs to read that
    /// of a server that is not configured.
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
