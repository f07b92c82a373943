//! Measures the resources of a jail from outside, and watches their limits.
//!
//! In: the control groups of a jail, if there are any, and the process id of its launcher.
//! Out: a [`Usage`], and from [`Meter::watch`] the limit that was exceeded. Counters of
//! control groups are used where they exist; the rest is summed over the processes, often
//! enough to notice an exceeded limit soon.
//!
//! Invariants: no number comes from the guest. A jail whose limits the kernel enforces
//! alone has no watch and costs no timer.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tidegate_model::{LimitName, Limits};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use crate::control_group::Counters;
use crate::processes::{Process, below, proportional_bytes};

/// The shortest and longest time between two samples. Chosen: a sample reads a few files
/// for each process, and a limit exceeded between two samples is noticed late.
const MIN_INTERVAL: Duration = Duration::from_millis(5);
const MAX_INTERVAL: Duration = Duration::from_millis(50);

/// The assumed maximum of bytes that a jail can fill per second. Chosen above the rate at
/// which a core writes to new pages.
const MAX_FILL_PER_SECOND: u64 = 4 << 30;

/// How long the exact sum of shared memory may take: 20 ms for five processes with 60 MB
/// (measured), more on a busy machine. A jail that delays it longer is judged by the plain
/// sum.
const EXACT_SUM_TIMEOUT: Duration = Duration::from_millis(500);

/// The resources that a jail has used. `None` means that it could not be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of all its processes.
    pub cpu: Option<Duration>,
    /// Peak memory in bytes, including the engine.
    pub memory_bytes: Option<u64>,
    /// Peak number of processes and threads, without our own.
    pub processes: Option<u64>,
    /// How often the kernel refused another process or thread.
    pub refused_processes: Option<u64>,
}

impl Usage {
    /// How much of a limit was used, in its unit, if that can be measured here.
    pub fn of(&self, limit: LimitName, limits: &Limits) -> Option<u64> {
        match limit {
            LimitName::Cpu => u64::try_from(self.cpu?.as_millis()).ok(),
            LimitName::Memory => self.memory_bytes,
            // The kernel refuses a process only when the limit is reached.
            LimitName::Processes if self.refused_processes > Some(0) => Some(limit.of(limits)),
            LimitName::Processes => self.processes,
            LimitName::Time
            | LimitName::Disk
            | LimitName::Output
            | LimitName::ToolCalls
            | LimitName::ParallelCalls => None,
        }
    }

    /// Whether the number of processes and threads reached the limit, so that another one
    /// was refused or would have been.
    pub fn ran_out_of_processes(&self, limits: &Limits) -> bool {
        self.of(LimitName::Processes, limits) >= Some(limits.processes.into())
    }
}

/// The limits of a watch, including our own processes and the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchLimits {
    pub(crate) cpu: Duration,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
}

/// Completes when a limit is exceeded, with the name of that limit.
pub type LimitWatch = Pin<Box<dyn Future<Output = LimitName> + Send>>;

/// Measures one jail. Clones share their samples.
#[derive(Clone)]
pub(crate) struct Meter {
    launcher: i32,
    counters: Counters,
    measured: Arc<Mutex<Measurements>>,
}

#[derive(Default)]
struct Measurements {
    /// CPU time used before the program was sent.
    cpu_before: Duration,
    /// Own CPU time of the processes in the last sample.
    running: HashMap<(i32, u64), Duration>,
    /// Own CPU time of the processes that have exited since.
    exited: Duration,
    most: Usage,
}

impl Meter {
    pub(crate) fn new(launcher: i32, counters: Counters) -> Self {
        Self { launcher, counters, measured: Arc::default() }
    }

    /// The resources used so far.
    pub(crate) fn usage(&self) -> Usage {
        // Three samples: one taken between the exit of a process and its reaping may miss
        // its CPU time; a later one finds that with the parent.
        (0..3).for_each(|_| drop(self.sample()));
        let measured = self.measured();
        let cpu = self.counters.cpu().or(measured.most.cpu);
        Usage {
            cpu: cpu.map(|cpu| cpu.saturating_sub(measured.cpu_before)),
            memory_bytes: self.counters.peak_memory().or(measured.most.memory_bytes),
            processes: measured.most.processes,
            refused_processes: self.counters.refused_processes(),
        }
    }

