//! One call outside of a program: `call_tool`, and every tool of the direct surface.
//!
//! It is decided like the calls of programs, and recorded like a run.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use tidegate_model::{
    Answer, ErrorCode, Language, Outcome, RiskLevel, RunError, RunRecord, ToolRef, json_bytes,
};

use super::Bridge;
use crate::answer::shown::{ShowResult, Shown, ToolAnswer, show};
use crate::answer::stopwatch::{Stopwatch, outcome_of};
use crate::bridge::call::Caller;
use crate::context::RunContext;
use crate::explain::reported::{SERVER_SAYS, quoted};
use crate::ids::new_run_id;
use crate::tokens;

impl Bridge {
    /// Makes one call outside of a program, decided like any other.
    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> ShowResult<ToolAnswer> {
        let clock = Stopwatch::start(self.recorder.now());
        let id = new_run_id(clock.started_at);
        let bytes = json_bytes(&arguments);
        let permissions = self.policy.permissions(context.profile.as_deref());
        let called = OnceLock::new();
        let person = &self.approvals.person(context);
        person.set_level(RiskLevel::Low);
        let call = async {
            let (permissions, language) = (&permissions?, Language::default());
            let caller =
                Caller { run: &id, permissions, language, person, entry: None, called: &called };
            let answer = self.call(&caller, name, arguments, bytes).await?;
            Ok(match called.get() {
                Some(tool) => answer.map_with(tool, |tool, answer| match answer.is_error {
                    true => failure_of(tool, answer),
                    false => answer,
                }),
                None => answer,
            })
        };
        let answered = tokio::select! {
            answered = call => answered,
            () = context.cancelled.cancelled() => {
                Err(RunError::new(ErrorCode::Cancelled, "the client cancelled the call"))
            }
        };
        let leaving = &mut self.privacy.leaving(&context.principal).keeping(&person.errors);
        let answered = self.answers.show_answer(answered, &id, leaving);
        if let (Ok(shown), Some(tool)) = (&answered, called.get()) {
            self.privacy.note_seen(&context.principal, tool, &shown.pii_counts);
        }
        let bytes = answered.as_ref().map_or(0, Shown::bytes);
        let record = RunRecord {
            id,
            started_at: clock.started_at,
            kind: "call_tool",
            program: None,
            outcome: match &answered {
                Ok(shown) if shown.answer.is_error => Outcome::Failed(ErrorCode::ToolFailed),
                other => outcome_of(other.as_ref().err().map(|error| &**error)),
            },
            duration: clock.elapsed(),
            tool_calls: 1,
            result_bytes: bytes,
            answer_tokens: tokens::estimate(usize::try_from(bytes).unwrap_or(usize::MAX)),
            handle: None,
        };
        match self.record(person, record).await {
            Ok(()) => answered,
            Err(error) => Err(show(error, leaving)),
        }
    }
}

/// A failure that a server reports, with its words marked as such: an error of ours has the
/// same form for a client.
fn failure_of(tool: &ToolRef, mut answer: Answer) -> Answer {
    let texts = answer.content.iter_mut().filter(|block| block["type"] == "text");
    for (number, text) in texts.filter_map(|block| block.get_mut("text")).enumerate() {
        let said = quoted(text.as_str().unwrap_or_default());
        *text = Value::String(match number {
            0 => format!("`{tool}` {SERVER_SAYS}: {said}"),
            _ => format!("  | {said}"),
        });
    }
    answer
}
