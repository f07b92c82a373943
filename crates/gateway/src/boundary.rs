//! The border between runs and the model: what is shown of a run, and what a person
//! should look at.
//!
//! In: how a run ended, with real values. Out: the same with tokens. What was seen, what
//! was put back, and outputs of an odd size or shape are recorded, never with values.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use tidegate_model::{ErrorCode, Response, RunError, RunId, ToolRef};
use tidegate_privacy::Token;
use tidegate_store::{AlertRecord, RestoresRecord, Towards};

use crate::admission::SessionId;
use crate::bridge::json_bytes;
use crate::context::RunContext;
use crate::disguise::disguise;
use crate::gateway::Gateway;
use crate::privacy::{Counts, Privacy};
use crate::run::Ended;

/// More than this is replaced where nobody waits for the thread.
const AT_ONCE_BYTES: usize = 256 * 1024;

/// Bytes towards one model after which somebody should look. Chosen: some forty answers of
/// the largest size; each doubling is told again.
const VOLUME_BYTES: u64 = 128 * 1024;

/// What is shown of a run.
pub(crate) struct Shown {
    pub(crate) ended: Ended,
    pub(crate) counts: Counts,
}

impl Gateway {
    /// What may be shown of a run, beside the run itself.
    pub(crate) async fn shown(&self, session: &SessionId, ended: Ended) -> (Ended, Shown) {
        let bytes = ended.logs.len()
            + ended.outcome.as_ref().map_or(0, |output| output.as_ref().map_or(0, String::len));
        if bytes < AT_ONCE_BYTES {
            let shown = shown(&self.privacy, session, &ended);
            return (ended, shown);
        }
        let (privacy, session) = (Arc::clone(&self.privacy), session.clone());
        let shown = tokio::task::spawn_blocking(move || {
            let shown = shown(&privacy, &session, &ended);
            (ended, shown)
        });
        shown.await.unwrap_or_else(|_| {
            let error = RunError::new(
                ErrorCode::Internal,
                "the output could not be made free of personal data",
            )
            .with_hint("the user can see why in the log; return less");
            let failed = || Ended::failed(error.clone());
            (failed(), Shown { ended: failed(), counts: Counts::new() })
        })
    }

    /// Our own text about tools and skills, as a client may see it.
    pub fn shown_text(&self, text: &str, context: &RunContext) -> String {
        self.privacy.leaving(&context.session).about_tools(text)
    }

    /// An error of our own, as a client may see it.
    pub fn shown_error(&self, error: RunError, context: &RunContext) -> RunError {
        self.privacy.leaving(&context.session).error(error)
    }

    /// Records what an answer brought.
    pub(crate) fn note_seen(&self, tool: &ToolRef, counts: &Counts) {
        if !counts.is_empty() {
            let counts: Vec<_> =
                counts.iter().map(|(data_type, count)| (*data_type, *count)).collect();
            self.store.record_pii_seen(tool, &counts, SystemTime::now());
        }
    }

    /// Records what was put back, and for whom.
    pub(crate) fn note_restores(
        &self,
        session: &SessionId,
        run: &RunId,
        towards: Towards,
        counts: &BTreeMap<Token, u32>,
    ) {
        if counts.is_empty() {
            return;
        }
        let mut by_type = Counts::new();
        for (token, count) in counts {
            *by_type.entry(token.data_type).or_default() += count;
        }
        self.store.record_restores(RestoresRecord {
            at: SystemTime::now(),
            session: self.privacy.session(session).name.clone(),
            run_id: run.clone(),
            towards,
            counts: by_type.into_iter().collect(),
        });
    }

    /// Alerts a person to answers by which values could leave: in a disguise, or many of
    /// them in one that nothing recognises.
    pub(crate) fn watch_volume(
        &self,
        session: &SessionId,
        run: &RunId,
        shown: &Ended,
        response: &Response,
    ) {
        if self.privacy.is_off() {
            return;
        }
        let session = self.privacy.session(session);
        if !session.has_seen_some() {
            return;
        }
        let bytes = json_bytes(response);
        let before = session.told_bytes.fetch_add(bytes, Ordering::Relaxed);
        let now = before + bytes;
        let doublings = |bytes: u64| (bytes / VOLUME_BYTES).checked_ilog2();
        if doublings(now) > doublings(before) {
            let detail = format!(
                "session {} has sent {} kB to the model since it saw personal data",
                session.name,
                now / 1024
            );
            self.alert(run, "output-volume", detail);
        }
        let disguise = disguise(&session.values(), shown);
        if let Some(how) = disguise {
            let detail = format!("a known value stands in the output or the log {how}");
            self.alert(run, "output-disguised", detail);
        }
    }

    fn alert(&self, run: &RunId, kind: &str, detail: String) {
        tracing::warn!(%run, kind, detail, "somebody should look at this run");
        let (run_id, kind) = (run.clone(), kind.to_owned());
        self.store.record_alert(AlertRecord { at: SystemTime::now(), run_id, kind, detail });
    }
}

fn shown(privacy: &Privacy, session: &SessionId, ended: &Ended) -> Shown {
    let mut leaving = privacy.leaving(session);
    let outcome = match &ended.outcome {
        Ok(Some(json)) => Ok(Some(leaving.json(json))),
        Ok(None) => Ok(None),
        Err(error) => Err(leaving.error(error.clone())),
    };
    let shown = Ended {
        outcome,
        logs: leaving.text(&ended.logs),
        warnings: ended.warnings.iter().map(|warning| leaving.text(warning)).collect(),
        ..*ended
    };
    Shown { ended: shown, counts: leaving.counts }
}
