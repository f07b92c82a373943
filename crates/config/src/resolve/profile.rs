//! Resolves profiles: each one narrows the one that it extends, or is refused.
//!
//! In: profiles as typed. Out: complete ones, with everything they inherit.
//! A setting that is wider than in the extended profile is an error that shows both
//! places: it would have no effect, and its author relies on it.

use std::collections::{BTreeMap, BTreeSet};

use tidegate_model::{
    CommandAccess, EffectOverrides, LimitCeilings, LimitName, Limits, Profile, Scope, ToolPattern,
    did_you_mean,
};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::raw::{Placed, RawPermissions, RawProfile, RawText};
use crate::resolve::check_name;
use crate::resolve::resolver::Resolver;
use crate::settings::permissions::Permissions;

/// The names that profiles are checked against.
struct Known<'a> {
    servers: &'a [String],
    commands: BTreeSet<String>,
    limits: &'a Limits,
    raw: BTreeMap<&'a str, &'a RawProfile>,
}

impl Resolver<'_> {
    pub(crate) fn permissions(
        &mut self,
        raw: &RawPermissions,
        servers: &[String],
        limits: &Limits,
    ) -> Result<Permissions, ConfigError> {
        let commands = self.commands(&raw.commands)?;
        let known = Known {
            servers,
            commands: commands.iter().map(|command| command.name.clone()).collect(),
            limits,
            raw: raw.profiles.iter().map(|profile| (profile.name.as_str(), profile)).collect(),
        };
        let mut profiles = Profile::built_in().to_vec();
        for profile in &raw.profiles {
            self.check_profile_name(profile, &profiles)?;
        }
        for profile in &raw.profiles {
            self.add_profile(profile, &known, &mut profiles, &mut Vec::new())?;
        }
        let profile = match &raw.profile {
            None => Profile::DEFAULT.to_owned(),
            Some(written) => self.profile_named(written, &profiles)?.name.clone(),
        };
        let tools = EffectOverrides {
            read_only: self.patterns(&raw.read_only, servers)?,
            additive: self.patterns(&raw.additive, servers)?,
            destructive: self.patterns(&raw.destructive, servers)?,
        };
        Ok(Permissions { profile, profiles, tools, on_change: raw.on_change, commands })
    }

    fn check_profile_name(
        &self,
        raw: &RawProfile,
        built_in: &[Profile],
    ) -> Result<(), ConfigError> {
        let name = &raw.name;
        let error = |message| Err(self.error(ConfigErrorKind::BadName, raw.offset, message));
        if built_in.iter().any(|profile| profile.name == *name) {
            return error(format!("profile `{name}` is built in and cannot be changed"));
        }
        if let Some(problem) = check_name::word_problem(name) {
            return error(format!("profile name `{name}` {problem}"));
        }
        Ok(())
    }

    /// Adds a profile after those that it extends. `below` are the profiles that
    /// are waiting for it, to detect cycles.
    fn add_profile(
        &self,
        raw: &RawProfile,
        known: &Known<'_>,
        profiles: &mut Vec<Profile>,
        below: &mut Vec<String>,
    ) -> Result<(), ConfigError> {
        if profiles.iter().any(|profile| profile.name == raw.name) {
            return Ok(());
        }
        let Some(extends) = &raw.extends else {
            let message = format!("profile `{}` has no `extends`", raw.name);
            return Err(self
                .error(ConfigErrorKind::BadValue, raw.offset, message)
                .with_hint("name the profile that it narrows, such as `execute_full`"));
        };
        below.push(raw.name.clone());
        if let Some(&extended) = known.raw.get(extends.text.expose().as_str()) {
            if below.contains(&extended.name) {
                let message = format!("profile `{}` extends itself", raw.name);
                return Err(self.error(ConfigErrorKind::BadValue, extends.offset, message));
            }
            self.add_profile(extended, known, profiles, below)?;
        }
        let extended = self.profile_named(extends, profiles)?;
        let narrowed = self.narrow(raw, extended, known)?;
        profiles.push(narrowed);
        Ok(())
    }

    fn profile_named<'p>(
        &self,
        written: &RawText,
        profiles: &'p [Profile],
    ) -> Result<&'p Profile, ConfigError> {
        let given = written.text.expose();
        let names = || profiles.iter().map(|profile| profile.name.as_str());
        profiles.iter().find(|profile| profile.name == *given).ok_or_else(|| {
            let message = format!("{} is not a profile", written.label);
            let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            let hint = did_you_mean(given, names())
                .unwrap_or_else(|| format!("there is {}", listed.join(", ")));
            self.error(ConfigErrorKind::BadValue, written.offset, message).with_hint(hint)
        })
    }

    fn narrow(
        &self,
        raw: &RawProfile,
        extended: &Profile,
        known: &Known<'_>,
    ) -> Result<Profile, ConfigError> {
        let check = Narrowing { resolver: self, extended, known };
        let mut deny = extended.deny.clone();
        deny.extend(self.patterns(&raw.deny, known.servers)?);
        let network =
            check.at_most(raw.network.as_ref(), extended.network, |given, wide| given <= wide)?;
        let mut hosts = extended.hosts.clone();
        hosts.extend(self.host_lists(raw, network)?);
        Ok(Profile {
            name: raw.name.clone(),
            effects: check
                .at_most(raw.tools.as_ref(), extended.effects, |given, wide| given <= wide)?,
            allow: check.allow(raw)?,
            deny,
            read: check.scopes(raw.read.as_ref(), &extended.read)?,
            write: check.scopes(raw.write.as_ref(), &extended.write)?,
            network,
            hosts,
            approval_required: check.at_most(
                raw.approval_required.as_ref(),
                extended.approval_required,
                |given, wide| given >= wide,
            )?,
            commands: check.commands(raw)?,
            limits: check.limits(raw)?,
        })
    }

    fn patterns(
        &self,
        written: &[RawText],
        servers: &[String],
    ) -> Result<Vec<ToolPattern>, ConfigError> {
        written.iter().map(|written| self.pattern(written, servers)).collect()
    }

    /// A pattern for an unknown server is a mistake, and in `deny` a hole.
    fn pattern(&self, written: &RawText, servers: &[String]) -> Result<ToolPattern, ConfigError> {
        let Some(pattern) = ToolPattern::parse(written.text.expose()) else {
            let message = format!("{} is not a tool", written.label);
            return Err(self
                .error(ConfigErrorKind::BadValue, written.offset, message)
                .with_hint("write `server__tool`, or `server__*` for all tools of a server"));
        };
        if servers.contains(&pattern.server) {
            return Ok(pattern);
        }
        let message = format!("{} names an unknown server", written.label);
        let mut error = self.error(ConfigErrorKind::BadValue, written.offset, message);
        error.hint = did_you_mean(&pattern.server, servers.iter().map(String::as_str));
        Err(error)
    }
}

