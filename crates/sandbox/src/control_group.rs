//! Control groups: the kernel's accounting of a jail's memory, processes and CPU time.
//!
//! In: the limits of a jail. Out: groups to join, counters to read. Both versions are
//! supported: as root anywhere, as an ordinary user where a group is delegated.
//! Invariant: a group belongs to one worker, is created before it and removed after it.
//! Names contain our process id, so that the next gateway can remove what a killed one
//! left behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// The limits of the groups of one worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupLimits {
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
    pub(crate) cpu: CpuAccounting,
}

/// Whether CPU time is counted for the whole group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CpuAccounting {
    /// No: the jail has a single process, whose limit the kernel enforces.
    SingleProcess,
    /// Yes, for all processes together. In version 1 this takes a hierarchy of its own,
    /// which costs time at the start.
    WholeGroup,
}

/// Where groups can be created: one folder per hierarchy that counts something.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControlGroups {
    memory: Option<Hierarchy>,
    processes: Option<Hierarchy>,
    cpu: Option<Hierarchy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    folder: PathBuf,
    version: CgroupVersion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CgroupVersion {
    V1,
    V2,
}

/// The groups of one worker, with their counters.
#[derive(Debug)]
pub(crate) struct Group {
    folders: Vec<Hierarchy>,
    counters: Counters,
}

/// Where to read the counters of one worker; `None` if the kernel does not keep that counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    memory: Option<Hierarchy>,
    processes: Option<Hierarchy>,
    cpu: Option<Hierarchy>,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// The number of groups of this process that are not removed yet.
static LIVE_GROUPS: AtomicUsize = AtomicUsize::new(0);

/// How long [`groups_removed`] waits. Chosen: the kernel reaps killed processes within
/// milliseconds, and shutdown should not be delayed.
const REMOVAL_TIMEOUT: Duration = Duration::from_millis(500);

/// Waits until all groups are removed, for a limited time. Exiting the process earlier
/// leaves empty groups behind.
pub async fn groups_removed() {
    let asked = Instant::now();
    while LIVE_GROUPS.load(Ordering::Relaxed) > 0 && asked.elapsed() < REMOVAL_TIMEOUT {
        sleep(Duration::from_millis(2)).await;
    }
}

impl ControlGroups {
    /// Finds the hierarchies in which groups can be created, by creating one.
    pub(crate) fn probe() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let find = |controller| {
            hierarchies(&mounts, &own, controller).into_iter().find(Hierarchy::can_be_used)
        };
        let (memory, processes) = (find("memory"), find("pids"));
        // Every group of version 2 counts CPU time.
        let second = |found: &&Hierarchy| found.version == CgroupVersion::V2;
        let cpu = [&memory, &processes].into_iter().flatten().find(second).cloned();
        let first = || find("cpuacct").filter(|found| found.version == CgroupVersion::V1);
        let found = Self { cpu: cpu.or_else(first), memory, processes };
        for hierarchy in [&found.memory, &found.processes, &found.cpu].into_iter().flatten() {
            remove_abandoned(&hierarchy.folder);
        }
        found
    }

    /// Creates the groups of one worker. Without a hierarchy, or if the kernel refuses, there
    /// are none; the worker reports that.
    pub(crate) fn make(&self, limits: &GroupLimits) -> Group {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let cpu = self.cpu.as_ref().filter(|_| limits.cpu == CpuAccounting::WholeGroup);
        let wanted = [self.memory.as_ref(), self.processes.as_ref(), cpu];
        let mut folders: Vec<Hierarchy> = Vec::new();
        for hierarchy in wanted.into_iter().flatten() {
            let made = Hierarchy { folder: hierarchy.folder.join(&name), ..*hierarchy };
            if folders.contains(&made) {
                continue;
            }
            if let Err(error) = create_anew(&made.folder) {
                tracing::debug!(%error, folder = %made.folder.display(), "no control group");
                continue;
            }
            folders.push(made);
        }
        let made = |hierarchy: Option<&Hierarchy>| {
            let hierarchy = hierarchy?;
            let made = Hierarchy { folder: hierarchy.folder.join(&name), ..*hierarchy };
            folders.contains(&made).then_some(made)
        };
        let [memory, processes, cpu] = wanted.map(made);
        let mut counters = Counters { memory, processes, cpu };
        if !counters.limit_memory(limits.memory_bytes) {
            counters.memory = None;
        }
        if !counters.limit_processes(limits.processes) {
            counters.processes = None;
        }
        LIVE_GROUPS.fetch_add(folders.len(), Ordering::Relaxed);
        Group { folders, counters }
    }
}

