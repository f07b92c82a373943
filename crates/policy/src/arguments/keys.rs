//! Words missing and unknown keys, with the nearest known ones.
//!
//! In: a schema node and the given object. Out: a [`Message`].

use serde_json::Value;
use tidegate_model::{did_you_mean, nearest};

use super::phrases::{MAX_COMPARED_BYTES, Message, accepted_keys, cut, described, type_name};
use super::schema_node::SchemaNode;

/// Maximum unknown keys in one message.
const MAX_KEYS_NAMED: usize = 3;

/// The message for a required key that is missing.
pub(crate) fn missing_key(node: SchemaNode<'_>, key: &str, given: &Value) -> Message {
    let wanted = node.property(key);
    let kind = wanted.and_then(|wanted| Some(format!(" ({})", type_name(wanted)?)));
    let problem = format!("needs `{}`{}", cut(key, 100), kind.unwrap_or_default());
    // A given key that the schema does not know is probably the misspelt one.
    let known = node.keys();
    let unknown_keys = given.as_object().into_iter().flat_map(|object| object.keys());
    let unknown_keys: Vec<&str> =
        unknown_keys.map(String::as_str).filter(|key| !known.contains(key)).collect();
    let typo = nearest(key, comparable(&unknown_keys));
    let hint = match (typo.first(), unknown_keys.first()) {
        (Some(typo), _) => Some(format!("write `{key}` instead of `{typo}`")),
        (None, Some(unknown_key)) if !known.is_empty() => {
            let unknown_key = format!("`{}` is not a known key", cut(unknown_key, 60));
            Some(accepted_keys(node).map_or(unknown_key.clone(), |accepted_keys| {
                format!("{unknown_key}; {accepted_keys}")
            }))
        }
        (None, _) => wanted.and_then(described),
    };
    (problem, hint)
}

/// The message for keys that the schema does not have. Those already reported as the typo
/// of a missing key are left out.
pub(crate) fn unknown_keys(
    node: SchemaNode<'_>,
    unexpected: &[String],
    given: &Value,
) -> Option<Message> {
    let required = node.get("required").and_then(Value::as_array).into_iter().flatten();
    let missing: Vec<&str> =
        required.filter_map(Value::as_str).filter(|key| given.get(key).is_none()).collect();
    let mut unexpected: Vec<&str> = unexpected.iter().map(String::as_str).collect();
    let typo = |key: &&str| nearest(key, comparable(&unexpected)).first().copied();
    let typos: Vec<&str> = missing.iter().filter_map(typo).collect();
    unexpected.retain(|key| !typos.contains(key));
    let known = node.keys();
    let hint = comparable(&unexpected).find_map(|key| did_you_mean(key, known.iter().copied()));
    let names: Vec<String> =
        unexpected.iter().take(MAX_KEYS_NAMED).map(|key| format!("`{}`", cut(key, 60))).collect();
    (!names.is_empty())
        .then(|| (format!("has no {}", names.join(", no ")), hint.or_else(|| accepted_keys(node))))
}

/// The first keys that are short enough to be typos: a program can pass any number of keys
/// of any length.
fn comparable<'k>(keys: &[&'k str]) -> impl Iterator<Item = &'k str> {
    keys.iter().copied().filter(|key| key.len() <= MAX_COMPARED_BYTES).take(MAX_COMPARED_BYTES)
}
