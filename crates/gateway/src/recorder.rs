//! The recorder: through it every floor tells what happened.
//!
//! In: an [`Event`] and whose it is. Out: rows of the record. Must stay true:
//! nothing here is read back by a floor; a run and everything that was told before of the
//! same principal are on disk when [`Recorder::run_ended`] returns.

use std::time::SystemTime;

use tidegate_model::{Clock, Event, Principal, RunRecord};
use tidegate_store::{Records, Store};

/// Tells the record what happened, and when. Clones share it.
#[derive(Clone)]
pub(crate) struct Recorder {
    records: Records,
    clock: Clock,
}

impl Recorder {
    pub(crate) fn new(store: &Store) -> Self {
        Self { records: store.records(), clock: store.clock() }
    }

    /// The time, as the record has it.
    pub(crate) fn now(&self) -> SystemTime {
        self.clock.now()
    }

    /// Waits until what a principal does can be recorded. Whoever lets it do something asks
    /// first: what has happened is told without waiting, even when nobody waits for it any
    /// more.
    pub(crate) async fn ready(&self, principal: &Principal) {
        self.records.room(&principal.storage_key()).await;
    }

    /// Records an event. It is on disk no later than the run that it belongs to.
    pub(crate) fn tell(&self, principal: &Principal, event: Event) {
        self.records.add(&principal.storage_key(), event);
    }

    /// Records the end of a run, or of a request that is one of its own, and waits until
    /// it is on disk.
    pub(crate) async fn run_ended(&self, principal: &Principal, run: RunRecord) {
        let id = run.id.clone();
        if let Err(error) = self.records.run_ended(&principal.storage_key(), run).await {
            // The run has happened; refusing its answer would not undo it.
            tracing::error!(%error, run = %id, "run not recorded");
        }
    }

    /// Waits until everything was tried to be written.
    pub(crate) async fn flush(&self) {
        // An error is a database that has been closed: there is nothing to wait for.
        let _ = self.records.flush().await;
    }
}
