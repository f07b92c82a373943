//! Errors of the validator, told so that a model can repair its call: where,
//! what was given, what is expected, and the nearest key or value.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::alternatives::{Choice, choose};
use crate::arguments::ArgumentProblem;
use crate::keys::{missing, strangers};
use crate::keywords::{Words, other, outside, type_hint, types, words};
use crate::place::Place;
use crate::words::{any_of, describe, readable, short};

/// Problems that one message tells.
const MOST_TOLD: usize = 3;
/// Alternatives within alternatives that are followed.
const MOST_LEVELS: usize = 8;

/// Tells what is wrong with arguments.
pub(crate) struct Explainer<'a> {
    /// The schema that was checked against.
    pub(crate) schema: &'a Value,
    /// The whole of the arguments.
    pub(crate) arguments: &'a Value,
}

impl<'a> Explainer<'a> {
    /// All errors of one call in one message.
    pub(crate) fn explain<'e>(
        &self,
        errors: impl IntoIterator<Item = &'e ValidationError<'e>>,
    ) -> ArgumentProblem {
        let mut told: Vec<ArgumentProblem> = Vec::new();
        for error in errors {
            for problem in self.problems(error, 0) {
                // The same at each item of a list is one thing to repair.
                let known = |one: &ArgumentProblem| {
                    one.problem == problem.problem
                        && without_numbers(&one.path) == without_numbers(&problem.path)
                };
                if told.len() <= MOST_TOLD && !told.iter().any(known) {
                    told.push(problem);
                }
            }
        }
        together(told)
    }

    fn problems(&self, error: &ValidationError<'_>, level: usize) -> Vec<ArgumentProblem> {
        let pointer = error.instance_path().as_str();
        let given = self.arguments.pointer(pointer).unwrap_or(error.instance());
        if is_of_the_sample(error.kind(), given) {
            return Vec::new();
        }
        let place = Place::of(self.schema, error);
        let one = |(problem, hint): Words| {
            vec![ArgumentProblem { path: readable(pointer), problem, hint }]
        };
        match error.kind() {
            ValidationErrorKind::AnyOf { context } => {
                self.alternatives(&place.list("anyOf"), context, given, pointer, level)
            }
            ValidationErrorKind::OneOfNotValid { context } => {
                self.alternatives(&place.list("oneOf"), context, given, pointer, level)
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                strangers(place, unexpected, given).map(one).unwrap_or_default()
            }
            ValidationErrorKind::Required { property } => {
                one(missing(place, property.as_str().unwrap_or_default(), given))
            }
            kind => one(words(kind, place, given).unwrap_or_else(|| other(error))),
        }
    }

    fn alternatives(
        &self,
        places: &[Place<'a>],
        context: &[Vec<ValidationError<'static>>],
        given: &Value,
        pointer: &str,
        level: usize,
    ) -> Vec<ArgumentProblem> {
        let path = readable(pointer);
        match choose(places, context, given, pointer) {
            Choice::Meant(errors) if level < MOST_LEVELS => {
                errors.iter().flat_map(|error| self.problems(error, level + 1)).collect()
            }
            Choice::Unknown { key, options } => {
                let given = given.get(key).unwrap_or(&Value::Null);
                let (problem, hint) = outside(options.into_iter(), given);
                let path =
                    readable(&format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")));
                vec![ArgumentProblem { path, problem, hint }]
            }
            Choice::Meant(_) | Choice::Unclear => {
                let wanted = any_of(places.iter().map(|place| short(*place)).collect());
                let types: Vec<&str> = places.iter().flat_map(|place| types(*place)).collect();
                let problem = format!("must be {wanted}, got {}", describe(given));
                vec![ArgumentProblem { path, problem, hint: type_hint(&types, given) }]
            }
        }
    }
}

/// Several problems as one.
fn together(mut told: Vec<ArgumentProblem>) -> ArgumentProblem {
    let more = told.len() > MOST_TOLD;
    told.truncate(MOST_TOLD);
    let several = told.len() > 1;
    let mut told = told.into_iter();
    let Some(mut all) = told.next() else {
        let problem = "does not fit the tool's schema, and is too large to say where".to_owned();
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
    for one in told {
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

/// Whether something is missing only because a large value was cut.
fn is_of_the_sample(kind: &ValidationErrorKind, given: &Value) -> bool {
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
