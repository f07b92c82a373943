//! Tries the parts of Tidegate itself, and the runtimes of this machine.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tidegate_config::{ConfigError, Environment, PolicySource, Sandbox, Settings};
use tidegate_gateway::{QUOTA_BYTES, RunContext, make_state_private, read_policy};
use tidegate_model::{Change, Engine, Language, Program, Secret, ServerSpec, ToolRef, Transport};
use tokio::process::Command;

use super::finding::Finding;
use crate::context;
use crate::print::counted;
use crate::temporary::private_folder;

/// A runtime that takes longer to report its version is of no use.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads the rules for calls. An invalid file is left out of everything tried later.
pub(super) fn policy(settings: &mut Settings) -> Finding {
    let name = "policy";
    match (read_policy(&settings.policy), settings.policy.path()) {
        (Ok(_), Some(path)) if let Some(server) = server_with_access(path, settings) => {
            Finding::warning(
                name,
                format!(
                    "server `{server}` has access to a folder that contains `{}`",
                    path.display()
                ),
                "keep the file elsewhere, see `[policy]`, or give the server another folder: rules do \
             not bind a server that can write them",
            )
        }
        (Ok(Some((_, rules))), Some(path)) => {
            Finding::ok(name, format!("`{}` is valid, rules: {}", path.display(), rules.len()))
        }
        (Ok(_), _) => Finding::ok(name, "no policy.toml, so the defaults apply"),
        (Err(error), _) => {
            let found = Finding::problem(
                name,
                error.to_string(),
                "fix the file; running gateways keep the last valid rules, and new ones do not \
                 start",
            );
            settings.policy = PolicySource::default();
            found
        }
    }
}

/// A server with a folder in its arguments that contains the rules, or would contain them.
fn server_with_access<'a>(policy: &Path, settings: &'a Settings) -> Option<&'a str> {
    let policy = std::path::absolute(policy).ok()?;
    let folder = std::fs::canonicalize(policy.parent()?).ok()?;
    let holds = |argument: &Secret<String>| {
        let path = Path::new(argument.expose());
        path.is_absolute() && std::fs::canonicalize(path).is_ok_and(|path| folder.starts_with(path))
    };
    let given = |server: &&ServerSpec| match &server.transport {
        Transport::Stdio { args, .. } => args.iter().any(holds),
        Transport::Http { .. } => false,
    };
    settings.servers.iter().find(given).map(|server| server.name.as_str())
}

/// The settings of the file, else the defaults, if there are any.
pub(super) fn configuration(
    file: &Option<PathBuf>,
    environment: &Environment,
    findings: &mut Vec<Finding>,
) -> Option<Settings> {
    let name = "configuration";
    let loaded = match file {
        Some(file) => tidegate_config::load_file(file, environment),
        None => {
            let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
            tidegate_config::find_and_load(&here, environment)
        }
    };
    let settings = match loaded {
        Ok(settings) => settings,
        Err(error) => {
            findings.push(invalid(name, &error));
            // Without a home folder there are no defaults either.
            return tidegate_config::defaults(environment).ok();
        }
    };
    findings.push(match (&settings.source, settings.servers.len()) {
        (Some(source), 1..) => Finding::ok(
            name,
            format!("`{}` is valid, servers: {}", source.display(), names(&settings)),
        ),
        (Some(source), 0) => Finding::warning(
            name,
            format!("`{}` is valid but names no servers", source.display()),
            "add servers under `mcpServers`, or as `[servers.<name>]` in a tidegate.toml",
        ),
        (None, _) => Finding::warning(
            name,
            "no configuration file was found, so there are no servers",
            "write a tidegate.toml, or point `--config` at your client's file with `mcpServers`",
        ),
    });
    for warning in &settings.warnings {
        findings.push(Finding::warning(name, warning, "see docs/configuration.md"));
    }
    Some(settings)
}

fn names(settings: &Settings) -> String {
    settings.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Splits `error[code]: fact … hint: remedy` into a finding.
fn invalid(name: &str, error: &ConfigError) -> Finding {
    let text = error.to_string();
    let (fact, hint) = text.split_once("\nhint: ").unwrap_or((&text, "see docs/configuration.md"));
    let fact = fact.strip_prefix("error").unwrap_or(fact);
    let fact = fact.split_once("]: ").map_or(fact, |(_, fact)| fact);
    Finding::problem(name, fact, hint)
}

/// Whether the state folder is private, after its rights were mended, and writable.
pub(super) fn state_folder(folder: &Path) -> Finding {
    let name = "state folder";
    let opened_to_others = match make_state_private(folder) {
        Ok(entries) => entries,
        Err(error) => return unfit(name, folder, &error),
    };
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, "probe");
    let written = written.and_then(|()| std::fs::remove_file(&probe));
    match written {
        Ok(()) if opened_to_others > 0 => Finding::warning(
            name,
            format!(
                "other users had rights to {opened_to_others} entries of `{}`; now only you have",
                folder.display()
            ),
            "if they may have read `vault.key`, remove it: a new key is created, and old tokens \
             can no longer be restored",
        ),
        Ok(()) => Finding::ok(name, format!("`{}` is private and writable", folder.display())),
        Err(error) => Finding::problem(
            name,
            format!("`{}` is not writable: {error}", folder.display()),
            "set `TIDEGATE_HOME` to a writable folder",
        ),
    }
}