impl Counters {
    /// Limits memory from now on. False if the kernel cannot.
    pub(crate) fn limit_memory(&self, bytes: u64) -> bool {
        let Some(memory) = &self.memory else { return false };
        match memory.version {
            // Without a limit on swap, memory over the limit would be swapped out. The
            // file is missing on kernels without swap.
            CgroupVersion::V1 => {
                let limited = memory.set("memory.limit_in_bytes", bytes);
                memory.set("memory.memsw.limit_in_bytes", bytes);
                limited
            }
            CgroupVersion::V2 => {
                memory.set("memory.swap.max", 0);
                memory.set("memory.max", bytes)
            }
        }
    }

    /// Limits processes and threads from now on. False if the kernel cannot.
    pub(crate) fn limit_processes(&self, count: u64) -> bool {
        self.processes.as_ref().is_some_and(|group| group.set("pids.max", count))
    }

    /// Whether the kernel counts memory.
    pub(crate) fn count_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Whether the kernel counts processes and threads.
    pub(crate) fn count_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Whether the kernel killed a process inside because memory ran out.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let Some(memory) = &self.memory else { return false };
        let file = match memory.version {
            CgroupVersion::V1 => "memory.oom_control",
            CgroupVersion::V2 => "memory.events",
        };
        memory.count_of(file, "oom_kill").is_some_and(|count| count > 0)
    }

    /// Peak memory in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let memory = self.memory.as_ref()?;
        match memory.version {
            CgroupVersion::V1 => memory.number("memory.max_usage_in_bytes"),
            // Absent before Linux 5.19.
            CgroupVersion::V2 => memory.number("memory.peak"),
        }
    }

    /// How often another process or thread was refused.
    pub(crate) fn refused_processes(&self) -> Option<u64> {
        self.processes.as_ref()?.count_of("pids.events", "max")
    }

    /// CPU time of all processes that are or were inside.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let cpu = self.cpu.as_ref()?;
        match cpu.version {
            CgroupVersion::V1 => cpu.number("cpuacct.usage").map(Duration::from_nanos),
            CgroupVersion::V2 => cpu.count_of("cpu.stat", "usage_usec").map(Duration::from_micros),
        }
    }
}

/// Creates a folder, replacing an old one. In a container a gateway often has the same
/// process id as its predecessor, which may have been killed and left its groups behind.
fn create_anew(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_dir(folder)?;
            fs::create_dir(folder)
        }
        other => other,
    }
}

/// The prefix of our group names, before the process id of the gateway.
const PREFIX: &str = "tidegate-";

impl Group {
    /// No groups.
    pub(crate) fn none() -> Self {
        Self { folders: Vec::new(), counters: Counters::default() }
    }

    /// The files that a process with one thread writes `0` to in order to join.
    pub(crate) fn joining_files(&self) -> Vec<PathBuf> {
        let file = |group: &Hierarchy| match group.version {
            // Moving only the calling thread needs no lock on all processes of the
            // machine; waiting for that lock takes around 10 ms.
            CgroupVersion::V1 => "tasks",
            // Version 2 does not allow that for a group that limits memory.
            CgroupVersion::V2 => "cgroup.procs",
        };
        self.folders.iter().map(|group| group.folder.join(file(group))).collect()
    }

    /// The per-user process limit to set beside the limit of the group. It is one higher: only
    /// a group counts its refusals, so it must be the first to refuse.
    pub(crate) fn processes_of_the_user(&self, most: u64) -> u64 {
        match self.counters.processes {
            Some(_) => most.saturating_add(1),
            None => most,
        }
    }

    /// The counters of the groups.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Removes the groups. False while a process is still inside; then try again.
    pub(crate) fn remove(&mut self) -> bool {
        let before = self.folders.len();
        self.folders.retain(|group| match fs::remove_dir(&group.folder) {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        });
        LIVE_GROUPS.fetch_sub(before - self.folders.len(), Ordering::Relaxed);
        self.folders.is_empty()
    }
}

impl Hierarchy {
    fn set(&self, file: &str, value: u64) -> bool {
        fs::write(self.folder.join(file), value.to_string()).is_ok()
    }

