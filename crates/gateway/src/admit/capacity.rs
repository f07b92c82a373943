//! The bounds of the queue: configured, or else derived from the machine.

use std::num::NonZero;
use std::thread::available_parallelism;

use tidegate_config::Capacity;

use crate::admit::queue::Bounds;

/// Memory assumed for each concurrent run. Chosen: what a worker uses while it runs an
/// ordinary program; a waiting one uses a fraction of it.
const BYTES_PER_RUN: u64 = 16 * 1024 * 1024;

/// The fewest and the most concurrent runs that are derived from memory. Chosen: agents
/// start a few programs at once, and a thousand waiting ones fit into 2 GB.
const RUNS: (usize, usize) = (32, 1024);

/// Workers that start at the same time, per core: a worker spends about half of its start
/// waiting for the kernel.
const STARTS_PER_CORE: usize = 2;

/// The bounds for this configuration on this machine.
pub(crate) fn bounds(capacity: &Capacity) -> Bounds {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let affordable = || runs_by_memory(memory_bytes()).min(runs_by_descriptors(descriptors()));
    let runs = capacity.max_runs.map_or_else(affordable, count);
    Bounds {
        runs,
        runs_per_session: capacity.max_runs_per_session.map_or(runs.div_ceil(2), count),
        starting: available_parallelism().map_or(1, NonZero::get) * STARTS_PER_CORE,
        waiting: count(capacity.max_waiting),
    }
}

fn runs_by_memory(bytes: Option<u64>) -> usize {
    let runs = bytes.unwrap_or(0) / BYTES_PER_RUN;
    usize::try_from(runs).unwrap_or(RUNS.1).clamp(RUNS.0, RUNS.1)
}

/// A run needs a socket and a process handle; the rest is for servers, files and clients.
fn runs_by_descriptors(descriptors: Option<usize>) -> usize {
    descriptors.map_or(RUNS.1, |all| (all.saturating_sub(256) / 2).max(RUNS.0))
}

/// How many descriptors this process may open, if known.
fn descriptors() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The memory of this machine, if known.
fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use tidegate_config::Capacity;

    use super::{bounds, runs_by_descriptors, runs_by_memory};

    #[test]
    fn runs_follow_memory_between_two_bounds() {
        let gigabyte = 1024 * 1024 * 1024;
        assert_eq!(runs_by_memory(None), 32);
        assert_eq!(runs_by_memory(Some(gigabyte)), 64);
        assert_eq!(runs_by_memory(Some(64 * gigabyte)), 1024);
        assert_eq!(runs_by_descriptors(Some(1024)), 384);
        assert_eq!(runs_by_descriptors(Some(10)), 32);
    }

    #[test]
    fn what_is_configured_counts_and_one_session_gets_half() {
        let capacity = Capacity { max_runs: Some(7), ..Capacity::default() };
        let bounds = bounds(&capacity);
        assert_eq!((bounds.runs, bounds.runs_per_session, bounds.waiting), (7, 4, 256));
        assert!(bounds.starting >= 2);
    }
}
