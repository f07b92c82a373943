//! The one door through which text of servers comes into the catalog.
//!
//! In: a tool as its server lists it. Out: the same tool with prose (descriptions,
//! titles) free of what cannot be seen, and whether text was hidden in it. What a
//! call needs stays exactly the server's: the tool's name, names of properties,
//! values of `enum`, `const` and `default`. Those are written with escapes where
//! they are shown (`describe.rs`, `render_ts.rs`, `render_py.rs`, `ToolRef`).

use serde_json::{Map, Value};
use tidegate_model::{ToolDef, cleaned, hides_text};

/// A tool whose prose can be shown.
pub(crate) struct Cleaned {
    pub(crate) tool: ToolDef,
    /// Whether there was more that cannot be seen than slips in by accident.
    pub(crate) hid_text: bool,
}

/// Takes what cannot be seen out of a tool's prose.
pub(crate) fn clean(tool: &ToolDef) -> Cleaned {
    let mut tool = tool.clone();
    let mut hid_text = hides_text(&tool.name);
    let mut tidy = |text: &mut String| {
        if let std::borrow::Cow::Owned(clean) = cleaned(text) {
            hid_text |= hides_text(text);
            *text = clean;
        }
    };
    let hints = tool.annotations.as_mut().and_then(|hints| hints.title.as_mut());
    tool.title.iter_mut().chain(tool.description.iter_mut()).chain(hints).for_each(&mut tidy);
    clean_schema(&mut tool.input_schema, &mut tidy);
    tool.output_schema.iter_mut().for_each(|schema| clean_schema(schema, &mut tidy));
    Cleaned { tool, hid_text }
}

/// JSON that was parsed is never deeper than the parser allows.
fn clean_schema(schema: &mut Value, tidy: &mut impl FnMut(&mut String)) {
    match schema {
        Value::Object(keywords) => clean_keywords(keywords, tidy),
        Value::Array(schemas) => {
            schemas.iter_mut().for_each(|schema| clean_schema(schema, tidy));
        }
        _ => {}
    }
}

fn clean_keywords(keywords: &mut Map<String, Value>, tidy: &mut impl FnMut(&mut String)) {
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("description" | "title" | "$comment", Value::String(text)) => tidy(text),
            // Values, which must stay what they are.
            ("enum" | "const" | "default" | "examples" | "example", _) => {}
            // Names with schemas: one may be called `enum` or `title`.
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(|schema| clean_schema(schema, tidy));
            }
            (_, value) => clean_schema(value, tidy),
        }
    }
}

/// Every text of a tool that a model may read, names and values included.
pub(crate) fn each_text<'a>(tool: &'a ToolDef, see: &mut impl FnMut(&'a str)) {
    see(&tool.name);
    let hints = tool.annotations.as_ref().and_then(|hints| hints.title.as_deref());
    let texts = [tool.title.as_deref(), tool.description.as_deref(), hints];
    texts.into_iter().flatten().for_each(&mut *see);
    each_string(&tool.input_schema, see);
    tool.output_schema.iter().for_each(|schema| each_string(schema, see));
}

fn each_string<'a>(value: &'a Value, see: &mut impl FnMut(&'a str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| each_string(item, see)),
        Value::Object(members) => {
            for (name, member) in members {
                see(name);
                each_string(member, see);
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
                    "title": {"description": format!("b{z}"), "enum": ["x\u{200b}"]},
                    "enum": {"title": format!("c{z}"), "default": "y\u{200b}"},
                    "key\u{200b}": {"items": {"anyOf": [{"description": format!("d{z}")}]}},
                },
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
}
