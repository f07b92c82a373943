//! Reads the sections with few keys: `[limits]`, `[input]`, `[checks]`, `[approvals]`,
//! `[risk]` and `[search]`.

use tidegate_model::{Decision, RiskLevel, SandboxKind};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::approvals::{APPROVALS, ApprovalKey, RISK, RiskKey};
use crate::keys::checks::{CHECKS, CheckKey};
use crate::keys::input::{INPUT, InputKey};
use crate::keys::limits::{LIMITS, LimitKey};
use crate::keys::search::{SEARCH, SearchKey};
use crate::read::node::Entry;
use crate::read::raw::RawLimits;
use crate::read::reader::{Reader, Unknown};
use crate::settings::checks::TypeCheck;

/// A word of `[risk]`.
#[derive(Clone, Copy)]
enum RiskWord {
    Sandbox(SandboxKind),
    Decision(Decision),
}

impl RiskWord {
    fn sandbox(self) -> Option<SandboxKind> {
        match self {
            Self::Sandbox(kind) => Some(kind),
            Self::Decision(_) => None,
        }
    }

    fn decision(self) -> Option<Decision> {
        match self {
            Self::Sandbox(_) => None,
            Self::Decision(decision) => Some(decision),
        }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn limits(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `limits`";
        let mut limits = RawLimits::default();
        for (key, entry) in self.known(LIMITS, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                LimitKey::Time => limits.time = Some(self.duration(&reading)?),
                LimitKey::Cpu => limits.cpu = Some(self.duration(&reading)?),
                LimitKey::Memory => limits.memory_bytes = Some(reading.size()?),
                LimitKey::Disk => limits.disk_bytes = Some(reading.size()?),
                LimitKey::Output => limits.output_bytes = Some(reading.size()?),
                LimitKey::ToolCalls => limits.tool_calls = Some(reading.count()?),
                LimitKey::ParallelCalls => limits.parallel_calls = Some(reading.count()?),
                LimitKey::Processes => limits.processes = Some(reading.count()?),
            }
        }
        self.raw.limits = limits;
        Ok(())
    }

    pub(super) fn input(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `input`";
        for (key, entry) in self.known(INPUT, entries, scope, Unknown::Refused)? {
            let bytes = self.reading(key, entry, scope).size()?;
            match key.id {
                InputKey::Program => self.raw.input.program_bytes = bytes,
                InputKey::Arguments => self.raw.input.argument_bytes = bytes,
            }
        }
        Ok(())
    }

    pub(super) fn checks(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `checks`";
        for (key, entry) in self.known(CHECKS, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                CheckKey::Types => {
                    self.raw.checks.types =
                        Some(reading.one_of(&TypeCheck::ALL.map(|mode| (mode.as_str(), mode)))?);
                }
                CheckKey::Tsc => self.raw.checks.tsc = Some(reading.text()?),
                CheckKey::Python => self.raw.checks.python = Some(reading.text()?),
                CheckKey::Patterns => self.raw.checks.patterns = reading.text_list()?,
            }
        }
        Ok(())
    }

    pub(super) fn approvals(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `approvals`";
        for (key, entry) in self.known(APPROVALS, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                ApprovalKey::Wait => self.raw.approvals.wait = reading.duration()?,
                ApprovalKey::Expires => self.raw.approvals.expires = reading.duration()?,
                ApprovalKey::Pending => self.raw.approvals.pending = reading.flag()?,
            }
        }
        Ok(())
    }

    pub(super) fn risk(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `risk`";
        for (key, entry) in self.known(RISK, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let levels = RiskLevel::ALL.map(|level| (level.as_str(), level));
            let words = SandboxKind::ALL.map(|kind| (kind.as_str(), RiskWord::Sandbox(kind)));
            let decisions =
                [Decision::Ask, Decision::Deny].map(|one| (one.as_str(), RiskWord::Decision(one)));
            let level = match key.id {
                RiskKey::Least => {
                    self.raw.risk.least = reading.one_of(&levels)?;
                    continue;
                }
                RiskKey::Low => RiskLevel::Low,
                RiskKey::Medium => RiskLevel::Medium,
                RiskKey::High => RiskLevel::High,
                RiskKey::Critical => RiskLevel::Critical,
            };
            let listed = reading.some_of(&[&words[..], &decisions].concat())?;
            let sandboxes: Vec<SandboxKind> =
                listed.iter().filter_map(|word| word.sandbox()).collect();
            let decision = listed.iter().filter_map(|word| word.decision()).max();
            if listed.is_empty() {
                let message = format!("{} is empty, so no program could run", reading.label());
                return Err(reading
                    .error(ConfigErrorKind::BadValue, message)
                    .with_hint("list at least one of `process`, `strict`, `docker`, `vm`"));
            }
            if let Some(decision) = decision {
                self.raw.risk.decide(level, decision);
            }
            if !sandboxes.is_empty() {
                self.raw.risk.set(level, sandboxes);
            }
        }
        Ok(())
    }

    pub(super) fn search(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `search`";
        for (key, entry) in self.known(SEARCH, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                SearchKey::Semantic => self.raw.search.semantic = reading.flag()?,
                SearchKey::Catalogs => self.raw.catalogs = reading.text_list()?,
                SearchKey::Recommend => self.raw.search.recommend = reading.flag()?,
                SearchKey::UsedTogether => self.raw.search.used_together = reading.flag()?,
            }
        }
        Ok(())
    }
}
