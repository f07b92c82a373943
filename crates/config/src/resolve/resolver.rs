//! Resolves a configuration as typed into what the program uses.
//!
//! In: `RawConfig` and the environment. Out: `Settings`, or the first error.
//! Variables are expanded here and nowhere else. A disabled server is
//! not resolved: its variables need not be set.

use std::path::{self, Path, PathBuf};

use tidegate_model::Limits;

use crate::environment::Environment;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::raw::{
    Presence, RawChecks, RawConfig, RawEngines, RawLimits, RawPython, RawServer, RawText,
};
use crate::read::source::Source;
use crate::resolve::expand::Expander;
use crate::settings::checks::Checks;
use crate::settings::policy_source::PolicySource;
use crate::settings::sandbox::Sandbox;
use crate::settings::state_dir::{from_home, state_dir};
use crate::settings::{Search, Settings};

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

/// The folder of the file; for `.vscode/mcp.json`, VS Code's workspace folder.
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

impl Resolver<'_> {
    fn checks(&self, raw: &RawChecks) -> Result<Checks, ConfigError> {
        let tsc = self.program(raw.tsc.as_ref())?;
        let python = self.program(raw.python.as_ref())?;
        let patterns = self.paths(&raw.patterns)?;
        Ok(Checks { types: raw.types.unwrap_or_default(), tsc, python, patterns })
    }

    /// The default engine must be in the list of allowed engines: otherwise every
    /// program that does not ask for an engine would be refused.
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

    fn search(&self, raw: &Search, catalogs: &[RawText]) -> Result<Search, ConfigError> {
        Ok(Search { catalogs: self.paths(catalogs)?, ..*raw })
    }

    fn paths(&self, written: &[RawText]) -> Result<Vec<PathBuf>, ConfigError> {
        // An absolute path replaces the base.
        let path = |written| Ok(self.expander.workspace.join(self.file_path(written)?));
        written.iter().map(path).collect()
    }

    /// The absolute path of a program that is named instead of searched for.
    fn program(&self, written: Option<&RawText>) -> Result<Option<PathBuf>, ConfigError> {
        let path = written.map(|written| self.file_path(written)).transpose()?;
        // An absolute path replaces the base.
        Ok(path.map(|path| self.expander.workspace.join(path)))
    }

    pub(super) fn cwd(&self, written: &RawText) -> Result<PathBuf, ConfigError> {
        // An absolute path replaces the base.
        Ok(self.expander.workspace.join(self.home_path(written)?))
    }

    /// The path of a file, which cannot be empty.
    pub(crate) fn file_path(&self, written: &RawText) -> Result<PathBuf, ConfigError> {
        let expanded = self.home_path(written)?;
        if expanded.as_os_str().is_empty() {
            let message = format!("{} is empty", written.label);
            return Err(self.error(ConfigErrorKind::BadValue, written.offset, message));
        }
        Ok(expanded)
    }

    fn home_path(&self, written: &RawText) -> Result<PathBuf, ConfigError> {
        let expanded = self.expander.expand(written)?;
        from_home(&expanded, self.env).ok_or_else(|| {
            let message = format!("{} starts with `~`, and there is no home folder", written.label);
            self.error(ConfigErrorKind::NoHome, written.offset, message)
                .with_hint("write the whole path")
        })
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
