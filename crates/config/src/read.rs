//! Reads the tree into `RawConfig`, for both formats.
//!
//! In: the tree. Out: what was typed, with the right types, or the first error.
//! Invariant: a key that nothing reads is an error, except at the top of a
//! client's file, where the client keeps its own keys.

use std::collections::BTreeSet;

use tidegate_model::{
    Backend, DataType, Engine, Isolation, Level, NetworkMode, Word, did_you_mean, nearest,
};

use crate::error::{ConfigError, ConfigErrorKind, printable};
use crate::keys::{
    CHECKS, CheckKey, Key, Kind, LIMITS, LimitKey, SANDBOX, SandboxKey, TOP, TopKey, listed,
};
use crate::keys_approvals::{APPROVALS, ApprovalKey, RISK, RiskKey};
use crate::keys_execution::{EXECUTION, ExecutionKey, RESOURCES, ResourceKey};
use crate::keys_input::{INPUT, InputKey};
use crate::keys_network::{NETWORK, NetworkKey};
use crate::keys_privacy::{PRIVACY, PrivacyKey, TYPES};
use crate::keys_python::{PYTHON, PythonKey};
use crate::keys_search::{SEARCH, SearchKey};
use crate::keys_server::{SERVER, ServerKey};
use crate::node::{Entry, Node, Value, duplicate};
use crate::privacy::{BinaryContent, PrivacyMode};
use crate::raw::{Presence, RawConfig, RawLimits, RawNetwork, RawServer, Written, WrittenList};
use crate::read_value::Reading;
use crate::settings::TypeCheck;
use crate::source::{Format, Source};

/// Reads a whole file.
pub(crate) fn read(source: &Source, format: Format, root: &Node) -> Result<RawConfig, ConfigError> {
    let mut reader = Reader::new(source, format);
    reader.top(root)?;
    Ok(reader.raw)
}

pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source,
    format: Format,
    pub(crate) raw: RawConfig,
}

