//! Turns what was typed into what the program uses.
//!
//! In: `RawConfig` and the environment. Out: `Settings`, or the first error.
//! Variables are expanded here and nowhere else. A server that is left out is
//! not looked at: its variables need not be set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{self, Path, PathBuf};

use tidegate_model::{Limits, Secret, ServerSpec, Transport};

use crate::check_http::{is_header_name, is_header_value, url_problem};
use crate::check_name::{fold, problem};
use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::expand::Expander;
use crate::policy_file::PolicySource;
use crate::raw::{
    Presence, RawChecks, RawConfig, RawEngines, RawLimits, RawPython, RawServer, Written,
};
use crate::settings::{
    Checks, DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONCURRENT, DEFAULT_TIMEOUT, Sandbox, Search,
    Settings, from_home, state_dir,
};
use crate::source::Source;

/// Resolves a whole file.
pub(crate) fn resolve(
    source: &Source,
    raw: RawConfig,
    env: &Environment,
) -> Result<Settings, ConfigError> {
    let workspace = workspace_folder(&source.path)?;
    let expander = Expander { source, env, workspace: &workspace };
    let mut resolver = Resolver { source, env, expander, warnings: raw.warnings };
    let names: Vec<String> = raw.servers.iter().map(|server| server.name.clone()).collect();
    let limits = resolve_limits(&raw.limits);
    let permissions = resolver.permissions(&raw.permissions, &names, &limits)?;
    let named = resolver.program(raw.policy_file.as_ref())?;
    let checks = resolver.checks(&raw.checks)?;
    let rules = PolicySource::places(named.clone(), Some(&source.path), env);
    let own = resolver.own_files(&rules, &checks.patterns)?;
    resolver.refuse_writing(&own, &raw.permissions.commands, &permissions.commands)?;
    let policy = PolicySource::find(named, Some(&source.path), env).knowing(names, &permissions);
    let used: Vec<RawServer> =
        raw.servers.into_iter().filter(|server| server.presence == Presence::Used).collect();
    resolver.check_names(&used)?;
    let mut servers = Vec::new();
    for server in used {
        servers.push(resolver.server(server)?);
    }
    Ok(Settings {
        servers,
        limits,
        checks,
        sandbox: resolver.sandbox(raw.sandbox, &raw.engines, &raw.python)?,
        approvals: raw.approvals.clone(),
        risk: raw.risk.clone(),
        privacy: raw.privacy.clone(),
        search: resolver.search(&raw.search, &raw.catalogs)?,
        network: resolver.network(&raw.network)?,
        permissions,
        policy,
        input: raw.input,
        state_dir: state_dir(env)?,
        source: Some(source.path.clone()),
        warnings: resolver.warnings,
    })
}

/// The folder of the file; for `.vscode/mcp.json`, what VS Code means by it.
fn workspace_folder(file: &Path) -> Result<PathBuf, ConfigError> {
    let file = path::absolute(file).map_err(|cause| {
        let message = format!("there is no current folder to find `{}` from", file.display());
        ConfigError::new(ConfigErrorKind::UnreadableFile, message)
            .with_hint("give an absolute path")
            .with_cause(cause)
    })?;
    let folder = file.parent().unwrap_or(&file);
    let of_client = folder.file_name().is_some_and(|name| name == ".vscode");
    let workspace = if of_client { folder.parent().unwrap_or(folder) } else { folder };
    Ok(workspace.to_owned())
}

fn resolve_limits(raw: &RawLimits) -> Limits {
    let default = Limits::default();
    Limits {
        time: raw.time.unwrap_or(default.time),
        cpu: raw.cpu.unwrap_or(default.cpu),
        memory_bytes: raw.memory_bytes.unwrap_or(default.memory_bytes),
        disk_bytes: raw.disk_bytes.unwrap_or(default.disk_bytes),
        output_bytes: raw.output_bytes.unwrap_or(default.output_bytes),
        tool_calls: raw.tool_calls.unwrap_or(default.tool_calls),
        parallel_calls: raw.parallel_calls.unwrap_or(default.parallel_calls),
        processes: raw.processes.unwrap_or(default.processes),
    }
}

pub(crate) struct Resolver<'a> {
    pub(crate) source: &'a Source,
    pub(crate) env: &'a Environment,
    pub(crate) expander: Expander<'a>,
    pub(crate) warnings: Vec<String>,
}

/// What `type` says, once its spellings are gone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Nothing,
    Local,
    Remote,
}

