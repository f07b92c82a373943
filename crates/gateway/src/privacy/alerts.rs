//! Records what needs a person's attention.
//!
//! In: what answers contained, what was restored, and what the model was sent. Out: rows
//! of the record, never with values, and alerts about outputs of an unusual size or shape.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use tidegate_model::{
    AlertRecord, Event, Principal, RestoresRecord, RunId, SeenRecord, ToolRef, Towards,
};
use tidegate_privacy::Token;

use super::disguise::disguise;
use super::{Counts, Privacy};

/// Bytes sent to one model that raise an alert. Chosen: about forty answers of the largest
/// size; each doubling is reported again.
const VOLUME_BYTES: u64 = 128 * 1024;

impl Privacy {
    /// Records the personal data in an answer.
    pub(crate) fn note_seen(&self, principal: &Principal, tool: &ToolRef, counts: &Counts) {
        if !counts.is_empty() {
            let counts = counts.iter().map(|(data_type, count)| (*data_type, *count)).collect();
            let seen = SeenRecord { at: self.recorder.now(), tool: tool.clone(), counts };
            self.recorder.tell(principal, Event::Seen(seen));
        }
    }

    /// Records what was restored, and for whom.
    pub(crate) fn note_restores(
        &self,
        principal: &Principal,
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
        let restores = RestoresRecord {
            at: self.recorder.now(),
            session: self.session(principal).name.clone(),
            run_id: run.clone(),
            towards,
            counts: by_type.into_iter().collect(),
        };
        self.recorder.tell(principal, Event::Restores(restores));
    }

    /// Alerts a person to answers through which values could leak: in a known disguise, or
    /// in large numbers in an unknown one.
    ///
    /// `shown` are the output and the log with tokens, `bytes` the size of what the client
    /// was sent.
    pub(crate) fn watch_output(
        &self,
        principal: &Principal,
        run: &RunId,
        shown: [&str; 2],
        bytes: u64,
    ) {
        if self.is_off() {
            return;
        }
        let session = self.session(principal);
        if !session.has_seen_some() {
            return;
        }
        let before = session.sent_bytes.fetch_add(bytes, Ordering::Relaxed);
        let now = before + bytes;
        let doublings = |bytes: u64| (bytes / VOLUME_BYTES).checked_ilog2();
        if doublings(now) > doublings(before) {
            let detail = format!(
                "session {} has sent {} kB to the model since it saw personal data",
                session.name,
                now / 1024
            );
            self.alert(principal, run, "output-volume", detail);
        }
        let disguise = disguise(&session.values(), shown);
        if let Some(how) = disguise {
            let detail = format!("a known value appears in the output or the log {how}");
            self.alert(principal, run, "output-disguised", detail);
        }
    }

    fn alert(&self, principal: &Principal, run: &RunId, kind: &str, detail: String) {
        tracing::warn!(%run, kind, detail, "review this run");
        let (run_id, kind) = (run.clone(), kind.to_owned());
        let alert = AlertRecord { at: self.recorder.now(), run_id, kind, detail };
        self.recorder.tell(principal, Event::Alert(alert));
    }
}
