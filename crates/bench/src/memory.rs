//! Memory of processes as the kernel counts it.
//!
//! Shared pages are divided among the processes that share them (PSS), so that the sum over
//! processes is their total.

use std::fs;

use anyhow::Context;

/// Bytes of one or more processes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Memory {
    pub(crate) bytes: u64,
    pub(crate) count: usize,
}

impl Memory {
    pub(crate) fn of_this_process() -> anyhow::Result<Self> {
        let bytes = of_process(std::process::id()).context("cannot read our own memory")?;
        Ok(Self { bytes, count: 1 })
    }
}

/// All workers below this process. Another process of the jail may be between.
pub(crate) fn memory_of_workers() -> Memory {
    let mut all = Memory::default();
    for child in children(std::process::id()) {
        if is_worker(child) {
            all.count += 1;
            all.bytes += tree(child);
        }
    }
    all
}

fn tree(process: u32) -> u64 {
    let below: u64 = children(process).into_iter().map(tree).sum();
    of_process(process).unwrap_or(0) + below
}

fn is_worker(process: u32) -> bool {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).nth(1) == Some(b"worker")
}

fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|one| fs::read_to_string(one.path().join("children")).ok());
    let ids = |list: String| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>();
    lists.flat_map(ids).collect()
}

/// The memory of a process: PSS, or all resident memory if the process cannot be inspected.
fn of_process(process: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let status = || fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    kilobytes(&rollup, "Pss:").or_else(|| kilobytes(&status(), "VmRSS:")).map(|kb| kb * 1024)
}

fn kilobytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Memory, kilobytes};

    #[test]
    fn our_own_memory_can_be_read() {
        assert_eq!(kilobytes("Rss:   9 kB\nPss:   12 kB\n", "Pss:"), Some(12));
        assert!(Memory::of_this_process().unwrap().bytes > 1024 * 1024);
    }
}
