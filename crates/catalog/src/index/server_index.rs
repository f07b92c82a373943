//! The tools of one server as terms, ready to be joined with those of others.
//!
//! In: a server's name and its tools. Out: how often each term occurs in which
//! field of which tool. It depends on this server alone, so it is built once and
//! kept while the tools of other servers change.

use serde_json::Value;
use tidegate_model::ToolDef;

use super::terms::Terms;
use super::word_table::Vector;
use super::{Scoring, semantic};

/// The fields of a tool that words occur in.
pub(crate) const FIELDS: usize = 5;
pub(crate) const NAME: usize = 0;
const SERVER: usize = 1;
const DESCRIPTION: usize = 2;
const PARAMETER_NAMES: usize = 3;
const PARAMETER_TEXTS: usize = 4;

/// How often a term occurs, by field.
pub(crate) type Counts = [u16; FIELDS];

/// A server's part of the index.
#[derive(Debug)]
pub(crate) struct ServerIndex {
    /// The terms of this server; tools refer to them by index.
    pub(crate) terms: Vec<Box<str>>,
    pub(crate) tools: Vec<IndexedTool>,
    /// A vector for the meaning of each tool; empty if only words count.
    pub(crate) meanings: Vec<Vector>,
}

#[derive(Debug)]
pub(crate) struct IndexedTool {
    pub(crate) name: Box<str>,
    pub(crate) counts: Vec<(u32, Counts)>,
    /// Total number of words, by field.
    pub(crate) lengths: Counts,
}

impl ServerIndex {
    pub(crate) fn new<'a>(
        server: &str,
        tools: impl Iterator<Item = &'a ToolDef> + Clone,
        scoring: Scoring,
    ) -> Self {
        let mut terms = Terms::new();
        let mut places = Vec::new();
        let meanings = match scoring {
            Scoring::Words => Vec::new(),
            Scoring::WordsAndMeaning => semantic::meanings(server, tools.clone()),
        };
        let tools = tools.map(|tool| analyse(server, tool, &mut terms, &mut places)).collect();
        Self { terms: terms.into_list(), tools, meanings }
    }
}

/// `places` is scratch space: the terms of this tool with their fields.
fn analyse(
    server: &str,
    tool: &ToolDef,
    terms: &mut Terms,
    places: &mut Vec<(u32, usize)>,
) -> IndexedTool {
    places.clear();
    terms.each_of_name(&tool.name, |term| places.push((term, NAME)));
    terms.each_of_name(server, |term| places.push((term, SERVER)));
    for text in [&tool.title, &tool.description].into_iter().flatten() {
        terms.each(text, |term| places.push((term, DESCRIPTION)));
    }
    for (parameter, schema) in properties(&tool.input_schema) {
        terms.each(parameter, |term| places.push((term, PARAMETER_NAMES)));
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            terms.each(text, |term| places.push((term, PARAMETER_TEXTS)));
        }
    }
    places.sort_unstable();
    let mut counts: Vec<(u32, Counts)> = Vec::new();
    let mut lengths = Counts::default();
    for (term, field) in places {
        if counts.last().is_none_or(|(last, _)| last != term) {
            counts.push((*term, Counts::default()));
        }
        if let Some((_, count)) = counts.last_mut() {
            count[*field] = count[*field].saturating_add(1);
        }
        lengths[*field] = lengths[*field].saturating_add(1);
    }
    counts.shrink_to_fit();
    IndexedTool { name: tool.name.as_str().into(), counts, lengths }
}

/// The parameters of a tool at the top level.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}
