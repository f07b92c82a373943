//! Reads profiles, `[tools]` and commands.

use tidegate_model::{EffectCeiling, LimitName, NetworkAccess, OnChange, Scope, did_you_mean};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::key::listed;
use crate::keys::limits::{LIMITS, LimitKey};
use crate::keys::permissions::{COMMAND, CommandKey, PROFILE, ProfileKey, TOOLS, ToolsKey};
use crate::read::node::Entry;
use crate::read::raw::{Placed, RawCommand, RawProfile, RawTextList};
use crate::read::reader::{Reader, Unknown};
use crate::read::value::Reading;

impl<'a> Reader<'a> {
    pub(crate) fn profiles(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        for (entry, inside) in self.named("profile", entries)? {
            let profile = self.profile(entry, inside)?;
            self.raw.permissions.profiles.push(profile);
        }
        Ok(())
    }

    fn profile(
        &mut self,
        entry: &'a Entry,
        inside: &'a [Entry],
    ) -> Result<RawProfile, ConfigError> {
        let scope = format!(" in profile `{}`", entry.key);
        let mut profile = RawProfile {
            name: entry.key.clone(),
            offset: entry.key_span.start,
            ..RawProfile::default()
        };
        for (key, entry) in self.known(PROFILE, inside, &scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, &scope);
            match key.id {
                ProfileKey::Extends => profile.extends = Some(reading.text()?),
                ProfileKey::Tools => {
                    let words = EffectCeiling::ALL.map(|effects| (effects.as_str(), effects));
                    profile.tools = Some(placed(&reading, reading.one_of(&words)?));
                }
                ProfileKey::Allow => {
                    profile.allow = Some(placed(&reading, reading.text_list()?));
                }
                ProfileKey::Deny => profile.deny = reading.text_list()?,
                ProfileKey::Read => profile.read = Some(scopes(&reading)?),
                ProfileKey::Write => profile.write = Some(scopes(&reading)?),
                ProfileKey::Network => {
                    let words = NetworkAccess::ALL.map(|access| (access.as_str(), access));
                    profile.network = Some(placed(&reading, reading.one_of(&words)?));
                }
                ProfileKey::NetworkAllow => {
                    profile.network_allow = Some(written_list(&reading, entry)?);
                }
                ProfileKey::NetworkDeny => {
                    profile.network_deny = Some(written_list(&reading, entry)?);
                }
                ProfileKey::ApprovalRequired => {
                    profile.approval_required = Some(placed(&reading, reading.flag()?));
                }
                ProfileKey::Commands => {
                    profile.commands = Some(placed(&reading, reading.text_list()?));
                }
                ProfileKey::Limits => {
                    let section = reading.section()?;
                    self.ceilings(&mut profile, section)?;
                }
            }
        }
        Ok(profile)
    }

    fn ceilings(&self, profile: &mut RawProfile, entries: &[Entry]) -> Result<(), ConfigError> {
        let scope = format!(" in `limits` of profile `{}`", profile.name);
        for (key, entry) in self.known(LIMITS, entries, &scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, &scope);
            let milliseconds = |reading: &Reading<'_>| {
                let duration = reading.duration()?;
                Ok::<u64, ConfigError>(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
            };
            let (name, value) = match key.id {
                LimitKey::Time => (LimitName::Time, milliseconds(&reading)?),
                LimitKey::Cpu => (LimitName::Cpu, milliseconds(&reading)?),
                LimitKey::Memory => (LimitName::Memory, reading.size()?),
                LimitKey::Disk => (LimitName::Disk, reading.size()?),
                LimitKey::Output => (LimitName::Output, reading.size()?),
                LimitKey::ToolCalls => (LimitName::ToolCalls, reading.count()?.into()),
                LimitKey::ParallelCalls => (LimitName::ParallelCalls, reading.count()?.into()),
                LimitKey::Processes => (LimitName::Processes, reading.count()?.into()),
            };
            profile.limits.insert(name, placed(&reading, value));
        }
        Ok(())
    }

    pub(crate) fn tools(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `tools`";
        for (key, entry) in self.known(TOOLS, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                ToolsKey::ReadOnly => self.raw.permissions.read_only = reading.text_list()?,
                ToolsKey::Additive => self.raw.permissions.additive = reading.text_list()?,
                ToolsKey::Destructive => self.raw.permissions.destructive = reading.text_list()?,
                ToolsKey::OnChange => {
                    let words = OnChange::ALL.map(|word| (word.as_str(), word));
                    self.raw.permissions.on_change = reading.one_of(&words)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn commands(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        for (entry, inside) in self.named("command", entries)? {
            let command = self.command(entry, inside)?;
            self.raw.permissions.commands.push(command);
        }
        Ok(())
    }

    fn command(
        &mut self,
        entry: &'a Entry,
        inside: &'a [Entry],
    ) -> Result<RawCommand, ConfigError> {
        let scope = format!(" in command `{}`", entry.key);
        let mut command = RawCommand {
            name: entry.key.clone(),
            offset: entry.key_span.start,
            ..RawCommand::default()
        };
        for (key, entry) in self.known(COMMAND, inside, &scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, &scope);
            match key.id {
                CommandKey::Path => command.path = Some(reading.text()?),
                CommandKey::Args => command.args = reading.text_list()?,
                CommandKey::Rest => command.rest = Some(reading.text()?),
                CommandKey::Read => command.read = reading.text_list()?,
                CommandKey::Write => command.write = reading.text_list()?,
                CommandKey::Env => command.env = reading.text_map()?,
                CommandKey::Time => command.time = Some(self.duration(&reading)?),
                CommandKey::Output => command.output_bytes = Some(reading.size()?),
                CommandKey::Memory => command.memory_bytes = Some(reading.size()?),
            }
        }
        Ok(command)
    }
}

fn placed<T>(reading: &Reading<'_>, value: T) -> Placed<T> {
    Placed { value, offset: reading.node.span.start, label: reading.label() }
}

fn written_list(reading: &Reading<'_>, entry: &Entry) -> Result<RawTextList, ConfigError> {
    Ok(RawTextList { items: reading.text_list()?, offset: entry.key_span.start })
}

/// A list of folders in the program's view.
fn scopes(reading: &Reading<'_>) -> Result<Placed<Vec<Scope>>, ConfigError> {
    let mut found = Vec::new();
    for written in reading.text_list()? {
        let text = written.text.expose();
        let known = Scope::ALL.map(Scope::as_str);
        let scope = Scope::ALL.into_iter().find(|scope| scope.as_str() == text);
        let Some(scope) = scope else {
            let message = format!("{} is none of {}", written.label, listed(&known));
            let mut error =
                reading.source.error(ConfigErrorKind::BadValue, written.offset, message);
            error.hint = did_you_mean(text, known);
            return Err(error);
        };
        found.push(scope);
    }
    Ok(placed(reading, found))
}
