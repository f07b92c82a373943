//! What one run may do: the configured profile and the one it asked for.
//!
//! Both must allow a thing, so asking can only narrow, whatever is asked for.

use std::sync::Arc;

use tidegate_model::{
    Effect, Effects, LimitName, Limits, NetworkAccess, Profile, Scope, ToolPattern, ToolRef,
};

/// The permissions of one run. Without a profile, nothing is allowed.
#[derive(Debug, Clone)]
pub struct Permissions {
    pub(crate) profiles: Vec<Arc<Profile>>,
}

/// A profile that says no, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The profile.
    pub profile: String,
    /// The rule in it.
    pub rule: Rule,
}

/// The part of a profile that refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// `tools`: the tool may do more than this.
    Effects(Effects),
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
    /// The names of its profiles.
    pub fn names(&self) -> Vec<&str> {
        self.profiles.iter().map(|profile| profile.name.as_str()).collect()
    }

    /// The limits of a run, narrowed by its profiles.
    pub fn limits(&self, configured: Limits) -> Limits {
        self.profiles.iter().fold(configured, |limits, profile| profile.limits.narrow(limits))
    }

    /// The profile that lowers a limit the most, if one does.
    pub fn narrowed_by(&self, limit: LimitName, configured: &Limits) -> Option<&str> {
        let ceiling = |profile: &Arc<Profile>| profile.limits.0.get(&limit).copied();
        let lowered = |profile: &&Arc<Profile>| {
            ceiling(profile).is_some_and(|most| most < limit.of(configured))
        };
        let narrowest = self.profiles.iter().filter(lowered).min_by_key(|one| ceiling(one));
        narrowest.map(|profile| profile.name.as_str())
    }

    /// Whether files of a folder can be read.
    pub fn may_read(&self, scope: Scope) -> Result<(), Refusal> {
        self.all(|profile| if profile.read.contains(&scope) { Ok(()) } else { Err(Rule::Read) })
    }

    /// Whether something can be kept in a folder.
    pub fn may_write(&self, scope: Scope) -> Result<(), Refusal> {
        self.all(|profile| if profile.write.contains(&scope) { Ok(()) } else { Err(Rule::Write) })
    }

    /// Whether there is a network at all; the rules of the network come after.
    pub fn may_use_network(&self) -> Result<(), Refusal> {
        self.all(|profile| match profile.network {
            NetworkAccess::Configured => Ok(()),
            NetworkAccess::None => Err(Rule::Network),
        })
    }

    /// Whether a tool with this effect may be called.
    pub(crate) fn may_call(&self, id: &ToolRef, effect: Effect) -> Result<(), Refusal> {
        self.all(|profile| {
            if let Some(denied) = profile.deny.iter().find(|pattern| pattern.matches(id)) {
                return Err(Rule::Deny(denied.clone()));
            }
            let listed = |allow: &Vec<ToolPattern>| allow.iter().any(|pattern| pattern.matches(id));
            if !profile.allow.as_ref().is_none_or(listed) {
                return Err(Rule::Allow);
            }
            let allowed = profile.effects.allows(effect);
            if allowed { Ok(()) } else { Err(Rule::Effects(profile.effects)) }
        })
    }

    pub(crate) fn may_run(&self, command: &str) -> Result<(), Refusal> {
        self.all(
            |profile| {
                if profile.commands.includes(command) { Ok(()) } else { Err(Rule::Commands) }
            },
        )
    }

    /// Every profile must say yes, and there must be one to say it.
    fn all(&self, allows: impl Fn(&Profile) -> Result<(), Rule>) -> Result<(), Refusal> {
        if self.profiles.is_empty() {
            return Err(Refusal { profile: String::new(), rule: Rule::Allow });
        }
        self.profiles.iter().try_for_each(|profile| {
            allows(profile).map_err(|rule| Refusal { profile: profile.name.clone(), rule })
        })
    }
}

#[cfg(test)]
mod tests;