impl Resolver<'_> {
    fn check_names(&self, servers: &[RawServer]) -> Result<(), ConfigError> {
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
                    .with_hint("let them differ in more than case and punctuation"));
            }
        }
        Ok(())
    }

    fn server(&mut self, raw: RawServer) -> Result<ServerSpec, ConfigError> {
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
            // The reader lets only the known words through; the rest is HTTP.
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
            .with_hint(format!("leave `type` out; `{has}` says enough"))
    }

    fn stdio(&mut self, raw: &RawServer, command: &Written) -> Result<Transport, ConfigError> {
        self.warn_if_unused(&raw.name, "headers", raw.headers.first().map(|(_, written)| written));
        let expanded = self.file_path(command)?;
        let mut env = BTreeMap::new();
        for (name, written) in &raw.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                let message = format!("`env` in server `{}` has an impossible name", raw.name);
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

    fn http(&mut self, raw: &RawServer, url: &Written) -> Result<Transport, ConfigError> {
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
                // The label would show the name, which could be anything.
                let message = format!("`headers` in server `{}` has an impossible name", raw.name);
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

    fn checks(&self, raw: &RawChecks) -> Result<Checks, ConfigError> {
        let tsc = self.program(raw.tsc.as_ref())?;
        let python = self.program(raw.python.as_ref())?;
        let patterns = self.paths(&raw.patterns)?;
        Ok(Checks { types: raw.types.unwrap_or_default(), tsc, python, patterns })
    }

    /// The default engine must be one that may be used: a list that leaves it
    /// out would refuse every program that asks for none.
    fn sandbox(
        &self,
        raw: Sandbox,
        engines: &RawEngines,
        python: &RawPython,
    ) -> Result<Sandbox, ConfigError> {
        if !raw.engines.contains(&raw.engine) {
            let word = raw.engine.as_str();
            let message =
                format!("`engines` in `sandbox` leaves out `{word}`, which is its `engine`");
            return Err(self
                .error(ConfigErrorKind::BadValue, engines.offset, message)
                .with_hint(format!("add \"{word}\", or set `engine` to one that is listed")));
        }
        let deno = self.program(engines.deno.as_ref())?;
        let node = self.program(engines.node.as_ref())?;
        let (path, packages) = (python.path.as_ref(), python.packages.as_ref());
        let (python, packages) = (self.program(path)?, self.program(packages)?);
        Ok(Sandbox { deno, node, python, packages, ..raw })
    }

    fn search(&self, raw: &Search, catalogs: &[Written]) -> Result<Search, ConfigError> {
        Ok(Search { catalogs: self.paths(catalogs)?, ..*raw })
    }

    fn paths(&self, written: &[Written]) -> Result<Vec<PathBuf>, ConfigError> {
        // An absolute path replaces what it is joined to.
        let path = |written| Ok(self.expander.workspace.join(self.file_path(written)?));
        written.iter().map(path).collect()
    }

    /// The absolute path of a program that is named instead of looked for.
    fn program(&self, written: Option<&Written>) -> Result<Option<PathBuf>, ConfigError> {
        let path = written.map(|written| self.file_path(written)).transpose()?;
        // An absolute path replaces what it is joined to.
        Ok(path.map(|path| self.expander.workspace.join(path)))
    }

    fn cwd(&self, written: &Written) -> Result<PathBuf, ConfigError> {
        // An absolute path replaces what it is joined to.
        Ok(self.expander.workspace.join(self.home_path(written)?))
    }

    /// The path of a file, which cannot be empty.
    pub(crate) fn file_path(&self, written: &Written) -> Result<PathBuf, ConfigError> {
        let expanded = self.home_path(written)?;
        if expanded.as_os_str().is_empty() {
            let message = format!("{} is empty", written.label);
            return Err(self.error(ConfigErrorKind::BadValue, written.offset, message));
        }
        Ok(expanded)
    }

    fn home_path(&self, written: &Written) -> Result<PathBuf, ConfigError> {
        let expanded = self.expander.expand(written)?;
        from_home(&expanded, self.env).ok_or_else(|| {
            let message = format!("{} starts with `~`, and there is no home folder", written.label);
            self.error(ConfigErrorKind::NoHome, written.offset, message)
                .with_hint("write the whole path")
        })
    }

    /// Clients write such keys and ignore them; an empty one says nothing.
    fn warn_if_unused(&mut self, server: &str, key: &str, written: Option<&Written>) {
        if let Some(written) = written {
            let place = self.source.place(written.offset);
            let kind = if key == "headers" { "local" } else { "remote" };
            self.warnings.push(format!(
                "`{key}` in server `{server}` has no effect on a {kind} server (at {place})"
            ));
        }
    }

    pub(crate) fn error(
        &self,
        kind: ConfigErrorKind,
        offset: usize,
        message: String,
    ) -> ConfigError {
        self.source.error(kind, offset, message)
    }
}