    /// The number in a file that contains nothing else.
    fn number(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }

    /// A number from a file of `NAME NUMBER` lines.
    fn count_of(&self, file: &str, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(found, _)| *found == name)?.1.trim().parse().ok()
    }

    /// Creates a group, checks whether it counts, and removes it.
    fn can_be_used(&self) -> bool {
        let folder = self.folder.join(format!("{PREFIX}{}-probe", std::process::id()));
        if fs::create_dir(&folder).is_err() {
            return false;
        }
        let counts = match self.version {
            CgroupVersion::V1 => true,
            // The files are missing if the parent does not enable the controllers.
            CgroupVersion::V2 => {
                folder.join("memory.max").exists() || folder.join("pids.max").exists()
            }
        };
        let joins = fs::OpenOptions::new().write(true).open(folder.join("cgroup.procs")).is_ok();
        let _ = fs::remove_dir(&folder);
        counts && joins
    }
}

/// Where groups for a controller could be: our own group of version 1, then of version 2.
fn hierarchies(mounts: &str, own: &str, controller: &str) -> Vec<Hierarchy> {
    let mut found = Vec::new();
    for line in mounts.lines() {
        // `36 35 98:0 ROOT PLACE OPTIONS [TAGS…] - TYPE SOURCE SUPER_OPTIONS`
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let mut left = left.split(' ').skip(3);
        let (Some(root), Some(place)) = (left.next(), left.next()) else { continue };
        let mut right = right.split(' ');
        let (kind, options) = (right.next().unwrap_or_default(), right.nth(1).unwrap_or_default());
        let version = match kind {
            "cgroup" if options.split(',').any(|option| option == controller) => CgroupVersion::V1,
            "cgroup2" => CgroupVersion::V2,
            _ => continue,
        };
        let Some(group) = own_group(own, version, controller) else { continue };
        // In a container the mount may begin below the root of the hierarchy.
        let inside = Path::new(group).strip_prefix(root).unwrap_or(Path::new(group));
        let inside = inside.strip_prefix("/").unwrap_or(inside);
        found.push(Hierarchy { folder: Path::new(place).join(inside), version });
    }
    found.sort_by_key(|hierarchy| hierarchy.version == CgroupVersion::V2);
    found
}

/// Our own group: `4:memory:/a/b` in version 1, `0::/a/b` in version 2.
fn own_group<'a>(own: &'a str, version: CgroupVersion, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let ours = match version {
            CgroupVersion::V1 => controllers.split(',').any(|each| each == controller),
            CgroupVersion::V2 => controllers.is_empty(),
        };
        ours.then_some(group)
    })
}

/// Removes groups of gateways that no longer run.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let number = number.and_then(|rest| rest.split('-').next());
        let Some(number) = number.filter(|number| number.parse::<u32>().is_ok()) else { continue };
        if !Path::new("/proc").join(number).exists() {
            // Fails if a process is inside; then the group is not abandoned.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CgroupVersion, Hierarchy, hierarchies};

    const HYBRID: &str = "\
30 23 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
31 23 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
32 23 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";

    fn found(folder: &str, version: CgroupVersion) -> Hierarchy {
        Hierarchy { folder: Path::new(folder).to_owned(), version }
    }

    #[test]
    fn the_own_group_of_each_version_is_found() {
        let own = "4:memory:/app/x\n3:pids:/\n0::/unit";
        assert_eq!(
            hierarchies(HYBRID, own, "memory"),
            [
                found("/sys/fs/cgroup/memory/app/x", CgroupVersion::V1),
                found("/sys/fs/cgroup/unified/unit", CgroupVersion::V2)
            ]
        );
        assert_eq!(
            hierarchies(HYBRID, own, "pids")[0],
            found("/sys/fs/cgroup/pids/", CgroupVersion::V1)
        );
    }

    #[test]
    fn a_mount_that_begins_at_the_own_group_is_used_from_there() {
        let mounts = "40 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw";
        assert_eq!(
            hierarchies(mounts, "0::/docker/abc", "memory"),
            [found("/sys/fs/cgroup", CgroupVersion::V2)]
        );
    }

    #[test]
    fn lines_that_are_not_control_groups_are_ignored() {
        let mounts = "1 2 0:1 / / rw - ext4 /dev/vda rw\nnonsense\n3 4 - cgroup";
        assert_eq!(hierarchies(mounts, "0::/", "memory"), []);
    }
}
