//! What one run may do and use: what is configured, narrowed by what it asks for.

use std::time::Duration;

use tidegate_model::{Limits, Program, RunError};
use tidegate_policy::Permissions;

use crate::explain;
use crate::gateway::Gateway;

impl Gateway {
    /// The permissions of a run that asks for this profile.
    pub(crate) fn permissions(&self, asked: Option<&str>) -> Result<Permissions, RunError> {
        let unknown =
            |known: Vec<String>| explain::unknown_profile(asked.unwrap_or_default(), &known);
        self.policy.permissions(asked).map_err(unknown)
    }

    /// The configured limits, narrowed by profiles and by the program's own wish.
    pub(crate) fn limits_of(&self, program: &Program, permissions: Option<&Permissions>) -> Limits {
        let mut limits = self.settings.limits.clone();
        if let Some(permissions) = permissions {
            limits = permissions.limits(limits);
        }
        if let Some(timeout) = program.timeout {
            limits.time = limits.time.min(timeout.max(Duration::from_millis(1)));
        }
        limits
    }
}
