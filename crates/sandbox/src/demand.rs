//! How many workers to keep ready.
//!
//! In: when runs begin and end. Out: a number. Pure: the time is an argument.
//!
//! The rule: as many as there were runs at once lately. Bursts repeat, and a
//! burst of that size then finds a worker for each of its runs. A run at a time
//! needs one. "Lately" is this window and the one before it, so that a peak is
//! remembered for one to two windows and then forgotten.

use std::time::{Duration, Instant};

/// Counts runs and remembers their recent peak.
pub(crate) struct Demand {
    window: Duration,
    began: Instant,
    running: usize,
    peak: usize,
    previous_peak: usize,
}

impl Demand {
    pub(crate) fn new(window: Duration, now: Instant) -> Self {
        Self { window, began: now, running: 0, peak: 0, previous_peak: 0 }
    }

    pub(crate) fn run_begins(&mut self, now: Instant) {
        self.turn(now);
        self.running += 1;
        self.peak = self.peak.max(self.running);
    }

    pub(crate) fn run_ends(&mut self, now: Instant) {
        self.turn(now);
        self.running = self.running.saturating_sub(1);
    }

    /// How many should be ready, and when that can change without a new run.
    pub(crate) fn wanted(&mut self, most: usize, now: Instant) -> (usize, Instant) {
        self.turn(now);
        let peak = self.peak.max(self.previous_peak);
        (peak.max(1).min(most), self.began + self.window)
    }

    fn turn(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.began);
        if passed < self.window {
            return;
        }
        // After two windows without a look, both are about now.
        let skipped = passed >= self.window * 2;
        self.previous_peak = if skipped { self.running } else { self.peak };
        self.peak = self.running;
        self.began = now;
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Demand;

    const WINDOW: Duration = Duration::from_secs(30);

    #[test]
    fn a_peak_is_remembered_for_one_to_two_windows() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut demand = Demand::new(WINDOW, start);
        assert_eq!(demand.wanted(8, at(0)).0, 1);
        for _ in 0..5 {
            demand.run_begins(at(1));
        }
        for _ in 0..5 {
            demand.run_ends(at(2));
        }
        assert_eq!(demand.wanted(8, at(29)), (5, at(30)));
        assert_eq!(demand.wanted(8, at(31)), (5, at(61)));
        assert_eq!(demand.wanted(8, at(62)).0, 1);
    }

    #[test]
    fn runs_that_last_count_in_every_window_and_the_ceiling_holds() {
        let start = Instant::now();
        let mut demand = Demand::new(WINDOW, start);
        for _ in 0..20 {
            demand.run_begins(start);
        }
        assert_eq!(demand.wanted(8, start).0, 8);
        assert_eq!(demand.wanted(100, start + WINDOW * 10).0, 20);
        assert_eq!(demand.wanted(0, start).0, 0);
    }

    #[test]
    fn runs_that_follow_each_other_need_one() {
        let start = Instant::now();
        let mut demand = Demand::new(WINDOW, start);
        for _ in 0..100 {
            demand.run_begins(start);
            demand.run_ends(start);
        }
        assert_eq!(demand.wanted(8, start).0, 1);
    }
}
