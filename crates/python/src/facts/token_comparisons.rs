//! Comparisons with tokens of personal data, which programs that see real values never find.
//!
//! In: what is compared, looked up or searched for. Out: a fact for each literal such as
//! `[EMAIL_1]` in it. A token that is an argument of a call is no comparison: it is restored.

use ruff_text_size::TextSize;
use tidegate_model::DataType;
use tidegate_model::reading::{AbstractValue, FactKind, TOKEN_COMPARISON};

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::value::{Value, ValueKind};

/// Methods that look for a text, in a text or in a list.
const COMPARES: [&str; 8] =
    ["startswith", "endswith", "find", "rfind", "index", "count", "__eq__", "__contains__"];

/// Methods that look for their first argument, in a text or among keys.
const LOOKS_FOR_FIRST: [&str; 12] = [
    "get",
    "pop",
    "replace",
    "split",
    "rsplit",
    "partition",
    "rpartition",
    "removeprefix",
    "removesuffix",
    "remove",
    "discard",
    "__getitem__",
];

/// Functions that take a regular expression.
const TAKES_PATTERN: [&str; 9] = [
    "re.search",
    "re.match",
    "re.fullmatch",
    "re.findall",
    "re.finditer",
    "re.sub",
    "re.subn",
    "re.split",
    "re.compile",
];

/// Longer patterns are not searched for tokens.
const LONGEST_PATTERN: usize = 2000;

impl<'a> Evaluator<'_, 'a> {
    /// Records a comparison with a literal that is a token of personal data.
    pub(super) fn record_token_comparison<'v>(
        &mut self,
        compared: impl IntoIterator<Item = &'v Value<'a>>,
        at: TextSize,
    ) where
        'a: 'v,
    {
        let text = |value: &'v Value<'a>| value.as_text().map(|text| &**text);
        let token = |value: &'v Value<'a>| match &value.kind {
            ValueKind::List(list) => list.iter().filter_map(text).find(is_token),
            ValueKind::Dict(entries) => {
                entries.iter().filter_map(|(key, _)| text(key)).find(is_token)
            }
            _ => text(value).filter(is_token),
        };
        if let Some(token) = compared.into_iter().find_map(token) {
            self.record_token(token, at);
        }
    }

    /// Records a method that looks for a token.
    pub(super) fn record_token_search(
        &mut self,
        owner: &Value<'a>,
        name: &str,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) {
        // Arguments of tools are restored.
        if owner.as_path().is_some_and(|path| path.starts_with("servers") || &**path == "pii") {
            return;
        }
        if COMPARES.contains(&name) {
            self.record_token_comparison(arguments.positional.iter().chain([owner]), at);
        } else if LOOKS_FOR_FIRST.contains(&name) {
            let keys = matches!(owner.kind, ValueKind::Dict(_)).then_some(owner);
            let first = arguments.positional.first();
            let is_known = first.is_some_and(|first| first.as_text().is_some());
            self.record_token_comparison(first.into_iter().chain(keys.filter(|_| !is_known)), at);
        }
    }

    /// Records a regular expression that matches a token.
    pub(super) fn record_token_pattern(
        &mut self,
        path: &str,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) {
        if !TAKES_PATTERN.contains(&path) {
            return;
        }
        let pattern = arguments.positional.first().and_then(Value::as_text);
        if let Some(token) = pattern.and_then(|pattern| token_of_pattern(pattern)) {
            self.record_token(&token, at);
        }
    }

    fn record_token(&mut self, token: &str, at: TextSize) {
        let arguments = vec![AbstractValue::text(token)];
        let details = FactDetails { arguments, hidden: false };
        self.record(FactKind::Syntax, TOKEN_COMPARISON, at, details);
    }
}

fn is_token(text: &&str) -> bool {
    DataType::of_token(text).is_some()
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
