//! The only place where text from servers enters the catalog.
//!
//! In: a tool as its server lists it. Out: the same tool with invisible characters
//! removed from its prose (descriptions, titles, examples, unknown keywords), and
//! whether it contained hidden text anywhere. Everything that a call needs stays
//! exactly as the server sent it: the tool's name, names of properties, values of
//! `enum`, `const` and `default`. Those are escaped where they are shown
//! (`describe.rs`, `render_ts.rs`, `render_py.rs`, `ToolRef`).

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tidegate_model::{ToolDef, cleaned, hides_text};

/// A tool whose prose can be shown.
pub(crate) struct CleanedTool {
    pub(crate) tool: ToolDef,
    /// Whether it contained more invisible characters than occur by accident.
    pub(crate) hid_text: bool,
}

/// Removes invisible characters from a tool's prose.
pub(crate) fn clean(tool: &ToolDef) -> CleanedTool {
    let mut hid_text = false;
    for_each_text(tool, &mut |text| hid_text = hid_text || hides_text(text));
    let mut tool = tool.clone();
    let hints = tool.annotations.as_mut().and_then(|hints| hints.title.as_mut());
    tool.title.iter_mut().chain(tool.description.iter_mut()).chain(hints).for_each(tidy);
    clean_schema(&mut tool.input_schema);
    tool.output_schema.iter_mut().for_each(clean_schema);
    CleanedTool { tool, hid_text }
}

fn tidy(text: &mut String) {
    if let Cow::Owned(clean) = cleaned(text) {
        *text = clean;
    }
}

/// Parsed JSON is never deeper than the parser allows, so recursion is safe.
fn clean_schema(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => clean_keywords(keywords),
        Value::Array(schemas) => schemas.iter_mut().for_each(clean_schema),
        Value::String(text) => tidy(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean_keywords(keywords: &mut Map<String, Value>) {
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (exact, _) if EXACT.contains(&exact) => {}
            // Names with schemas: one may be called `enum` or `title`. Older schemas also
            // have names with lists of names here.
            (named, Value::Object(members)) if NAMED.contains(&named) => {
                members.values_mut().filter(|member| member.is_object()).for_each(clean_schema);
            }
            // Prose, examples, and any keyword that a server made up.
            (_, value) => clean_schema(value),
        }
    }
}

/// Keywords whose text decides which arguments are valid, or refers to something that does.
const EXACT: [&str; 15] = [
    "enum",
    "const",
    "default",
    "required",
    "dependentRequired",
    "type",
    "pattern",
    "$ref",
    "$id",
    "id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "discriminator",
];

/// Keywords that hold schemas under names.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// A quarantined tool: nothing but its name.
pub(crate) fn withheld(tool: &ToolDef) -> ToolDef {
    ToolDef {
        name: tool.name.clone(),
        title: None,
        description: None,
        input_schema: json!({"type": "object"}),
        output_schema: None,
        annotations: None,
    }
}

/// Every text of a tool that a model may read, names and values included.
pub(crate) fn for_each_text<'a>(tool: &'a ToolDef, see: &mut impl FnMut(&'a str)) {
    see(&tool.name);
    let hints = tool.annotations.as_ref().and_then(|hints| hints.title.as_deref());
    let texts = [tool.title.as_deref(), tool.description.as_deref(), hints];
    texts.into_iter().flatten().for_each(&mut *see);
    for_each_string(&tool.input_schema, see);
    tool.output_schema.iter().for_each(|schema| for_each_string(schema, see));
}

fn for_each_string<'a>(value: &'a Value, see: &mut impl FnMut(&'a str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_string(item, see)),
        Value::Object(members) => {
            for (name, member) in members {
                see(name);
                for_each_string(member, see);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::ToolDef;

    use super::clean;

    fn tool(description: &str, input_schema: serde_json::Value) -> ToolDef {
        ToolDef {
            name: "get\u{200b}".into(),
            title: Some("\u{202e}T".into()),
            description: Some(description.into()),
            input_schema,
            output_schema: None,
            annotations: None,
        }
    }

    #[test]
    fn prose_is_cleaned_and_what_a_call_needs_is_not() {
        let z = "\u{200b}";
        let schema = |z: &str| {
            json!({
                "title": format!("a{z}"),
                "properties": {
                    "title": {"description": format!("b{z}"), "enum": ["x\u{200b}"],
                              "x-note": [format!("f{z}")], "examples": [format!("g{z}")]},
                    "enum": {"title": format!("c{z}"), "default": "y\u{200b}"},
                    "key\u{200b}": {"items": {"anyOf": [{"description": format!("d{z}")}]}},
                },
                "required": ["key\u{200b}"],
                "dependencies": {"title": ["key\u{200b}"]},
                "$defs": {"const": {"$comment": format!("e{z}"), "const": {"title": "v\u{200b}"}}},
            })
        };
        let cleaned = clean(&tool("say\u{1b}[31m hi", schema(z)));
        assert_eq!(cleaned.tool.name, "get\u{200b}");
        assert_eq!(cleaned.tool.title.as_deref(), Some("T"));
        assert_eq!(cleaned.tool.description.as_deref(), Some("say hi"));
        assert_eq!(cleaned.tool.input_schema, schema(""));
        assert!(cleaned.hid_text);
    }

    #[test]
    fn text_that_is_hidden_in_a_value_is_noticed_too() {
        let hidden = |schema| clean(&ToolDef { title: None, ..tool("Says hi", schema) }).hid_text;
        assert!(!hidden(json!({"properties": {"a": {"enum": ["x"], "default": "⚠️"}}})));
        let tags = "\u{e006f}\u{e0062}";
        for schema in [
            json!({"properties": {"a": {"enum": [tags]}}}),
            json!({"properties": {"a": {"const": tags}}}),
            json!({"properties": {"a": {"default": {"b": tags}}}}),
            json!({"properties": {"a": {"examples": [tags]}}}),
            json!({"properties": {tags: {}}}),
        ] {
            assert!(hidden(schema.clone()), "{schema}");
        }
    }
}
