//! One worker started ahead of time.
//!
//! A worker serves one run, so it can be started before the run is known: the
//! next run then finds one that has already said hello. One spare hides the
//! start for runs that follow each other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend::{Backend, SandboxError, Worker};

/// Hands out workers and keeps one ready.
#[derive(Clone)]
pub struct Spare {
    backend: Arc<dyn Backend>,
    slot: Arc<Mutex<Slot>>,
}

/// The place of the spare worker.
enum Slot {
    Empty,
    /// One is on its way. Two at once would be one too many.
    Starting,
    Ready(Worker),
}

impl Spare {
    /// Starts nothing yet; see [`Spare::prepare`].
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, slot: Arc::new(Mutex::new(Slot::Empty)) }
    }

    /// A worker for one run: the spare one, or a fresh one.
    pub async fn take(&self) -> Result<Worker, SandboxError> {
        // It may have died while it waited; then its stream has ended, and the
        // run would fail for no fault of its own.
        if let Some(mut worker) = self.take_ready()
            && worker.life.is_alive()
        {
            return Ok(worker);
        }
        self.backend.start().await
    }

    /// Starts the next spare worker in the background, unless there is one.
    pub fn prepare(&self) {
        {
            let mut slot = self.slot();
            if !matches!(*slot, Slot::Empty) {
                return;
            }
            *slot = Slot::Starting;
        }
        let spare = self.clone();
        tokio::spawn(async move {
            let started = spare.backend.start().await;
            *spare.slot() = match started {
                Ok(worker) => Slot::Ready(worker),
                Err(error) => {
                    // Not fatal: the next run starts its own and reports it.
                    tracing::warn!(%error, "no spare worker");
                    Slot::Empty
                }
            };
        });
    }

    fn take_ready(&self) -> Option<Worker> {
        let mut slot = self.slot();
        match std::mem::replace(&mut *slot, Slot::Empty) {
            Slot::Ready(worker) => Some(worker),
            other => {
                *slot = other;
                None
            }
        }
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
