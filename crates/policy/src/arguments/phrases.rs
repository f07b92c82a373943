//! Describes values and schemas in few words, since a model pays for each of them.
//!
//! In: a value or a schema. Out: text. Whatever a server or a program wrote is quoted and
//! cut.

use serde_json::Value;

use super::schema_node::SchemaNode;

/// What is wrong, and what to do about it.
pub(crate) type Message = (String, Option<String>);

/// Longer texts are not compared for typos: the cost is the product of both lengths.
pub(crate) const MAX_COMPARED_BYTES: usize = 200;

/// Values and names that are listed; the rest is only counted.
const MAX_LISTED: usize = 20;
/// The same within one of several alternatives.
const MAX_LISTED_SHORT: usize = 4;

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

/// The beginning of a text from a server or a program.
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
    let more = all.len().saturating_sub(MAX_LISTED);
    let names: Vec<String> = all.take(MAX_LISTED).map(|one| quoted(&one)).collect();
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
pub(crate) fn summary(node: SchemaNode<'_>) -> String {
    summary_at(node, 0)
}

fn summary_at(node: SchemaNode<'_>, level: usize) -> String {
    let node = node.target();
    if let Some(value) = node.constant() {
        return quoted(value);
    }
    if let Some(Value::Array(values)) = node.get("enum") {
        let listed = any_of(values.iter().take(MAX_LISTED_SHORT).map(quoted).collect());
        return if values.len() > MAX_LISTED_SHORT { format!("{listed} …") } else { listed };
    }
    for key in ["anyOf", "oneOf"] {
        let alternatives = node.list(key);
        if !alternatives.is_empty() && level < 2 {
            let alternatives = alternatives.into_iter().take(MAX_LISTED_SHORT);
            return any_of(alternatives.map(|one| summary_at(one, level + 1)).collect());
        }
    }
    match node.get("type") {
        Some(Value::String(name)) => named(name, node, level),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            any_of(names.map(|name| named(name, node, level)).collect())
        }
        _ if node.get("properties").or(node.get("required")).is_some() => {
            named("object", node, level)
        }
        _ => "another value".to_owned(),
    }
}

fn named(name: &str, node: SchemaNode<'_>, level: usize) -> String {
    match name {
        "object" => object(node),
        "array" => match node.get("items").filter(|_| level < 2) {
            Some(items) => match node.at(items).target().get("type").and_then(Value::as_str) {
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

fn object(node: SchemaNode<'_>) -> String {
    let required = node.required();
    let key = |key: &&str| match node.property(key).and_then(SchemaNode::constant) {
        Some(value) => quoted(&format!("{key}: {value}")),
        None => quoted(key),
    };
    match required.len() {
        0 => "an object".to_owned(),
        number => {
            let keys: Vec<String> = required.iter().take(MAX_LISTED_SHORT).map(key).collect();
            let more = if number > MAX_LISTED_SHORT { " …" } else { "" };
            format!("an object with {}{more}", keys.join(", "))
        }
    }
}

/// The description of an argument. It comes from the server, so it is kept short.
pub(crate) fn described(node: SchemaNode<'_>) -> Option<String> {
    Some(format!("its description: {}", cut(node.description()?, 200)))
}

/// The types that a schema names.
pub(crate) fn types(node: SchemaNode<'_>) -> Vec<&str> {
    match node.target().get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The type of a key as its schema names it, or its possible values.
pub(crate) fn type_name(node: SchemaNode<'_>) -> Option<String> {
    let target = node.target();
    if target.get("enum").is_some() || target.get("const").is_some() {
        return Some(summary(node));
    }
    match types(node).as_slice() {
        [] => (target.get("anyOf").or(target.get("oneOf")).is_some()).then(|| summary(node)),
        names => Some(names.join(" or ")),
    }
}

/// A hint that lists the keys of an object.
pub(crate) fn accepted_keys(node: SchemaNode<'_>) -> Option<String> {
    let keys = node.keys();
    (!keys.is_empty()).then(|| format!("known keys: {}", listed(keys.iter())))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{describe, readable, summary};
    use crate::arguments::schema_node::SchemaNode;

    #[test]
    fn a_pointer_becomes_a_path_as_in_a_program() {
        assert_eq!(readable("/labels/0/a~1b"), "labels[0].a/b");
        assert_eq!(readable(""), "");
    }

    #[test]
    fn a_long_value_is_described_by_its_type() {
        assert_eq!(describe(&json!("x".repeat(60))), format!("string `\"{}\"`", "x".repeat(60)));
        assert_eq!(describe(&json!("x".repeat(61))), "a string");
    }

    #[test]
    fn a_schema_is_described_in_a_few_words() {
        let root = json!({"$defs": {
            "Id": {"type": "integer"},
            "Self": {"anyOf": [{"$ref": "#/$defs/Self"}, {"type": "string"}]}
        }});
        let said = |schema: Value| summary(SchemaNode::new(&root, &schema));
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
            // Followed for a bounded number of levels.
            (json!({"$ref": "#/$defs/Self"}), "another value or a string or a string"),
        ] {
            assert_eq!(said(schema), words);
        }
    }
}
