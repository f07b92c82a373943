//! What a jail has used, measured from outside, and the watch over it.
//!
//! In: the control groups of a jail, if there are any, and the number of its
//! launcher. Out: a [`Usage`], and, from [`Meter::watch`], the limit that was passed.
//! What the kernel counts is read from the kernel; the rest is summed over the
//! processes, as often as they could come to the limit.
//!
//! Invariants: nothing here is believed from a guest. A jail whose limits are kept
//! by the kernel alone has no watch and costs no timer.

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

/// The shortest and the longest time between two looks at the processes. Chosen:
/// a look reads a few files for each process, and what is done in between is
/// seen late.
const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(50);

/// Bytes a second that a jail is taken to fill at most. Chosen above what a core
/// writes to fresh pages.
const FILLED_PER_SECOND: u64 = 4 << 30;

/// How long the exact sum of shared memory may take: 20 ms for five processes with
/// 60 MB (measured), and more on a busy machine. Whoever holds it up longer is
/// judged by the plain sum.
const EXACT_SUM: Duration = Duration::from_millis(500);

/// What a jail has used. Absent is what could not be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of all its processes.
    pub cpu: Option<Duration>,
    /// The most memory at once that was seen, in bytes, with that of the engine.
    pub memory_bytes: Option<u64>,
    /// The most processes and threads at once that were seen, without our own.
    pub processes: Option<u64>,
    /// How often one more was refused.
    pub refused_processes: Option<u64>,
}

impl Usage {
    /// How much was used of a limit, in its unit, if that can be measured here.
    pub fn of(&self, limit: LimitName, limits: &Limits) -> Option<u64> {
        match limit {
            LimitName::Cpu => u64::try_from(self.cpu?.as_millis()).ok(),
            LimitName::Memory => self.memory_bytes,
            // The kernel refuses nobody before all of them are there.
            LimitName::Processes if self.refused_processes > Some(0) => Some(limit.of(limits)),
            LimitName::Processes => self.processes,
            LimitName::Time
            | LimitName::Disk
            | LimitName::Output
            | LimitName::ToolCalls
            | LimitName::ParallelCalls => None,
        }
    }

    /// Whether there were as many processes and threads as there may be, so that
    /// one more was refused, or would have been.
    pub fn ran_out_of_processes(&self, limits: &Limits) -> bool {
        self.of(LimitName::Processes, limits) >= Some(limits.processes.into())
    }
}

/// What a watch ends a jail for: our own processes and the engine are included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceilings {
    pub(crate) cpu: Duration,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
}

/// Ends when a limit was passed, and says which.
pub type Watch = Pin<Box<dyn Future<Output = LimitName> + Send>>;

/// Measures one jail. Copies of it share what they have seen.
#[derive(Clone)]
pub(crate) struct Meter {
    launcher: i32,
    counters: Counters,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// CPU time before the program was there.
    cpu_before: Duration,
    /// Own CPU time of the processes that were there at the last look.
    running: HashMap<(i32, u64), Duration>,
    /// The same of those that are not any more.
    gone: Duration,
    most: Usage,
}

impl Meter {
    pub(crate) fn new(launcher: i32, counters: Counters) -> Self {
        Self { launcher, counters, seen: Arc::default() }
    }

    /// What was used so far.
    pub(crate) fn usage(&self) -> Usage {
        // Three looks: one that falls between the end of a process and its being
        // collected may miss its time, and the next one finds it with its parent.
        (0..3).for_each(|_| drop(self.look()));
        let seen = self.seen();
        let cpu = self.counters.cpu().or(seen.most.cpu);
        Usage {
            cpu: cpu.map(|cpu| cpu.saturating_sub(seen.cpu_before)),
            memory_bytes: self.counters.peak_memory().or(seen.most.memory_bytes),
            processes: seen.most.processes,
            refused_processes: self.counters.refused_processes(),
        }
    }

