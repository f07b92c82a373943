//! Ranks tools first that a query mentions by name.

use std::collections::HashMap;

use tidegate_model::ToolRef;

use crate::names::fold;

/// More than any sum of word scores for a query of 4,000 bytes.
const WHOLE_TOOL: f32 = 40_000.0;
const WHOLE_SERVER: f32 = 20_000.0;
const NAMED_TOOL: f32 = 10_000.0;

/// Tools by their own names, and by the names of their servers, ignoring case and
/// separators.
#[derive(Debug)]
pub(super) struct ExactNames {
    tools: HashMap<String, Vec<u32>>,
    servers: HashMap<String, Vec<u32>>,
}

impl ExactNames {
    pub(super) fn new(ids: &[ToolRef]) -> Self {
        let mut names = Self { tools: HashMap::new(), servers: HashMap::new() };
        for (id, at) in ids.iter().zip(0u32..) {
            let (server, tool) = (fold(&id.server), fold(&id.tool));
            let both = format!("{server}{tool}");
            names.tools.entry(tool).or_default().push(at);
            names.tools.entry(both).or_default().push(at);
            names.servers.entry(server).or_default().push(at);
        }
        names
    }

    /// Raises the tools that a query names: as the whole query, or as a word in it that
    /// can only be an identifier.
    pub(super) fn boost(&self, query: &str, scores: &mut [f32]) {
        let whole = fold(query);
        boost_all(self.tools.get(&whole), WHOLE_TOOL, scores);
        boost_all(self.servers.get(&whole), WHOLE_SERVER, scores);
        for word in query.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if is_identifier(word) {
                boost_all(self.tools.get(&fold(word)), NAMED_TOOL, scores);
            }
        }
    }
}

fn boost_all(tools: Option<&Vec<u32>>, by: f32, scores: &mut [f32]) {
    for tool in tools.into_iter().flatten() {
        scores[*tool as usize] += by;
    }
}

/// `list_issues`, `github.listIssues`; neither `list` nor `Issues`.
fn is_identifier(word: &str) -> bool {
    let camel = || {
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
    };
    word.contains('_') || word.contains("::") || camel()
}
