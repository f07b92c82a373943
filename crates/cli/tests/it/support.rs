//! Shared by all tests: the executable, its own state folder, the test equipment, and a
//! gateway that is served over stdio.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::jail::attacker::{NOBODY, User};

/// For tests of behaviour that does not depend on the risk of a program or the effect of a
/// tool: every program runs in a plain process. To be appended to a `tidegate.toml`.
pub(crate) const WHATEVER_THE_RISK: &str = "\n[risk]\nhigh = ['process']\ncritical = ['process']\n";

/// A `policy.toml` that asks nobody about anything.
pub(crate) const ASKS_NOBODY: &str = "[defaults]\ndestructive = 'allow'\ncritical = 'allow'\n";

/// The passphrase of the person who approves in tests.
pub(crate) const PASSPHRASE: &str = "correct horse battery staple";

/// Runs a command on a terminal of its own: standard input is empty, and each prompt on the
/// terminal gets its answer. Prints what the terminal showed to the named file.
const ON_OWN_TERMINAL: &str = "
import fcntl, json, os, select, subprocess, sys, termios, time
answers, seen_file, command = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]
ours, theirs = os.openpty()
# `run` asks only if a person sees what it prints.
child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True,
    stderr=theirs if command[1] == 'run' else None,
    preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0))
seen, at, end = '', 0, time.monotonic() + 60
# Our own end of the terminal stays open: without any, reading it is an error.
while True:
    ready = select.select([ours], [], [], 0.05)[0]
    if not ready and child.poll() is not None: break
    if time.monotonic() > end: child.kill()
    if not ready: continue
    part = os.read(ours, 65536)
    seen += part.decode(errors='replace')
    while answers and (found := seen.find(answers[0][0], at)) >= 0:
        at = found + len(answers[0][0])
        os.write(ours, answers.pop(0)[1].encode() + b'\\n')
open(seen_file, 'w').write(seen)
sys.exit(child.wait())
";

/// A folder for one test: configuration, fixtures and state, removed at the end.
pub(crate) struct Bench {
    folder: TempDir,
    user: User,
}

