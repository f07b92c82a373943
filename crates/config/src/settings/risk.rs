//! Which sandboxes a program of a risk level may run in.

use tidegate_model::{Level, SandboxKind};

/// Where programs run, by their risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskTable {
    /// The level that every program has at least.
    pub least: Level,
    low: Vec<SandboxKind>,
    medium: Vec<SandboxKind>,
    high: Vec<SandboxKind>,
    critical: Vec<SandboxKind>,
}

impl RiskTable {
    /// The sandboxes for a level, the preferred one first. Never empty.
    pub fn sandboxes(&self, level: Level) -> &[SandboxKind] {
        match level.max(self.least) {
            Level::Low => &self.low,
            Level::Medium => &self.medium,
            Level::High => &self.high,
            Level::Critical => &self.critical,
        }
    }

    pub(crate) fn set(&mut self, level: Level, sandboxes: Vec<SandboxKind>) {
        match level {
            Level::Low => self.low = sandboxes,
            Level::Medium => self.medium = sandboxes,
            Level::High => self.high = sandboxes,
            Level::Critical => self.critical = sandboxes,
        }
    }
}

impl Default for RiskTable {
    fn default() -> Self {
        Self {
            least: Level::Low,
            low: vec![SandboxKind::Process],
            medium: vec![SandboxKind::Process],
            high: vec![SandboxKind::Docker, SandboxKind::Strict],
            critical: vec![SandboxKind::Vm, SandboxKind::Docker, SandboxKind::Strict],
        }
    }
}
