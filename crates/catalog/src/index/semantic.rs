//! Scores tools by meaning: finds those that say the same in other words.
//!
//! In: the tools of a server, once; then queries. Out: how close each tool is to
//! a query, and to its closest clause. The result only adds to the score by
//! words, which also works without it.

use tidegate_model::ToolDef;

use super::word_table::{Vector, Vectors, dot};

/// How much the closest tool gains, relative to the best score by words; found by
/// trial.
const MEANING: f32 = 1.0;
/// A tool without any word of the query must be this close to be found at all. Gains are
/// measured against the closest tool, but at least against this; found by trial.
const CLOSE_ENOUGH: f32 = 0.45;
/// Descriptions begin with what the tool does. In bytes; tuned.
const DESCRIPTION: usize = 600;

/// The meaning vectors of a server's tools, in their order.
pub(crate) fn meanings<'a>(server: &str, tools: impl Iterator<Item = &'a ToolDef>) -> Vec<Vector> {
    let mut vectors = Vectors::new();
    let of_tool = |tool: &ToolDef| {
        let texts = [Some(server), Some(&*tool.name), tool.title.as_deref()];
        let description = tool.description.as_deref().map(beginning);
        vectors.of(texts.into_iter().chain([description]).flatten())
    };
    tools.map(of_tool).collect()
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(DESCRIPTION)]
}

/// Adds the tools' gains by meaning to their scores by words. Both are relative to the
/// best of this query, so that the sum means the same in catalogs of 40 and of 5,000
/// tools.
pub(crate) fn add(query: &str, clauses: &[String], tools: &[Vector], scores: &mut [f32]) {
    let meaning = Meaning::new(query, clauses);
    let closeness: Vec<f32> = tools.iter().map(|tool| meaning.closeness(tool)).collect();
    let closest = closeness.iter().copied().fold(CLOSE_ENOUGH, f32::max);
    let best = scores.iter().copied().fold(0.0, f32::max);
    // If no tool has a word of the query, meaning alone decides.
    let best = if best > 0.0 { best } else { 1.0 };
    for (score, closeness) in scores.iter_mut().zip(closeness) {
        if *score > 0.0 || closeness >= CLOSE_ENOUGH {
            *score += MEANING * best * closeness / closest;
        }
    }
}

/// The meaning of a query, whole and clause by clause.
pub(crate) struct Meaning {
    whole: Vector,
    clauses: Vec<Vector>,
}

impl Meaning {
    pub(crate) fn new(query: &str, clauses: &[String]) -> Self {
        let mut vectors = Vectors::new();
        let whole = vectors.of([query]);
        let clauses = clauses.iter().map(|clause| vectors.of([clause.as_str()])).collect();
        Self { whole, clauses }
    }

    /// The mean closeness of the whole query and of its best clause, never negative.
    pub(crate) fn closeness(&self, tool: &Vector) -> f32 {
        let best = self.clauses.iter().map(|clause| dot(clause, tool)).fold(-1.0, f32::max);
        f32::midpoint(dot(&self.whole, tool), best).max(0.0)
    }
}
