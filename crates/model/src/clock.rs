//! The wall clock as a value that is passed around, so that a test can set it.
//!
//! Deadlines within a process use the monotonic clock (`Instant`) instead: this one jumps when
//! the machine's time is corrected.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Tells the time of day. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Clock(ClockSource);

#[derive(Debug, Clone, Default)]
enum ClockSource {
    #[default]
    System,
    Manual(Arc<Mutex<SystemTime>>),
}

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock for tests: it changes only through [`Clock::advance`].
    pub fn manual(now: SystemTime) -> Self {
        Self(ClockSource::Manual(Arc::new(Mutex::new(now))))
    }

    /// The current time.
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            ClockSource::System => SystemTime::now(),
            ClockSource::Manual(now) => *now.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Advances a manual clock and all of its clones. Does nothing to the machine's clock.
    pub fn advance(&self, by: Duration) {
        if let ClockSource::Manual(now) = &self.0 {
            *now.lock().unwrap_or_else(PoisonError::into_inner) += by;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_manual_clock_advance_together() {
        let clock = Clock::manual(SystemTime::UNIX_EPOCH);
        let clone = clock.clone();
        clock.advance(Duration::from_secs(5));
        assert_eq!(clone.now(), SystemTime::UNIX_EPOCH + Duration::from_secs(5));
    }
}
