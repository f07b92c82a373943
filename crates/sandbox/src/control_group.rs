//! Control groups: the kernel counts memory, processes and CPU time of a whole jail.
//!
//! Both versions, as found: as root anywhere, as an ordinary user where a group
//! is delegated. A group belongs to one worker; it is made before it and removed
//! after it. Names carry our process number, so that what a killed gateway left
//! behind is found and removed by the next one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// What a group of one worker may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupLimits {
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
    pub(crate) cpu: CpuTime,
}

/// Who keeps the limit of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CpuTime {
    /// The kernel, for the one process that there can be.
    OfOneProcess,
    /// We do, for all of them. In the first version of control groups that takes
    /// a hierarchy of its own, which costs time at the start.
    OfAll,
}

/// Where groups can be made: one folder per hierarchy that counts something.
#[derive(Clone, Debug, Default)]
pub(crate) struct ControlGroups {
    memory: Option<Hierarchy>,
    processes: Option<Hierarchy>,
    cpu: Option<Hierarchy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    folder: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The groups of one worker. Removed when dropped; until then they can be asked
/// what happened inside.
#[derive(Debug)]
pub(crate) struct Group {
    folders: Vec<Hierarchy>,
    counters: Counters,
}

/// Where the kernel's counts for one worker can be read; none for what it does
/// not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    memory: Option<Hierarchy>,
    processes: Option<Hierarchy>,
    cpu: Option<Hierarchy>,
}

static LAST: AtomicU64 = AtomicU64::new(0);

/// Groups of this process that are not removed yet.
static PRESENT: AtomicUsize = AtomicUsize::new(0);

/// How long [`cleared`] waits. Chosen: the kernel clears up who was killed within
/// milliseconds, and who ends should not be kept.
const PATIENCE: Duration = Duration::from_millis(500);

/// Returns when no worker's group is left, or some time later: whoever ends the
/// process before that leaves empty groups behind.
pub async fn cleared() {
    let asked = Instant::now();
    while PRESENT.load(Ordering::Relaxed) > 0 && asked.elapsed() < PATIENCE {
        sleep(Duration::from_millis(2)).await;
    }
}

impl ControlGroups {
    /// Looks where groups can really be made, by making one.
    pub(crate) fn probe() -> Self {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let find = |controller| {
            hierarchies(&mounts, &own, controller).into_iter().find(Hierarchy::can_be_used)
        };
        let (memory, processes) = (find("memory"), find("pids"));
        // Every group of the second version counts CPU time, whatever else it does.
        let second = |found: &&Hierarchy| found.version == Version::Two;
        let cpu = [&memory, &processes].into_iter().flatten().find(second).cloned();
        let first = || find("cpuacct").filter(|found| found.version == Version::One);
        let found = Self { cpu: cpu.or_else(first), memory, processes };
        for hierarchy in [&found.memory, &found.processes, &found.cpu].into_iter().flatten() {
            remove_abandoned(&hierarchy.folder);
        }
        found
    }

    /// Makes the groups of one worker. Without any hierarchy, or if the kernel
    /// refuses, there are none, and the worker reports so.
    pub(crate) fn make(&self, limits: &GroupLimits) -> Group {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let cpu = self.cpu.as_ref().filter(|_| limits.cpu == CpuTime::OfAll);
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
        PRESENT.fetch_add(folders.len(), Ordering::Relaxed);
        Group { folders, counters }
    }
}

impl Counters {
    /// Limits memory from now on. False if the kernel does not.
    pub(crate) fn limit_memory(&self, bytes: u64) -> bool {
        let Some(memory) = &self.memory else { return false };
        match memory.version {
            // Swapping would make the limit a suggestion. Absent without swap.
            Version::One => {
                let limited = memory.set("memory.limit_in_bytes", bytes);
                memory.set("memory.memsw.limit_in_bytes", bytes);
                limited
            }
            Version::Two => {
                memory.set("memory.swap.max", 0);
                memory.set("memory.max", bytes)
            }
        }
    }

    /// Limits processes and threads from now on. False if the kernel does not.
    pub(crate) fn limit_processes(&self, count: u64) -> bool {
        self.processes.as_ref().is_some_and(|group| group.set("pids.max", count))
    }

    /// Whether the kernel counts the memory of those inside.
    pub(crate) fn count_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Whether the kernel counts processes and threads.
    pub(crate) fn count_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Whether the kernel ended a process inside for want of memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let Some(memory) = &self.memory else { return false };
        let file = match memory.version {
            Version::One => "memory.oom_control",
            Version::Two => "memory.events",
        };
        memory.count_of(file, "oom_kill").is_some_and(|count| count > 0)
    }

    /// The most memory that those inside had at once, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let memory = self.memory.as_ref()?;
        match memory.version {
            Version::One => memory.number("memory.max_usage_in_bytes"),
            // Absent before Linux 5.19.
            Version::Two => memory.number("memory.peak"),
        }
    }

    /// How often somebody inside was refused another process or thread.
    pub(crate) fn refused_processes(&self) -> Option<u64> {
        self.processes.as_ref()?.count_of("pids.events", "max")
    }

    /// CPU time of all who are or were inside.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let cpu = self.cpu.as_ref()?;
        match cpu.version {
            Version::One => cpu.number("cpuacct.usage").map(Duration::from_nanos),
            Version::Two => cpu.count_of("cpu.stat", "usage_usec").map(Duration::from_micros),
        }
    }
}

