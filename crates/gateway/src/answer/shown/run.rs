//! Shows a run to a client.

use std::sync::Arc;

use tidegate_model::{Response, RunError, RunId, json_bytes};
use tidegate_store::Outputs;

use super::{Outgoing, Shown, sealed};
use crate::answer::ended::Ended;
use crate::answer::result::{self, ShownParts, WithheldParts};
use crate::privacy::{Leaving, Origin};

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
        // Most of a large output is stored and not sent, nor are its tokens.
        leaving.send_later();
        let ended = &self.ended;
        // First what is short: output and logs may use up what the search may cost.
        let warnings = ended.warnings.iter();
        let mut warnings: Vec<String> =
            warnings.map(|warning| leaving.own_text(Origin::Data, warning).into_string()).collect();
        let outcome = match &ended.outcome {
            Ok(Some(json)) => Ok(Some(leaving.start_of_json(json))),
            Ok(None) => Ok(None),
            Err(error) => Err(leaving.error(error.clone())),
        };
        let output = leaving.take_withheld().filter(|_| outcome.is_ok());
        let logs = leaving.start_of_text(&ended.logs);
        let withheld = WithheldParts { output, logs: leaving.take_withheld() };
        warnings.extend(dropped_values(leaving.newly_dropped()));
        let redacted = ended.with_texts(outcome, logs, warnings);
        let counts = std::mem::take(&mut leaving.counts);
        let shown = ShownParts { ended: &redacted, withheld, counts };
        let (response, result_bytes) =
            result::respond(shown, ended, &self.id, self.execution_ms, &self.outputs);
        leaving.sent(&serde_json::to_string(&response).unwrap_or_default());
        RunAnswer { response, result_bytes, redacted }
    }

    fn bytes(shown: &RunAnswer) -> u64 {
        json_bytes(&shown.response)
    }
}

/// Says that the session has dropped values: from now on they are only found by their form.
fn dropped_values(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "this session has seen more personal data than it remembers: {count} values seen \
             earlier are replaced only where they look personal"
        )
    })
}

impl Shown<RunAnswer> {
    /// The response, the bytes of the whole output, and the whole run with tokens.
    pub(crate) fn into_parts(self) -> (Shown<Response>, u64, Ended) {
        let RunAnswer { response, result_bytes, redacted } = self.value;
        (Shown { value: response, bytes: self.bytes }, result_bytes, redacted)
    }
}