    /// A watch over what the kernel does not limit by itself, from now on.
    pub(crate) fn watch(&self, ceilings: Ceilings) -> Watch {
        let before = self.cpu();
        self.seen().cpu_before = before.unwrap_or_default();
        let meter = self.clone();
        Box::pin(async move {
            loop {
                let pause = match meter.check(&ceilings).await {
                    Ok(pause) => pause,
                    Err(limit) => return limit,
                };
                sleep(pause).await;
            }
        })
    }

    /// How long nothing can be passed, or what was.
    async fn check(&self, ceilings: &Ceilings) -> Result<Duration, LimitName> {
        let counted = self.counters.cpu();
        let must_look =
            counted.is_none() || !self.counters.count_memory() || !self.counters.count_processes();
        let processes = if must_look { self.look() } else { Vec::new() };
        let mut pause = if must_look { LONGEST } else { Duration::MAX };
        let cpu = {
            let seen = self.seen();
            counted.or(seen.most.cpu).unwrap_or_default().saturating_sub(seen.cpu_before)
        };
        match ceilings.cpu.checked_sub(cpu).filter(|left| !left.is_zero()) {
            Some(left) => pause = pause.min(left / cores()),
            None => return Err(LimitName::Cpu),
        }
        let threads: u64 = processes.iter().map(|process| u64::from(process.threads)).sum();
        if !self.counters.count_processes() && threads > ceilings.processes {
            return Err(LimitName::Processes);
        }
        if !self.counters.count_memory() {
            let used = self.used_bytes(&processes, ceilings.memory_bytes).await;
            let mut seen = self.seen();
            seen.most.memory_bytes = Some(used.max(seen.most.memory_bytes.unwrap_or(0)));
            match ceilings.memory_bytes.checked_sub(used) {
                Some(left) => pause = pause.min(fill_time(left)),
                None => return Err(LimitName::Memory),
            }
        }
        Ok(pause.max(SHORTEST))
    }

    /// The memory of these processes. Those that were forked share much, and the
    /// plain sum counts that for each of them: if it is too much, the exact one
    /// decides, if there is one.
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
        // One is looked at after the other: who forks meanwhile had all of it before
        // and shares it after, and it is counted as both. Another look decides.
        let again = exact_bytes(&self.look()).await;
        again.map_or(exact, |again| again.min(exact))
    }

    fn cpu(&self) -> Option<Duration> {
        self.counters.cpu().or_else(|| {
            self.look();
            self.seen().most.cpu
        })
    }

    /// Looks at the processes and notes what they have.
    fn look(&self) -> Vec<Process> {
        let processes = below(self.launcher);
        if !processes.is_empty() {
            self.seen().note(&processes);
        }
        processes
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn note(&mut self, processes: &[Process]) {
        let running: HashMap<_, _> = processes.iter().map(|one| (one.identity, one.own)).collect();
        let ended = self.running.iter().filter(|(identity, _)| !running.contains_key(*identity));
        self.gone += ended.map(|(_, own)| *own).sum::<Duration>();
        self.running = running;
        let own: Duration = processes.iter().map(|one| one.own).sum();
        let collected: Duration = processes.iter().map(|one| one.collected).sum();
        // Whoever ends is with its parent then, unless that does not collect its
        // children; and whoever came and went between two looks only there.
        let cpu = own + collected.max(self.gone);
        self.most.cpu = Some(cpu.max(self.most.cpu.unwrap_or_default()));
        let threads: u64 = processes.iter().map(|one| u64::from(one.threads)).sum();
        self.most.processes = Some(threads.max(self.most.processes.unwrap_or(0)));
    }
}

/// The memory of these processes with what they share counted once, if that can be
/// had in time.
async fn exact_bytes(processes: &[Process]) -> Option<u64> {
    let processes = processes.to_vec();
    let exact = timeout(EXACT_SUM, spawn_blocking(move || proportional_bytes(&processes))).await;
    exact.ok()?.ok()
}

fn fill_time(bytes: u64) -> Duration {
    Duration::from_micros(bytes / (FILLED_PER_SECOND / 1_000_000))
}

fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
}
