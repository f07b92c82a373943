//! Reads the processes of a jail from `/proc` of the host.
//!
//! In: the process id of the launcher. Out: the launcher and its descendants, with CPU time,
//! memory and threads. Every process in a jail descends from its launcher: orphans are
//! adopted by the init process or by the launcher itself.
//! Invariant: no guest can block these reads, except [`proportional_bytes`].

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The unit of CPU times in `/proc`, the same on all architectures (`USER_HZ` of Linux).
const TICKS_PER_SECOND: u64 = 100;

/// The most processes that are read. Chosen far above any sensible limit.
const MAX_PROCESSES: usize = 4096;

/// A snapshot of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its process id and start time, since process ids are reused.
    pub(crate) identity: (i32, u64),
    /// CPU time of all its threads.
    pub(crate) own: Duration,
    /// CPU time of the children that it has reaped, and of theirs.
    pub(crate) reaped: Duration,
    /// Memory that is not backed by a file, so the kernel cannot reclaim it.
    pub(crate) memory_bytes: u64,
    /// The number of its threads.
    pub(crate) threads: u32,
}

/// The launcher and its descendants. Empty if none is visible.
pub(crate) fn below(launcher: i32) -> Vec<Process> {
    let mut found = Vec::new();
    let mut waiting = vec![launcher];
    while let Some(number) = waiting.pop() {
        let folder = PathBuf::from(format!("/proc/{number}"));
        let Some(process) = read_process(number, &folder) else { continue };
        found.push(process);
        if found.len() >= MAX_PROCESSES {
            break;
        }
        children(&folder, &mut waiting);
    }
    found
}

fn read_process(number: i32, folder: &Path) -> Option<Process> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    let (started, own, reaped) = times(&stat)?;
    // A zombie has no lines about memory.
    let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
    let kilobytes = |name| field(&status, name).unwrap_or(0);
    let memory = ["RssAnon:", "RssShmem:", "VmSwap:"].map(kilobytes).into_iter().sum::<u64>();
    let threads = field(&status, "Threads:").and_then(|count| u32::try_from(count).ok());
    Some(Process {
        identity: (number, started),
        own,
        reaped,
        memory_bytes: memory * 1024,
        threads: threads.unwrap_or(1),
    })
}

/// Start time, own CPU time and that of reaped children, from `/proc/N/stat`.
fn times(stat: &str) -> Option<(u64, Duration, Duration)> {
    // The name before the bracket may contain anything, including brackets.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    // Numbered from 3 on in proc_pid_stat(5): 14 to 17 and 22.
    let number = |index: usize| fields.get(index - 3)?.parse::<u64>().ok();
    let time = |ticks: u64| Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND);
    let own = number(14)? + number(15)?;
    let reaped = number(16)? + number(17)?;
    Some((number(22)?, time(own), time(reaped)))
}

/// The number after a name in `/proc/N/status`, without its unit.
fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The kernel lists each child under the thread that created it.
fn children(folder: &Path, into: &mut Vec<i32>) {
    for thread in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        into.extend(list.split_whitespace().filter_map(|number| number.parse::<i32>().ok()));
    }
}

/// The memory of all processes, with shared pages counted once. The kernel walks their page
/// tables and waits while one of them changes its own, so this must not run on an async
/// thread. A process that cannot be inspected counts with all of its memory.
pub(crate) fn proportional_bytes(processes: &[Process]) -> u64 {
    processes.iter().map(|process| proportion(process).unwrap_or(process.memory_bytes)).sum()
}

fn proportion(process: &Process) -> Option<u64> {
    let (number, _) = process.identity;
    let rollup = fs::read_to_string(format!("/proc/{number}/smaps_rollup")).ok()?;
    let kilobytes = |name| field(&rollup, name);
    // Without file-backed memory, as above. These lines exist since Linux 5.5.
    let parts = [kilobytes("Pss_Anon:")?, kilobytes("Pss_Shmem:")?, kilobytes("SwapPss:")?];
    Some(parts.into_iter().sum::<u64>() * 1024)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::{below, proportional_bytes, times};

    #[test]
    fn the_name_of_a_process_cannot_forge_its_times() {
        let rest = "S 1 2 2 0 -1 0 0 0 0 0 150 50 7 3 20 0 1 0 999 0 0";
        let expected = Some((999, Duration::from_secs(2), Duration::from_millis(100)));
        assert_eq!(times(&format!("5 (sh) {rest}")), expected);
        assert_eq!(times(&format!("5 (a) S 1 1 1) {rest}")), expected);
        assert_eq!(times("5 (sh"), None);
    }

    /// A shell with a child that fills memory: both are seen, with what they use.
    #[test]
    fn descendants_are_seen_with_what_they_use() {
        let fill = "x = bytearray(b'1') * (64 << 20)\nprint(len(x), flush=True)\ninput()";
        let script = format!("python3 -c \"{fill}\"; exit 0");
        let mut shell = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let launcher = i32::try_from(shell.id()).unwrap();
        let used = |seen: &[super::Process]| seen.iter().map(|one| one.memory_bytes).sum::<u64>();
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut seen = below(launcher);
        while used(&seen) < 64 << 20 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
            seen = below(launcher);
        }
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert!((64 << 20..96 << 20).contains(&used(&seen)), "{seen:?}");
        let shared_once = proportional_bytes(&seen);
        assert!((64 << 20..96 << 20).contains(&shared_once), "{shared_once}");
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert_eq!(below(launcher), []);
    }
}
