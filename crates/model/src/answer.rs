//! The answer of a tool, without loss.
//!
//! In: the result of a call as MCP defines it. Out: the value that a program gets, or the
//! answer in MCP's own form. Invariant: content blocks are kept exactly as the server sent
//! them.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

/// A tool's answer. Content blocks (text, image, audio, resource link, embedded resource, with
/// annotations) are kept as the server sent them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Content blocks in MCP's own JSON form.
    pub content: Vec<Value>,
    /// Structured content, if the server sent any. `Some(Null)` is an explicit null.
    pub structured: Option<Value>,
    /// Whether the tool reports a failure.
    pub is_error: bool,
    /// Protocol-level `_meta` of the result.
    pub meta: Option<Value>,
    /// Its share of the memory for answers.
    pub held: Held,
}

/// Something that is given back when the last copy is dropped. It is no part of what was
/// answered: all are equal.
#[derive(Clone, Default)]
pub struct Held(
    #[expect(dead_code, reason = "held, never read")] Option<Arc<dyn Any + Send + Sync>>,
);

impl Held {
    /// Holds it.
    pub fn new(what: impl Any + Send + Sync) -> Self {
        Self(Some(Arc::new(what)))
    }
}

impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl Answer {
    /// The value a program gets: structured content; else the one text block,
    /// parsed if it is a JSON object or list; else the list of blocks.
    pub fn into_value(self) -> Value {
        if let Some(structured) = self.structured {
            return structured;
        }
        match self.content.as_slice() {
            [only] => match block_text(only) {
                Some(text) => {
                    parse_json_text(text).unwrap_or_else(|| Value::String(text.to_owned()))
                }
                None => Value::Array(self.content),
            },
            [] => Value::Null,
            _ => Value::Array(self.content),
        }
    }

    /// The value that [`Answer::into_value`] gives, borrowed where possible; `None` for a list
    /// of blocks.
    pub fn value(&self) -> Option<Cow<'_, Value>> {
        if let Some(structured) = &self.structured {
            return Some(Cow::Borrowed(structured));
        }
        match self.content.as_slice() {
            [only] => {
                let text = block_text(only)?;
                // Plain text is borrowed from the block.
                Some(parse_json_text(text).map_or_else(|| Cow::Borrowed(&only["text"]), Cow::Owned))
            }
            [] => Some(Cow::Owned(Value::Null)),
            _ => None,
        }
    }

    /// Bytes of text that [`Answer::value`] would parse.
    pub fn text_bytes(&self) -> usize {
        match (&self.structured, self.content.as_slice()) {
            (None, [only]) => block_text(only).map_or(0, str::len),
            _ => 0,
        }
    }

    /// The answer in MCP's own form, for `{raw: true}` and `call_tool`.
    pub fn into_raw(self) -> Value {
        let mut raw = serde_json::Map::new();
        raw.insert("content".into(), Value::Array(self.content));
        if let Some(structured) = self.structured {
            raw.insert("structuredContent".into(), structured);
        }
        raw.insert("isError".into(), Value::Bool(self.is_error));
        if let Some(meta) = self.meta {
            raw.insert("_meta".into(), meta);
        }
        Value::Object(raw)
    }

    /// All text blocks joined, for error messages.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(block_text).collect();
        texts.join("\n")
    }
}

fn block_text(block: &Value) -> Option<&str> {
    (block.get("type")?.as_str()? == "text").then(|| block.get("text")?.as_str())?
}

/// Parses objects and lists only. `"42"` or `"true"` stays text: the type of an answer must
/// not depend on its value.
fn parse_json_text(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    let looks_like_json = (trimmed.starts_with('{') && trimmed.ends_with('}'))
        || (trimmed.starts_with('[') && trimmed.ends_with(']'));
    if looks_like_json { serde_json::from_str(trimmed).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Answer;

    fn text_answer(text: &str) -> Answer {
        Answer { content: vec![json!({"type": "text", "text": text})], ..Answer::default() }
    }

    #[test]
    fn the_borrowed_value_is_what_a_program_gets() {
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        let answers = [
            Answer { structured: Some(json!({"n": 1})), ..text_answer("one") },
            text_answer("[1, 2]"),
            text_answer("plain"),
            Answer::default(),
        ];
        for answer in answers {
            let borrowed = answer.value().unwrap().into_owned();
            assert_eq!(borrowed, answer.into_value());
        }
        assert_eq!(Answer { content: vec![image], ..Answer::default() }.value(), None);
    }

    #[test]
    fn structured_content_wins_over_text() {
        let answer = Answer { structured: Some(json!({"n": 1})), ..text_answer("one") };
        assert_eq!(answer.into_value(), json!({"n": 1}));
    }

    #[test]
    fn an_explicit_null_is_a_structured_answer() {
        let answer = Answer { structured: Some(Value::Null), ..text_answer("one") };
        assert_eq!(answer.into_value(), Value::Null);
    }

    #[test]
    fn one_text_block_is_json_only_if_it_is_an_object_or_a_list() {
        assert_eq!(text_answer(" {\"a\": [1]}\n").into_value(), json!({"a": [1]}));
        assert_eq!(text_answer("[1, 2]").into_value(), json!([1, 2]));
        assert_eq!(text_answer("42").into_value(), json!("42"));
        assert_eq!(text_answer("[not json]").into_value(), json!("[not json]"));
    }

    #[test]
    fn several_blocks_stay_blocks() {
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        let answer = Answer { content: vec![image.clone()], ..Answer::default() };
        assert_eq!(answer.into_value(), json!([image]));
        assert_eq!(Answer::default().into_value(), Value::Null);
    }
}
