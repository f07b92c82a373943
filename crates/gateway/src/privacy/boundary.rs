//! The border between runs and the model: what a person should look at.
//!
//! In: how a run ended, with real values. Out: what the client is shown of it. What was
//! seen, what was put back, and outputs of an odd size or shape are recorded, never with
//! values.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use tidegate_model::{ErrorCode, Response, RunError, RunId, ToolRef};
use tidegate_privacy::Token;
use tidegate_store::{AlertRecord, RestoresRecord, Towards};

use crate::admit::admission::SessionId;
use crate::answer::shown::{EndedRun, RunAnswer, Shown, show};
use crate::consent::person::Person;
use crate::gateway::Gateway;
use crate::privacy::disguise::disguise;
use crate::privacy::{Counts, Privacy};
use crate::run::Ended;

/// More than this is searched on a thread that nothing else waits for.
const AT_ONCE_BYTES: usize = 256 * 1024;

/// Bytes towards one model after which somebody should look. Chosen: some forty answers of
/// the largest size; each doubling is told again.
const VOLUME_BYTES: u64 = 128 * 1024;

impl Gateway {
    /// What the client is shown of a run, and the bytes of the whole output. Alerts a person
    /// if need be.
    pub(crate) async fn show_run(
        &self,
        run: EndedRun,
        person: &Arc<Person>,
    ) -> (Shown<Response>, u64) {
        let (id, session) = (run.id.clone(), &person.context().session);
        let output = run.ended.outcome.as_ref().ok().and_then(Option::as_ref);
        let bytes = run.ended.logs.len() + output.map_or(0, String::len);
        let shown = if bytes < AT_ONCE_BYTES {
            redacted(run, &self.privacy, person)
        } else {
            let failed = run.failed(not_redacted());
            let (privacy, of) = (Arc::clone(&self.privacy), Arc::clone(person));
            let shown = tokio::task::spawn_blocking(move || redacted(run, &privacy, &of));
            shown.await.unwrap_or_else(|_| redacted(failed, &self.privacy, person))
        };
        let (response, result_bytes, whole) = shown.into_parts();
        self.watch_volume(session, &id, &whole, response.bytes());
        (response, result_bytes)
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
    fn watch_volume(&self, session: &SessionId, run: &RunId, shown: &Ended, bytes: u64) {
        if self.privacy.is_off() {
            return;
        }
        let session = self.privacy.session(session);
        if !session.has_seen_some() {
            return;
        }
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

fn redacted(run: EndedRun, privacy: &Privacy, person: &Person) -> Shown<RunAnswer> {
    show(run, &mut privacy.leaving(&person.context().session).keeping(&person.errors))
}

fn not_redacted() -> RunError {
    let message = "the output could not be made free of personal data";
    RunError::new(ErrorCode::Internal, message)
        .with_hint("the user can see why in the log; return less")
}
