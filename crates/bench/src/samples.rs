//! Many measurements, one number.

use std::time::Duration;

/// Durations of the same thing.
#[derive(Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64() * 1000.0);
    }

    /// The median in milliseconds.
    pub(crate) fn median(&mut self) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0.get(self.0.len() / 2).copied().unwrap_or(0.0)
    }

    /// What 95 of 100 do not exceed, in milliseconds.
    pub(crate) fn most_of_them(&mut self) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0.get(self.0.len() * 95 / 100).copied().unwrap_or(0.0)
    }

    /// The longest in milliseconds.
    pub(crate) fn most(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}
