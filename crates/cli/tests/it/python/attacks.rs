//! A hostile program in Python can do no more than the jail allows.
//!
//! `attempts.py` tries the known ways out of Python to its targets, as root and as an
//! unprivileged user. Every attempt is also made by plain Python outside: it must be
//! possible there, or its refusal would prove nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::forked::until_forked;
use super::library::{interpreter, run};
use crate::jail::attacker::{Camp, User, users};
use crate::support::{ASKS_NOBODY, Served, WHATEVER_THE_RISK, text};

/// A word that only the gateway knows, and the content of the secret file.
const MARK: &str = "tidegate-secret-5f0e";

/// The errors of a refused attempt. Not, for example, `NameError`: that would be a
/// mistake in the attempt.
const REFUSALS: [&str; 16] = [
    "EPERM",
    "EACCES",
    "ENOENT",
    "EROFS",
    "EXDEV",
    "ENOSYS",
    "ESRCH",
    "EINVAL",
    "ENOTDIR",
    "EFAULT",
    "in vain",
    "OperationalError",
    "gaierror",
    "URLError",
    "ENOEXEC",
    "OSError",
];

#[test]
fn g24_ways_out_of_python_end_at_the_jail() {
    let test = "g24_ways_out_of_python_end_at_the_jail";
    let all = users(test).into_iter().flat_map(|user| [(user, true), (user, false)]);
    for (user, fork) in all {
        let field = Field::of(user);
        let mut served =
            field.gateway_with(&format!("[python]\nfork = {fork}\n[privacy]\nmode = 'off'\n"));
        let Some(python) = interpreter(&mut served, test) else { return };
        if fork {
            until_forked(&mut served);
        }
        let mut attempts = 0;
        let mut failures = Vec::new();
        for (name, source) in programs() {
            let inside = field.inside(&mut served, source);
            let outside = field.outside(&python, source);
            assert_eq!(inside.keys().collect::<Vec<_>>(), outside.keys().collect::<Vec<_>>());
            for (attempt, said) in &inside {
                attempts += 1;
                if !REFUSALS.contains(&said.as_str()) {
                    failures.push(format!("{user:?}: {name}: {attempt}: {said}"));
                }
                let control = &outside[attempt];
                if control != "ok" && !has_no_control(test, user, attempt, control) {
                    failures.push(format!("{user:?}: {name}: {attempt}: outside {control}"));
                }
            }
            let next = run(&mut served, "sum(range(5))");
            assert_eq!(next["output"], 10, "after {name}: {next}");
        }
        assert!(failures.is_empty(), "{failures:#?}");
        assert!(attempts > 100, "{attempts} attempts");
        assert_eq!(fs::read_to_string(&field.secret).unwrap(), MARK);
    }
}

/// Attempts that only root can make outside.
const FOR_ROOT: [&str; 16] = [
    "fsopen",
    "pivot_root",
    "reboot",
    "setgroups",
    "setuid",
    "swapon",
    "syslog",
    "userfaultfd",
    "stop the parent",
    "AF_PACKET SOCK_DGRAM",
    "AF_PACKET SOCK_RAW",
    "AF_PACKET SOCK_SEQPACKET",
    "AF_PACKET SOCK_STREAM",
    "another root",
    "become somebody else",
    "make a device",
];

/// Attempts that some kernels are built without, or configured to refuse to everybody.
const OF_THE_KERNEL: [&str; 7] =
    ["bpf", "perf_event_open", "keyctl", "io_uring_setup", "unshare", "kcmp", "name_to_handle_at"];

/// Whether an attempt cannot be shown to work outside.
fn has_no_control(test: &str, user: User, attempt: &str, said: &str) -> bool {
    // The attempt itself says so: it would harm the machine.
    if said == "Harmful" || user != User::Root && FOR_ROOT.contains(&attempt) {
        return true;
    }
    // The files of the interpreter belong to root.
    if user != User::Root && attempt == "change the interpreter" {
        return true;
    }
    if OF_THE_KERNEL.contains(&attempt) {
        eprintln!("{test}: no control of `{attempt}`: the kernel says {said}");
        return true;
    }
    false
}

