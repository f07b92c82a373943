//! Runs: one program in one worker, after its consent.
//!
//! Contains: the registry of workers (`workers.rs`); `drive.rs`, which takes a worker and
//! listens to it until the run has ended; the active run, which handles each frame of the
//! worker (`active.rs`); the requests that it starts (`requests.rs`), the questions that it
//! answers (`questions.rs`), the errors that it was given (`given_errors.rs`), and the limits
//! in its errors (`limit_errors.rs`).
//! In: a consented program. Out: how it ended, with real values.
//! Invariant: the worker is not trusted. Calls and bytes are counted here, the clock is the
//! host's, and a worker that breaks the protocol fails its run. The worker's own limits
//! only give better errors.

mod active;
mod drive;
mod given_errors;
mod limit_errors;
mod questions;
mod requests;
pub(crate) mod workers;

use std::sync::Arc;

use tidegate_model::{ErrorCode, Limits, RunError};

use crate::answer::log_memory::AllLogs;
use crate::bridge::Bridge;
use workers::Workers;

/// Runs programs.
pub(crate) struct Runner {
    pub(crate) workers: Workers,
    bridge: Arc<Bridge>,
    logs: AllLogs,
}

impl Runner {
    pub(crate) fn new(workers: Workers, bridge: Arc<Bridge>) -> Arc<Self> {
        Arc::new(Self { workers, bridge, logs: AllLogs::default() })
    }

    fn configured_limits(&self) -> &Limits {
        self.bridge.policy.configured_limits()
    }
}

/// The error of a run that its client has cancelled.
pub(crate) fn cancelled() -> RunError {
    RunError::new(ErrorCode::Cancelled, "the client cancelled the run")
}
