//! One checker process, used as a language server.
//!
//! In: documents. Out: the diagnostics of each. Requests may overlap.
//! Its output is not trusted: frames are capped, answers are matched by id, and unsolicited
//! messages are limited.
//! Invariant: the process ends when this value is dropped, when it breaks the protocol, or
//! when its standard input closes because the gateway died.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::confine::{self, Readable, SpawnError};
use crate::diagnostic::Report;
use crate::dialect::{Dialect, Roots};
use crate::error::TypeCheckError;
use crate::frame;
use crate::launch::Launch;

/// The most unsolicited bytes between two answers. The server is configured to log nothing.
const MAX_UNSOLICITED_BYTES: usize = 4 * 1024 * 1024;
/// The most folders that are registered at a time. Chosen: ty uses 15 MB for each.
const MAX_ROOTS: usize = 8;

/// A running language server.
pub(crate) struct Server {
    dialect: Dialect,
    /// The registered folders, the most recently used one last.
    roots: Mutex<Vec<Root>>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    pending: Arc<Mutex<Pending>>,
    last_id: AtomicU64,
    stop: CancellationToken,
    failed: AtomicBool,
    #[cfg(test)]
    pub(crate) pid: Option<u32>,
    _stop_on_drop: DropGuard,
}

/// A registered folder, and the number of active checks in it.
struct Root {
    folder: PathBuf,
    checks: u32,
}

/// The pending requests, and why the process ended, once it has.
#[derive(Default)]
struct Pending {
    answers: HashMap<u64, oneshot::Sender<Answer>>,
    ended: Option<String>,
}

type Answer = Result<Box<RawValue>, String>;

#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    error: Option<Value>,
}

impl Server {
    /// Starts the checker and initializes it. `folder` contains all worlds.
    pub(crate) async fn start(launch: &Launch, folder: &Path) -> Result<Self, TypeCheckError> {
        let failed = |error: SpawnError| {
            TypeCheckError::not_started(launch.compiler.display().to_string(), error)
        };
        let dialect = launch.dialect;
        let compiler = launch.compiler.canonicalize().map_err(SpawnError::from).map_err(failed)?;
        let library = compiler.parent().unwrap_or(Path::new("/")).to_owned();
        let mut command = Command::new(launch.runtime.as_ref().unwrap_or(&compiler));
        command
            .args(launch.runtime.as_ref().map(|_| &compiler))
            .args(dialect.arguments())
            .env_clear()
            .envs(dialect.environment().iter().copied())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let programs = launch.programs.iter().chain(&launch.runtime).cloned().chain([library]);
        let readable = Readable { programs: programs.collect(), data: vec![folder.to_owned()] };
        let child = confine::spawn(command, readable, launch.confinement).await.map_err(failed)?;
        let server = Self::attend(child, dialect);
        server.initialize(folder).await.map_err(|reason| TypeCheckError::Broken { reason })?;
        Ok(server)
    }

    fn attend(mut child: Child, dialect: Dialect) -> Self {
        let (outgoing, messages) = mpsc::unbounded_channel();
        let pending = Arc::new(Mutex::new(Pending::default()));
        let pid = child.id();
        tracing::debug!(?pid, "type checker started");
        let stop = CancellationToken::new();
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(write_all(stdin, messages));
        }
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(drain(stderr));
        }
        tokio::spawn(supervise(child, Arc::clone(&pending), outgoing.clone(), stop.clone()));
        let _stop_on_drop = stop.clone().drop_guard();
        let failed = AtomicBool::new(false);
        Self {
            dialect,
            roots: Mutex::default(),
            outgoing,
            pending,
            last_id: AtomicU64::new(0),
            stop,
            failed,
            #[cfg(test)]
            pid,
            _stop_on_drop,
        }
    }

    async fn initialize(&self, folder: &Path) -> Result<(), String> {
        let document = json!({"diagnostic": {}});
        let (root, capabilities) = match self.dialect.roots() {
            Roots::Nearest => (json!(uri(folder)), json!({"textDocument": document})),
            Roots::Registered => {
                let workspace = json!({"workspaceFolders": true});
                (Value::Null, json!({"textDocument": document, "workspace": workspace}))
            }
        };
        let params = json!({
            "processId": null,
            "rootUri": root,
            "workspaceFolders": [],
            "capabilities": capabilities,
            "initializationOptions": self.dialect.initialization(),
        });
        self.request("initialize", &params).await?;
        self.notify("initialized", &json!({}));
        Ok(())
    }

    /// The diagnostics of a program in a folder. Its text is sent, not read from disk.
    pub(crate) async fn diagnose(&self, folder: &Path, text: &str) -> Result<Report, String> {
        let registers = self.dialect.roots() == Roots::Registered;
        if registers {
            self.enter(folder);
        }
        let uri = uri(&folder.join(self.dialect.program()));
        let language = self.dialect.language_id();
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        let params = json!({"textDocument": {"uri": uri}});
        // A caller that stops waiting also kills the process.
        let answer = self.request("textDocument/diagnostic", &params).await?;
        self.notify("textDocument/didClose", &params);
        if registers {
            self.leave(folder);
        }
        serde_json::from_str(answer.get()).map_err(|error| format!("odd diagnostics: {error}"))
    }

    /// Registers a folder with the server. If there are too many, the least recently used
    /// folder without active checks is removed.
    fn enter(&self, folder: &Path) {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = roots.iter().position(|root| root.folder == folder) {
            let mut root = roots.remove(at);
            root.checks += 1;
            roots.push(root);
            return;
        }
        let idle = roots.iter().position(|root| root.checks == 0);
        let oldest = idle.filter(|_| roots.len() >= MAX_ROOTS).map(|at| roots.remove(at).folder);
        roots.push(Root { folder: folder.to_owned(), checks: 1 });
        let named = |folder: &Path| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            json!({"uri": uri(folder), "name": name})
        };
        let removed: Vec<Value> = oldest.iter().map(|folder| named(folder)).collect();
        let event = json!({"added": [named(folder)], "removed": removed});
        self.notify("workspace/didChangeWorkspaceFolders", &json!({"event": event}));
    }

    fn leave(&self, folder: &Path) {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = roots.iter_mut().find(|root| root.folder == folder) {
            root.checks = root.checks.saturating_sub(1);
        }
    }

    /// Kills the process now.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Whether the process was killed with [`Server::stop`].
    pub(crate) fn was_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    pub(crate) fn is_alive(&self) -> bool {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.ended.is_none() && !self.was_stopped()
    }

    /// Whether a caller waits for an answer.
    #[cfg(test)]
    pub(crate) fn is_busy(&self) -> bool {
        !self.pending.lock().unwrap().answers.is_empty()
    }

    /// True for the first caller: the end of a process counts as one failure, however many
    /// checks fail with it.
    pub(crate) fn is_first_failure(&self) -> bool {
        !self.failed.swap(true, Ordering::Relaxed)
    }

    async fn request(&self, method: &str, params: &Value) -> Answer {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(reason) = &pending.ended {
                return Err(reason.clone());
            }
            pending.answers.insert(id, sender);
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        answer.await.unwrap_or_else(|_| Err(self.reason()))
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&self, message: &Value) {
        // Fails only if the process has ended, which the receiver of the answer notices too.
        let _ = self.outgoing.send(frame::framed(&message.to_string()));
    }

    fn reason(&self) -> String {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.ended.clone().unwrap_or_else(|| "it has ended".to_owned())
    }
}

