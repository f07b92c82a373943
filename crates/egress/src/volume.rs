//! Detects unusually large transfers per domain.
//!
//! In: the bytes of each connection. Out: whether this connection exceeded a threshold.
//! The rule is deliberately simple: bytes per domain and hour, separately for each
//! direction, at most one alert per hour. It finds a program that exfiltrates data in small
//! pieces, and does not depend on earlier traffic.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(60 * 60);

/// The number of domains at which those whose hour is over are removed.
const SWEEP_AT: usize = 1024;

/// Sums bytes by domain.
#[derive(Debug)]
pub(crate) struct Volume {
    most_sent: u64,
    most_received: u64,
    hours: Mutex<HashMap<String, Hour>>,
}

#[derive(Debug)]
struct Hour {
    begun: Instant,
    sent: u64,
    received: u64,
    alerted: bool,
}

impl Volume {
    pub(crate) fn new(most_sent: u64, most_received: u64) -> Self {
        Self { most_sent, most_received, hours: Mutex::default() }
    }

    /// Adds a connection. True if it is the first one of the hour over a threshold.
    pub(crate) fn add(&self, domain: &str, sent: u64, received: u64, now: Instant) -> bool {
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |hour: &Hour| now.saturating_duration_since(hour.begun) >= WINDOW;
        if hours.len() >= SWEEP_AT && !hours.contains_key(domain) {
            hours.retain(|_, hour| !is_over(hour));
        }
        let new = || Hour { begun: now, sent: 0, received: 0, alerted: false };
        let hour = hours.entry(domain.to_owned()).or_insert_with(new);
        if is_over(hour) {
            *hour = new();
        }
        hour.sent = hour.sent.saturating_add(sent);
        hour.received = hour.received.saturating_add(received);
        let too_much = hour.sent > self.most_sent || hour.received > self.most_received;
        too_much && !std::mem::replace(&mut hour.alerted, too_much)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Volume;

    #[test]
    fn small_pieces_add_up_to_one_alert_in_an_hour() {
        let volume = Volume::new(100, 1000);
        let start = Instant::now();
        let alerts = |from: u64| -> Vec<u64> {
            let at = |minute: u64| start + Duration::from_secs(60 * minute);
            (from..from + 20).filter(|&minute| volume.add("a", 10, 20, at(minute))).collect()
        };
        assert_eq!(alerts(0), [10]);
        assert_eq!(alerts(20), [0; 0]);
        // Counting starts again with the next hour.
        assert_eq!(alerts(60), [70]);
        assert!(!volume.add("b", 100, 1000, start));
        assert!(volume.add("b", 0, 1, start));
    }
}
