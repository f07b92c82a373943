//! Policy: what runs may do, and how much of it.
//!
//! Contains: the grants and profiles of the configuration, the rules of `policy.toml`,
//! which is read again when it changes (`rules_file.rs`), and the configured limits.
//! In: the profile and the timeout that a request asks for. Out: its [`Permissions`] and
//! [`Limits`], and the [`Policy`] that decides on each call.
//! Invariant: no request can widen what is configured.

pub(crate) mod rules_file;

use std::time::Duration;

use tidegate_config::Settings;
use tidegate_model::{Clock, Limits, Program, RunError};
use tidegate_policy::{Grants, Permissions, Policy};

use crate::explain;
use rules_file::{PolicyError, RulesFile};

/// The policy in force, and the configured limits.
pub(crate) struct CurrentPolicy {
    policy: Policy,
    rules_file: RulesFile,
    limits: Limits,
}

impl CurrentPolicy {
    /// Reads the rules. An invalid file is an error.
    pub(crate) fn open(settings: &Settings, clock: Clock) -> Result<Self, PolicyError> {
        let policy = Policy::new(Grants {
            servers: settings.servers.iter().map(|spec| spec.name.clone()).collect(),
            tools: settings.permissions.tools.clone(),
            profiles: settings.permissions.profiles.clone(),
            profile: settings.permissions.profile.clone(),
            on_change: settings.permissions.on_change,
            commands: settings.permissions.commands.clone(),
        });
        let rules_file = RulesFile::open(settings.policy.clone(), &policy, clock)?;
        Ok(Self { policy, rules_file, limits: settings.limits.clone() })
    }

    /// The policy with the current rules of the file. Every decision by rules gets it here.
    pub(crate) fn with_current_rules(&self) -> &Policy {
        self.rules_file.refresh(&self.policy);
        &self.policy
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

    /// The configured limits, narrowed by profiles and by the program's own timeout.
    pub(crate) fn limits_of(&self, program: &Program, permissions: &Permissions) -> Limits {
        let mut limits = permissions.limits(self.limits.clone());
        if let Some(timeout) = program.timeout {
            limits.time = limits.time.min(timeout.max(Duration::from_millis(1)));
        }
        limits
    }
}
