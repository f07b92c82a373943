//! The permissions of one run: the configured profile and the requested one.
//!
//! In: profiles. Out: whether they allow something, or which rule of which profile refuses.
//! Invariant: every profile must allow it, so requesting a profile can only narrow.

use std::sync::Arc;

use tidegate_model::{
    Effect, EffectCeiling, HostLists, LimitName, Limits, NetworkAccess, Profile, Scope,
    ToolPattern, ToolRef,
};

/// The permissions of one run. Without a profile, nothing is allowed.
#[derive(Debug, Clone)]
pub struct Permissions {
    pub(crate) profiles: Vec<Arc<Profile>>,
}

/// The profile that refuses, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRefusal {
    /// The profile.
    pub profile: String,
    /// The part of it that refuses.
    pub rule: ProfileRule,
}

/// The part of a profile that refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfileRule {
    /// `tools`: the tool may do more than this allows.
    Effects(EffectCeiling),
    /// `allow`: the tool is not listed.
    Allow,
    /// `deny`: the tool is listed.
    Deny(ToolPattern),
    /// `read`: the folder is not listed.
    Read,
    /// `write`: the folder is not listed.
    Write,
    /// `network` is `none`.
    Network,
    /// `commands`: the command is not listed.
    Commands,
}

impl Permissions {
    /// The names of the profiles.
    pub fn names(&self) -> Vec<&str> {
        self.profiles.iter().map(|profile| profile.name.as_str()).collect()
    }

    /// The limits of a run, narrowed by its profiles.
    pub fn limits(&self, configured: Limits) -> Limits {
        self.profiles.iter().fold(configured, |limits, profile| profile.limits.narrow(limits))
    }

    /// The profile that lowers a limit the most, if any.
    pub fn narrowed_by(&self, limit: LimitName, configured: &Limits) -> Option<&str> {
        let ceiling = |profile: &Arc<Profile>| profile.limits.0.get(&limit).copied();
        let lowered = |profile: &&Arc<Profile>| {
            ceiling(profile).is_some_and(|most| most < limit.of(configured))
        };
        let narrowest = self.profiles.iter().filter(lowered).min_by_key(|one| ceiling(one));
        narrowest.map(|profile| profile.name.as_str())
    }

    /// Whether files in a folder may be read.
    pub fn may_read(&self, scope: Scope) -> Result<(), ProfileRefusal> {
        self.all(
            |profile| if profile.read.contains(&scope) { Ok(()) } else { Err(ProfileRule::Read) },
        )
    }

    /// Whether files in a folder may be written.
    pub fn may_write(&self, scope: Scope) -> Result<(), ProfileRefusal> {
        self.all(
            |profile| if profile.write.contains(&scope) { Ok(()) } else { Err(ProfileRule::Write) },
        )
    }

    /// Whether the network may be used at all. Network rules are checked separately.
    pub fn may_use_network(&self) -> Result<(), ProfileRefusal> {
        self.all(|profile| match profile.network {
            NetworkAccess::Configured => Ok(()),
            NetworkAccess::None => Err(ProfileRule::Network),
        })
    }

    /// The lists of hosts that narrow the configured network.
    pub fn host_lists(&self) -> Vec<&HostLists> {
        self.profiles.iter().flat_map(|profile| &profile.hosts).collect()
    }

    /// The profile that requires a person's approval, if one does.
    pub fn approval_required_by(&self) -> Option<&str> {
        let asking = self.profiles.iter().find(|profile| profile.approval_required);
        asking.map(|profile| profile.name.as_str())
    }

    /// Whether a tool with this effect may be called.
    pub(crate) fn may_call(&self, id: &ToolRef, effect: Effect) -> Result<(), ProfileRefusal> {
        self.all(|profile| {
            if let Some(denied) = profile.deny.iter().find(|pattern| pattern.matches(id)) {
                return Err(ProfileRule::Deny(denied.clone()));
            }
            let listed = |allow: &Vec<ToolPattern>| allow.iter().any(|pattern| pattern.matches(id));
            if !profile.allow.as_ref().is_none_or(listed) {
                return Err(ProfileRule::Allow);
            }
            let allowed = profile.effects.allows(effect);
            if allowed { Ok(()) } else { Err(ProfileRule::Effects(profile.effects)) }
        })
    }

    pub(crate) fn may_run(&self, command: &str) -> Result<(), ProfileRefusal> {
        self.all(|profile| {
            if profile.commands.includes(command) { Ok(()) } else { Err(ProfileRule::Commands) }
        })
    }

    /// Every profile must allow it, and there must be at least one.
    fn all(
        &self,
        allows: impl Fn(&Profile) -> Result<(), ProfileRule>,
    ) -> Result<(), ProfileRefusal> {
        if self.profiles.is_empty() {
            return Err(ProfileRefusal { profile: String::new(), rule: ProfileRule::Allow });
        }
        self.profiles.iter().try_for_each(|profile| {
            allows(profile).map_err(|rule| ProfileRefusal { profile: profile.name.clone(), rule })
        })
    }
}

#[cfg(test)]
mod tests;
