//! Decides how many workers to keep ready, and when.
//!
//! In: the times at which runs begin and end. Out: a number. Pure: the time is an argument.
//!
//! How many: the recent peak of concurrent runs. Bursts repeat, and a burst of the same
//! size then finds a worker for each of its runs. Runs one after the other need one worker.
//! "Recent" means this window and the previous one, so a peak is remembered for one to two
//! windows.
//!
//! When: a single run after a pause gets the machine to itself for a moment, since the
//! next one will not follow immediately.

use std::time::{Duration, Instant};

/// A run that begins this long after the previous one counts as single, and no worker is
/// started beside it for the same time. Chosen: an agent thinks for seconds between two
/// runs, a script does not; most runs take less.
const QUIET_TIME: Duration = Duration::from_millis(100);

/// Counts runs and remembers their recent peak.
pub(crate) struct Demand {
    window: Duration,
    began: Instant,
    running: usize,
    peak: usize,
    previous_peak: usize,
    last_end: Instant,
    /// No worker is started beside a single run before this time.
    quiet_until: Option<Instant>,
}

impl Demand {
    pub(crate) fn new(window: Duration, now: Instant) -> Self {
        let (running, peak, previous_peak, quiet_until) = (0, 0, 0, None);
        Self { window, began: now, running, peak, previous_peak, last_end: now, quiet_until }
    }

    pub(crate) fn run_begins(&mut self, now: Instant) {
        self.turn(now);
        let alone = self.running == 0 && now.saturating_duration_since(self.last_end) >= QUIET_TIME;
        self.quiet_until = alone.then(|| now + QUIET_TIME);
        self.running += 1;
        self.peak = self.peak.max(self.running);
    }

    pub(crate) fn run_ends(&mut self, now: Instant) {
        self.turn(now);
        self.running = self.running.saturating_sub(1);
        (self.last_end, self.quiet_until) = (now, None);
    }

    /// The time before which no worker should be started, if it is in the future.
    pub(crate) fn quiet_until(&self, now: Instant) -> Option<Instant> {
        self.quiet_until.filter(|until| *until > now)
    }

    /// How many workers should be ready, and when that can change without a new run.
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
        // After two windows without an event, both peaks are the current number.
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
    fn a_run_that_comes_alone_is_left_alone_for_a_moment() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut demand = Demand::new(WINDOW, start);
        demand.run_begins(at(200));
        assert_eq!(demand.quiet_until(at(201)), Some(at(300)));
        assert_eq!(demand.quiet_until(at(300)), None);
        demand.run_ends(at(205));
        assert_eq!(demand.quiet_until(at(206)), None);
        // A run directly after another one, then two concurrent runs.
        demand.run_begins(at(210));
        assert_eq!(demand.quiet_until(at(211)), None);
        demand.run_ends(at(220));
        demand.run_begins(at(500));
        demand.run_begins(at(501));
        assert_eq!(demand.quiet_until(at(502)), None);
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
