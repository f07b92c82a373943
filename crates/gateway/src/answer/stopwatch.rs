//! Measures when a request began and how long it took, for its record.

use std::time::{Duration, Instant, SystemTime};

use tidegate_model::{Outcome, RunError};

/// Measures one request.
pub(crate) struct Stopwatch {
    pub(crate) started_at: SystemTime,
    monotonic: Instant,
}

impl Stopwatch {
    pub(crate) fn start(started_at: SystemTime) -> Self {
        Self { started_at, monotonic: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.monotonic.elapsed()
    }

    /// Milliseconds so far, to a tenth: more digits say nothing and cost tokens.
    pub(crate) fn elapsed_ms(&self) -> f64 {
        (self.elapsed().as_secs_f64() * 10_000.0).round() / 10.0
    }
}

/// The outcome of a request as it is recorded.
pub(crate) fn outcome_of(error: Option<&RunError>) -> Outcome {
    error.map_or(Outcome::Succeeded, |error| Outcome::Failed(error.code))
}
