//! Words validator errors so that a model can repair its call.
//!
//! In: the errors of one call. Out: one [`ArgumentProblem`] that says where, what is
//! expected, what was given, and the nearest key or value.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::alternatives::{AlternativeChoice, choose};
use super::keys::{missing_key, unknown_keys};
use super::keywords::{keyword_message, not_an_option, other_message, type_hint};
use super::phrases::{Message, any_of, describe, readable, summary, types};
use super::problem::ArgumentProblem;
use super::schema_node::SchemaNode;

/// Maximum problems in one message.
const MAX_PROBLEMS: usize = 3;
/// Maximum nesting of alternatives that is followed.
const MAX_DEPTH: usize = 8;

/// Explains what is wrong with arguments.
pub(crate) struct Explainer<'a> {
    /// The schema they were checked against.
    pub(crate) schema: &'a Value,
    /// All arguments, including those cut from the sample.
    pub(crate) arguments: &'a Value,
}

impl<'a> Explainer<'a> {
    /// Combines all errors of one call into one message.
    pub(crate) fn explain<'e>(
        &self,
        errors: impl IntoIterator<Item = &'e ValidationError<'e>>,
    ) -> ArgumentProblem {
        let mut found: Vec<ArgumentProblem> = Vec::new();
        for error in errors {
            for problem in self.problems(error, 0) {
                // The same problem in every item of a list is one thing to repair.
                let same = |one: &ArgumentProblem| {
                    one.problem == problem.problem
                        && without_numbers(&one.path) == without_numbers(&problem.path)
                };
                if found.len() <= MAX_PROBLEMS && !found.iter().any(same) {
                    found.push(problem);
                }
            }
        }
        combine(found)
    }

    fn problems(&self, error: &ValidationError<'_>, level: usize) -> Vec<ArgumentProblem> {
        let pointer = error.instance_path().as_str();
        let given = self.arguments.pointer(pointer).unwrap_or(error.instance());
        if is_sample_artifact(error.kind(), given) {
            return Vec::new();
        }
        let node = SchemaNode::of(self.schema, error);
        let one = |(problem, hint): Message| {
            vec![ArgumentProblem { path: readable(pointer), problem, hint }]
        };
        match error.kind() {
            ValidationErrorKind::AnyOf { context } => {
                self.alternatives(&node.list("anyOf"), context, given, pointer, level)
            }
            ValidationErrorKind::OneOfNotValid { context } => {
                self.alternatives(&node.list("oneOf"), context, given, pointer, level)
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                unknown_keys(node, unexpected, given).map(one).unwrap_or_default()
            }
            ValidationErrorKind::Required { property } => {
                one(missing_key(node, property.as_str().unwrap_or_default(), given))
            }
            kind => one(keyword_message(kind, node, given).unwrap_or_else(|| other_message(error))),
        }
    }

    fn alternatives(
        &self,
        nodes: &[SchemaNode<'a>],
        context: &[Vec<ValidationError<'static>>],
        given: &Value,
        pointer: &str,
        level: usize,
    ) -> Vec<ArgumentProblem> {
        let path = readable(pointer);
        match choose(nodes, context, given, pointer) {
            AlternativeChoice::Likely(errors) if level < MAX_DEPTH => {
                errors.iter().flat_map(|error| self.problems(error, level + 1)).collect()
            }
            AlternativeChoice::UnknownDiscriminator { key, options } => {
                let given = given.get(key).unwrap_or(&Value::Null);
                let (problem, hint) = not_an_option(options.into_iter(), given);
                let path =
                    readable(&format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")));
                vec![ArgumentProblem { path, problem, hint }]
            }
            AlternativeChoice::Likely(_) | AlternativeChoice::Unclear => {
                let wanted = any_of(nodes.iter().map(|node| summary(*node)).collect());
                let types: Vec<&str> = nodes.iter().flat_map(|node| types(*node)).collect();
                let problem = format!("must be {wanted}, got {}", describe(given));
                vec![ArgumentProblem { path, problem, hint: type_hint(&types, given) }]
            }
        }
    }
}

/// Combines several problems into one.
fn combine(mut problems: Vec<ArgumentProblem>) -> ArgumentProblem {
    let more = problems.len() > MAX_PROBLEMS;
    problems.truncate(MAX_PROBLEMS);
    let several = problems.len() > 1;
    let mut problems = problems.into_iter();
    let Some(mut all) = problems.next() else {
        let problem = "does not match the tool's schema, and is too large to say where".to_owned();
        return ArgumentProblem { path: String::new(), problem, hint: None };
    };
    let mut hints = Vec::new();
    let mut add_hint = |path: &str, hint: Option<String>| {
        hints.extend(hint.map(|hint| match path {
            path if several && !path.is_empty() => format!("`{path}`: {hint}"),
            _ => hint,
        }));
    };
    add_hint(&all.path, all.hint.take());
    for one in problems {
        all.problem.push_str(&match one.path.as_str() {
            "" => format!("; the tool {}", one.problem),
            path => format!("; `{path}` {}", one.problem),
        });
        add_hint(&one.path, one.hint);
    }
    if more {
        all.problem.push_str("; and more");
    }
    all.hint = (!hints.is_empty()).then(|| hints.join("; "));
    all
}

/// Whether something is missing only because a large value was cut for the sample.
fn is_sample_artifact(kind: &ValidationErrorKind, given: &Value) -> bool {
    let has = |limit: u64, entries: Option<usize>| {
        entries.is_some_and(|entries| u64::try_from(entries).is_ok_and(|entries| entries >= limit))
    };
    match kind {
        ValidationErrorKind::Required { property } => {
            property.as_str().is_some_and(|key| given.get(key).is_some())
        }
        ValidationErrorKind::MinItems { limit } => has(*limit, given.as_array().map(Vec::len)),
        ValidationErrorKind::MinProperties { limit } => {
            has(*limit, given.as_object().map(serde_json::Map::len))
        }
        _ => false,
    }
}

fn without_numbers(path: &str) -> String {
    path.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests;
