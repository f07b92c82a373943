//! Many measurements of the same thing, summarised in one number.

use std::time::Duration;

/// Durations of the same thing, in milliseconds.
#[derive(Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64() * 1000.0);
    }

    /// The median in milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The 95th percentile in milliseconds.
    pub(crate) fn p95(&self) -> f64 {
        self.percentile(95)
    }

    /// The longest in milliseconds.
    pub(crate) fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Zero if nothing was measured.
    fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() * percent / 100).copied().unwrap_or(0.0)
    }
}