/// What a key that nothing reads means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// A mistake.
    Refused,
    /// The client's own business, unless it looks like a typo of ours.
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
                // Read above: it is no section.
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

    fn servers(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        if let Some((again, first)) = duplicate(entries) {
            let what = format!("duplicate server `{}`", again.key);
            return Err(self.written_twice(again, first, &what));
        }
        for entry in entries {
            let server = self.server(entry)?;
            self.raw.servers.push(server);
        }
        Ok(())
    }

    fn server(&mut self, entry: &'a Entry) -> Result<RawServer, ConfigError> {
        let name = &entry.key;
        let Value::Object(entries) = &entry.node.value else {
            let expected = Kind::Section.expected(self.format);
            let got = entry.node.type_name(self.format);
            let message = format!("server `{name}` expects {expected}, got {got}");
            let offset = entry.node.span.start;
            return Err(self.source.error(ConfigErrorKind::WrongType, offset, message));
        };
        let scope = format!(" in server `{name}`");
        let mut server = RawServer {
            name: name.clone(),
            offset: entry.key_span.start,
            command: None,
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            url: None,
            headers: Vec::new(),
            transport_type: None,
            timeout: None,
            connect_timeout: None,
            max_concurrent: None,
            presence: Presence::Used,
        };
        for (key, entry) in self.known(SERVER, entries, &scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, &scope);
            match key.id {
                ServerKey::Command => server.command = Some(reading.text()?),
                ServerKey::Args => server.args = reading.text_list()?,
                ServerKey::Env => server.env = reading.text_map()?,
                ServerKey::Cwd => server.cwd = Some(reading.text()?),
                ServerKey::Url => server.url = Some(reading.text()?),
                ServerKey::Headers => server.headers = reading.text_map()?,
                ServerKey::Type => server.transport_type = Some(reading.word()?),
                ServerKey::Timeout => {
                    server.timeout = Some(reading.duration()?);
                    let label = reading.label();
                    self.warn_of_missing_unit(&label, &entry.node);
                }
                ServerKey::ConnectTimeout => {
                    server.connect_timeout = Some(reading.duration()?);
                    let label = reading.label();
                    self.warn_of_missing_unit(&label, &entry.node);
                }
                ServerKey::MaxConcurrent => server.max_concurrent = Some(reading.count()?),
                ServerKey::Enabled => {
                    if !reading.flag()? {
                        server.presence = Presence::LeftOut;
                    }
                }
                ServerKey::Disabled => {
                    if reading.flag()? {
                        server.presence = Presence::LeftOut;
                    }
                }
                ServerKey::Foreign => self.foreign(&key.kind, entry, &scope),
            }
        }
        Ok(server)
    }

    fn limits(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `limits`";
        let mut limits = RawLimits::default();
        for (key, entry) in self.known(LIMITS, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                LimitKey::Time => {
                    limits.time = Some(reading.duration()?);
                    let label = reading.label();
                    self.warn_of_missing_unit(&label, &entry.node);
                }
                LimitKey::Cpu => {
                    limits.cpu = Some(reading.duration()?);
                    let label = reading.label();
                    self.warn_of_missing_unit(&label, &entry.node);
                }
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

    fn input(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
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

    fn checks(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
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

    fn python(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `python`";
        for (key, entry) in self.known(PYTHON, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                PythonKey::Path => self.raw.python.path = Some(reading.text()?),
                PythonKey::Packages => self.raw.python.packages = Some(reading.text()?),
                PythonKey::Fork => self.raw.sandbox.fork = reading.flag()?,
            }
        }
        Ok(())
    }

    fn approvals(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
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

    fn risk(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `risk`";
        for (key, entry) in self.known(RISK, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let levels = Level::ALL.map(|level| (level.as_str(), level));
            let backends = Backend::ALL.map(|backend| (backend.as_str(), backend));
            let level = match key.id {
                RiskKey::Least => {
                    self.raw.risk.least = reading.one_of(&levels)?;
                    continue;
                }
                RiskKey::Low => Level::Low,
                RiskKey::Medium => Level::Medium,
                RiskKey::High => Level::High,
                RiskKey::Critical => Level::Critical,
            };
            let listed = reading.some_of(&backends)?;
            if listed.is_empty() {
                let message = format!("{} is empty, so no program could run", reading.label());
                return Err(reading
                    .error(ConfigErrorKind::BadValue, message)
                    .with_hint("list at least one of `process`, `strict`, `docker`, `vm`"));
            }
            self.raw.risk.set(level, listed);
        }
        Ok(())
    }

    fn privacy(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `privacy`";
        for (key, entry) in self.known(PRIVACY, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let texts = |reading: &Reading<'_>| -> Result<Vec<String>, ConfigError> {
                let written = reading.text_list()?;
                Ok(written.into_iter().map(|one| one.text.expose().clone()).collect())
            };
            match key.id {
                PrivacyKey::Mode => {
                    let modes = PrivacyMode::ALL.map(|mode| (mode.as_str(), mode));
                    self.raw.privacy.mode = reading.one_of(&modes)?;
                }
                PrivacyKey::Types => {
                    let types = DataType::ALL.map(|one| (one.as_str(), one));
                    self.raw.privacy.types = reading.some_of(&types)?;
                }
                PrivacyKey::Patterns => self.raw.privacy.patterns = texts(&reading)?,
                PrivacyKey::Keys => self.raw.privacy.keys = texts(&reading)?,
                PrivacyKey::Terms => self.raw.privacy.terms = texts(&reading)?,
                PrivacyKey::Exclude => self.raw.privacy.exclude = texts(&reading)?,
                PrivacyKey::Receive => {
                    for (server, types) in reading.texts_map()? {
                        let types = self.types_of(&types)?;
                        self.raw.privacy.receive.insert(server, types);
                    }
                }
                PrivacyKey::Binary => {
                    let words = BinaryContent::ALL.map(|word| (word.as_str(), word));
                    self.raw.privacy.binary = reading.one_of(&words)?;
                }
                PrivacyKey::Restore => {
                    let words = Word::ALL.map(|word| (word.as_str(), word));
                    self.raw.privacy.restore = reading.one_of(&words)?;
                }
                PrivacyKey::Expires => self.raw.privacy.expires = reading.duration()?,
            }
        }
        Ok(())
    }

    fn types_of(&self, written: &[Written]) -> Result<BTreeSet<DataType>, ConfigError> {
        let mut types = BTreeSet::new();
        for one in written {
            let word = one.text.expose();
            if word == "none" && written.len() == 1 {
                continue;
            }
            let found = DataType::ALL.into_iter().find(|data_type| data_type.as_str() == word);
            types.insert(found.ok_or_else(|| {
                let message = format!("{} is no type of personal data", one.label);
                let hint = match did_you_mean(word, TYPES.iter().copied()) {
                    Some(near) => near,
                    None => format!("there are `{}`", TYPES.join("`, `")),
                };
                let kind = ConfigErrorKind::BadValue;
                self.source.error(kind, one.offset, message).with_hint(hint)
            })?);
        }
        Ok(types)
    }

    fn search(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
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

    fn sandbox(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `sandbox`";
        for (key, entry) in self.known(SANDBOX, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            match key.id {
                SandboxKey::MinIsolation => {
                    let levels = Isolation::ALL.map(|level| (level.as_str(), level));
                    self.raw.sandbox.min_isolation = reading.one_of(&levels)?;
                }
                SandboxKey::Engine => {
                    let engines = Engine::ALL.map(|engine| (engine.as_str(), engine));
                    self.raw.sandbox.engine = reading.one_of(&engines)?;
                }
                SandboxKey::Engines => {
                    let engines = Engine::ALL.map(|engine| (engine.as_str(), engine));
                    self.raw.sandbox.engines = reading.some_of(&engines)?;
                    self.raw.engines.offset = entry.node.span.start;
                }
                SandboxKey::Deno => self.raw.engines.deno = Some(reading.text()?),
                SandboxKey::Node => self.raw.engines.node = Some(reading.text()?),
                SandboxKey::MaxRuns => {
                    self.raw.sandbox.capacity.max_runs = Some(reading.count()?);
                }
                SandboxKey::MaxRunsPerSession => {
                    self.raw.sandbox.capacity.max_runs_per_session = Some(reading.count()?);
                }
                SandboxKey::MaxWaiting => {
                    self.raw.sandbox.capacity.max_waiting = reading.count()?;
                }
                SandboxKey::WarmWorkers => {
                    self.raw.sandbox.capacity.warm_workers = reading.count()?;
                }
            }
        }
        Ok(())
    }

    fn network(&mut self, entries: &'a [Entry], scope: &str) -> Result<(), ConfigError> {
        let mut network = RawNetwork::default();
        for (key, entry) in self.known(NETWORK, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let list = || -> Result<_, ConfigError> {
                let (items, offset) = (reading.text_list()?, entry.key_span.start);
                Ok(Some(WrittenList { items, offset }))
            };
            match key.id {
                NetworkKey::Mode => {
                    let modes = NetworkMode::ALL.map(|mode| (mode.as_str(), mode));
                    network.mode = Some(reading.one_of(&modes)?);
                }
                NetworkKey::Allow => network.allow = list()?,
                NetworkKey::Deny => network.deny = list()?,
                NetworkKey::Methods => network.methods = list()?,
                NetworkKey::AllowPrivate => network.allow_private = list()?,
                NetworkKey::DenyAddresses => network.deny_addresses = list()?,
                NetworkKey::RatePerMinute => network.rate_per_minute = Some(reading.count()?),
                NetworkKey::MaxBytes => {
                    network.max_bytes = Some((reading.size()?, entry.node.span.start));
                }
                NetworkKey::Timeout => {
                    network.timeout = Some(reading.duration()?);
                    let label = reading.label();
                    self.warn_of_missing_unit(&label, &entry.node);
                }
                NetworkKey::AlertSent => network.alert_sent = Some(reading.size()?),
                NetworkKey::AlertReceived => network.alert_received = Some(reading.size()?),
                NetworkKey::CaFile => network.ca_file = Some(reading.text()?),
            }
        }
        self.raw.network = network;
        Ok(())
    }

    fn code_execution(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `mcpCodeExecution`";
        for (key, entry) in self.known(EXECUTION, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let label = reading.label();
            let offset = entry.key_span.start;
            match key.id {
                ExecutionKey::Enabled => {
                    if !reading.flag()? {
                        let why = "is false, without effect: code is what tidegate is started for";
                        self.warn(&format!("{label} {why}"), offset);
                    }
                }
                ExecutionKey::SandboxMode => {
                    if reading.word()?.text.expose() != "process" {
                        let message = format!("{label} asks for a sandbox that is not there");
                        return Err(reading
                            .error(ConfigErrorKind::Unsupported, message)
                            .with_hint("this version has the `process` sandbox only"));
                    }
                }
                ExecutionKey::SecurityLevel => {
                    // Of its own words only the last is not one of ours.
                    self.raw.risk.least = reading.one_of(&[
                        ("low", Level::Low),
                        ("medium", Level::Medium),
                        ("high", Level::High),
                        ("strict", Level::Critical),
                    ])?;
                }
                ExecutionKey::MaxExecutionTime => {
                    self.raw.limits.time = Some(reading.duration()?);
                    self.warn_of_missing_unit(&label, &entry.node);
                }
                ExecutionKey::PiiTokenization => {
                    self.raw.privacy.mode = match reading.flag()? {
                        true => PrivacyMode::Boundary,
                        false => PrivacyMode::Off,
                    };
                }
                ExecutionKey::AuditLogging => {
                    if !reading.flag()? {
                        let why = "is false, without effect: runs and calls are always recorded";
                        self.warn(&format!("{label} {why}"), offset);
                    }
                }
                ExecutionKey::TypeCheck => {
                    self.raw.checks.types =
                        Some(reading.one_of(&TypeCheck::ALL.map(|mode| (mode.as_str(), mode)))?);
                }
                ExecutionKey::Tsc => self.raw.checks.tsc = Some(reading.text()?),
                ExecutionKey::PythonChecker => {
                    self.raw.checks.python = Some(reading.text()?);
                }
                ExecutionKey::Network => {
                    self.network(reading.section()?, " in `mcpCodeExecution.network`")?;
                }
                ExecutionKey::ResourceLimits => self.resource_limits(reading.section()?)?,
            }
        }
        Ok(())
    }

    fn resource_limits(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        let scope = " in `mcpCodeExecution.resourceLimits`";
        for (key, entry) in self.known(RESOURCES, entries, scope, Unknown::Refused)? {
            match key.id {
                ResourceKey::Memory => {
                    let bytes = self.reading(key, entry, scope).size()?;
                    self.raw.limits.memory_bytes = Some(bytes);
                }
                ResourceKey::Unenforced => self.foreign(&key.kind, entry, scope),
                ResourceKey::Disk => {
                    let bytes = self.reading(key, entry, scope).size()?;
                    self.raw.limits.disk_bytes = Some(bytes);
                }
            }
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

    /// The entries with their keys, in the order of the file. Refuses keys that
    /// nothing reads, and keys written twice, be it in two spellings.
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

    fn written_twice(&self, entry: &Entry, first: &Entry, what: &str) -> ConfigError {
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

    fn foreign(&mut self, kind: &Kind, entry: &Entry, scope: &str) {
        if let Kind::Foreign { warning: Some(why) } = kind {
            let text = format!("`{}`{scope} is not honoured: {why}", entry.key);
            self.warn(&text, entry.key_span.start);
        }
    }

    /// Some clients count this in seconds. A minute must not become 60 ms
    /// without a word.
    pub(crate) fn warn_of_missing_unit(&mut self, label: &str, node: &Node) {
        if matches!(node.value, Value::Integer(1..1000)) {
            let text = format!(
                "{label} is under a second, since a number alone counts milliseconds; \
                 write a unit, such as \"30s\""
            );
            self.warn(&text, node.span.start);
        }
    }

    fn warn(&mut self, text: &str, offset: usize) {
        let place = self.source.place(offset);
        self.raw.warnings.push(printable(&format!("{text} (at {place})")));
    }
}

/// The key of ours that a client's own key is probably a typo of.
///
/// Stricter than `nearest` alone, which takes `mcp`, `lspServers` and
/// `enabledMcpjsonServers` for typos: those are keys of real clients.
fn typo_of<'k>(given: &str, names: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let letters = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).count();
    let first = |name: &str| name.chars().next().map(|c| c.to_ascii_lowercase());
    // Two letters more or less, and the same beginning: found by trial.
    let close =
        |name: &&str| letters(name).abs_diff(letters(given)) <= 2 && first(name) == first(given);
    nearest(given, names).into_iter().find(close)
}
