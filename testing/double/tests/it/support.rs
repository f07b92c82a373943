//! A gateway whose workers are doubles, and checks for what it leaks.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tidegate_config::{Capacity, Settings, TypeCheck};
use tidegate_gateway::{Gateway, RunContext, Shown};
use tidegate_model::{
    Clock, Isolation, Language, Limits, Principal, Program, Response, SessionName,
};
use tokio::sync::{Mutex, MutexGuard};

/// Lets tests run one at a time: descriptors, children and memory belong to the whole process,
/// and tests that measure time need the machine to themselves.
pub(crate) async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}

pub(crate) struct Bench {
    pub(crate) gateway: Arc<Gateway>,
    _folder: TempDir,
}

impl Bench {
    /// A gateway whose workers say hello in this way.
    pub(crate) fn new(habit: &str) -> Self {
        Self::with(habit, |_| {})
    }

    pub(crate) fn with(habit: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::new(folder.path().join("state"));
        // Few calls, so that a flood of them meets its limit before the deadline.
        settings.limits =
            Limits { time: Duration::from_secs(1), tool_calls: 500, ..Limits::default() };
        settings.checks.types = TypeCheck::Off;
        // The double is not isolated.
        settings.sandbox.min_isolation = Isolation::Any;
        settings.sandbox.capacity = Capacity { max_runs: Some(64), ..Capacity::default() };
        // Engines are looked for before a program is read; the double takes their place.
        settings.sandbox.deno = Some(deno());
        change(&mut settings);
        let executable = double(folder.path(), habit);
        // Python is looked for there; the double takes its place.
        let path = std::env::var("PATH").unwrap_or_default();
        let environment = BTreeMap::from([("PATH".to_owned(), path)]);
        let gateway = Gateway::open(settings, executable, environment, Clock::system()).unwrap();
        Self { gateway, _folder: folder }
    }

    pub(crate) async fn run(&self, attack: &str) -> Shown<Response> {
        self.gateway.execute(program(attack), &RunContext::default()).await
    }

    pub(crate) async fn run_as(&self, attack: &str, session: &str) -> Shown<Response> {
        self.gateway.execute(program(attack), &context_of(session)).await
    }
}

/// A request of a session with this name.
pub(crate) fn context_of(session: &str) -> RunContext {
    let principal = Principal::Session(SessionName::parse(session).unwrap());
    RunContext { principal, ..RunContext::default() }
}

/// The Deno of the test equipment, which `cargo xtask setup` installs.
fn deno() -> PathBuf {
    let file = std::env::var_os("TIDEGATE_TEST_EQUIPMENT").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/test/equipment.json"),
        PathBuf::from,
    );
    let equipment = std::fs::read(&file).unwrap();
    let equipment: Value = serde_json::from_slice(&equipment).unwrap();
    equipment["deno"]["command"].as_str().unwrap().into()
}

/// The double under a name that says how it greets.
pub(crate) fn double(folder: &Path, habit: &str) -> PathBuf {
    let link = folder.join(format!("worker-{habit}"));
    symlink(env!("CARGO_BIN_EXE_tidegate-double"), &link).unwrap();
    link
}

pub(crate) fn program(attack: &str) -> Program {
    let source = attack.to_owned();
    Program { source, language: Language::TypeScript, engine: None, timeout: None }
}

/// How a run ended: its error code, or its output.
pub(crate) fn ending(response: &Shown<Response>) -> String {
    match (&response.error, &response.output) {
        (Some(error), _) => error.code.as_str().to_owned(),
        (None, Some(output)) => output.to_string(),
        (None, None) => response.summary.clone(),
    }
}

/// The resources that a gateway could leak.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Traces {
    descriptors: usize,
    children: usize,
    tasks: usize,
}

impl Traces {
    pub(crate) fn now() -> Self {
        let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
        Self { descriptors, children: children(), tasks }
    }

    /// Waits until the last run's worker is gone, and looks then.
    pub(crate) async fn at_rest() -> Self {
        loop {
            let now = Self::now();
            tokio::time::sleep(Duration::from_millis(100)).await;
            if now.children == 0 && now == Self::now() {
                return now;
            }
        }
    }

    /// Waits until everything is as it was.
    pub(crate) async fn settle(&self) {
        // A worker that was started ahead and stays silent is given up after ten seconds.
        let deadline = Instant::now() + Duration::from_secs(15);
        while Self::now() != *self {
            assert!(Instant::now() < deadline, "{:?} has become {:?}", self, Self::now());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// How many children of this process run.
pub(crate) fn children() -> usize {
    child_ids().len()
}

/// Running children of this process, without those that have ended and wait to be collected:
/// the runtime of a test that is over leaves that to the next.
pub(crate) fn child_ids() -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = threads.filter_map(|one| std::fs::read_to_string(one.path().join("children")).ok());
    let ids = |list: String| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>();
    lists.flat_map(ids).filter(|id| is_running(*id)).collect()
}

fn is_running(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The most memory that this process has used, in bytes.
pub(crate) fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
