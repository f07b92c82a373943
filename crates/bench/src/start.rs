//! From the start of `tidegate serve` to the first answered `tools/list`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::hello::plain_process;
use crate::report::Figure;
use crate::samples::Samples;
use crate::setup::Setup;

const SERVERS: usize = 20;
const ROUNDS: usize = 15;

pub(crate) fn measure(setup: &Setup<'_>) -> anyhow::Result<Vec<Figure>> {
    let folder = setup.folder.join("start");
    std::fs::create_dir_all(&folder)?;
    let executable = std::env::current_exe()?;
    let servers: Map<String, Value> = (0..SERVERS)
        .map(|number| {
            let entry = json!({"command": executable, "args": ["demo-server", "tracker"]});
            (format!("tracker{number}"), entry)
        })
        .collect();
    let config = folder.join("servers.json");
    std::fs::write(&config, json!({"mcpServers": servers}).to_string())?;
    // Started once, so that their tools are known.
    let status = tidegate(setup, &folder, &config)
        .args(["servers", "test"])
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "the demo servers did not start");
    let mut plain = Samples::default();
    let mut first_list = Samples::default();
    for _ in 0..ROUNDS {
        plain.add(plain_process(setup)?);
        first_list.add(first_answer(tidegate(setup, &folder, &config).arg("serve"))?);
    }
    Ok(vec![Figure {
        name: format!("start to tools/list, {SERVERS} servers configured"),
        ms: first_list.median(),
        yardstick: "a plain start of this executable".to_owned(),
        yardstick_ms: plain.median(),
    }])
}

fn tidegate(setup: &Setup<'_>, folder: &Path, config: &Path) -> Command {
    let mut command = Command::new(setup.executable);
    command.env("TIDEGATE_HOME", folder).arg("--config").arg(config);
    command
}

fn first_answer(command: &mut Command) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().context("no input")?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    write!(input, "{hello}\n{ready}\n{list}\n")?;
    let answered = output.lines().map_while(Result::ok).any(|line| line.contains("\"id\":2"));
    let elapsed = started.elapsed();
    drop(input);
    child.wait()?;
    ensure!(answered, "tools/list was not answered");
    Ok(elapsed)
}
