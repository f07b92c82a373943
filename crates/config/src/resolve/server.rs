//! Resolves servers as typed into servers that can be started.

use std::collections::{BTreeMap, BTreeSet};

use tidegate_model::{Secret, ServerSpec, Transport};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::raw::{RawServer, RawText};
use crate::resolve::check_http::{is_header_name, is_header_value, url_problem};
use crate::resolve::check_name::{fold, problem};
use crate::resolve::resolver::Resolver;
use crate::settings::{DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONCURRENT, DEFAULT_TIMEOUT};

/// The transport that `type` declares, in any spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Nothing,
    Local,
    Remote,
}

impl Resolver<'_> {
    pub(super) fn check_names(&self, servers: &[RawServer]) -> Result<(), ConfigError> {
        let mut seen: BTreeMap<String, &RawServer> = BTreeMap::new();
        for server in servers {
            let name = &server.name;
            if let Some(problem) = problem(name) {
                let message = format!("server name `{name}` {problem}");
                return Err(self.error(ConfigErrorKind::BadName, server.offset, message));
            }
            if let Some(first) = seen.insert(fold(name), server) {
                let place = self.source.place(first.offset);
                let message = format!(
                    "servers `{}` and `{name}` have the same name in programs, the first is at \
                     line {}, column {}",
                    first.name, place.line, place.column
                );
                return Err(self
                    .error(ConfigErrorKind::NameClash, server.offset, message)
                    .with_hint("rename one: they must differ in more than case and punctuation"));
            }
        }
        Ok(())
    }

    pub(super) fn server(&mut self, raw: RawServer) -> Result<ServerSpec, ConfigError> {
        let transport = self.transport(&raw)?;
        Ok(ServerSpec {
            name: raw.name,
            transport,
            timeout: raw.timeout.unwrap_or(DEFAULT_TIMEOUT),
            connect_timeout: raw.connect_timeout.unwrap_or(DEFAULT_CONNECT_TIMEOUT),
            max_concurrent: raw.max_concurrent.unwrap_or(DEFAULT_MAX_CONCURRENT) as usize,
        })
    }

    fn transport(&mut self, raw: &RawServer) -> Result<Transport, ConfigError> {
        let name = &raw.name;
        let declared = self.declared(raw)?;
        match (&raw.command, &raw.url) {
            (Some(_), Some(url)) => Err(self
                .error(
                    ConfigErrorKind::Transport,
                    url.offset,
                    format!("server `{name}` has both `command` and `url`"),
                )
                .with_hint("keep `command` for a local server or `url` for a remote one")),
            (None, None) => Err(self
                .error(
                    ConfigErrorKind::Transport,
                    raw.offset,
                    format!("server `{name}` has neither `command` nor `url`"),
                )
                .with_hint("write `command` for a local server or `url` for a remote one")),
            (Some(command), None) if declared != Declared::Remote => self.stdio(raw, command),
            (None, Some(url)) if declared != Declared::Local => self.http(raw, url),
            (Some(_), None) => Err(self.disagreement(raw, "command")),
            (None, Some(_)) => Err(self.disagreement(raw, "url")),
        }
    }

    fn declared(&self, raw: &RawServer) -> Result<Declared, ConfigError> {
        let Some(written) = &raw.transport_type else {
            return Ok(Declared::Nothing);
        };
        match written.text.expose().as_str() {
            "stdio" | "local" => Ok(Declared::Local),
            "sse" => Err(self
                .error(
                    ConfigErrorKind::Unsupported,
                    written.offset,
                    format!(
                        "{} is `sse`, and the old HTTP+SSE transport is not supported",
                        written.label
                    ),
                )
                .with_hint(
                    "most such servers also answer Streamable HTTP: set `type` to `http` and try \
                     its `/mcp` url",
                )),
            // The reader accepts only known words; the others mean HTTP.
            _ => Ok(Declared::Remote),
        }
    }

    fn disagreement(&self, raw: &RawServer, has: &str) -> ConfigError {
        let (label, offset) = raw
            .transport_type
            .as_ref()
            .map_or(("`type`", raw.offset), |written| (&*written.label, written.offset));
        let message = format!("{label} does not agree with `{has}`");
        self.error(ConfigErrorKind::Transport, offset, message)
            .with_hint(format!("remove `type`; `{has}` is enough"))
    }

    fn stdio(&mut self, raw: &RawServer, command: &RawText) -> Result<Transport, ConfigError> {
        self.warn_if_unused(&raw.name, "headers", raw.headers.first().map(|(_, written)| written));
        let expanded = self.file_path(command)?;
        let mut env = BTreeMap::new();
        for (name, written) in &raw.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                let message = format!("`env` in server `{}` has an invalid name", raw.name);
                return Err(self
                    .error(ConfigErrorKind::BadValue, written.offset, message)
                    .with_hint("a variable's name is not empty and has no `=`"));
            }
            env.insert(name.clone(), Secret::new(self.expander.expand(written)?));
        }
        let args = raw.args.iter().map(|arg| self.expander.expand(arg).map(Secret::new));
        Ok(Transport::Stdio {
            command: expanded.to_string_lossy().into_owned(),
            args: args.collect::<Result<_, _>>()?,
            env,
            cwd: raw.cwd.as_ref().map(|cwd| self.cwd(cwd)).transpose()?,
        })
    }

    fn http(&mut self, raw: &RawServer, url: &RawText) -> Result<Transport, ConfigError> {
        self.warn_if_unused(&raw.name, "args", raw.args.first());
        self.warn_if_unused(&raw.name, "env", raw.env.first().map(|(_, written)| written));
        self.warn_if_unused(&raw.name, "cwd", raw.cwd.as_ref());
        let expanded = self.expander.expand(url)?;
        if let Some(problem) = url_problem(&expanded) {
            let message = format!("{} {problem}", url.label);
            return Err(self
                .error(ConfigErrorKind::BadValue, url.offset, message)
                .with_hint("write it like `https://example.com/mcp`"));
        }
        let headers = self.headers(raw)?;
        Ok(Transport::Http { url: Secret::new(expanded), headers })
    }

    fn headers(&self, raw: &RawServer) -> Result<BTreeMap<String, Secret<String>>, ConfigError> {
        let mut headers = BTreeMap::new();
        let mut folded = BTreeSet::new();
        for (name, written) in &raw.headers {
            let error = |kind, fact: &str| {
                self.error(kind, written.offset, format!("{} {fact}", written.label))
            };
            if !is_header_name(name) {
                // The label would show the name, which could be a secret.
                let message = format!("`headers` in server `{}` has an invalid name", raw.name);
                return Err(self
                    .error(ConfigErrorKind::BadValue, written.offset, message)
                    .with_hint("a header's name has letters, digits and `-`, and no colon"));
            }
            if !folded.insert(name.to_ascii_lowercase()) {
                let fact = "repeats a header; case does not count in their names";
                return Err(error(ConfigErrorKind::DuplicateKey, fact));
            }
            let value = self.expander.expand(written)?;
            if !is_header_value(&value) {
                let fact = "has a line end or another character that a header cannot carry";
                return Err(error(ConfigErrorKind::BadValue, fact));
            }
            headers.insert(name.clone(), Secret::new(value));
        }
        Ok(headers)
    }

    /// Clients write such keys and ignore them; an empty one has no meaning.
    fn warn_if_unused(&mut self, server: &str, key: &str, written: Option<&RawText>) {
        if let Some(written) = written {
            let place = self.source.place(written.offset);
            let kind = if key == "headers" { "local" } else { "remote" };
            self.warnings.push(format!(
                "`{key}` in server `{server}` has no effect on a {kind} server (at {place})"
            ));
        }
    }
}
