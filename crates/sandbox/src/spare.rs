//! One worker started ahead of time.
//!
//! A worker serves one run, so it can be started before the run is known: the
//! next run then finds one that has already said hello. One spare hides the
//! start for runs that follow each other; a pool that adapts to bursts is the
//! business of the jail.

use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::{Backend, SandboxError, Worker};

/// Hands out workers and keeps one ready.
#[derive(Clone)]
pub struct Spare {
    backend: Arc<dyn Backend>,
    ready: Arc<Mutex<Option<Worker>>>,
}

impl Spare {
    /// Starts nothing yet; see [`Spare::prepare`].
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, ready: Arc::default() }
    }

    /// The back end's name, for reports.
    pub fn backend_name(&self) -> &'static str {
        self.backend.name()
    }

    /// A worker for one run: the spare one, or a fresh one.
    pub async fn take(&self) -> Result<Worker, SandboxError> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        // It may have died while it waited; then its stream has ended, and the
        // run would fail for no fault of its own.
        if let Some(mut worker) = ready
            && worker.life.is_alive()
        {
            return Ok(worker);
        }
        self.backend.start().await
    }

    /// Starts the next spare worker in the background, if there is none.
    pub fn prepare(&self) {
        let spare = self.clone();
        tokio::spawn(async move {
            if spare.ready.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                return;
            }
            match spare.backend.start().await {
                Ok(worker) => {
                    *spare.ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
                }
                // Not fatal: the next run starts its own and reports the error.
                Err(error) => tracing::warn!(%error, "no spare worker"),
            }
        });
    }
}
