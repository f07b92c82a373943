//! Policy: what runs may do, and how much of it.
//!
//! Contains: the grants and profiles of the configuration, the rules of `policy.toml`,
//! which is read again when it changes (`rules_file.rs`), notes about such changes
//! (`noted_changes.rs`), and the configured limits.
//! In: the profile and the timeout that a request asks for. Out: its [`Permissions`] and
//! [`Limits`], and the [`Policy`] that decides on each call.
//! Invariant: no request can widen what is configured.

mod noted_changes;
pub(crate) mod rules_file;

use std::sync::Arc;
use std::time::Duration;

use tidegate_config::{RiskTable, Settings};
use tidegate_model::{Clock, Decision, Effect, Limits, Program, RiskLevel, RunError, RunOptions};
use tidegate_policy::{Grants, Permissions, Policy, RuleInput, Ruling, RulingReason};
use tidegate_store::Store;

use crate::explain;
use noted_changes::NotedChanges;
use rules_file::{PolicyError, Refreshed, RulesFile};

/// The policy in force, and the configured limits.
pub(crate) struct CurrentPolicy {
    policy: Policy,
    rules_file: RulesFile,
    limits: Limits,
    risk: RiskTable,
    noted: Arc<NotedChanges>,
}

impl CurrentPolicy {
    /// Reads the rules. An invalid file is an error.
    pub(crate) fn open(
        settings: &Settings,
        store: &Arc<Store>,
        clock: Clock,
    ) -> Result<Self, PolicyError> {
        let policy = Policy::new(Grants {
            servers: settings.servers.iter().map(|spec| spec.name.clone()).collect(),
            tools: settings.permissions.tools.clone(),
            profiles: settings.permissions.profiles.clone(),
            profile: settings.permissions.profile.clone(),
            on_change: settings.permissions.on_change,
            commands: settings.permissions.commands.clone(),
        });
        let rules_file = RulesFile::open(settings.policy.clone(), &policy, clock)?;
        let noted = Arc::new(NotedChanges::open(settings, store));
        let (limits, risk) = (settings.limits.clone(), settings.risk.clone());
        Ok(Self { policy, rules_file, limits, risk, noted })
    }

    /// The policy with the current rules of the file. Every decision by rules gets it here.
    pub(crate) fn with_current_rules(&self) -> &Policy {
        if self.rules_file.refresh(&self.policy) == Refreshed::Changed {
            self.noted.look_again();
        }
        &self.policy
    }

    /// The ruling on a program as a whole: the strictest of the rules, `[risk]` and the
    /// profiles of the run.
    pub(crate) fn ruling_on_program(&self, permissions: &Permissions, level: RiskLevel) -> Ruling {
        let ruling = self.with_current_rules().rules().rule(&RuleInput {
            tool: None,
            arguments: None,
            profiles: &permissions.names(),
            level,
            effect: Effect::Unknown,
        });
        let ruling = ruling.at_least(self.risk.decision(level), || RulingReason::Level(level));
        match permissions.approval_required_by() {
            Some(name) => ruling.at_least(Decision::Ask, || RulingReason::Profile(name.into())),
            None => ruling,
        }
    }

    /// The policy for everything that the rules of the file do not decide: grants,
    /// profiles, effects of tools.
    pub(crate) fn grants(&self) -> &Policy {
        &self.policy
    }

    /// The permissions of a run that asks for this profile.
    pub(crate) fn permissions(&self, profile: Option<&str>) -> Result<Permissions, RunError> {
        let unknown =
            |known: Vec<String>| explain::unknown_profile(profile.unwrap_or_default(), &known);
        self.policy.permissions(profile).map_err(unknown)
    }

    /// The configured limits.
    pub(crate) fn configured_limits(&self) -> &Limits {
        &self.limits
    }

    /// The configured limits, narrowed by profiles and by what the run asks for.
    pub(crate) fn limits_of(
        &self,
        program: &Program,
        permissions: &Permissions,
        options: &RunOptions,
    ) -> Limits {
        let mut limits = permissions.limits(self.limits.clone());
        if let Some(timeout) = program.timeout {
            limits.time = limits.time.min(timeout.max(Duration::from_millis(1)));
        }
        if let Some(bytes) = options.memory_bytes {
            limits.memory_bytes = limits.memory_bytes.min(bytes);
        }
        limits
    }
}
