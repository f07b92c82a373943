//! The sandboxes that a program of a risk level may run in.

use tidegate_model::{RiskLevel, SandboxKind};

/// Where programs run, by their risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskTable {
    /// The minimum level of every program.
    pub least: RiskLevel,
    low: Vec<SandboxKind>,
    medium: Vec<SandboxKind>,
    high: Vec<SandboxKind>,
    critical: Vec<SandboxKind>,
}

impl RiskTable {
    /// The sandboxes for a level, the preferred one first. Never empty.
    pub fn sandboxes(&self, level: RiskLevel) -> &[SandboxKind] {
        match level.max(self.least) {
            RiskLevel::Low => &self.low,
            RiskLevel::Medium => &self.medium,
            RiskLevel::High => &self.high,
            RiskLevel::Critical => &self.critical,
        }
    }

    pub(crate) fn set(&mut self, level: RiskLevel, sandboxes: Vec<SandboxKind>) {
        match level {
            RiskLevel::Low => self.low = sandboxes,
            RiskLevel::Medium => self.medium = sandboxes,
            RiskLevel::High => self.high = sandboxes,
            RiskLevel::Critical => self.critical = sandboxes,
        }
    }
}

impl Default for RiskTable {
    fn default() -> Self {
        Self {
            least: RiskLevel::Low,
            low: vec![SandboxKind::Process],
            medium: vec![SandboxKind::Process],
            high: vec![SandboxKind::Docker, SandboxKind::Strict],
            critical: vec![SandboxKind::Vm, SandboxKind::Docker, SandboxKind::Strict],
        }
    }
}
