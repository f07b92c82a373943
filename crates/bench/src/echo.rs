//! 100 calls of a program against the same calls of a direct client.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value, json};
use tidegate_config::Settings;
use tidegate_model::{Language, Limits, Secret, ServerSpec, Transport};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::{Setup, equipment, note, timed, timed_run};

const CALLS: usize = 100;
const ROUNDS: usize = 15;

/// Before each of the ways, so that they all begin alike: with a worker ready, and on a
/// machine that has slept.
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

    let arguments = target.arguments.as_object().cloned().unwrap_or_default();
    let sequential = format!(
        "for (let i = 0; i < {CALLS}; i++) await callMCPTool('target__{}', {});",
        target.tool, target.arguments
    );
    let parallel = format!(
        "await Promise.all(Array.from({{ length: {CALLS} }}, () => callMCPTool('target__{}', {})));",
        target.tool, target.arguments
    );
    let python = format!(
        "for _ in range({CALLS}): call_tool('target__{}', {})",
        target.tool, target.arguments
    );
    let has_python = gateway.find_python().await.is_ok();
    let mut in_python = Samples::default();
    let mut direct = Samples::default();
    let mut direct_parallel = Samples::default();
    let mut program = Samples::default();
    let mut program_parallel = Samples::default();
    // One round without counting: both servers warm up.
    for round in 0..=ROUNDS {
        sleep(PAUSE).await;
        let direct_time = in_main(direct_calls(&client, target.tool, &arguments))?;
        sleep(PAUSE).await;
        let program_time = timed_run(&gateway, &sequential).await?;
        sleep(PAUSE).await;
        let direct_parallel_time =
            in_main(direct_parallel_calls(&client, target.tool, &arguments))?;
        sleep(PAUSE).await;
        let program_parallel_time = timed_run(&gateway, &parallel).await?;
        if has_python {
            sleep(PAUSE).await;
            let time = timed(&gateway, &python, Language::Python).await?;
            if round > 0 {
                in_python.add(time);
            }
        }
        if round > 0 {
            direct.add(direct_time);
            program.add(program_time);
            direct_parallel.add(direct_parallel_time);
            program_parallel.add(program_parallel_time);
        }
    }
    client.cancel().await.ok();
    gateway.close().await;
    let label = target.label;
    let python = has_python.then(|| Figure {
        name: format!("{CALLS} calls in a row in Python, {label}"),
        ms: in_python.median(),
        yardstick: "a direct client".to_owned(),
        yardstick_ms: direct.median(),
    });
    Ok([
        Figure {
            name: format!("{CALLS} calls in a row, {label}"),
            ms: program.median(),
            yardstick: "a direct client".to_owned(),
            yardstick_ms: direct.median(),
        },
        Figure {
            name: format!("{CALLS} calls at once, {label}"),
            ms: program_parallel.median(),
            yardstick: "a direct client".to_owned(),
            yardstick_ms: direct_parallel.median(),
        },
    ]
    .into_iter()
    .chain(python)
    .collect())
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