/// Whether a database is nearly as large as it may become.
pub(super) fn databases(folder: &Path) -> Option<Finding> {
    let nearly_full = ["record.db", "state.db"].into_iter().filter_map(|name| {
        let bytes = std::fs::metadata(folder.join(name)).ok()?.len();
        let percent = bytes * 100 / QUOTA_BYTES;
        (percent >= 80).then(|| format!("`{name}` has {percent} percent of the 1 GB it may have"))
    });
    let nearly_full: Vec<String> = nearly_full.collect();
    (!nearly_full.is_empty()).then(|| {
        Finding::warning(
            "databases",
            nearly_full.join(", "),
            "copy `record.db` elsewhere if you need all of it: its oldest runs are removed to make \
             room",
        )
    })
}

fn unfit(name: &str, folder: &Path, error: &dyn Error) -> Finding {
    if let Some(cause) = error.source() {
        let fact = format!("`{}` is not writable: {cause}", folder.display());
        return Finding::problem(name, fact, "set `TIDEGATE_HOME` to a writable folder");
    }
    let text = error.to_string();
    let (fact, remedy) = text.rsplit_once(": ").unwrap_or((&text, "see docs/guarantees.md"));
    Finding::problem(name, fact, remedy)
}

/// Runs a program in a worker, with a state folder of its own, so that the history of runs
/// stays clean.
pub(super) async fn worker(settings: &Settings) -> Finding {
    let name = "worker";
    match run_program(settings.sandbox.clone(), Language::TypeScript, Some(Engine::QuickJs)).await {
        Ok(took_ms) => Finding::ok(name, format!("ran `return 1` in {took_ms:.1} ms")),
        Err(error) => Finding::problem(
            name,
            format!("`return 1` did not run: {error:#}"),
            "run `tidegate -vv run -` for the log; the worker is started from tidegate's own executable",
        ),
    }
}

/// How many milliseconds the run took, including the start of a worker.
pub(super) async fn run_program(
    sandbox: Sandbox,
    language: Language,
    engine: Option<Engine>,
) -> anyhow::Result<f64> {
    let folder = private_folder("doctor")?;
    let settings = Settings { sandbox, ..Settings::new(folder.path().to_owned()) };
    let gateway = context::open(settings, &Environment::from_process())?;
    let source = "return 1".to_owned();
    let program = Program { source, language, engine, timeout: None };
    let response = gateway.execute(program, &RunContext::default()).await;
    gateway.close().await;
    match &response.error {
        None => Ok(response.metrics.execution_ms),
        Some(error) => Err(anyhow::anyhow!("{error}")),
    }
}

/// Starts every configured server once.
pub(super) async fn servers(settings: Settings, environment: &Environment) -> Vec<Finding> {
    let gateway = match context::open(settings, environment) {
        Ok(gateway) => gateway,
        Err(error) => {
            let remedy = "see the finding about the state folder";
            return vec![Finding::problem("servers", format!("{error:#}"), remedy)];
        }
    };
    let outcomes = gateway.tools().test_servers(&[]).await;
    let reports = gateway.tools().servers();
    gateway.close().await;
    let tools = |server: &str| {
        reports.iter().find(|report| report.name == server).map_or(0, |report| report.tools)
    };
    let finding = |(server, outcome): &(String, Result<(), _>)| {
        let name = format!("server {server}");
        match outcome {
            Ok(()) => Finding::ok(&name, format!("started, {}", counted(tools(server), "tool"))),
            Err(error) => Finding::problem(
                &name,
                format!("{error}"),
                "start its command by hand, or see docs/servers.md",
            ),
        }
    };
    outcomes.iter().map(finding).collect()
}

/// Tools that differ from their accepted definitions, as their servers listed them last.
pub(super) async fn changed_tools(settings: Settings, environment: &Environment) -> Vec<Finding> {
    // An error here is reported by another finding.
    let Ok(gateway) = context::open(settings, environment) else { return Vec::new() };
    let catalog = gateway.tools().catalog();
    let finding = |(id, change): (ToolRef, &Change)| {
        let name = id.in_a_command();
        let remedy = format!("review and accept it with `tidegate tools accept {name}`");
        Finding::warning("changed tool", format!("`{id}` is {change}"), &remedy)
    };
    let findings = catalog.changes().map(finding).collect();
    gateway.close().await;
    findings
}

/// Runtimes that many servers are started with. Tidegate itself needs none of them.
pub(super) async fn runtimes() -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, command, what) in [
        ("Node", "node", "servers that are started with `npx` will not start"),
        ("npm", "npm", "`tidegate doctor --fix` cannot install the type checker"),
        ("Python", "python3", "servers that are written in Python will not start"),
    ] {
        findings.push(match version(Path::new(command)).await {
            Ok(version) => Finding::ok(name, version),
            Err(reason) => Finding::warning(
                name,
                format!("`{command}` {reason}; {what}"),
                "install it if you need it, and put it on PATH",
            ),
        });
    }
    findings
}

/// The output of a program for `--version`, or why there is none.
pub(super) async fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(VERSION_TIMEOUT, command.output()).await {
        Err(_) => return Err(format!("did not answer within {} s", VERSION_TIMEOUT.as_secs())),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err("was not found".to_owned());
        }
        Ok(Err(error)) => return Err(format!("could not be started: {error}")),
        Ok(Ok(output)) => output,
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    let line =
        printed.lines().next().unwrap_or_default().trim().chars().take(80).collect::<String>();
    if !output.status.success() || line.is_empty() {
        return Err(format!("did not report a version ({})", output.status));
    }
    Ok(line)
}
