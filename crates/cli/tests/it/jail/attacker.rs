//! The attacker, ready to start: as which user, on which system, in which jail.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tidegate_jail::Spec;

use crate::support::{link_or_copy, query, skip, text};

/// A user that has no rights and owns nothing.
pub(crate) const NOBODY: u32 = 65534;

/// The user that attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// The user that runs the tests, who is not root.
    Own,
    Root,
    /// Root, after switching to a user without rights.
    Dropped,
}

/// All users that can attack here.
pub(crate) fn users(test: &str) -> Vec<User> {
    if nix::unistd::geteuid().is_root() {
        return vec![User::Root, User::Dropped];
    }
    skip(test, "the half that needs root");
    vec![User::Own]
}

/// Executables and folders of one test, accessible to every user.
pub(crate) struct Camp {
    folder: TempDir,
    pub(crate) user: User,
    /// The layer that the system lacks, if any.
    lacking: Option<&'static str>,
}

impl Camp {
    pub(crate) fn of(user: User) -> Self {
        let folder = tempfile::tempdir().unwrap();
        open_up(folder.path());
        let camp = Self { folder, user, lacking: None };
        let tidegate = Path::new(env!("CARGO_BIN_EXE_tidegate"));
        let attacker = tidegate.parent().unwrap().join("examples/attacker");
        assert!(
            attacker.exists(),
            "the attacker is not built: run `cargo build -p tidegate-cli --examples`"
        );
        for (name, from) in
            [("attacker", &*attacker), ("unsealed", &*attacker), ("tidegate", tidegate)]
        {
            let to = camp.path().join(name);
            link_or_copy(from, &to);
        }
        camp
    }

    /// On a system that lacks a layer.
    pub(crate) fn without(user: User, lacking: &'static str) -> Self {
        Self { lacking: Some(lacking), ..Self::of(user) }
    }

    pub(crate) fn has_namespaces(&self) -> bool {
        self.lacking != Some("namespaces")
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn executable(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// A file that belongs to the user.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        self.give(&path);
        path
    }

    /// A folder in which the user, and any user they become, can do everything.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        open_up(&path);
        path
    }

    fn give(&self, path: &Path) {
        if self.user == User::Dropped {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// The attacker with arguments, as the user, on the system.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let attacker = self.executable("attacker");
        let mut words: Vec<&str> = Vec::new();
        let attacker = attacker.to_str().unwrap();
        if self.user == User::Dropped {
            words.extend([attacker, "as", "65534", "--"]);
        }
        if let Some(lacking) = self.lacking {
            words.extend([attacker, "without", lacking, "--"]);
        }
        words.push(attacker);
        words.extend(arguments);
        // The process that starts a gateway may leave descriptors open in it, such as
        // this one.
        let mut command = Command::new("sh");
        command.args(["-c", "exec 9</; exec \"$0\" \"$@\""]).args(words).current_dir("/");
        command
    }

    /// The control: the attack without a jail.
    pub(crate) fn outside(&self, attack: &Value) -> Value {
        let output = self.command(&["outside", &attack.to_string()]).output().unwrap();
        answer(&output.stdout, &output.stderr)["outcome"].clone()
    }

    /// The attack in a jail of the given kind: report, level and outcome.
    pub(crate) fn jailed(&self, spec: &Spec, attack: &Value) -> Value {
        let output = self.in_jail(spec, attack);
        answer(&output.stdout, &output.stderr)
    }

    /// How the launcher of a jail ended, if the attack ends with the attacker.
    pub(crate) fn jailed_ending(&self, spec: &Spec, attack: &Value) -> Option<i32> {
        self.in_jail(spec, attack).status.code()
    }

    fn in_jail(&self, spec: &Spec, attack: &Value) -> Output {
        let mut command = self.command(&["jailed", &spec.to_argument(), &attack.to_string()]);
        let mut child = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Open for as long as it runs: closing it ends the jail.
        let lifeline = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(lifeline);
        output
    }

    /// A gateway whose workers are this executable.
    pub(crate) fn gateway(&self, worker: &str, settings: Value) -> Host {
        let mut wanted = json!({"executable": self.executable(worker)});
        for (key, value) in settings.as_object().unwrap() {
            wanted[key] = value.clone();
        }
        let state = self.folder("home").join("state");
        let wanted = wanted.to_string();
        Host::start(self.command(&["gateway", state.to_str().unwrap(), &wanted]), state)
    }

    /// Running processes of this camp, by their command lines.
    pub(crate) fn running(&self) -> Vec<String> {
        self.processes().into_iter().map(|(_, line)| line).collect()
    }

    pub(crate) fn running_pids(&self) -> Vec<i32> {
        self.processes().into_iter().map(|(pid, _)| pid).collect()
    }

    fn processes(&self) -> Vec<(i32, String)> {
        let ours = self.path().to_str().unwrap();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
            // Empty for one that has ended and is not yet collected.
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = text(&line).replace('\0', " ");
            if line.contains(ours) {
                found.push((pid, line));
            }
        }
        found
    }
}

