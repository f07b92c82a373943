//! Shows a run to a client.

use std::sync::Arc;

use tidegate_model::{Response, RunError, RunId};
use tidegate_store::Outputs;

use super::{Outgoing, Shown, sealed};
use crate::answer::ended::Ended;
use crate::answer::json_cost::json_bytes;
use crate::answer::result;
use crate::privacy::Leaving;

/// A run that has ended, with real values.
pub(crate) struct EndedRun {
    pub(crate) ended: Ended,
    pub(crate) id: RunId,
    pub(crate) execution_ms: f64,
    pub(crate) outputs: Arc<Outputs>,
}

/// The answer to a run, and what its record needs.
pub(crate) struct RunAnswer {
    response: Response,
    /// Bytes of the whole output.
    result_bytes: u64,
    /// The whole run with tokens; the response may have only a part of it.
    redacted: Ended,
}

impl EndedRun {
    /// The same run with an error in place of its results.
    pub(crate) fn failed(&self, error: RunError) -> Self {
        Self {
            ended: Ended::failed(error),
            id: self.id.clone(),
            execution_ms: self.execution_ms,
            outputs: Arc::clone(&self.outputs),
        }
    }
}

impl sealed::Sealed for EndedRun {}

impl Outgoing for EndedRun {
    type Shown = RunAnswer;

    fn redact(self, leaving: &mut Leaving<'_>) -> RunAnswer {
        let ended = &self.ended;
        let outcome = match &ended.outcome {
            Ok(Some(json)) => Ok(Some(leaving.json(json))),
            Ok(None) => Ok(None),
            Err(error) => Err(leaving.error(error.clone())),
        };
        let warnings = ended.warnings.iter();
        let redacted = Ended {
            outcome,
            logs: leaving.text(&ended.logs).into_string(),
            warnings: warnings.map(|warning| leaving.text(warning).into_string()).collect(),
            ..*ended
        };
        let counts = std::mem::take(&mut leaving.counts);
        let (response, result_bytes) =
            result::respond(&redacted, counts, ended, &self.id, self.execution_ms, &self.outputs);
        RunAnswer { response, result_bytes, redacted }
    }

    fn bytes(shown: &RunAnswer) -> u64 {
        json_bytes(&shown.response)
    }
}

impl Shown<RunAnswer> {
    /// The response, the bytes of the whole output, and the whole run with tokens.
    pub(crate) fn into_parts(self) -> (Shown<Response>, u64, Ended) {
        let RunAnswer { response, result_bytes, redacted } = self.value;
        (Shown { value: response, bytes: self.bytes }, result_bytes, redacted)
    }
}