fn programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let parts = include_str!("attempts.py").split("#### ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap())
}

/// The place of an attack: a gateway of a user, their files and processes.
pub(super) struct Field {
    camp: Camp,
    folder: PathBuf,
    secret: PathBuf,
    neighbour: Child,
    listener: TcpListener,
}

impl Field {
    pub(super) fn of(user: User) -> Self {
        let camp = Camp::of(user);
        let folder = camp.folder("private");
        let secret = camp.file("private/secret", MARK);
        let neighbour = command(&camp, "/bin/sleep".as_ref()).arg("1000").spawn().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { camp, folder, secret, neighbour, listener }
    }

    /// Starts a gateway with this configuration.
    pub(super) fn gateway_with(&self, settings: &str) -> Served {
        self.camp.file("home/tidegate.toml", &format!("{settings}\n{WHATEVER_THE_RISK}"));
        self.camp.file("home/policy.toml", ASKS_NOBODY);
        let home = self.camp.folder("home");
        let mut serve = command(&self.camp, &self.camp.executable("tidegate"));
        serve.arg("serve").current_dir(&home).env("TIDEGATE_HOME", home.join("state"));
        serve.env("HOME", &home);
        Served::start(serve.env("TIDEGATE_TEST_SECRET", MARK))
    }

    fn source(&self, source: &str, outside: bool) -> String {
        let own = self.camp.folder("own");
        let own = if outside { own.to_str().unwrap() } else { "/tmp/workspace" };
        let truth = if outside { "True" } else { "False" };
        let prologue = include_str!("attempt.py");
        let home = self.camp.folder("home");
        let port = self.listener.local_addr().unwrap().port();
        format!(
            "{prologue}\nOUTSIDE = {truth}\nSECRET = {}\nFOLDER = {}\nHOME = {}\nOWN = {}\n\
             MARK = {}\nNEIGHBOUR = {}\nPORT = {port}\n{source}\n",
            json!(self.secret),
            json!(self.folder),
            json!(home),
            json!(own),
            // In two parts, so that a search for it does not find the program itself.
            format_args!("{} + {}", json!(&MARK[..4]), json!(&MARK[4..])),
            self.neighbour.id(),
        )
    }

    fn inside(&self, served: &mut Served, source: &str) -> BTreeMap<String, String> {
        let answer = run(served, &format!("{}\nresult = REPORT", self.source(source, false)));
        if let Some(handle) = answer["handle"].as_str() {
            let kept = self.camp.folder("home").join("state").join(handle);
            return serde_json::from_str(&fs::read_to_string(kept).unwrap()).unwrap();
        }
        serde_json::from_value(answer["output"].clone()).unwrap_or_else(|_| panic!("{answer}"))
    }

    fn outside(&self, python: &str, source: &str) -> BTreeMap<String, String> {
        let own = self.camp.folder("own");
        fs::remove_dir_all(own).unwrap();
        let source =
            format!("{}\nimport json\nprint(json.dumps(REPORT))", self.source(source, true));
        let mut command = command(&self.camp, python.as_ref());
        let mut child = command
            .args(["-I", "-"])
            .env("TIDEGATE_TEST_SECRET", MARK)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{source}", text(&output.stderr)))
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        let _ = self.neighbour.kill();
        let _ = self.neighbour.wait();
    }
}

/// A program as the user of the camp.
fn command(camp: &Camp, program: &std::path::Path) -> Command {
    if camp.user != User::Dropped {
        return Command::new(program);
    }
    let mut command = Command::new(camp.executable("attacker"));
    command.args(["as", "65534", "--"]).arg(program);
    command
}
