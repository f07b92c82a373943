//! One call outside of a program: `call_tool`, and every tool of the direct surface.
//!
//! It is decided where the calls of programs are, and recorded like a run. Its answer goes
//! to the model as it is, so personal data in it is replaced, and what cannot be searched
//! is kept under a handle.

use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tidegate_config::BinaryContent;
use tidegate_model::{Answer, ErrorCode, Language, Level, RunError, RunId, ToolRef};
use tidegate_store::{Outcome, RunRecord};

use crate::bridge::{Caller, json_bytes};
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::pipeline::{Clock, outcome_of};
use crate::privacy::{Counts, Leaving};
use crate::run_id::new_run_id;
use crate::tokens;

/// An answer of a tool as a model may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownAnswer {
    /// With tokens.
    pub answer: Answer,
    /// How many values were replaced, by type.
    pub pii_counts: Counts,
}

impl Gateway {
    /// Makes one call outside of a program, decided like any other.
    pub async fn call_tool(
        self: &Arc<Self>,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> Result<ShownAnswer, RunError> {
        let clock = Clock::start();
        let id = new_run_id();
        let bytes = json_bytes(&arguments);
        let permissions = self.permissions(context.profile.as_deref());
        let called = OnceLock::new();
        let call = async {
            let (permissions, language) = (&permissions?, Language::default());
            let person = self.person(context);
            person.set_level(Level::Low);
            let person = &person;
            let caller =
                Caller { run: &id, permissions, language, person, entry: None, called: &called };
            self.bridge_call(&caller, name, arguments, bytes).await
        };
        let answered = tokio::select! {
            answered = call => answered,
            () = context.cancelled.cancelled() => {
                Err(RunError::new(ErrorCode::Cancelled, "the client cancelled the call"))
            }
        };
        let answered = match answered {
            Ok(answer) => Ok(self.show_answer(context, &id, answer)),
            Err(error) => Err(self.privacy.leaving(&context.session).error(error)),
        };
        if let (Ok(shown), Some(tool)) = (&answered, called.get()) {
            self.note_seen(tool, &shown.pii_counts);
        }
        let text = answered.as_ref().map(|shown| shown.answer.text()).unwrap_or_default();
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "call_tool",
            language: None,
            source_sha256: None,
            outcome: match &answered {
                Ok(shown) if shown.answer.is_error => Outcome::Failed(ErrorCode::ToolFailed),
                other => outcome_of(other.as_ref().err()),
            },
            duration: clock.elapsed(),
            tool_calls: 1,
            result_bytes: text.len() as u64,
            answer_tokens: tokens::estimate(text.len()),
            handle: None,
        };
        self.keep_record(record).await;
        answered
    }

    fn show_answer(&self, context: &RunContext, id: &RunId, answer: Answer) -> ShownAnswer {
        if self.privacy.is_off() {
            return ShownAnswer { answer, pii_counts: Counts::new() };
        }
        self.remember_all(context, &answer);
        let mut leaving = self.privacy.leaving(&context.session);
        let mut kept = 0;
        let mut block = |block: &Value| match binary(block) {
            Some(binary) if self.settings.privacy.binary == BinaryContent::Handle => {
                kept += 1;
                self.keep_binary(id, kept, &binary)
            }
            Some(_) => block.clone(),
            None => shown_block(&mut leaving, block),
        };
        let content = answer.content.iter().map(&mut block).collect();
        let structured = answer.structured.map(|value| leaving.value(&value));
        let answer = Answer { content, structured, is_error: answer.is_error, meta: None };
        ShownAnswer { answer, pii_counts: leaving.counts }
    }

    /// Makes all that an answer holds known before a part of it is shown: what one part has
    /// under a key may stand in the prose of another.
    fn remember_all(&self, context: &RunContext, answer: &Answer) {
        if answer.content.len() < 2 && answer.structured.is_none() {
            return;
        }
        for block in &answer.content {
            let inner = block.get("resource").unwrap_or(block);
            if let Some(text) = inner.get("text").and_then(Value::as_str) {
                self.privacy.remember(&context.session, text);
            }
        }
        if let Some(structured) = &answer.structured {
            self.privacy.remember(&context.session, &structured.to_string());
        }
    }

    /// Keeps what cannot be searched for personal data, and says so.
    fn keep_binary(&self, id: &RunId, number: u32, binary: &Binary<'_>) -> Value {
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
        let bytes =
            STANDARD.decode(binary.data).unwrap_or_else(|_| binary.data.as_bytes().to_vec());
        let what = format!("{} of {} bytes", binary.media_type, bytes.len());
        let text = match self.outputs.keep(id, &format!("{number}.{ending}"), &bytes) {
            Ok(handle) => format!(
                "[{what}, not shown since it cannot be searched for personal data: kept as \
                 `{handle}`]"
            ),
            Err(error) => {
                tracing::error!(%error, run = %id, "binary content not kept");
                format!("[{what}, not shown since it cannot be searched for personal data]")
            }
        };
        json!({"type": "text", "text": text})
    }
}

fn shown_block(leaving: &mut Leaving<'_>, block: &Value) -> Value {
    match block {
        Value::Object(fields) => Value::Object(leaving.block(fields)),
        other => leaving.value(other),
    }
}

/// Content that is no text.
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

/// A media type without its parameters, which may say anything, if it is one.
fn shown_type(written: &str) -> Option<&str> {
    /// Longer than all that are registered but a few.
    const MOST: usize = 60;
    let name = written.split(';').next().unwrap_or_default().trim();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+/-".contains(&byte);
    (!name.is_empty() && name.len() <= MOST && name.bytes().all(fits)).then_some(name)
}

/// Whether an answer has content that is not searched for personal data.
pub(crate) fn has_binary(answer: &Answer) -> bool {
    answer.content.iter().any(|block| binary(block).is_some())
}

/// What a run is told about such content.
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
