//! The engines that run programs, and how many programs run at once.

use std::path::PathBuf;

use tidegate_model::{Engine, Isolation};

/// The engines that run programs, and how well programs must be isolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// A worker that reports less isolation gets no run.
    pub min_isolation: Isolation,
    /// The engine of a program that asks for none.
    pub engine: Engine,
    /// The allowed engines, including `engine`.
    pub engines: Vec<Engine>,
    /// The Deno to use instead of searching for one. Absolute; need not exist.
    pub deno: Option<PathBuf>,
    /// The Node to use instead of searching for one. Absolute; need not exist.
    pub node: Option<PathBuf>,
    /// The Python to use instead of searching for one. Absolute; need not exist.
    pub python: Option<PathBuf>,
    /// The virtual environment whose packages Python programs can import.
    pub packages: Option<PathBuf>,
    /// Whether Python programs run in processes that are forked from one in which
    /// Python has already started.
    pub fork: bool,
    /// How many programs run, wait and have workers kept ready.
    pub capacity: Capacity,
}

impl Default for Sandbox {
    /// All engines that are found: a program can ask for one, and all of them run
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

/// How many programs run, wait and have workers kept ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Maximum number of runs at once. `None`: by the memory of the machine.
    pub max_runs: Option<u32>,
    /// Maximum number of runs of one session at once. `None`: half of `max_runs`.
    pub max_runs_per_session: Option<u32>,
    /// Maximum number of runs that wait for their turn.
    pub max_waiting: u32,
    /// Maximum number of workers that are kept ready.
    pub warm_workers: u32,
}

impl Default for Capacity {
    /// Chosen: 256 waiting programs are a burst, more are a mistake; 8 idle
    /// workers cost less than 40 MB (see `tidegate bench crowd`).
    fn default() -> Self {
        Self { max_runs: None, max_runs_per_session: None, max_waiting: 256, warm_workers: 8 }
    }
}