/// In a container the number of a gateway is often that of the one before it, which
/// may have been killed and left groups of the same name.
fn create_anew(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_dir(folder)?;
            fs::create_dir(folder)
        }
        other => other,
    }
}

/// How our groups are called, before the number of the gateway's process.
const PREFIX: &str = "tidegate-";

impl Group {
    /// None at all.
    pub(crate) fn none() -> Self {
        Self { folders: Vec::new(), counters: Counters::default() }
    }

    /// The files that a process with one thread writes `0` to in order to join.
    pub(crate) fn joining_files(&self) -> Vec<PathBuf> {
        let file = |group: &Hierarchy| match group.version {
            // A thread that moves itself needs no lock on all processes of the
            // machine; waiting for that one takes the kernel around 10 ms.
            Version::One => "tasks",
            // There is no such way for a group that limits memory.
            Version::Two => "cgroup.procs",
        };
        self.folders.iter().map(|group| group.folder.join(file(group))).collect()
    }

    /// The limit for the kernel's count per user, beside that of the group. A group
    /// says what it has refused, so it is to be the first to do it.
    pub(crate) fn processes_of_the_user(&self, most: u64) -> u64 {
        match self.counters.processes {
            Some(_) => most.saturating_add(1),
            None => most,
        }
    }

    /// What can be read of it.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Removes the groups. Fails, and is tried again, while somebody is inside.
    pub(crate) fn remove(&mut self) -> bool {
        let before = self.folders.len();
        self.folders.retain(|group| match fs::remove_dir(&group.folder) {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        });
        PRESENT.fetch_sub(before - self.folders.len(), Ordering::Relaxed);
        self.folders.is_empty()
    }
}

impl Hierarchy {
    fn set(&self, file: &str, value: u64) -> bool {
        fs::write(self.folder.join(file), value.to_string()).is_ok()
    }

    /// A file that holds one number.
    fn number(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }

    /// A number in a file of lines `NAME NUMBER`.
    fn count_of(&self, file: &str, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(found, _)| *found == name)?.1.trim().parse().ok()
    }

    /// Makes a group, sees whether it counts, and removes it.
    fn can_be_used(&self) -> bool {
        let folder = self.folder.join(format!("{PREFIX}{}-probe", std::process::id()));
        if fs::create_dir(&folder).is_err() {
            return false;
        }
        let counts = match self.version {
            Version::One => true,
            // Without the controllers in the parent the files are not there.
            Version::Two => folder.join("memory.max").exists() || folder.join("pids.max").exists(),
        };
        let joins = fs::OpenOptions::new().write(true).open(folder.join("cgroup.procs")).is_ok();
        let _ = fs::remove_dir(&folder);
        counts && joins
    }
}

/// Where groups for a controller could be: our own group of the first version,
/// then of the second.
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
            "cgroup" if options.split(',').any(|option| option == controller) => Version::One,
            "cgroup2" => Version::Two,
            _ => continue,
        };
        let Some(group) = own_group(own, version, controller) else { continue };
        // In a container the mount may begin below the root of the hierarchy.
        let inside = Path::new(group).strip_prefix(root).unwrap_or(Path::new(group));
        let inside = inside.strip_prefix("/").unwrap_or(inside);
        found.push(Hierarchy { folder: Path::new(place).join(inside), version });
    }
    found.sort_by_key(|hierarchy| hierarchy.version == Version::Two);
    found
}

/// Our own group: `4:memory:/a/b` in the first version, `0::/a/b` in the second.
fn own_group<'a>(own: &'a str, version: Version, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let ours = match version {
            Version::One => controllers.split(',').any(|each| each == controller),
            Version::Two => controllers.is_empty(),
        };
        ours.then_some(group)
    })
}

/// Removes groups of gateways that are gone.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let number = number.and_then(|rest| rest.split('-').next());
        let Some(number) = number.filter(|number| number.parse::<u32>().is_ok()) else { continue };
        if !Path::new("/proc").join(number).exists() {
            // Fails if somebody is inside, and then it is not abandoned.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Hierarchy, Version, hierarchies};

    const HYBRID: &str = "\
30 23 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
31 23 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
32 23 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";

    fn found(folder: &str, version: Version) -> Hierarchy {
        Hierarchy { folder: Path::new(folder).to_owned(), version }
    }

    #[test]
    fn the_own_group_of_each_version_is_found() {
        let own = "4:memory:/app/x\n3:pids:/\n0::/unit";
        assert_eq!(
            hierarchies(HYBRID, own, "memory"),
            [
                found("/sys/fs/cgroup/memory/app/x", Version::One),
                found("/sys/fs/cgroup/unified/unit", Version::Two)
            ]
        );
        assert_eq!(
            hierarchies(HYBRID, own, "pids")[0],
            found("/sys/fs/cgroup/pids/", Version::One)
        );
    }

    #[test]
    fn a_mount_that_begins_at_the_own_group_is_used_from_there() {
        let mounts = "40 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw";
        assert_eq!(
            hierarchies(mounts, "0::/docker/abc", "memory"),
            [found("/sys/fs/cgroup", Version::Two)]
        );
    }

    #[test]
    fn lines_that_are_not_control_groups_are_passed_over() {
        let mounts = "1 2 0:1 / / rw - ext4 /dev/vda rw\nnonsense\n3 4 - cgroup";
        assert_eq!(hierarchies(mounts, "0::/", "memory"), []);
    }
}
