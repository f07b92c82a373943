//! A server's child process: its pipes, its last words, its end.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tidegate_model::{Secret, ServerSpec, Transport, cleaned};
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::UpstreamError;

/// How much of what a server printed is kept for error messages.
const LAST_WORDS_BYTES: usize = 8 * 1024;

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

/// A started child. Dropping it closes its input; the guard does the rest.
pub(crate) struct ChildProcess {
    child: Child,
    last_words: LastWords,
}

/// The pipes that MCP is spoken on.
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

/// How a server ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Epitaph {
    pub(crate) reason: String,
    /// The end of what it printed.
    pub(crate) said: String,
}

/// The end of what a server printed outside of the protocol, and what it did
/// that we ended it for.
#[derive(Clone, Default)]
pub(crate) struct LastWords {
    printed: Arc<Mutex<VecDeque<u8>>>,
    offence: Arc<OnceLock<&'static str>>,
}

impl Launcher {
    /// Starts the command of a stdio server.
    pub(crate) fn start(&self, spec: &ServerSpec) -> Result<(ChildProcess, Pipes), UpstreamError> {
        let Transport::Stdio { command, args, env, cwd } = &spec.transport else {
            return Err(start_failed(spec, "it is not a stdio server"));
        };
        if let Some(cwd) = cwd
            && !cwd.is_dir()
        {
            return Err(start_failed(spec, "its working folder `cwd` does not exist"));
        }
        let path = env.get("PATH").map(|path| path.expose().as_str());
        let path = path.or_else(|| self.environment.get("PATH").map(String::as_str));
        if !is_executable(command, path.unwrap_or_default(), cwd.as_deref()) {
            let (server, command) = (spec.name.clone(), command.clone());
            return Err(UpstreamError::CommandNotFound { server, command });
        }
        let mut process = Command::new(&self.guard);
        process.arg("guard").arg("--").arg(command).args(args.iter().map(Secret::expose));
        process.env_clear().envs(self.environment.iter());
        process.envs(env.iter().map(|(name, value)| (name, value.expose())));
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
            return Err(start_failed(spec, "its pipes could not be made"));
        };
        let last_words = LastWords::default();
        tokio::spawn(collect(errors, last_words.clone(), spec.name.clone()));
        Ok((ChildProcess { child, last_words }, Pipes { input, output }))
    }
}

impl ChildProcess {
    /// Where stray output goes.
    pub(crate) fn last_words(&self) -> &LastWords {
        &self.last_words
    }

    /// How the child ended and its last words, if it has ended.
    pub(crate) async fn epitaph(&mut self) -> Epitaph {
        let ended = tokio::time::timeout(EXIT_CODE_TIMEOUT, self.child.wait()).await;
        let reason = match (self.last_words.offence.get(), ended) {
            // How it ended then was our doing and would mislead.
            (Some(offence), _) => (*offence).to_owned(),
            (None, Ok(Ok(status))) => match status.code() {
                Some(0) => "it ended by itself".to_owned(),
                Some(code) => format!("it ended with exit code {code}"),
                None => format!("it ended with {status}"),
            },
            _ => "it closed its output".to_owned(),
        };
        Epitaph { reason, said: self.last_words.text() }
    }

    /// Waits until the child and everything below it is gone.
    pub(crate) async fn wait(&mut self) {
        // The guard needs three seconds for a server that resists.
        let _ = tokio::time::timeout(Duration::from_secs(5), self.child.wait()).await;
    }
}

impl LastWords {
    /// Adds output, dropping the oldest beyond the limit.
    pub(crate) fn add(&self, bytes: &[u8]) {
        let mut kept = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(LAST_WORDS_BYTES)..];
        let overflow = (kept.len() + bytes.len()).saturating_sub(LAST_WORDS_BYTES);
        kept.drain(..overflow);
        kept.extend(bytes);
    }

    /// Notes why the server is being ended.
    pub(crate) fn blame(&self, offence: &'static str) {
        // The first reason is the reason.
        let _ = self.offence.set(offence);
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
        // Keep the end: that is where the reason stands.
        let start = last.len().saturating_sub(400);
        last[last.ceil_char_boundary(start)..].to_owned()
    }
}

/// Reads a child's standard error for as long as it lives, so that it never
/// blocks on a full pipe.
async fn collect(errors: ChildStderr, last_words: LastWords, server: String) {
    let mut errors = BufReader::new(errors);
    let mut piece = vec![0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut piece).await {
        tracing::debug!(server, text = %String::from_utf8_lossy(&piece[..count]).trim_end(), "stderr");
        last_words.add(&piece[..count]);
    }
}

/// Looks a command up as `exec` would. Checked here, since the guard could only
/// report it after the start.
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
    UpstreamError::StartFailed { server, reason, said: String::new() }
}
