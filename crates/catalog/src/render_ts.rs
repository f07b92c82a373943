//! A tool as TypeScript: what a model reads before it writes a call.
//!
//! One doc comment, one signature. Arguments are documented, results only typed:
//! a model has to choose arguments, while the names of results speak for
//! themselves. Types come straight from the JSON Schema;
//! what this does not understand becomes `unknown`, honestly. Text from the
//! server cannot end the comment it stands in.

use std::cell::Cell;

use serde_json::{Map, Value};
use tidegate_model::ToolDef;

/// Nesting beyond this is shown as `unknown`: recursive schemas have no end.
const MAX_DEPTH: usize = 6;

/// Bytes of types in one definition, and of its description. Schemas that refer
/// to themselves grow without end otherwise. Of 3,031 real tools the largest
/// type would have about 40 KB and the longest description has 14 KB.
const TYPE_BYTES: usize = 64 * 1024;
const DESCRIPTION_BYTES: usize = 16 * 1024;

/// The definition of one tool.
pub fn render_tool(tool: &ToolDef, function: &str) -> String {
    let mut lines = Vec::new();
    lines.extend(comment(tool));
    let schema = &tool.input_schema;
    let has_input =
        schema.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
    let input =
        if has_input { Types::new(schema, Docs::Shown).of(schema, 0) } else { "{}".to_owned() };
    let needs_input =
        schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
    let mark = if needs_input { "" } else { "?" };
    let output = match &tool.output_schema {
        Some(schema) => Types::new(schema, Docs::Hidden).of(schema, 0),
        None => "unknown".to_owned(),
    };
    lines.push(format!("export function {function}(input{mark}: {input}): Promise<{output}>;"));
    lines.join("\n")
}

/// The first sentence of a description, for lists.
pub fn one_line(tool: &ToolDef) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = match flat.find(". ") {
        Some(end) => &flat[..=end],
        None => flat.as_str(),
    };
    let end = sentence.floor_char_boundary(160);
    if end < sentence.len() { format!("{}…", &sentence[..end]) } else { sentence.to_owned() }
}

fn comment(tool: &ToolDef) -> Option<String> {
    let mut text = tool.description.clone().unwrap_or_default().trim().to_owned();
    let hints = tool.annotations.as_ref();
    if hints.is_some_and(|hints| hints.read_only_hint == Some(true)) {
        text.push_str("\n@readonly");
    } else if hints.is_some_and(|hints| hints.destructive_hint == Some(true)) {
        text.push_str("\n@destructive");
    }
    text.truncate(text.floor_char_boundary(DESCRIPTION_BYTES));
    let text = inert(text.trim());
    if text.is_empty() { None } else { Some(format!("/** {text} */")) }
}

/// Text that cannot end the comment it stands in, nor move a terminal's cursor.
fn inert(text: &str) -> String {
    let text = text.replace("*/", "*\u{2060}/");
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}

enum Docs {
    Shown,
    Hidden,
}

/// Renders types of one schema.
struct Types<'a> {
    /// Where `$ref` points into.
    root: &'a Value,
    docs: Docs,
    /// Bytes that may still be written.
    left: Cell<usize>,
}

impl<'a> Types<'a> {
    fn new(root: &'a Value, docs: Docs) -> Self {
        Self { root, docs, left: Cell::new(TYPE_BYTES) }
    }

    /// The type of a schema, or `unknown` once too much has been written.
    fn of(&self, schema: &Value, depth: usize) -> String {
        if self.left.get() == 0 {
            return "unknown".into();
        }
        let before = self.left.get();
        let text = self.written(schema, depth);
        // Inner types have counted themselves; the rest of the text is ours.
        let inner = before - self.left.get();
        self.left.set(self.left.get().saturating_sub(text.len().saturating_sub(inner)));
        text
    }