impl Bench {
    /// For the user that runs the tests.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), user: User::Own }
    }

    /// For this user, who owns its content and can reach the executable. Others can read it:
    /// as root, commands and workers run as other users.
    pub(crate) fn of(user: User) -> Self {
        let bench = Self { user, ..Self::new() };
        std::fs::set_permissions(bench.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        if user == User::Dropped {
            let executable = bench.path().join("tidegate");
            link_or_copy(Path::new(env!("CARGO_BIN_EXE_tidegate")), &executable);
            std::fs::create_dir(bench.state_dir()).unwrap();
            bench.give(&bench.state_dir());
        }
        bench
    }

    /// Makes a file or folder the user's own.
    pub(crate) fn give(&self, path: &Path) {
        if self.user == User::Dropped {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// With a `.mcp.json` of these servers.
    pub(crate) fn with_servers(servers: Value) -> Self {
        let bench = Self::new();
        bench.write(".mcp.json", &json!({"mcpServers": servers}).to_string());
        bench
    }

    /// Writes a policy that asks nobody about anything.
    pub(crate) fn asks_nobody(self) -> Self {
        self.write("policy.toml", ASKS_NOBODY);
        self
    }

    /// A Python server that this user can start: with the system's interpreter and a copy of
    /// the script, since the equipment may be in root's own folder.
    pub(crate) fn in_reach(&self, mut server: Value) -> Value {
        if self.user == User::Dropped {
            let script = std::fs::read_to_string(server["args"][0].as_str().unwrap()).unwrap();
            server["args"][0] = json!(self.write("server.py", &script));
            server["command"] = json!("/usr/bin/python3");
        }
        server
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.path().join("state")
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        self.give(&path);
        path
    }

    /// The executable, in this folder, with this state and a clean environment.
    pub(crate) fn tidegate(&self) -> Command {
        let mut command = match self.user {
            User::Own | User::Root => Command::new(env!("CARGO_BIN_EXE_tidegate")),
            User::Dropped => {
                let mut command = Command::new(self.path().join("tidegate"));
                command.uid(NOBODY).gid(NOBODY);
                command
            }
        };
        command.current_dir(self.path()).env_remove("RUST_LOG");
        command.env("TIDEGATE_HOME", self.state_dir());
        command
    }

    /// Another program of the same user.
    pub(crate) fn as_user(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        if self.user == User::Dropped {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Runs the executable with arguments and nothing on standard input.
    pub(crate) fn command(&self, arguments: &[&str]) -> Output {
        self.tidegate().args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs the executable on a terminal where each prompt gets its answer. Returns what the
    /// terminal showed as well.
    pub(crate) fn at_terminal(
        &self,
        arguments: &[&str],
        answers: &[(&str, &str)],
    ) -> (Output, String) {
        let seen = self.path().join("terminal.txt");
        let mut command = Command::new("python3");
        command.args(["-c", ON_OWN_TERMINAL, &json!(answers).to_string()]).arg(&seen);
        command.arg(env!("CARGO_BIN_EXE_tidegate")).args(arguments);
        command.current_dir(self.path()).env_remove("RUST_LOG");
        let output = command.env("TIDEGATE_HOME", self.state_dir()).output().unwrap();
        (output, std::fs::read_to_string(seen).unwrap_or_default())
    }

    /// Sets the passphrase that decisions ask for.
    pub(crate) fn set_passphrase(&self) {
        self.set_passphrase_with(&[]);
    }

    /// The same, with more arguments of `setup`.
    pub(crate) fn set_passphrase_with(&self, more: &[&str]) {
        let again = [("new passphrase", PASSPHRASE), ("repeat the passphrase", PASSPHRASE)];
        let (set, seen) = self.at_terminal(&[&["approvals", "setup"], more].concat(), &again);
        assert!(set.status.success(), "{}{seen}", text(&set.stderr));
    }

    /// Runs the executable as the person who knows the passphrase.
    pub(crate) fn as_person(&self, arguments: &[&str]) -> Output {
        if !self.state_dir().join("approver.key").exists() {
            self.set_passphrase();
        }
        self.at_terminal(arguments, &[("passphrase (empty to cancel)", PASSPHRASE)]).0
    }

    /// Runs a program with `tidegate run --json` and returns its answer.
    pub(crate) fn run(&self, source: &str) -> Value {
        let file = self.write("program.ts", source);
        let output = self.command(&["run", "--json", file.to_str().unwrap()]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{error}\n{}\n{}", text(&output.stdout), text(&output.stderr))
        })
    }

    /// Serves this folder's configuration.
    pub(crate) fn serve(&self) -> Served {
        Served::start(self.tidegate().arg("serve"))
    }
}

/// The same file under another name, without a copy where that is possible.
pub(crate) fn link_or_copy(from: &Path, to: &Path) {
    if std::fs::hard_link(from, to).is_err() {
        std::fs::copy(from, to).unwrap();
    }
}

/// Bytes as text, for messages.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A `tidegate serve` for a test to talk to. Ended with the test.
pub(crate) struct Served {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    /// Every line that the client got.
    pub(crate) transcript: String,
}

impl Served {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_with_log(command, Stdio::null())
    }

    /// The same, with standard error redirected.
    pub(crate) fn start_with_log(command: &mut Command, log: Stdio) -> Self {
        Self::start_as(command, log, &json!({}))
    }

    /// The same, for a client that announces these capabilities.
    pub(crate) fn start_as(command: &mut Command, log: Stdio, capabilities: &Value) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut served = Self { child, input, output, last_id: 0, transcript: String::new() };
        let hello = served.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "0"}
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "tidegate");
        served.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        served
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    /// Sends a request without waiting and returns its id.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message, whatever it is.
    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "tidegate ended");
        self.transcript.push_str(&line);
        // Standard output carries only the protocol.
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in `{line}`"))
    }

    /// Sends a request and waits for its answer; notifications are dropped.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result: `(is_error, text of the first block)`.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert!(result.is_object(), "{answer}");
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (result["isError"].as_bool().unwrap_or(false), text)
    }

    /// Runs a program with `execute_code` and returns its answer.
    pub(crate) fn execute(&mut self, source: &str) -> Value {
        self.execute_with(json!({"code": source}))
    }

    /// Runs a program with more arguments.
    pub(crate) fn execute_with(&mut self, arguments: Value) -> Value {
        let (_, text) = self.call("execute_code", arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in `{text}`"))
    }

    /// Closes standard input and waits for the end. Returns how long it took.
    pub(crate) fn end(mut self) -> Duration {
        let started = Instant::now();
        self.input.take();
        self.child.wait().unwrap();
        started.elapsed()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.input.take();
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pinned real servers and clients that `cargo xtask setup` installs.
pub(crate) struct Equipment(BTreeMap<String, Value>);

impl Equipment {
    /// The equipment, if all of `needed` is there. If not, the test is reported
    /// as skipped, with the reason.
    pub(crate) fn get(test: &str, needed: &[&str]) -> Option<Self> {
        let path =
            std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from).unwrap_or_else(|_| {
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/test/equipment.json")
            });
        let Ok(content) = std::fs::read(&path) else {
            skip(test, "the test equipment is not installed; run `cargo xtask setup`");
            return None;
        };
        let equipment: BTreeMap<String, Value> = serde_json::from_slice(&content).unwrap();
        for name in needed {
            if !equipment.contains_key(*name) {
                let reason = equipment["skipped"][name].as_str().unwrap_or("not installed");
                skip(test, &format!("`{name}`: {reason}"));
                return None;
            }
        }
        Some(Self(equipment))
    }

    /// A server's entry for `mcpServers`, with more arguments.
    pub(crate) fn server(&self, name: &str, more: &[&str]) -> Value {
        let mut server = self.0[name].clone();
        let arguments = server["args"].as_array_mut().unwrap();
        arguments.extend(more.iter().map(|argument| json!(argument)));
        server
    }

    /// A command with its arguments, to be started by the test itself.
    pub(crate) fn command(&self, name: &str) -> Command {
        let entry = &self.0[name];
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command.args(entry["args"].as_array().unwrap().iter().filter_map(Value::as_str));
        command
    }
}

/// Reports a test that cannot run here.
pub(crate) fn skip(test: &str, reason: &str) {
    eprintln!("skipped {test}: {reason}");
    if let Ok(list) = std::env::var("TIDEGATE_TEST_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        writeln!(file, "{test}: {reason}").unwrap();
    }
}

/// How long processes may take to disappear: a server that resists has two seconds to exit
/// and one more after SIGTERM before it is killed.
const GONE_DEADLINE: Duration = Duration::from_secs(8);

/// The processes below a process, all the way down.
pub(crate) fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    for thread in threads {
        let children = std::fs::read_to_string(thread.path().join("children"));
        for child in children.unwrap_or_default().split_whitespace() {
            let child = child.parse().unwrap();
            found.push(child);
            found.extend(descendants(child));
        }
    }
    found
}

/// Waits until none of these processes runs any more. Returns those that still run at the
/// deadline.
pub(crate) fn wait_until_gone(pids: &[u32]) -> Vec<u32> {
    let deadline = Instant::now() + GONE_DEADLINE;
    loop {
        let left: Vec<u32> = pids.iter().copied().filter(|pid| is_running(*pid)).collect();
        if left.is_empty() || Instant::now() >= deadline {
            return left;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs; one that has ended but is not yet reaped does not.
fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name, which can itself contain brackets.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Rows of a query, columns joined by `|`, read with Python's sqlite3, which is
/// independent of our own.
pub(crate) fn query(database: &Path, sql: &str) -> Vec<String> {
    let script = "import sqlite3,sys\n\
        for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print('|'.join('' if v is None else str(v) for v in row))";
    let output = Command::new("python3")
        .args(["-c", script, database.to_str().unwrap(), sql])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}
