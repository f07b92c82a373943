//! From a request to its answer, stage by stage.
//!
//! [`Gateway::execute`] runs a program, [`Gateway::call_tool`] makes one call;
//! both decide calls in the same place (`bridge.rs`) and both are on disk before
//! they answer.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tidegate_model::{Answer, ErrorCode, Language, Program, Response, RunError};
use tidegate_store::{Outcome, RunRecord};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::admission::SessionId;
use crate::bridge::{Caller, json_bytes};
use crate::gateway::Gateway;
use crate::ready::{Checked, Ready};
use crate::run_id::new_run_id;
use crate::{result, run, tokens};

/// What a request brings besides its content.
#[derive(Clone)]
pub struct RunContext {
    /// Whose request it is.
    pub session: SessionId,
    /// Ends the run when the client gives up.
    pub cancelled: CancellationToken,
    /// Tells the client how far the run is.
    pub progress: watch::Sender<Progress>,
    /// A narrower profile than the configured one.
    pub profile: Option<String>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tool calls that were started.
    pub calls_started: u32,
    /// Tool calls that were answered.
    pub calls_finished: u32,
}

impl Default for RunContext {
    fn default() -> Self {
        let (progress, _) = watch::channel(Progress::default());
        Self {
            session: SessionId::default(),
            cancelled: CancellationToken::new(),
            progress,
            profile: None,
        }
    }
}

impl Gateway {
    /// Runs a program and answers as `execute_code` does.
    pub async fn execute(self: &Arc<Self>, program: Program, context: &RunContext) -> Response {
        let clock = Clock::start();
        let id = new_run_id();
        let permissions = self.permissions(context.profile.as_deref());
        let limits = self.limits_of(&program, permissions.as_ref().ok());
        let source_sha256 = Some(sha256_hex(&program.source));
        let language = program.language;

        let ready = tokio::select! {
            ready = self.ready(permissions, &program, &limits, &id, context) => ready,
            () = context.cancelled.cancelled() => Err(run::cancelled()),
        };
        let ended = match ready {
            Ok(Ready { permissions, worker, reading, _admitted, _lease }) => {
                let program = Checked { program, reading };
                run::run(self, worker, program, permissions, &limits, &id, context).await
            }
            Err(error) => run::Ended::failed(error),
        };
        // The execution ends here; wording its result is our own affair.
        let execution_ms = rounded_ms(clock.elapsed());
        let made = result::respond(&ended, &id, &limits, &self.outputs);
        let mut response = made.response;
        response.metrics.execution_ms = execution_ms;
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "execute_code",
            language: Some(language.as_str()),
            source_sha256,
            outcome: outcome_of(response.error.as_ref()),
            duration: clock.elapsed(),
            tool_calls: ended.tool_calls,
            result_bytes: made.result_bytes,
            answer_tokens: response.metrics.tokens_in_summary,
            handle: response.handle.clone(),
        };
        self.keep_record(record).await;
        response
    }

    /// Makes one call outside of a program, decided like any other.
    pub async fn call_tool(
        self: &Arc<Self>,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> Result<Answer, RunError> {
        let clock = Clock::start();
        let id = new_run_id();
        let bytes = json_bytes(&arguments);
        let permissions = self.permissions(context.profile.as_deref());
        let call = async {
            let (permissions, language) = (&permissions?, Language::default());
            let caller = Caller { run: &id, permissions, language };
            self.bridge_call(&caller, name, arguments, bytes).await
        };
        let answered = tokio::select! {
            answered = call => answered,
            () = context.cancelled.cancelled() => {
                Err(RunError::new(ErrorCode::Cancelled, "the client cancelled the call"))
            }
        };
        let text = answered.as_ref().map(Answer::text).unwrap_or_default();
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "call_tool",
            language: None,
            source_sha256: None,
            outcome: match &answered {
                Ok(answer) if answer.is_error => Outcome::Failed(ErrorCode::ToolFailed),
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

    pub(crate) async fn keep_record(&self, record: RunRecord) {
        let id = record.id.clone();
        if let Err(error) = self.store.record_run(record).await {
            // The run has happened; refusing its answer would not undo it.
            tracing::error!(%error, run = %id, "run not recorded");
        }
        self.together.outdate();
    }
}

pub(crate) struct Clock {
    pub(crate) wall: SystemTime,
    monotonic: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { wall: SystemTime::now(), monotonic: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.monotonic.elapsed()
    }
}

/// To a tenth: more digits say nothing and cost tokens.
fn rounded_ms(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 10_000.0).round() / 10.0
}

pub(crate) fn outcome_of(error: Option<&RunError>) -> Outcome {
    error.map_or(Outcome::Succeeded, |error| Outcome::Failed(error.code))
}

pub(crate) fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