/// Checks the settings of one profile against the one that it extends.
struct Narrowing<'a> {
    resolver: &'a Resolver<'a>,
    extended: &'a Profile,
    known: &'a Known<'a>,
}

impl Narrowing<'_> {
    fn at_most<T: Copy>(
        &self,
        given: Option<&Placed<T>>,
        wide: T,
        fits: impl Fn(T, T) -> bool,
    ) -> Result<T, ConfigError> {
        match given {
            None => Ok(wide),
            Some(given) if fits(given.value, wide) => Ok(given.value),
            Some(given) => Err(self.too_wide(&given.label, given.offset)),
        }
    }

    fn allow(&self, raw: &RawProfile) -> Result<Option<Vec<ToolPattern>>, ConfigError> {
        let Some(given) = &raw.allow else { return Ok(self.extended.allow.clone()) };
        let mut allow = Vec::new();
        for written in &given.value {
            let pattern = self.resolver.pattern(written, self.known.servers)?;
            let covered = |wide: &Vec<ToolPattern>| wide.iter().any(|wide| wide.covers(&pattern));
            let denied = self.extended.deny.iter().any(|denied| denied.covers(&pattern));
            if denied || !self.extended.allow.as_ref().is_none_or(covered) {
                return Err(self.too_wide(&written.label, written.offset));
            }
            allow.push(pattern);
        }
        Ok(Some(allow))
    }

    fn scopes(
        &self,
        given: Option<&Placed<Vec<Scope>>>,
        wide: &BTreeSet<Scope>,
    ) -> Result<BTreeSet<Scope>, ConfigError> {
        let Some(given) = given else { return Ok(wide.clone()) };
        let scopes: BTreeSet<Scope> = given.value.iter().copied().collect();
        if scopes.is_subset(wide) {
            return Ok(scopes);
        }
        Err(self.too_wide(&given.label, given.offset))
    }

    fn commands(&self, raw: &RawProfile) -> Result<CommandAccess, ConfigError> {
        let Some(given) = &raw.commands else { return Ok(self.extended.commands.clone()) };
        let mut names = BTreeSet::new();
        for written in &given.value {
            let name = written.text.expose();
            if !self.known.commands.contains(name) {
                let message = format!("{} is not a command", written.label);
                let kind = ConfigErrorKind::BadValue;
                let mut error = self.resolver.error(kind, written.offset, message);
                error.hint = did_you_mean(name, self.known.commands.iter().map(String::as_str));
                return Err(error);
            }
            if !self.extended.commands.includes(name) {
                return Err(self.too_wide(&written.label, written.offset));
            }
            names.insert(name.clone());
        }
        Ok(CommandAccess::Only(names))
    }

    fn limits(&self, raw: &RawProfile) -> Result<LimitCeilings, ConfigError> {
        let mut ceilings = self.extended.limits.clone();
        for (name, given) in &raw.limits {
            if ceilings.0.get(name).is_some_and(|wide| given.value > *wide) {
                return Err(self.too_wide(&given.label, given.offset));
            }
            if given.value > self.configured(*name) {
                let message = format!("{} is above the one in `limits`", given.label);
                let kind = ConfigErrorKind::WiderProfile;
                return Err(self
                    .resolver
                    .error(kind, given.offset, message)
                    .with_hint("a profile can only lower a limit; raise it there first"));
            }
            ceilings.0.insert(*name, given.value);
        }
        Ok(ceilings)
    }

    fn configured(&self, name: LimitName) -> u64 {
        name.of(self.known.limits)
    }

    fn too_wide(&self, label: &str, offset: usize) -> ConfigError {
        let extended = &self.extended.name;
        let place = match self.known.raw.get(extended.as_str()) {
            Some(raw) => {
                let place = self.resolver.source.place(raw.offset);
                format!("at line {}, column {}", place.line, place.column)
            }
            None => "built in".into(),
        };
        let message =
            format!("{label} is wider than in profile `{extended}`, which it extends ({place})");
        self.resolver
            .error(ConfigErrorKind::WiderProfile, offset, message)
            .with_hint("a profile can only narrow: extend a wider one, or leave this out")
    }
}