/// Reads until the end, then kills the process and fails all pending requests.
async fn supervise(
    mut child: Child,
    pending: Arc<Mutex<Pending>>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    stop: CancellationToken,
) {
    let reading = async {
        match child.stdout.take() {
            Some(stdout) => read_all(stdout, &pending, &outgoing).await,
            None => "it has no standard output".to_owned(),
        }
    };
    let reason = tokio::select! {
        reason = reading => reason,
        () = stop.cancelled() => "it was stopped".to_owned(),
    };
    // It may have ended by itself.
    let _ = child.start_kill();
    let status = child.wait().await;
    tracing::debug!(%reason, ?status, "type checker ended");
    let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
    pending.ended = Some(reason);
    pending.answers.clear();
}

/// Delivers answers to pending requests. Returns why it stopped.
async fn read_all(
    stdout: ChildStdout,
    pending: &Mutex<Pending>,
    outgoing: &mpsc::UnboundedSender<Vec<u8>>,
) -> String {
    let mut stdout = BufReader::new(stdout);
    let mut unsolicited_bytes = 0;
    loop {
        let body = match frame::read(&mut stdout).await {
            Ok(Some(body)) => body,
            Ok(None) => return "it ended".to_owned(),
            Err(error) => return error.to_string(),
        };
        let Ok(message) = serde_json::from_slice::<Incoming<'_>>(&body) else {
            return "it sent a message that is not JSON-RPC".to_owned();
        };
        unsolicited_bytes += body.len();
        match (message.id, &message.method) {
            (Some(id), Some(_)) => {
                // A request from the server, for features that we do not use.
                let reply = json!({"jsonrpc": "2.0", "id": id, "result": null});
                let _ = outgoing.send(frame::framed(&reply.to_string()));
            }
            (Some(id), None) => {
                let id = id.get().parse().ok();
                let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(sender) = id.and_then(|id: u64| pending.answers.remove(&id)) {
                    unsolicited_bytes = 0;
                    // Fails only if the caller has stopped waiting.
                    let _ = sender.send(answer(&message));
                }
            }
            (None, _) => {}
        }
        if unsolicited_bytes > MAX_UNSOLICITED_BYTES {
            return "it sent too many unsolicited messages".to_owned();
        }
    }
}

fn answer(message: &Incoming<'_>) -> Answer {
    match (&message.error, message.result) {
        (Some(error), _) => {
            let text = error["message"].as_str().unwrap_or("no reason");
            Err(text.chars().take(200).collect())
        }
        (None, Some(result)) => Ok(result.to_owned()),
        (None, None) => Err("it answered nothing".to_owned()),
    }
}

async fn write_all(mut stdin: ChildStdin, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        // The reading task notices and reports the end of the process.
        if stdin.write_all(&message).await.is_err() {
            return;
        }
    }
}

/// Reads standard error, so that the pipe cannot fill up, and logs it for operators.
async fn drain(mut stderr: ChildStderr) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let said = String::from_utf8_lossy(&buffer[..count]);
        tracing::debug!(said = said.trim_end(), "type checker");
    }
}

/// Everything except slashes and the unreserved characters of RFC 3986.
const NOT_IN_A_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A `file:` URI, percent-encoded.
fn uri(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_encoded_bytes(), NOT_IN_A_PATH))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::uri;

    #[test]
    fn odd_paths_become_whole_uris() {
        assert_eq!(uri(Path::new("/a b/ü%/p.ts")), "file:///a%20b/%C3%BC%25/p.ts");
    }
}
