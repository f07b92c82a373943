//! One call, whatever its path: resolve, decide, call, record.
//!
//! This is where a call is decided: [`Policy::decide`](tidegate_policy::Policy)
//! makes the [`Permit`], and [`Gateway::make`] takes nothing else.

use std::time::{Instant, SystemTime};

use serde_json::{Map, Value};
use tidegate_model::{Answer, ErrorCode, RunError, RunId, ToolCall, ToolRef};
use tidegate_policy::Permit;
use tidegate_store::{CallRecord, Outcome};

use crate::gateway::Gateway;
use crate::{explain, tokens};

impl Gateway {
    /// A call by name: of a program, of `call_tool`, of whatever comes later.
    pub(crate) async fn bridge_call(
        &self,
        run: &RunId,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Answer, RunError> {
        let started_at = SystemTime::now();
        let started = Instant::now();
        let argument_bytes = json_bytes(&arguments);
        let mut tool = ToolRef::new("", name);
        let answered = self.decided_call(name, arguments, &mut tool).await;
        // Recorded whether it was made, refused or failed.
        let outcome = match &answered {
            Ok(answer) if answer.is_error => Outcome::Failed(ErrorCode::ToolFailed),
            Ok(_) => Outcome::Succeeded,
            Err(error) => Outcome::Failed(error.code),
        };
        let answer_bytes = answered.as_ref().map_or(0, answer_bytes);
        self.store.record_call(CallRecord {
            run_id: run.clone(),
            started_at,
            tool,
            outcome,
            duration: started.elapsed(),
            argument_bytes,
            answer_bytes,
            answer_tokens: tokens::estimate(usize::try_from(answer_bytes).unwrap_or(usize::MAX))
                as u64,
        });
        answered
    }

    async fn decided_call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        named: &mut ToolRef,
    ) -> Result<Answer, RunError> {
        let (id, tool) = self.discovery.resolve(name).await?;
        *named = id.clone();
        let call = ToolCall { tool: id.clone(), arguments };
        let permit =
            self.policy.decide(call, &tool).map_err(|denial| explain::denial(&denial, &id))?;
        self.make(permit).await
    }

    /// Makes a permitted call.
    async fn make(&self, permit: Permit) -> Result<Answer, RunError> {
        let called = self.discovery.upstreams.call(permit.into_call()).await;
        called.map_err(|error| {
            tracing::warn!(%error, "call failed");
            explain::upstream(&error)
        })
    }
}

/// Bytes of a value as JSON, without writing them anywhere.
fn json_bytes(value: &impl serde::Serialize) -> u64 {
    struct Counter(u64);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Writing to a counter cannot fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// What the answer would have cost the classic way: its content blocks.
fn answer_bytes(answer: &Answer) -> u64 {
    if answer.content.is_empty() {
        answer.structured.as_ref().map_or(0, json_bytes)
    } else {
        json_bytes(&answer.content)
    }
}
