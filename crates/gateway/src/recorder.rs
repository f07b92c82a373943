//! The recorder, to which every floor reports what happened.
//!
//! In: an [`Event`] and its principal. Out: rows in the database. Invariant: no floor reads
//! them back; when [`Recorder::run_ended`] succeeds, the run and all earlier events of the
//! same principal are on disk. Nothing that may have an effect is sent unless
//! [`Recorder::about_to`] has succeeded.

use std::time::SystemTime;

use tidegate_model::{
    Clock, EffectRecord, Event, Principal, RunId, RunRecord, Stage, StageRecord, ToolRef,
};
use tidegate_store::{Records, Store};

/// Something is not on disk; the log has the cause.
#[derive(Debug)]
pub(crate) struct NotRecorded;

/// Records what happened, and when. Clones share the record.
#[derive(Clone)]
pub(crate) struct Recorder {
    records: Records,
    clock: Clock,
}

impl Recorder {
    pub(crate) fn new(store: &Store) -> Self {
        Self { records: store.records(), clock: store.clock() }
    }

    /// The current time, by the clock of the record.
    pub(crate) fn now(&self) -> SystemTime {
        self.clock.now()
    }

    /// Waits until there is room to record what a principal does. Call this before letting
    /// it act: events are recorded without waiting, even after their request was dropped.
    pub(crate) async fn ready(&self, principal: &Principal) {
        self.records.room(&principal.storage_key()).await;
    }

    /// Records an event. It is on disk no later than the run that it belongs to.
    pub(crate) fn tell(&self, principal: &Principal, event: Event) {
        self.records.add(&principal.storage_key(), event);
    }

    /// Records that a run has passed a stage.
    pub(crate) fn passed(&self, principal: &Principal, run: &RunId, stage: Stage) {
        let stage = StageRecord { run_id: run.clone(), at: self.now(), stage };
        self.tell(principal, Event::Stage(stage));
    }

    /// Records that a run is about to send something that may have an effect, and waits until
    /// that is on disk.
    pub(crate) async fn about_to(
        &self,
        principal: &Principal,
        run: &RunId,
        tool: &ToolRef,
    ) -> Result<(), NotRecorded> {
        let effect = EffectRecord { at: self.now(), run_id: run.clone(), tool: tool.clone() };
        let recorded = self.records.add_now(&principal.storage_key(), Event::Effect(effect));
        recorded.await.map_err(|error| {
            tracing::error!(%error, %run, "call not recorded, and not sent");
            NotRecorded
        })
    }

    /// Records the end of a run, or of a request that counts as one, and waits until it is
    /// on disk.
    pub(crate) async fn run_ended(
        &self,
        principal: &Principal,
        run: RunRecord,
    ) -> Result<(), NotRecorded> {
        let id = run.id.clone();
        self.records.run_ended(&principal.storage_key(), run).await.map_err(|error| {
            tracing::error!(%error, run = %id, "run not recorded");
            NotRecorded
        })
    }

    /// Waits until every write was attempted.
    pub(crate) async fn flush(&self) {
        // An error means that the database was closed: there is nothing to wait for.
        let _ = self.records.flush().await;
    }
}
