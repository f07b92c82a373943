//! The descriptions and limits of a schema, as text and doc tags.

use serde_json::{Map, Value};

use tidegate_model::{visible, visible_json};

use crate::types::{Description, Tag};

/// Longer defaults and examples are cut: they only illustrate.
const VALUE_BYTES: usize = 200;

/// Keywords that limit values, and how they are written. The renderers treat `@int` as a type
/// of its own, since TypeScript has only `number`.
const LIMITS: [(&str, &str); 15] = [
    ("format", "format"),
    ("pattern", "pattern"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("exclusiveMinimum", "above"),
    ("exclusiveMaximum", "below"),
    ("multipleOf", "multipleOf"),
    ("minLength", "minLength"),
    ("maxLength", "maxLength"),
    ("minItems", "minItems"),
    ("maxItems", "maxItems"),
    ("uniqueItems", "unique"),
    ("minProperties", "minProperties"),
    ("maxProperties", "maxProperties"),
    ("contentEncoding", "encoding"),
];

/// The limits of a schema.
pub(crate) fn constraints(schema: &Map<String, Value>) -> Vec<Tag> {
    let mut tags = Vec::new();
    for (key, name) in LIMITS {
        match schema.get(key) {
            None | Some(Value::Null | Value::Bool(false) | Value::Object(_) | Value::Array(_)) => {}
            // Every JavaScript number is within these; zod writes them for "integer".
            Some(Value::Number(number)) if is_safe_integer_bound(number) => {}
            Some(Value::Bool(true)) => tags.push(Tag { name, value: String::new() }),
            Some(value) => tags.push(Tag { name, value: shown(value) }),
        }
    }
    tags
}

fn is_safe_integer_bound(number: &serde_json::Number) -> bool {
    number.as_i64().is_some_and(|number| number.abs() >= 9_007_199_254_740_991)
}

/// The author's description of a schema, if any.
pub(crate) fn description(schema: &Map<String, Value>) -> Option<Description> {
    let text = schema.get("description").and_then(Value::as_str).map(str::trim);
    let mut tags = Vec::new();
    match schema.get("default") {
        // A null default means the same as no default.
        None | Some(Value::Null) => {}
        Some(value) => tags.push(Tag { name: "default", value: shown(value) }),
    }
    let examples = schema.get("examples").and_then(Value::as_array);
    if let Some(example) = examples.and_then(|all| all.first()).or_else(|| schema.get("example")) {
        tags.push(Tag { name: "example", value: shown(example) });
    }
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        tags.push(Tag { name: "deprecated", value: String::new() });
    }
    let text = text.unwrap_or_default().to_owned();
    (!text.is_empty() || !tags.is_empty()).then_some(Description { text, tags })
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) if !text.is_empty() && !text.contains(char::is_whitespace) => {
            visible(text).into_owned()
        }
        other => visible(&other.to_string()).into_owned(),
    };
    let end = text.floor_char_boundary(VALUE_BYTES);
    if end < text.len() { format!("{}…", &text[..end]) } else { text }
}

/// Text as a JSON literal, which TypeScript reads as well. Invisible characters are escaped,
/// since the value must not change.
pub(crate) fn json_text(text: &str) -> String {
    visible_json(&Value::from(text).to_string()).into_owned()
}
