//! Shows a tool's answer to a client.
//!
//! The answer goes to the model directly, so personal data in it is replaced, and content
//! that cannot be searched is stored under a handle.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tidegate_config::BinaryContent;
use tidegate_model::{Answer, RunId, ToolRef};
use tidegate_store::Outputs;

use super::{Outgoing, sealed};
use crate::privacy::{Counts, Leaving, Unscanned};

/// An answer of a tool, with real values.
pub(crate) struct RawAnswer<'a> {
    pub(crate) answer: Unscanned<Answer>,
    pub(crate) run: &'a RunId,
    /// What is done with content that cannot be searched.
    pub(crate) binary: BinaryContent,
    pub(crate) outputs: &'a Outputs,
}

/// An answer of a tool as a model may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// With tokens.
    pub answer: Answer,
    /// How many values were replaced, by type.
    pub pii_counts: Counts,
}

impl sealed::Sealed for RawAnswer<'_> {}

impl Outgoing for RawAnswer<'_> {
    type Shown = ToolAnswer;

    fn redact(self, leaving: &mut Leaving<'_>) -> ToolAnswer {
        let Self { answer, run, binary: setting, outputs } = self;
        let answer = leaving.open(answer);
        if leaving.is_off() {
            return ToolAnswer { answer, pii_counts: Counts::new() };
        }
        remember_all(&answer, leaving);
        let mut kept = 0;
        let mut block = |block: &Value| match binary(block) {
            Some(binary) if setting == BinaryContent::Handle => {
                kept += 1;
                keep(run, outputs, kept, &binary)
            }
            Some(_) => block.clone(),
            None => shown_block(leaving, block),
        };
        let content = answer.content.iter().map(&mut block).collect();
        let structured = answer.structured.as_ref().map(|value| leaving.value(value));
        let (is_error, held) = (answer.is_error, answer.held.clone());
        let answer = Answer { content, structured, is_error, meta: None, held };
        ToolAnswer { answer, pii_counts: std::mem::take(&mut leaving.counts) }
    }

    fn bytes(shown: &ToolAnswer) -> u64 {
        shown.answer.text().len() as u64
    }
}

/// Stores content that cannot be searched for personal data, and returns a note about it.
fn keep(run: &RunId, outputs: &Outputs, number: u32, binary: &Binary<'_>) -> Value {
    let ending: String = binary
        .media_type
        .rsplit(['/', '+'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(10)
        .collect();
    let ending = if ending.is_empty() { "bin".to_owned() } else { ending };
    let bytes = STANDARD.decode(binary.data).unwrap_or_else(|_| binary.data.as_bytes().to_vec());
    let what = format!("{} of {} bytes", binary.media_type, bytes.len());
    let text = match outputs.store(run, &format!("{number}.{ending}"), &bytes) {
        Ok(handle) => format!(
            "[{what}, not shown since it cannot be searched for personal data: kept as \
                 `{handle}`]"
        ),
        Err(error) => {
            tracing::error!(%error, run = %run, "binary content not kept");
            format!("[{what}, not shown since it cannot be searched for personal data]")
        }
    };
    json!({"type": "text", "text": text})
}

/// Remembers all values in an answer before any part of it is shown: a value under a key
/// in one part may appear in the prose of another.
fn remember_all(answer: &Answer, leaving: &Leaving<'_>) {
    if answer.content.len() < 2 && answer.structured.is_none() {
        return;
    }
    for block in &answer.content {
        let inner = block.get("resource").unwrap_or(block);
        if let Some(text) = inner.get("text").and_then(Value::as_str) {
            leaving.remember(text);
        }
    }
    if let Some(structured) = &answer.structured {
        leaving.remember(&structured.to_string());
    }
}

fn shown_block(leaving: &mut Leaving<'_>, block: &Value) -> Value {
    match block {
        Value::Object(fields) => Value::Object(leaving.block(fields)),
        other => leaving.value(other),
    }
}

/// Content that is not text.
struct Binary<'a> {
    media_type: &'a str,
    data: &'a str,
}

fn binary(block: &Value) -> Option<Binary<'_>> {
    let inner = block.get("resource").unwrap_or(block);
    let data = block.get("data").or_else(|| inner.get("blob"))?.as_str()?;
    let media_type = inner.get("mimeType").and_then(Value::as_str).and_then(shown_type);
    Some(Binary { media_type: media_type.unwrap_or("binary data"), data })
}

/// A media type without its parameters, which can contain any text; `None` if it is not
/// one.
fn shown_type(written: &str) -> Option<&str> {
    /// Longer than all but a few registered types.
    const MOST: usize = 60;
    let name = written.split(';').next().unwrap_or_default().trim();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+/-".contains(&byte);
    (!name.is_empty() && name.len() <= MOST && name.bytes().all(fits)).then_some(name)
}

/// Whether an answer has content that is not searched for personal data.
pub(crate) fn has_binary(answer: &Answer) -> bool {
    answer.content.iter().any(|block| binary(block).is_some())
}

/// A note for a run about such content.
pub(crate) fn not_searched(tool: &ToolRef) -> String {
    format!(
        "`{tool}` answered with an image or other binary content, which is not searched for personal data"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::binary;

    #[test]
    fn a_media_type_is_shown_only_as_far_as_it_is_one() {
        let long = "a/".repeat(31);
        for (written, shown) in [
            ("image/png", "image/png"),
            ("image/svg+xml; name=ann@example.org", "image/svg+xml"),
            ("ann@example.org", "binary data"),
            ("image/Ann Lee", "binary data"),
            (";ann", "binary data"),
            (&long, "binary data"),
        ] {
            let block = json!({"type": "image", "data": "AA==", "mimeType": written});
            assert_eq!(binary(&block).unwrap().media_type, shown);
            let resource = json!({"type": "resource", "resource": {
                "uri": "a:b", "blob": "AA==", "mimeType": written
            }});
            assert_eq!(binary(&resource).unwrap().media_type, shown);
        }
    }
}
