//! The tools of one server as terms, ready to be joined with those of others.
//!
//! In: a server's name and its tools. Out: how often each term occurs in which
//! field of which tool. It depends on this server alone, so it is made once and
//! kept while the tools of other servers come and go.

use std::collections::HashMap;

use serde_json::Value;
use tidegate_model::ToolDef;

use super::terms::Terms;

/// Where a word can stand.
pub(super) const FIELDS: usize = 5;
pub(super) const NAME: usize = 0;
const SERVER: usize = 1;
const DESCRIPTION: usize = 2;
const PARAMETER_NAMES: usize = 3;
const PARAMETER_TEXTS: usize = 4;

/// How often a term occurs, by field.
pub(super) type Counts = [u16; FIELDS];

/// A server's part of the index.
#[derive(Debug)]
pub(crate) struct Analysed {
    /// The terms of this server; tools name them by their places here.
    pub(super) terms: Vec<Box<str>>,
    pub(super) tools: Vec<AnalysedTool>,
}

#[derive(Debug)]
pub(super) struct AnalysedTool {
    pub(super) name: Box<str>,
    pub(super) counts: Vec<(u32, Counts)>,
    /// Words in all, by field.
    pub(super) lengths: Counts,
}

impl Analysed {
    pub(crate) fn new<'a>(server: &str, tools: impl Iterator<Item = &'a ToolDef>) -> Self {
        let mut making = Making { terms: Terms::new(), places: HashMap::new(), list: Vec::new() };
        let tools = tools.map(|tool| making.tool(server, tool)).collect();
        Self { terms: making.list, tools }
    }
}

struct Making {
    terms: Terms,
    places: HashMap<Box<str>, u32>,
    list: Vec<Box<str>>,
}

impl Making {
    fn tool(&mut self, server: &str, tool: &ToolDef) -> AnalysedTool {
        let mut counts = HashMap::new();
        let mut lengths = Counts::default();
        let texts = [tool.title.as_deref(), tool.description.as_deref()];
        let name = self.terms.of_name(&tool.name);
        self.add(name, NAME, &mut counts, &mut lengths);
        let server_terms = self.terms.of_name(server);
        self.add(server_terms, SERVER, &mut counts, &mut lengths);
        for text in texts.into_iter().flatten() {
            let terms = self.terms.of(text);
            self.add(terms, DESCRIPTION, &mut counts, &mut lengths);
        }
        for (parameter, schema) in properties(&tool.input_schema) {
            let terms = self.terms.of(parameter);
            self.add(terms, PARAMETER_NAMES, &mut counts, &mut lengths);
            if let Some(text) = schema.get("description").and_then(Value::as_str) {
                let terms = self.terms.of(text);
                self.add(terms, PARAMETER_TEXTS, &mut counts, &mut lengths);
            }
        }
        let mut counts: Vec<(u32, Counts)> = counts.into_iter().collect();
        counts.sort_unstable();
        AnalysedTool { name: tool.name.as_str().into(), counts, lengths }
    }

    fn add(
        &mut self,
        terms: Vec<Box<str>>,
        field: usize,
        counts: &mut HashMap<u32, Counts>,
        lengths: &mut Counts,
    ) {
        for term in terms {
            let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
            let place = *self.places.entry(term.clone()).or_insert(next);
            if place == next {
                self.list.push(term);
            }
            let count = &mut counts.entry(place).or_default()[field];
            *count = count.saturating_add(1);
            lengths[field] = lengths[field].saturating_add(1);
        }
    }
}

/// The parameters of a tool at the top level.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}