fn open_up(folder: &Path) {
    // As `/tmp`: a gateway refuses a state folder that others could replace.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o1777)).unwrap();
}

fn answer(stdout: &[u8], stderr: &[u8]) -> Value {
    serde_json::from_slice(stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", text(stdout), text(stderr)))
}

/// A running gateway.
pub(crate) struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    state: PathBuf,
    last: u64,
}

impl Host {
    fn start(mut command: Command, state: PathBuf) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut host = Self { child, input, output, state, last: 0 };
        assert_eq!(host.next()["ready"], host.child.id());
        host
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the gateway has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Starts a run and returns its number.
    pub(crate) fn begin(&mut self, source: &str, timeout_ms: Option<u64>) -> u64 {
        self.last += 1;
        let request = json!({"id": self.last, "source": source, "timeout_ms": timeout_ms});
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        self.last
    }

    /// The next run to end: its number and its answer.
    pub(crate) fn ended(&mut self) -> (u64, Value) {
        let mut line = self.next();
        (line["id"].as_u64().unwrap(), line["answer"].take())
    }

    /// Runs one attack and returns the whole answer.
    pub(crate) fn attack(&mut self, attack: &Value, timeout_ms: Option<u64>) -> Value {
        let id = self.begin(&attack.to_string(), timeout_ms);
        let (ended, answer) = self.ended();
        assert_eq!(ended, id);
        answer
    }

    /// The output of a run, wherever it is stored.
    pub(crate) fn output(&self, answer: &Value) -> Value {
        if let Some(handle) = answer["handle"].as_str() {
            let kept = std::fs::read_to_string(self.state.join(handle)).unwrap();
            return serde_json::from_str(&kept).unwrap();
        }
        assert_eq!(answer["success"], true, "{answer}");
        answer["output"].clone()
    }

    /// The error code of an answer, which must also be in the record of the run. Checks
    /// that the gateway is alive and the next run works.
    pub(crate) fn code_of(&mut self, answer: &Value) -> String {
        let code = answer["error"]["code"].as_str().unwrap_or("succeeded").to_owned();
        assert_eq!(self.recorded(answer), code);
        let next = self.attack(&json!({"attack": "nothing"}), None);
        assert_eq!(self.output(&next), "nothing", "the next run: {next}");
        code
    }

    fn recorded(&self, answer: &Value) -> String {
        let run = answer["run_id"].as_str().unwrap();
        let sql = format!("SELECT outcome, error_code FROM runs WHERE id = '{run}'");
        let rows = query(&self.state.join("record.db"), &sql);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        row.strip_prefix("failed|").unwrap_or(row.trim_end_matches('|')).to_owned()
    }

    /// Kills the gateway, without a chance to clean up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
