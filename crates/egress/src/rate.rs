//! Limits the rate of requests per domain.
//!
//! In: the name under which requests are counted, and the time. Out: whether one more
//! request may be sent.
//! Invariant: no window of one minute has more requests than the limit. The times of all
//! requests in the last minute are kept, so no burst passes between two counting periods.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(60);

/// The number of domains at which those without a request in the last minute are removed.
const SWEEP_AT: usize = 1024;

/// Counts requests by domain.
#[derive(Debug)]
pub(crate) struct RateLimit {
    per_minute: u32,
    recent: Mutex<HashMap<String, VecDeque<Instant>>>,
}

impl RateLimit {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { per_minute, recent: Mutex::default() }
    }

    /// Counts a request, or returns how long to wait. Refused requests do not count.
    pub(crate) fn take(&self, domain: &str, now: Instant) -> Result<(), Duration> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = |time: &Instant| now.saturating_duration_since(*time) >= WINDOW;
        if recent.len() >= SWEEP_AT && !recent.contains_key(domain) {
            recent.retain(|_, times| times.back().is_some_and(|time| !is_old(time)));
        }
        let times = recent.entry(domain.to_owned()).or_default();
        while times.front().is_some_and(is_old) {
            times.pop_front();
        }
        if times.len() < self.per_minute as usize {
            times.push_back(now);
            return Ok(());
        }
        let oldest = times.front().copied().unwrap_or(now);
        Err(WINDOW.saturating_sub(now.saturating_duration_since(oldest)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{RateLimit, SWEEP_AT};

    #[test]
    fn any_minute_has_no_more_than_the_limit() {
        let limit = RateLimit::new(100);
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let passed = |ms| (0..1000).filter(|_| limit.take("a", at(ms)).is_ok()).count();
        assert_eq!(passed(59_000), 100);
        // A fixed window would start again here.
        assert_eq!(passed(60_000), 0);
        assert_eq!(passed(118_999), 0);
        assert_eq!(passed(119_000), 100);
        assert_eq!(limit.take("a", at(119_500)), Err(Duration::from_millis(59_500)));
        assert_eq!(limit.take("b", at(119_500)), Ok(()));
    }

    #[test]
    fn a_parallel_burst_gets_exactly_the_limit() {
        let limit = RateLimit::new(100);
        let now = Instant::now();
        let passed: usize = std::thread::scope(|scope| {
            let burst = || (0..200).filter(|_| limit.take("a", now).is_ok()).count();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(burst)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(passed, 100);
    }

    #[test]
    fn quiet_domains_are_forgotten() {
        let limit = RateLimit::new(1);
        let start = Instant::now();
        for n in 0..SWEEP_AT {
            limit.take(&n.to_string(), start).unwrap();
        }
        limit.take("later", start + Duration::from_secs(60)).unwrap();
        assert_eq!(limit.recent.lock().unwrap().len(), 1);
    }
}
