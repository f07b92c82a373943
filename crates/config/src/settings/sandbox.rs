//! What runs programs, and how many at once.

use std::path::PathBuf;

use tidegate_model::{Engine, Isolation};

/// What runs programs, and how well it must isolate them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// A worker that reports less serves no run.
    pub min_isolation: Isolation,
    /// What runs a program that asks for no engine.
    pub engine: Engine,
    /// What may run programs; `engine` is among them.
    pub engines: Vec<Engine>,
    /// The Deno to use instead of one that is found. Absolute; need not exist.
    pub deno: Option<PathBuf>,
    /// The Node to use instead of one that is found. Absolute; need not exist.
    pub node: Option<PathBuf>,
    /// The Python to use instead of one that is found. Absolute; need not exist.
    pub python: Option<PathBuf>,
    /// The virtual environment whose packages programs in Python can import.
    pub packages: Option<PathBuf>,
    /// Whether programs in Python run in processes that are forked from one in which
    /// Python is started already.
    pub fork: bool,
    /// How many programs run, wait and are prepared for.
    pub capacity: Capacity,
}

impl Default for Sandbox {
    /// All engines that are found: a program can ask for one, and every one is
    /// in the same jail.
    fn default() -> Self {
        Self {
            min_isolation: Isolation::default(),
            engine: Engine::default(),
            engines: Engine::ALL.into(),
            deno: None,
            node: None,
            python: None,
            packages: None,
            fork: true,
            capacity: Capacity::default(),
        }
    }
}

/// How many programs run, wait and are prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Runs that exist at once. None: by the memory of the machine.
    pub max_runs: Option<u32>,
    /// Runs of one session at once. None: half of `max_runs`.
    pub max_runs_per_session: Option<u32>,
    /// Runs that wait for their turn.
    pub max_waiting: u32,
    /// Workers that are kept ready at most.
    pub warm_workers: u32,
}

impl Default for Capacity {
    /// Chosen: 256 waiting programs are a burst, more are a mistake; 8 idle
    /// workers cost less than 40 MB (see `tidegate bench crowd`).
    fn default() -> Self {
        Self { max_runs: None, max_runs_per_session: None, max_waiting: 256, warm_workers: 8 }
    }
}
