//! A command whose parts are in several arguments.
//!
//! In: the object with a command. Out: the command with the words that are given beside it,
//! and an environment variable that can make it run something else.

use serde_json::{Map, Value};

use super::keywords::{
    ARGUMENT_KEYS, ARGUMENT_STEMS, ENVIRONMENT_KEYS, HARMLESS_VARIABLES, SIDE_KEYS,
};
use super::names::words_of;

/// A command, and what is given beside it.
pub(super) struct Parts<'a> {
    /// The argument that holds the command.
    pub(super) key: &'a str,
    /// Its words, if no shell has to split them.
    pub(super) words: Vec<String>,
    /// The whole as a line, if a shell has to.
    pub(super) line: Option<String>,
}

/// A command with its arguments; none if there are none beside it.
pub(super) fn joined<'a>(
    object: &Map<String, Value>,
    key: &'a str,
    command: &str,
) -> Option<Parts<'a>> {
    let mut words = vec![command.to_owned()];
    let mut is_line = command.trim().contains(char::is_whitespace);
    for (_, value) in object.iter().filter(|(name, value)| *name != key && is_argument(name, value))
    {
        is_line |= value.is_string();
        words.extend(flattened(value));
    }
    if words.len() == 1 {
        return None;
    }
    let line = is_line.then(|| words.join(" "));
    Some(Parts { key, words, line })
}

/// Whether an argument holds words of the command beside it.
fn is_argument(key: &str, value: &Value) -> bool {
    let parts = words_of(key);
    let has_stem = |word: &String| ARGUMENT_STEMS.iter().any(|stem| word.starts_with(stem));
    let key = key.to_ascii_lowercase();
    let is_named = ARGUMENT_KEYS.contains(&key.as_str()) || parts.iter().any(has_stem);
    match value {
        Value::String(_) => is_named,
        Value::Array(_) => {
            is_named
                || !SIDE_KEYS.contains(&key.as_str()) && !ENVIRONMENT_KEYS.contains(&key.as_str())
        }
        Value::Object(_) | Value::Number(_) | Value::Bool(_) | Value::Null => false,
    }
}

/// Every text and number in lists of lists.
pub(super) fn flattened(value: &Value) -> Vec<String> {
    let mut words = Vec::new();
    flatten(value, &mut words);
    words
}

/// Recursion is bounded by the JSON parser: 128 levels.
fn flatten(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| flatten(item, words)),
        Value::Number(number) => words.push(number.to_string()),
        Value::Object(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Whether the name of an argument is more than a name.
pub(super) fn may_be_text(key: &str) -> bool {
    key.contains(|c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '/' | '"' | '\'' | ';')
    })
}

/// The first environment variable that may change what a command does: which program or
/// library is loaded, or which file it reads.
pub(super) fn risky_variable(object: &Map<String, Value>) -> Option<&str> {
    let is_environment =
        |key: &String| ENVIRONMENT_KEYS.contains(&key.to_ascii_lowercase().as_str());
    let mut values = object.iter().filter(|(key, _)| is_environment(key)).map(|(_, value)| value);
    let is_risky = |name: &&str| {
        !name.trim().is_empty() && !HARMLESS_VARIABLES.contains(name) && !name.starts_with("LC_")
    };
    let name = |item: &'_ Value| -> Option<String> {
        let text = item.as_str().or_else(|| item.get("name")?.as_str())?;
        Some(text.split('=').next().unwrap_or(text).to_owned())
    };
    values.find_map(|value| match value {
        Value::Object(variables) => variables.keys().map(String::as_str).find(is_risky),
        Value::Array(items) => {
            let mut names = items.iter().filter_map(name);
            names.any(|name| is_risky(&name.as_str())).then_some("env")
        }
        Value::String(text) => {
            let mut all = text.split_whitespace().filter(|word| word.contains('='));
            let risky = all.any(|word| is_risky(&word.split('=').next().unwrap_or_default()));
            risky.then_some("env")
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => None,
    })
}
