//! Counts failures of the compiler and decides when to disable it for a while.
//!
//! In: successes and failures, with their times. Out: how long to skip checks.
//! Pure: the time is an argument.

use std::time::{Duration, Instant};

/// This many failures in a row …
const TOO_MANY: u32 = 3;
/// … within this time …
const WITHIN: Duration = Duration::from_secs(60);
/// … and the compiler is disabled for this long. Long enough not to overload a machine that
/// is out of memory, short enough that no restart is needed.
const OFF_FOR: Duration = Duration::from_secs(120);

#[derive(Debug, Default)]
pub(crate) struct Failures {
    count: u32,
    first: Option<Instant>,
    off_until: Option<Instant>,
}

impl Failures {
    /// How long the compiler stays disabled, if it is.
    pub(crate) fn off_for(&self, now: Instant) -> Option<Duration> {
        let left = self.off_until?.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }

    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn failed(&mut self, now: Instant) {
        let recent = self.first.is_some_and(|first| now.duration_since(first) < WITHIN);
        if !recent {
            self.count = 0;
            self.first = Some(now);
        }
        self.count += 1;
        if self.count >= TOO_MANY {
            self.count = 0;
            self.first = None;
            self.off_until = Some(now + OFF_FOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Failures;

    fn after(failures: &[u64], now: u64) -> Option<u64> {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut counted = Failures::default();
        for second in failures {
            counted.failed(at(*second));
        }
        counted.off_for(at(now)).map(|left| left.as_secs())
    }

    #[test]
    fn three_failures_within_a_minute_turn_it_off_for_two() {
        assert_eq!(after(&[0, 30], 31), None);
        assert_eq!(after(&[0, 30, 59], 60), Some(119));
        assert_eq!(after(&[0, 30, 59], 179), None);
    }

    #[test]
    fn failures_over_a_longer_time_do_not() {
        assert_eq!(after(&[0, 30, 61, 100], 101), None);
    }

    #[test]
    fn a_success_starts_the_count_again() {
        let now = Instant::now();
        let mut failures = Failures::default();
        failures.failed(now);
        failures.failed(now);
        failures.succeeded();
        failures.failed(now);
        assert_eq!(failures.off_for(now), None);
    }
}
