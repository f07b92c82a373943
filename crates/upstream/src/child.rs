//! The child process of a stdio server.
//!
//! In: a configured server and its authorization. Out: a started child with the pipes that
//! MCP is spoken on, the end of what it prints for error messages, and how it ended.
//!
//! Invariant: every child is started through the guard (`guard.rs`), so nothing below it
//! outlives the gateway.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tidegate_model::{Secret, ServerSpec, Transport, cleaned};
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::UpstreamError;
use crate::credentials::Authorization;

/// How much of a server's output is kept for error messages.
const OUTPUT_TAIL_BYTES: usize = 8 * 1024;

/// How long to wait for the exit code of a server whose output has ended.
const EXIT_CODE_TIMEOUT: Duration = Duration::from_millis(500);

/// How children are started.
#[derive(Clone)]
pub(crate) struct Launcher {
    /// The gateway's own executable, which is also the guard.
    pub(crate) guard: PathBuf,
    /// The environment every child gets, before its own variables.
    pub(crate) environment: Arc<BTreeMap<String, String>>,
}

/// A started child. Dropping it closes its input, at which the guard ends it.
pub(crate) struct ChildProcess {
    child: Child,
    output_tail: OutputTail,
}

/// The pipes that MCP is spoken on.
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

/// How a server or its connection ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Termination {
    pub(crate) reason: String,
    /// The end of what it printed outside of the protocol.
    pub(crate) last_output: String,
}

/// The end of what a server printed outside of the protocol, and the violation for which
/// the gateway ended it, if it did. Clones share both.
#[derive(Clone, Default)]
pub(crate) struct OutputTail {
    printed: Arc<Mutex<VecDeque<u8>>>,
    violation: Arc<OnceLock<&'static str>>,
}

impl Launcher {
    /// Starts the command of a stdio server.
    pub(crate) fn start(
        &self,
        spec: &ServerSpec,
        authorization: &Authorization,
    ) -> Result<(ChildProcess, Pipes), UpstreamError> {
        let Transport::Stdio { command, args, cwd, .. } = &spec.transport else {
            return Err(start_failed(spec, "it is not a stdio server"));
        };
        if let Some(cwd) = cwd
            && !cwd.is_dir()
        {
            return Err(start_failed(spec, "its working folder `cwd` does not exist"));
        }
        let path = authorization.get("PATH").map(|path| path.expose().as_str());
        let path = path.or_else(|| self.environment.get("PATH").map(String::as_str));
        if !is_executable(command, path.unwrap_or_default(), cwd.as_deref()) {
            let (server, command) = (spec.name.clone(), command.clone());
            return Err(UpstreamError::CommandNotFound { server, command });
        }
        let mut process = Command::new(&self.guard);
        process.arg("guard").arg("--").arg(command).args(args.iter().map(Secret::expose));
        process.env_clear().envs(self.environment.iter());
        process.envs(authorization.iter().map(|(name, value)| (name, value.expose())));
        if let Some(cwd) = cwd {
            process.current_dir(cwd);
        }
        // Its own group: Ctrl-C on a terminal is for the gateway, which then
        // ends its servers in order.
        process.process_group(0);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn().map_err(|error| start_failed(spec, &error.to_string()))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(start_failed(spec, "its pipes could not be created"));
        };
        let output_tail = OutputTail::default();
        tokio::spawn(collect(errors, output_tail.clone(), spec.name.clone()));
        Ok((ChildProcess { child, output_tail }, Pipes { input, output }))
    }
}

impl Termination {
    /// The end of something that printed nothing.
    pub(crate) fn without_output(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), last_output: String::new() }
    }
}

impl ChildProcess {
    /// Collects what the server prints outside of the protocol.
    pub(crate) fn output_tail(&self) -> &OutputTail {
        &self.output_tail
    }

    /// How the child ended, and the end of its output. Waits a moment for its exit code.
    pub(crate) async fn termination(&mut self) -> Termination {
        let ended = tokio::time::timeout(EXIT_CODE_TIMEOUT, self.child.wait()).await;
        let reason = match (self.output_tail.violation.get(), ended) {
            // The gateway ended it then: its exit code would mislead.
            (Some(violation), _) => (*violation).to_owned(),
            (None, Ok(Ok(status))) => match status.code() {
                Some(0) => "it exited with code 0".to_owned(),
                Some(code) => format!("it exited with code {code}"),
                None => format!("it was ended by {status}"),
            },
            _ => "it closed its output".to_owned(),
        };
        Termination { reason, last_output: self.output_tail.text() }
    }

    /// Waits until the child and its descendants are gone.
    pub(crate) async fn wait(&mut self) {
        // The guard needs three seconds for a server that resists.
        let _ = tokio::time::timeout(Duration::from_secs(5), self.child.wait()).await;
    }
}

impl OutputTail {
    /// Adds output, dropping the oldest beyond the limit.
    pub(crate) fn add(&self, bytes: &[u8]) {
        let mut kept = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(OUTPUT_TAIL_BYTES)..];
        let overflow = (kept.len() + bytes.len()).saturating_sub(OUTPUT_TAIL_BYTES);
        kept.drain(..overflow);
        kept.extend(bytes);
    }

    /// Records why the gateway ends the server. The first violation counts.
    pub(crate) fn record_violation(&self, violation: &'static str) {
        let _ = self.violation.set(violation);
    }

    /// The last few lines, printable and short enough for an error message.
    pub(crate) fn text(&self) -> String {
        let kept = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let text = cleaned(&text);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join(" | ");
        // Keep the end: the reason is usually there.
        let start = last.len().saturating_sub(400);
        last[last.ceil_char_boundary(start)..].to_owned()
    }
}

/// Reads a child's standard error for as long as it lives: it would block on a full pipe.
async fn collect(errors: ChildStderr, output_tail: OutputTail, server: String) {
    let mut errors = BufReader::new(errors);
    let mut piece = vec![0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut piece).await {
        tracing::debug!(server, text = %String::from_utf8_lossy(&piece[..count]).trim_end(), "stderr");
        output_tail.add(&piece[..count]);
    }
}

/// Looks a command up as `exec` would. Checked before the start, since the guard could
/// report it only afterwards.
fn is_executable(command: &str, path: &str, cwd: Option<&Path>) -> bool {
    let exists = |file: &Path| {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return exists(&cwd.unwrap_or(Path::new("")).join(command));
    }
    std::env::split_paths(path).any(|folder| exists(&folder.join(command)))
}

fn start_failed(spec: &ServerSpec, reason: &str) -> UpstreamError {
    let (server, reason) = (spec.name.clone(), reason.to_owned());
    UpstreamError::StartFailed { server, reason, last_output: String::new() }
}
