//! Starts an MCP server once and asks for its tools.
//!
//! In: how to start it. Out: the number of its tools, or an error.
//! Speaks just enough of the protocol for that; the tests do the rest.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::equipment::Invocation;
use crate::progress::last_lines;

/// A first start compiles Python modules and may share two cores with six others.
const TIMEOUT: Duration = Duration::from_secs(60);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tidegate-setup","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST_TOOLS: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;

/// Counts the tools of a server. `extra` are further arguments; it may write to `folder`.
pub(crate) fn count_tools(server: &Invocation, extra: &[String], folder: &Path) -> Result<usize> {
    let mut child = Command::new(&server.command)
        .args(&server.args)
        .args(extra)
        .current_dir(folder)
        .env("MEMORY_FILE_PATH", folder.join("memory.jsonl"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", server.command.display()))?;
    let answer = converse(&mut child);
    // It may have ended by itself, which makes `kill` fail.
    let _ = child.kill();
    let status = child.wait().context("cannot wait for the server")?;
    match answer {
        Ok(line) => Ok(occurrences(&line, "\"inputSchema\"")),
        Err(error) => {
            let mut stderr = String::new();
            if let Some(mut pipe) = child.stderr.take() {
                // Output that is not text is of no use here.
                let _ = pipe.read_to_string(&mut stderr);
            }
            bail!("{error:#} ({status})\n{}", last_lines(&stderr, 10));
        }
    }
}

fn converse(child: &mut Child) -> Result<String> {
    let mut stdin = child.stdin.take().context("the server has no stdin")?;
    let stdout = child.stdout.take().context("the server has no stdout")?;
    let (sender, lines) = channel();
    // Ends with the server's stdout, which `kill` closes.
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let deadline = Instant::now() + TIMEOUT;
    writeln!(stdin, "{INITIALIZE}").context("the server does not read")?;
    answer_to(1, &lines, deadline)?;
    writeln!(stdin, "{INITIALIZED}\n{LIST_TOOLS}").context("the server does not read")?;
    answer_to(2, &lines, deadline)
}

fn answer_to(id: u32, lines: &Receiver<String>, deadline: Instant) -> Result<String> {
    let tight = format!("\"id\":{id}");
    let spaced = format!("\"id\": {id}");
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let line =
            lines.recv_timeout(left).with_context(|| format!("no answer to request {id}"))?;
        if !line.contains(&tight) && !line.contains(&spaced) {
            continue;
        }
        if !line.contains("\"result\"") {
            bail!("the server answered `{line}`");
        }
        return Ok(line);
    }
}

pub(crate) fn occurrences(text: &str, part: &str) -> usize {
    text.matches(part).count()
}
