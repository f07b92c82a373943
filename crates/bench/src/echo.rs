//! 100 calls of a program against the same calls of a direct client.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value, json};
use tidegate_config::Settings;
use tidegate_gateway::Gateway;
use tidegate_model::{Language, Limits, Secret, ServerSpec, Transport};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::{Setup, equipment, note, timed, timed_run};

const CALLS: usize = 100;
const ROUNDS: usize = 15;

/// Before each measurement, so that all begin alike: with a worker ready, and on an
/// idle machine.
const PAUSE: Duration = Duration::from_millis(250);

/// A server and one call of it that does next to nothing.
struct Target {
    command: String,
    args: Vec<String>,
    tool: &'static str,
    arguments: Value,
    label: &'static str,
}

pub(crate) async fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let target = target()?;
    let gateway = setup.gateway(settings(&target, setup.folder))?;
    let mut child = tokio::process::Command::new(&target.command)
        .args(&target.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start `{}`", target.command))?;
    let pipes = child.stdout.take().zip(child.stdin.take()).context("no pipes")?;
    let client = ().serve(pipes).await.context("the direct client got no handshake")?;

    let rounds = Rounds {
        gateway: &gateway,
        client: &client,
        target: &target,
        arguments: target.arguments.as_object().cloned().unwrap_or_default(),
        has_python: gateway.find_python().await.is_ok(),
    };
    let times = rounds.measure().await?;
    client.cancel().await.ok();
    gateway.close().await;
    Ok(times.figures(target.label))
}

/// What each round uses.
struct Rounds<'a> {
    gateway: &'a Arc<Gateway>,
    client: &'a Client,
    target: &'a Target,
    arguments: Map<String, Value>,
    has_python: bool,
}

/// The same calls, made in five ways.
#[derive(Default)]
struct Times {
    direct: Samples,
    direct_parallel: Samples,
    program: Samples,
    program_parallel: Samples,
    /// `None` without Python.
    python: Option<Samples>,
}

impl Rounds<'_> {
    async fn measure(&self) -> anyhow::Result<Times> {
        // The first round does not count: both servers warm up.
        self.round(&mut self.no_times()).await?;
        let mut times = self.no_times();
        for _ in 0..ROUNDS {
            self.round(&mut times).await?;
        }
        Ok(times)
    }

    fn no_times(&self) -> Times {
        Times { python: self.has_python.then(Samples::default), ..Times::default() }
    }

    async fn round(&self, times: &mut Times) -> anyhow::Result<()> {
        let Target { tool, arguments, .. } = self.target;
        let in_a_row = format!(
            "for (let i = 0; i < {CALLS}; i++) await callMCPTool('target__{tool}', {arguments});",
        );
        let at_once = format!(
            "await Promise.all(Array.from({{ length: {CALLS} }}, () => callMCPTool('target__{tool}', {arguments})));",
        );
        sleep(PAUSE).await;
        times.direct.add(in_main(direct_calls(self.client, tool, &self.arguments))?);
        sleep(PAUSE).await;
        times.program.add(timed_run(self.gateway, &in_a_row).await?);
        sleep(PAUSE).await;
        let time = in_main(direct_parallel_calls(self.client, tool, &self.arguments))?;
        times.direct_parallel.add(time);
        sleep(PAUSE).await;
        times.program_parallel.add(timed_run(self.gateway, &at_once).await?);
        if let Some(python) = &mut times.python {
            let program =
                format!("for _ in range({CALLS}): call_tool('target__{tool}', {arguments})");
            sleep(PAUSE).await;
            python.add(timed(self.gateway, &program, Language::Python).await?);
        }
        Ok(())
    }
}

impl Times {
    fn figures(&self, label: &str) -> Vec<Figure> {
        let figure = |way: &str, program: &Samples, direct: &Samples| Figure {
            name: format!("{CALLS} calls {way}, {label}"),
            ms: program.median(),
            yardstick: "a direct client".to_owned(),
            yardstick_ms: direct.median(),
        };
        let mut figures = vec![
            figure("in a row", &self.program, &self.direct),
            figure("at once", &self.program_parallel, &self.direct_parallel),
        ];
        figures.extend(self.python.iter().map(|python| Figure {
            name: format!("{CALLS} calls in a row in Python, {label}"),
            ..figure("in a row", python, &self.direct)
        }));
        figures
    }
}

/// Waits as the `main` of a client does: outside of the runtime's own threads. Programs
/// run on these, as they do when the gateway is served.
fn in_main<T>(client: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| Handle::current().block_on(client))
}

type Client = rmcp::service::RunningService<rmcp::RoleClient, ()>;

async fn direct_calls(
    client: &Client,
    tool: &'static str,
    arguments: &Map<String, Value>,
) -> anyhow::Result<Duration> {
    let started = Instant::now();
    for _ in 0..CALLS {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        client.call_tool(params).await?;
    }
    Ok(started.elapsed())
}

async fn direct_parallel_calls(
    client: &Client,
    tool: &'static str,
    arguments: &Map<String, Value>,
) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let params = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        let peer = client.peer().clone();
        calls.spawn(async move { peer.call_tool_once(params).await });
    }
    while let Some(answer) = calls.join_next().await {
        answer??;
    }
    Ok(started.elapsed())
}

/// `server-everything` from the test equipment, else one of our own.
fn target() -> anyhow::Result<Target> {
    if let Some(entry) = equipment("everything") {
        let args = entry["args"].as_array().into_iter().flatten();
        return Ok(Target {
            command: entry["command"].as_str().unwrap_or_default().to_owned(),
            args: args.filter_map(Value::as_str).map(str::to_owned).collect(),
            tool: "echo",
            arguments: json!({"message": "hello"}),
            label: "server-everything",
        });
    }
    note("server-everything is not installed (`cargo xtask setup` does it); using the demo drive");
    let executable = std::env::current_exe().context("cannot find the executable of tidegate")?;
    Ok(Target {
        command: executable.to_str().context("the path of tidegate is not Unicode")?.to_owned(),
        args: vec!["demo-server".to_owned(), "drive".to_owned()],
        tool: "search_files",
        arguments: json!({"query": "nothing has this name"}),
        label: "demo drive",
    })
}

fn settings(target: &Target, folder: &Path) -> Settings {
    let transport = Transport::Stdio {
        command: target.command.clone(),
        args: target.args.iter().cloned().map(Secret::new).collect(),
        env: BTreeMap::new(),
        cwd: None,
    };
    let server = ServerSpec {
        name: "target".to_owned(),
        transport,
        timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(30),
        max_concurrent: CALLS,
    };
    Settings {
        servers: vec![server],
        limits: Limits { parallel_calls: 100, ..Limits::default() },
        ..Settings::new(folder.join("echo"))
    }
}
