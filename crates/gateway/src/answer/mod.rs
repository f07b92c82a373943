//! Answers: what a client is shown.
//!
//! Contains: [`Shown`], the only type that the server can send, and everything that it is
//! made of: the end of a run (`ended.rs`), its answer (`result.rs`) and summary
//! (`summary.rs`), answers of tools, the form for a person (`form.rs`).
//! In: outcomes with real values. Out: the same redacted, capped and measured; outputs
//! that are too large to be sent are written to a file.

pub(crate) mod ended;
pub(crate) mod form;
pub(crate) mod log_memory;
mod result;
pub(crate) mod shown;
pub(crate) mod stopwatch;
mod summary;

use std::path::Path;
use std::sync::Arc;

use tidegate_config::BinaryContent;
use tidegate_model::{Answer, Clock, ErrorCode, Principal, Response, RunError, RunId};
use tidegate_store::Outputs;

use crate::privacy::{AT_ONCE_BYTES, Leaving, Privacy, RedactedErrors, Unscanned};
use ended::Ended;
use shown::{EndedRun, Outgoing, RawAnswer, RunAnswer, ShowResult, Shown, ToolAnswer, show};

/// Shows clients what they may see.
pub(crate) struct Answers {
    privacy: Arc<Privacy>,
    outputs: Arc<Outputs>,
    /// What is done with content that cannot be searched.
    binary: BinaryContent,
}

impl Answers {
    /// Prepares the folder of outputs.
    pub(crate) fn open(
        privacy: Arc<Privacy>,
        state_dir: &Path,
        binary: BinaryContent,
        clock: Clock,
    ) -> Self {
        let outputs = Arc::new(Outputs::new(state_dir, clock));
        outputs.prune();
        Self { privacy, outputs, binary }
    }

    pub(crate) fn show<T: Outgoing>(&self, outgoing: T, principal: &Principal) -> Shown<T::Shown> {
        show(outgoing, &mut self.privacy.leaving(principal))
    }

    pub(crate) fn show_result<T: Outgoing>(
        &self,
        result: Result<T, RunError>,
        principal: &Principal,
    ) -> ShowResult<T::Shown> {
        match result {
            Ok(outgoing) => Ok(self.show(outgoing, principal)),
            Err(error) => Err(self.show(error, principal)),
        }
    }

    /// Shows a tool's answer to the client.
    pub(crate) fn show_answer(
        &self,
        answered: Result<Unscanned<Answer>, RunError>,
        run: &RunId,
        leaving: &mut Leaving<'_>,
    ) -> ShowResult<ToolAnswer> {
        let (binary, outputs) = (self.binary, &*self.outputs);
        match answered {
            Ok(answer) => Ok(show(RawAnswer { answer, run, binary, outputs }, leaving)),
            Err(error) => Err(show(error, leaving)),
        }
    }

    /// Shows a run to the client. Also returns the bytes of the whole output. `errors` are
    /// the run's errors that are redacted already. Alerts a person if necessary.
    pub(crate) async fn show_run(
        &self,
        ended: Ended,
        id: RunId,
        execution_ms: f64,
        principal: &Principal,
        errors: &Arc<RedactedErrors>,
    ) -> (Shown<Response>, u64) {
        let output = ended.outcome.as_ref().ok().and_then(Option::as_ref);
        let bytes = ended.logs.len() + output.map_or(0, String::len);
        let outputs = Arc::clone(&self.outputs);
        let run = EndedRun { ended, id: id.clone(), execution_ms, outputs };
        let shown = if bytes < AT_ONCE_BYTES {
            redacted(run, &self.privacy, principal, errors)
        } else {
            let failed = run.failed(not_redacted());
            let (privacy, of, own) =
                (Arc::clone(&self.privacy), principal.clone(), Arc::clone(errors));
            let shown = tokio::task::spawn_blocking(move || redacted(run, &privacy, &of, &own));
            shown.await.unwrap_or_else(|_| redacted(failed, &self.privacy, principal, errors))
        };
        let (response, result_bytes, whole) = shown.into_parts();
        let output = match &whole.outcome {
            Ok(output) => output.as_deref().unwrap_or_default(),
            Err(error) => &error.message,
        };
        self.privacy.watch_output(principal, &id, [output, &whole.logs], response.bytes());
        (response, result_bytes)
    }
}

impl Answers {
    /// Shows this error in place of a run's answer.
    pub(crate) fn show_failed_run(
        &self,
        error: RunError,
        id: RunId,
        execution_ms: f64,
        principal: &Principal,
    ) -> Shown<Response> {
        let outputs = Arc::clone(&self.outputs);
        let run = EndedRun { ended: Ended::failed(error), id, execution_ms, outputs };
        self.show(run, principal).into_parts().0
    }
}

fn redacted(
    run: EndedRun,
    privacy: &Privacy,
    principal: &Principal,
    errors: &RedactedErrors,
) -> Shown<RunAnswer> {
    show(run, &mut privacy.leaving(principal).keeping(errors))
}

fn not_redacted() -> RunError {
    let message = "personal data could not be removed from the output";
    RunError::new(ErrorCode::Internal, message)
        .with_hint("the user can find the reason in the log; return less")
}
