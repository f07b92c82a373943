//! One call outside of a program: `call_tool`, and every tool of the direct surface.
//!
//! It is decided where the calls of programs are, and recorded like a run.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use tidegate_model::{ErrorCode, Language, Level, RunError};
use tidegate_store::{Outcome, RunRecord};

use crate::answer::shown::{RawAnswer, ShowResult, Shown, ToolAnswer, show};
use crate::bridge::call::{Caller, json_bytes};
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::pipeline::{Clock, outcome_of};
use crate::run_id::new_run_id;
use crate::tokens;

impl Gateway {
    /// Makes one call outside of a program, decided like any other.
    pub async fn call_tool(
        self: &Arc<Self>,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> ShowResult<ToolAnswer> {
        let clock = Clock::start();
        let id = new_run_id();
        let bytes = json_bytes(&arguments);
        let permissions = self.permissions(context.profile.as_deref());
        let called = OnceLock::new();
        let person = &self.person(context);
        person.set_level(Level::Low);
        let call = async {
            let (permissions, language) = (&permissions?, Language::default());
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
        let leaving = &mut self.privacy.leaving(&context.session).keeping(&person.errors);
        let (binary, outputs) = (self.settings.privacy.binary, &*self.outputs);
        let answered = match answered {
            Ok(answer) => Ok(show(RawAnswer { answer, run: &id, binary, outputs }, leaving)),
            Err(error) => Err(show(error, leaving)),
        };
        if let (Ok(shown), Some(tool)) = (&answered, called.get()) {
            self.note_seen(tool, &shown.pii_counts);
        }
        let bytes = answered.as_ref().map_or(0, Shown::bytes);
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "call_tool",
            language: None,
            source_sha256: None,
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
        self.keep_record(record).await;
        answered
    }
}