    fn written(&self, schema: &Value, depth: usize) -> String {
        let Some(object) = schema.as_object() else {
            return if schema == &Value::Bool(false) { "never".into() } else { "unknown".into() };
        };
        if depth > MAX_DEPTH {
            return "unknown".into();
        }
        let inner = |schema: &Value| self.of(schema, depth + 1);
        if let Some(Value::String(pointer)) = object.get("$ref") {
            let target = pointer.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or("unknown".into(), inner);
        }
        if let Some(value) = object.get("const") {
            return literal(value);
        }
        if let Some(Value::Array(values)) = object.get("enum") {
            return union(values.iter().map(literal));
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(variants)) = object.get(key) {
                return union(variants.iter().map(inner));
            }
        }
        if let Some(Value::Array(parts)) = object.get("allOf") {
            return parts.iter().map(inner).collect::<Vec<_>>().join(" & ");
        }
        match object.get("type") {
            Some(Value::Array(types)) => union(types.iter().map(|name| {
                let mut one = object.clone();
                one.insert("type".into(), name.clone());
                self.of(&Value::Object(one), depth + 1)
            })),
            Some(Value::String(name)) => self.named(name, object, depth),
            _ if object.contains_key("properties") => self.object(object, depth),
            _ => "unknown".into(),
        }
    }

    fn named(&self, name: &str, object: &Map<String, Value>, depth: usize) -> String {
        match name {
            "string" => "string".into(),
            "number" | "integer" => "number".into(),
            "boolean" => "boolean".into(),
            "null" => "null".into(),
            "array" => {
                let item = object.get("items");
                let item = item.map_or("unknown".into(), |item| self.of(item, depth + 1));
                if item.contains([' ', '|', '&']) && !item.starts_with('{') {
                    format!("({item})[]")
                } else {
                    format!("{item}[]")
                }
            }
            "object" => self.object(object, depth),
            _ => "unknown".into(),
        }
    }

    fn object(&self, object: &Map<String, Value>, depth: usize) -> String {
        let required: Vec<&str> = object
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let Some(Value::Object(properties)) = object.get("properties") else {
            return match object.get("additionalProperties") {
                Some(schema @ Value::Object(_)) => {
                    format!("Record<string, {}>", self.of(schema, depth + 1))
                }
                _ => "Record<string, unknown>".into(),
            };
        };
        let fields = properties.iter().map(|(name, schema)| {
            let mark = if required.contains(&name.as_str()) { "" } else { "?" };
            let doc = match self.docs {
                Docs::Shown => field_comment(schema),
                Docs::Hidden => String::new(),
            };
            format!("{doc}{}{mark}: {}", property_name(name), self.of(schema, depth + 1))
        });
        format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
    }
}

fn field_comment(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { String::new() } else { format!("/** {} */ ", inert(&text)) }
}

fn property_name(name: &str) -> String {
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if plain { name.to_owned() } else { literal(&Value::String(name.to_owned())) }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => "unknown".into(),
        // JSON text of a scalar is a TypeScript literal.
        scalar => scalar.to_string(),
    }
}

fn union(variants: impl Iterator<Item = String>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for variant in variants {
        if !seen.contains(&variant) {
            seen.push(variant);
        }
    }
    if seen.is_empty() { "never".into() } else { seen.join(" | ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::ToolDef;

    use super::render_tool;

    #[test]
    fn a_schema_that_explodes_is_cut_to_a_bearable_length() {
        let properties: serde_json::Map<String, serde_json::Value> =
            (0..60).map(|n| (format!("p{n}"), json!({"$ref": "#"}))).collect();
        let tool = ToolDef {
            name: "x".into(),
            title: None,
            description: Some("d".repeat(1_000_000)),
            input_schema: json!({"type": "object", "properties": properties}),
            output_schema: None,
            annotations: None,
        };
        assert!(render_tool(&tool, "x").len() < 128 * 1024);
    }

    #[test]
    fn a_tool_reads_as_a_documented_signature() {
        let tool = ToolDef {
            name: "list_issues".into(),
            title: None,
            description: Some("Lists issues. */ alert(1)".into()),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "repo": {"type": "string", "description": "owner/name"},
                    "labels": {"type": "array", "items": {"enum": ["bug", "docs"]}},
                    "page-size": {"type": ["integer", "null"]},
                    "filter": {"$ref": "#/$defs/Filter"}
                },
                "required": ["repo"],
                "$defs": {"Filter": {"type": "object", "properties": {"and": {"$ref": "#/$defs/Filter"}}}}
            }),
            output_schema: Some(
                json!({"type": "object", "additionalProperties": {"type": "number"}}),
            ),
            annotations: None,
        };
        let text = render_tool(&tool, "listIssues");
        let filter = "{ and?: ".repeat(3);
        let expected = format!(
            "/** Lists issues. *\u{2060}/ alert(1) */\n\
             export function listIssues(input: {{ /** owner/name */ repo: string; \
             labels?: (\"bug\" | \"docs\")[]; \"page-size\"?: number | null; \
             filter?: {filter}unknown }} }} }} }}): Promise<Record<string, number>>;"
        );
        assert_eq!(text, expected);
    }
}
