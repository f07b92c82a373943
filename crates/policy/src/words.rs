//! Values and schemas in words, short enough for a model that pays by the word.
//!
//! What a server or a program wrote is quoted and cut.

use serde_json::Value;

use crate::place::Place;

/// Values and names that are listed before the rest is only counted.
const MOST_LISTED: usize = 20;
/// The same for an alternative among several.
const MOST_IN_SHORT: usize = 4;

/// `/labels/0/name` as a program writes it: `labels[0].name`.
pub(crate) fn readable(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(cut(&part, 60));
        }
    }
    path
}

/// The beginning of a text that somebody else wrote.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// A value's type and, if it is short, the value itself.
pub(crate) fn describe(value: &Value) -> String {
    let (kind, shown) = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(value) => ("boolean", value.to_string()),
        Value::Number(value) => ("number", value.to_string()),
        Value::String(value) if value.len() > 60 => return "a string".to_owned(),
        Value::String(value) => ("string", format!("\"{value}\"")),
        Value::Array(items) => return format!("a list of {}", items.len()),
        Value::Object(_) => return "an object".to_owned(),
    };
    if shown.len() <= 62 { format!("{kind} `{shown}`") } else { format!("a {kind}") }
}

/// "`a`, `b` and 3 more".
pub(crate) fn listed<T: std::fmt::Display>(all: impl ExactSizeIterator<Item = T>) -> String {
    let more = all.len().saturating_sub(MOST_LISTED);
    let names: Vec<String> = all.take(MOST_LISTED).map(|one| quoted(&one)).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// "a, b or c".
pub(crate) fn any_of(mut all: Vec<String>) -> String {
    all.dedup();
    match all.as_slice() {
        [] => "another value".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn quoted(value: &impl std::fmt::Display) -> String {
    let text = value.to_string();
    if text.len() <= 100 { format!("`{text}`") } else { format!("`{}…`", cut(&text, 100)) }
}

/// A type's name with its article.
pub(crate) fn article(name: &str) -> String {
    match name {
        "array" => "a list".to_owned(),
        "null" => "null".to_owned(),
        "integer" | "object" => format!("an {name}"),
        _ => format!("a {}", cut(name, 20)),
    }
}

/// A schema in a few words: "a list of strings", "an object with `id`".
pub(crate) fn short(place: Place<'_>) -> String {
    short_at(place, 0)
}

fn short_at(place: Place<'_>, level: usize) -> String {
    let place = place.target();
    if let Some(value) = place.constant() {
        return quoted(value);
    }
    if let Some(Value::Array(values)) = place.get("enum") {
        let listed = any_of(values.iter().take(MOST_IN_SHORT).map(quoted).collect());
        return if values.len() > MOST_IN_SHORT { format!("{listed} …") } else { listed };
    }
    for key in ["anyOf", "oneOf"] {
        let alternatives = place.list(key);
        if !alternatives.is_empty() && level < 2 {
            let alternatives = alternatives.into_iter().take(MOST_IN_SHORT);
            return any_of(alternatives.map(|one| short_at(one, level + 1)).collect());
        }
    }
    match place.get("type") {
        Some(Value::String(name)) => named(name, place, level),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            any_of(names.map(|name| named(name, place, level)).collect())
        }
        _ if place.get("properties").or(place.get("required")).is_some() => {
            named("object", place, level)
        }
        _ => "another value".to_owned(),
    }
}

fn named(name: &str, place: Place<'_>, level: usize) -> String {
    match name {
        "object" => object(place),
        "array" => match place.get("items").filter(|_| level < 2) {
            Some(items) => match place.at(items).target().get("type").and_then(Value::as_str) {
                Some(name @ ("string" | "integer" | "number" | "boolean" | "object")) => {
                    format!("a list of {name}s")
                }
                _ => "a list".to_owned(),
            },
            None => "a list".to_owned(),
        },
        _ => article(name),
    }
}

fn object(place: Place<'_>) -> String {
    let required = place.required();
    let key = |key: &&str| match place.property(key).and_then(Place::constant) {
        Some(value) => quoted(&format!("{key}: {value}")),
        None => quoted(key),
    };
    match required.len() {
        0 => "an object".to_owned(),
        number => {
            let keys: Vec<String> = required.iter().take(MOST_IN_SHORT).map(key).collect();
            let more = if number > MOST_IN_SHORT { " …" } else { "" };
            format!("an object with {}{more}", keys.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{describe, readable, short};
    use crate::place::Place;

    #[test]
    fn a_path_is_written_as_in_a_program() {
        assert_eq!(readable("/labels/0/a~1b"), "labels[0].a/b");
        assert_eq!(readable(""), "");
    }

    #[test]
    fn a_long_value_is_named_by_its_type() {
        assert_eq!(describe(&json!("x".repeat(60))), format!("string `\"{}\"`", "x".repeat(60)));
        assert_eq!(describe(&json!("x".repeat(61))), "a string");
    }

    #[test]
    fn a_schema_is_told_in_a_few_words() {
        let root = json!({"$defs": {
            "Id": {"type": "integer"},
            "Self": {"anyOf": [{"$ref": "#/$defs/Self"}, {"type": "string"}]}
        }});
        let said = |schema: Value| short(Place::new(&root, &schema));
        for (schema, words) in [
            (json!({"type": "string"}), "a string"),
            (json!({"type": ["integer", "null"]}), "an integer or null"),
            (json!({"$ref": "#/$defs/Id"}), "an integer"),
            (json!({"const": 5}), "`5`"),
            (json!({"enum": ["a", "b"]}), "`\"a\"` or `\"b\"`"),
            (json!({"type": "array", "items": {"$ref": "#/$defs/Id"}}), "a list of integers"),
            (json!({"anyOf": [{"type": "string"}, {"type": "array"}]}), "a string or a list"),
            (
                json!({"properties": {"kind": {"const": "a"}, "b": {}}, "required": ["kind", "b"]}),
                "an object with `kind: \"a\"`, `b`",
            ),
            (json!({"type": "object"}), "an object"),
            (json!(true), "another value"),
            // Followed so far and no further.
            (json!({"$ref": "#/$defs/Self"}), "another value or a string or a string"),
        ] {
            assert_eq!(said(schema), words);
        }
    }
}
