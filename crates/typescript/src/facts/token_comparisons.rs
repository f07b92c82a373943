//! Comparisons with tokens of personal data, which programs that see real values never find.
//!
//! In: what is compared, looked up or searched for. Out: a fact for each literal such as
//! `[EMAIL_1]` in it. A token that is an argument of a call is no comparison: it is restored.

use std::rc::Rc;

use tidegate_model::DataType;
use tidegate_model::reading::{AbstractValue, FactKind, TOKEN_COMPARISON};

use super::Evaluator;
use super::calls::CallSite;
use super::value::{Value, ValueKind};

/// Methods that look for a text, in a text or in a list.
const COMPARES: [&str; 6] =
    ["includes", "indexOf", "lastIndexOf", "startsWith", "endsWith", "localeCompare"];

/// Methods that look for their first argument, in a text or among keys.
const LOOKS_FOR_FIRST: [&str; 10] = [
    "has",
    "get",
    "delete",
    "replace",
    "replaceAll",
    "match",
    "matchAll",
    "search",
    "split",
    "hasOwnProperty",
];

/// Longer patterns are not searched for tokens.
const LONGEST_PATTERN: usize = 2000;

impl Evaluator<'_> {
    /// Records a comparison with a literal that is a token of personal data, in a list or as a
    /// key too.
    pub(super) fn record_token_comparison<'v>(
        &mut self,
        compared: impl IntoIterator<Item = &'v Value>,
        at: u32,
    ) {
        if let Some(token) = compared.into_iter().find_map(token_in) {
            let token = vec![AbstractValue::text(token)];
            self.record(FactKind::Syntax, TOKEN_COMPARISON, at, token, false);
        }
    }

    /// Records a pattern that matches a token.
    pub(super) fn record_token_pattern(&mut self, pattern: &str, at: u32) {
        if let Some(token) = token_of_pattern(pattern) {
            let token = vec![AbstractValue::text(&token)];
            self.record(FactKind::Syntax, TOKEN_COMPARISON, at, token, false);
        }
    }

    /// Records a call that looks for a token.
    pub(super) fn record_token_search(&mut self, call: &CallSite<'_>) {
        let path = call.function.as_path();
        let first = call.arguments.first();
        match path {
            Some("RegExp") => {
                if let Some(pattern) = first.and_then(Value::as_text) {
                    let pattern: Rc<str> = pattern.into();
                    self.record_token_pattern(&pattern, call.at);
                }
            }
            Some("Set" | "Map") if call.kind == FactKind::New => {
                if let Some(token) = first.and_then(member) {
                    self.found.tokens_in_sets.get_or_insert_with(|| token.into());
                }
            }
            // Arguments of tools are restored.
            Some(path) if path.starts_with("servers.") || path.starts_with("pii.") => {}
            _ => {
                let (Some(base), Some(name)) = (&call.base, call.name.as_deref()) else { return };
                if COMPARES.contains(&name) {
                    self.record_token_comparison(call.arguments.iter().chain([base]), call.at);
                } else if LOOKS_FOR_FIRST.contains(&name) {
                    self.record_token_comparison(first, call.at);
                    let is_literal = first.is_some_and(|first| first.as_text().is_some());
                    let of_set =
                        base.as_path().is_some_and(|path| matches!(path, "Set()" | "Map()"));
                    if of_set
                        && !is_literal
                        && matches!(name, "has" | "get" | "delete")
                        && let Some(token) = self.found.tokens_in_sets.clone()
                    {
                        self.record_token_comparison([&Value::text(&token)], call.at);
                    }
                }
            }
        }
    }
}

/// A token that is in a list, or the first of a pair in it.
fn member(list: &Value) -> Option<&str> {
    let ValueKind::List(list) = &list.shape else { return None };
    list.iter().find_map(|one| match &one.shape {
        ValueKind::List(pair) => pair.first().and_then(token_in),
        _ => token_in(one),
    })
}

fn is_token(text: &&str) -> bool {
    DataType::of_token(text).is_some()
}

fn token_in(value: &Value) -> Option<&str> {
    match &value.shape {
        ValueKind::List(list) => list.iter().filter_map(Value::as_text).find(is_token),
        ValueKind::Object(object) => object.entries.iter().map(|(key, _)| &**key).find(is_token),
        _ => value.as_text().filter(is_token),
    }
}

/// The token that a regular expression matches: `\[EMAIL_1\]`.
fn token_of_pattern(pattern: &str) -> Option<String> {
    let plain = pattern.get(..LONGEST_PATTERN).unwrap_or(pattern).replace('\\', "");
    let starts = plain.match_indices('[').map(|(at, _)| at);
    let mut tokens = starts.filter_map(|at| {
        let end = at + plain.get(at..)?.find(']')?;
        plain.get(at..=end).filter(is_token)
    });
    // Without a backslash, brackets are a set of characters.
    tokens.next().filter(|_| pattern.contains(r"\[")).map(str::to_owned)
}
