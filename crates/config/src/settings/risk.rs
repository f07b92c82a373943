//! Which sandboxes a program of a risk level may run in.

use tidegate_model::{Backend, Level};

/// Where programs run, by their risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskTable {
    /// The level that every program has at least.
    pub least: Level,
    low: Vec<Backend>,
    medium: Vec<Backend>,
    high: Vec<Backend>,
    critical: Vec<Backend>,
}

impl RiskTable {
    /// The sandboxes for a level, the preferred one first. Never empty.
    pub fn backends(&self, level: Level) -> &[Backend] {
        match level.max(self.least) {
            Level::Low => &self.low,
            Level::Medium => &self.medium,
            Level::High => &self.high,
            Level::Critical => &self.critical,
        }
    }

    pub(crate) fn set(&mut self, level: Level, backends: Vec<Backend>) {
        match level {
            Level::Low => self.low = backends,
            Level::Medium => self.medium = backends,
            Level::High => self.high = backends,
            Level::Critical => self.critical = backends,
        }
    }
}

impl Default for RiskTable {
    fn default() -> Self {
        Self {
            least: Level::Low,
            low: vec![Backend::Process],
            medium: vec![Backend::Process],
            high: vec![Backend::Docker, Backend::Strict],
            critical: vec![Backend::Vm, Backend::Docker, Backend::Strict],
        }
    }
}
