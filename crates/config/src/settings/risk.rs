//! The sandboxes that a program of a risk level may run in, and whether a person is asked.

use std::collections::BTreeMap;

use tidegate_model::{Decision, RiskLevel, SandboxKind};

/// Where programs run, by their risk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskTable {
    /// The minimum level of every program.
    pub least: RiskLevel,
    low: Vec<SandboxKind>,
    medium: Vec<SandboxKind>,
    high: Vec<SandboxKind>,
    critical: Vec<SandboxKind>,
    /// The levels that are asked about or refused, whatever the rules allow.
    decisions: BTreeMap<RiskLevel, Decision>,
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

    /// The mildest decision on a program of this level.
    pub fn decision(&self, level: RiskLevel) -> Decision {
        self.decisions.get(&level).copied().unwrap_or(Decision::Allow)
    }

    pub(crate) fn decide(&mut self, level: RiskLevel, decision: Decision) {
        self.decisions.insert(level, decision);
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
            decisions: BTreeMap::new(),
        }
    }
}