    /// A watch over the limits that the kernel does not enforce, from now on.
    pub(crate) fn watch(&self, limits: WatchLimits) -> LimitWatch {
        let before = self.cpu();
        self.measured().cpu_before = before.unwrap_or_default();
        let meter = self.clone();
        Box::pin(async move {
            loop {
                let pause = match meter.check(&limits).await {
                    Ok(pause) => pause,
                    Err(limit) => return limit,
                };
                sleep(pause).await;
            }
        })
    }

    /// The time until a limit could be exceeded, or the limit that was.
    async fn check(&self, limits: &WatchLimits) -> Result<Duration, LimitName> {
        let counted = self.counters.cpu();
        let must_look =
            counted.is_none() || !self.counters.count_memory() || !self.counters.count_processes();
        let processes = if must_look { self.sample() } else { Vec::new() };
        let mut pause = if must_look { MAX_INTERVAL } else { Duration::MAX };
        let cpu = {
            let measured = self.measured();
            counted.or(measured.most.cpu).unwrap_or_default().saturating_sub(measured.cpu_before)
        };
        match limits.cpu.checked_sub(cpu).filter(|left| !left.is_zero()) {
            Some(left) => pause = pause.min(left / cores()),
            None => return Err(LimitName::Cpu),
        }
        let threads: u64 = processes.iter().map(|process| u64::from(process.threads)).sum();
        if !self.counters.count_processes() && threads > limits.processes {
            return Err(LimitName::Processes);
        }
        if !self.counters.count_memory() {
            let used = self.used_bytes(&processes, limits.memory_bytes).await;
            let mut measured = self.measured();
            measured.most.memory_bytes = Some(used.max(measured.most.memory_bytes.unwrap_or(0)));
            match limits.memory_bytes.checked_sub(used) {
                Some(left) => pause = pause.min(fill_time(left)),
                None => return Err(LimitName::Memory),
            }
        }
        Ok(pause.max(MIN_INTERVAL))
    }

    /// The memory of these processes. Forked processes share most of their memory, and the
    /// plain sum counts it for each of them. If that sum exceeds the limit, the exact one
    /// decides, if it is available.
    async fn used_bytes(&self, processes: &[Process], most: u64) -> u64 {
        let sum: u64 = processes.iter().map(|process| process.memory_bytes).sum();
        let largest = processes.iter().map(|process| process.memory_bytes).max().unwrap_or(0);
        if sum <= most || largest > most {
            return sum;
        }
        let exact = exact_bytes(processes).await.unwrap_or(sum);
        if exact <= most {
            return exact;
        }
        // Processes are read one after the other. Memory of a process that forks in the
        // meantime is counted twice, so a second sample decides.
        let again = exact_bytes(&self.sample()).await;
        again.map_or(exact, |again| again.min(exact))
    }

    fn cpu(&self) -> Option<Duration> {
        self.counters.cpu().or_else(|| {
            self.sample();
            self.measured().most.cpu
        })
    }

    /// Reads the processes and records their usage.
    fn sample(&self) -> Vec<Process> {
        let processes = below(self.launcher);
        if !processes.is_empty() {
            self.measured().note(&processes);
        }
        processes
    }

    fn measured(&self) -> MutexGuard<'_, Measurements> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Measurements {
    fn note(&mut self, processes: &[Process]) {
        let running: HashMap<_, _> = processes.iter().map(|one| (one.identity, one.own)).collect();
        let ended = self.running.iter().filter(|(identity, _)| !running.contains_key(*identity));
        self.exited += ended.map(|(_, own)| *own).sum::<Duration>();
        self.running = running;
        let own: Duration = processes.iter().map(|one| one.own).sum();
        let reaped: Duration = processes.iter().map(|one| one.reaped).sum();
        // The time of a process that exited is found with its parent, unless the parent
        // does not reap; a process that lived between two samples is found only there.
        let cpu = own + reaped.max(self.exited);
        self.most.cpu = Some(cpu.max(self.most.cpu.unwrap_or_default()));
        let threads: u64 = processes.iter().map(|one| u64::from(one.threads)).sum();
        self.most.processes = Some(threads.max(self.most.processes.unwrap_or(0)));
    }
}

/// The memory of these processes with shared pages counted once, if available in time.
async fn exact_bytes(processes: &[Process]) -> Option<u64> {
    let processes = processes.to_vec();
    let exact =
        timeout(EXACT_SUM_TIMEOUT, spawn_blocking(move || proportional_bytes(&processes))).await;
    exact.ok()?.ok()
}

fn fill_time(bytes: u64) -> Duration {
    Duration::from_micros(bytes / (MAX_FILL_PER_SECOND / 1_000_000))
}

fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
}
