//! Reads the tree into `RawConfig`, for both formats.
//!
//! In: the tree. Out: the file as typed, with the right types, or the first error.
//! Sections are read in files of their own, as further methods of `Reader`.
//! Invariant: unknown keys are errors, except at the top of a client's file, where the
//! client keeps its own.

use std::time::Duration;

use tidegate_model::{did_you_mean, nearest};

use crate::error::{ConfigError, ConfigErrorKind, printable};
use crate::keys::key::{Format, Key, Kind, listed};
use crate::keys::top::{TOP, TopKey};
use crate::read::node::{Entry, Node, Value, duplicate};
use crate::read::raw::RawConfig;
use crate::read::source::Source;
use crate::read::value::Reading;

/// Reads a whole file.
pub(crate) fn read(source: &Source, format: Format, root: &Node) -> Result<RawConfig, ConfigError> {
    let mut reader = Reader::new(source, format);
    reader.top(root)?;
    Ok(reader.raw)
}

pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source,
    pub(super) format: Format,
    pub(crate) raw: RawConfig,
}

/// How unknown keys are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// As mistakes.
    Refused,
    /// As the client's own, unless they look like typos of ours.
    Tolerated,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Source, format: Format) -> Self {
        Self { source, format, raw: RawConfig::default() }
    }

    fn top(&mut self, root: &'a Node) -> Result<(), ConfigError> {
        let Value::Object(entries) = &root.value else {
            let got = root.type_name(self.format);
            let message = format!("the file expects an object, got {got}");
            let offset = root.span.start;
            return Err(self.source.error(ConfigErrorKind::WrongType, offset, message));
        };
        let unknown = match self.format {
            Format::Toml => Unknown::Refused,
            Format::Json => Unknown::Tolerated,
        };
        let known = self.known(TOP, entries, " at the top level", unknown)?;
        let has_servers = known.iter().any(|(key, _)| key.id == TopKey::Servers);
        for (key, entry) in known {
            let reading = self.reading(key, entry, "");
            if key.id == TopKey::Profile {
                self.raw.permissions.profile = Some(reading.text()?);
                continue;
            }
            let section = reading.section()?;
            match key.id {
                // Read above: it is not a section.
                TopKey::Profile => {}
                TopKey::Profiles => self.profiles(section)?,
                TopKey::Tools => self.tools(section)?,
                TopKey::Policy => self.policy(section)?,
                TopKey::Input => self.input(section)?,
                TopKey::Commands => self.commands(section)?,
                TopKey::Servers => self.servers(section)?,
                TopKey::Limits => self.limits(section)?,
                TopKey::Checks => self.checks(section)?,
                TopKey::Sandbox => self.sandbox(section)?,
                TopKey::Python => self.python(section)?,
                TopKey::Search => self.search(section)?,
                TopKey::Network => self.network(section, " in `network`")?,
                TopKey::Approvals => self.approvals(section)?,
                TopKey::Risk => self.risk(section)?,
                TopKey::Privacy => self.privacy(section)?,
                TopKey::CodeExecution => self.code_execution(section)?,
            }
        }
        if self.format == Format::Json && !has_servers {
            self.warn("the file has no `mcpServers`, so there is no server", root.span.start);
        }
        Ok(())
    }

    /// The entries of a section in which every key is a name, with their keys.
    pub(crate) fn named<'e>(
        &self,
        what: &str,
        entries: &'e [Entry],
    ) -> Result<Vec<(&'e Entry, &'e [Entry])>, ConfigError> {
        if let Some((again, first)) = duplicate(entries) {
            let what = format!("duplicate {what} `{}`", again.key);
            return Err(self.written_twice(again, first, &what));
        }
        let inside = |entry: &'e Entry| match &entry.node.value {
            Value::Object(inside) => Ok((entry, inside.as_slice())),
            _ => {
                let expected = Kind::Section.expected(self.format);
                let got = entry.node.type_name(self.format);
                let message = format!("{what} `{}` expects {expected}, got {got}", entry.key);
                let offset = entry.node.span.start;
                Err(self.source.error(ConfigErrorKind::WrongType, offset, message))
            }
        };
        entries.iter().map(inside).collect()
    }

    /// The entries with their keys, in the order of the file. Refuses unknown keys, and
    /// duplicate keys, even in two spellings.
    pub(crate) fn known<'e, Id: Copy>(
        &self,
        keys: &'static [Key<Id>],
        entries: &'e [Entry],
        scope: &str,
        unknown: Unknown,
    ) -> Result<Vec<(&'static Key<Id>, &'e Entry)>, ConfigError> {
        let mut found: Vec<(&'static Key<Id>, &'e Entry)> = Vec::new();
        for entry in entries {
            let spelled = |key: &&Key<Id>| key.spellings(self.format).contains(&&*entry.key);
            let Some(key) = keys.iter().find(spelled) else {
                self.check_unknown(keys, entry, scope, unknown)?;
                continue;
            };
            if let Some((_, first)) = found.iter().find(|(other, _)| std::ptr::eq(*other, key)) {
                let what = if first.key == entry.key {
                    format!("duplicate key `{}`{scope}", entry.key)
                } else {
                    format!("key `{}`{scope} repeats `{}`", entry.key, first.key)
                };
                return Err(self.written_twice(entry, first, &what));
            }
            found.push((key, entry));
        }
        Ok(found)
    }

    fn check_unknown<Id>(
        &self,
        keys: &'static [Key<Id>],
        entry: &Entry,
        scope: &str,
        unknown: Unknown,
    ) -> Result<(), ConfigError> {
        let spellings = || keys.iter().map(|key| key.spellings(self.format));
        let hint = match unknown {
            Unknown::Refused => {
                let names: Vec<&str> = spellings().filter_map(|all| all.first().copied()).collect();
                did_you_mean(&entry.key, names.iter().copied())
                    .unwrap_or_else(|| format!("known keys are {}", listed(&names)))
            }
            Unknown::Tolerated => match typo_of(&entry.key, spellings().flatten().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => return Ok(()),
            },
        };
        let message = format!("unknown key `{}`{scope}", entry.key);
        let offset = entry.key_span.start;
        Err(self.source.error(ConfigErrorKind::UnknownKey, offset, message).with_hint(hint))
    }

    pub(super) fn written_twice(&self, entry: &Entry, first: &Entry, what: &str) -> ConfigError {
        let place = self.source.place(first.key_span.start);
        let message =
            format!("{what}, first written at line {}, column {}", place.line, place.column);
        self.source.error(ConfigErrorKind::DuplicateKey, entry.key_span.start, message)
    }

    pub(crate) fn reading<'e, Id>(
        &self,
        key: &'e Key<Id>,
        entry: &'e Entry,
        scope: &'e str,
    ) -> Reading<'e>
    where
        'a: 'e,
    {
        Reading {
            source: self.source,
            format: self.format,
            kind: &key.kind,
            node: &entry.node,
            key: entry.key.clone(),
            scope,
        }
    }

    pub(super) fn foreign(&mut self, kind: &Kind, entry: &Entry, scope: &str) {
        if let Kind::Foreign { warning: Some(why) } = kind {
            let text = format!("`{}`{scope} is not honoured: {why}", entry.key);
            self.warn(&text, entry.key_span.start);
        }
    }

    /// A duration, with a warning if it is a small number without a unit: some clients
    /// count in seconds, and a minute must not silently become 60 ms.
    pub(super) fn duration(&mut self, reading: &Reading<'_>) -> Result<Duration, ConfigError> {
        let duration = reading.duration()?;
        if matches!(reading.node.value, Value::Integer(1..1000)) {
            let text = format!(
                "{} is under a second, since a number alone counts milliseconds; \
                 write a unit, such as \"30s\"",
                reading.label()
            );
            self.warn(&text, reading.node.span.start);
        }
        Ok(duration)
    }

    pub(super) fn warn(&mut self, text: &str, offset: usize) {
        let place = self.source.place(offset);
        self.raw.warnings.push(printable(&format!("{text} (at {place})")));
    }
}

/// The key of ours that a client's own key is probably a typo of.
///
/// Stricter than `nearest` alone, which considers `mcp`, `lspServers` and
/// `enabledMcpjsonServers` to be typos: those are keys of real clients.
fn typo_of<'k>(given: &str, names: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let letters = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).count();
    let first = |name: &str| name.chars().next().map(|c| c.to_ascii_lowercase());
    // At most two letters more or less, and the same first letter: found by trial.
    let close =
        |name: &&str| letters(name).abs_diff(letters(given)) <= 2 && first(name) == first(given);
    nearest(given, names).into_iter().find(close)
}
