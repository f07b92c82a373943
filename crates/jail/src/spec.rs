//! What a jail is to be like. Made by the host, read by the jailed process.
//!
//! It travels as an argument of the process, so nothing in it is secret.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a process that makes jails finds its library.
pub const LIBRARY: &str = "/jail.so";

/// One jail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Which system calls are left.
    pub filter: Filter,
    /// What the private root holds. Nothing else of the host can be seen.
    pub grants: Vec<Grant>,
    /// Links in the private root.
    pub links: Vec<Link>,
    /// Folders inside granted ones that are to look empty.
    pub hidden: Vec<PathBuf>,
    /// A private `/tmp`, if there is to be one.
    pub scratch: Option<Scratch>,
    /// Limits of each process.
    pub limits: ProcessLimits,
    /// Files of control groups that the process writes its number to.
    pub control_groups: Vec<PathBuf>,
    /// A descriptor whose other end the gateway holds: when that is closed,
    /// everything in the jail ends.
    pub lifeline: i32,
}

/// A set of system calls; see `syscalls.rs` for what is in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// For our own executable, as the reader of programs or as the engine that runs
    /// them: no file, no socket, no process, no thread.
    OwnCode,
    /// For the process that readers are forked from: the same, and what it takes to
    /// fork and to give up the rest in the new process.
    Forking,
    /// For an engine that is another executable and compiles at run time: files
    /// of the private root, threads, executable memory; no socket.
    Engine,
    /// For Python: files of the private root and of its own folder, threads,
    /// processes; code only from files that cannot be written; no socket.
    Python,
    /// For the process that Python workers are forked from: the same, and what it
    /// takes to make a jail out of the new process.
    Zygote,
    /// For commands of the host: what ordinary programs use.
    Command,
}

/// A file or folder of the host in the private root, under the same path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Its absolute path.
    pub path: PathBuf,
    /// What may be done with it.
    pub access: Access,
    /// Whether its path may lead over links.
    pub links: Links,
}

/// What a link on the way to a granted path means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Links {
    /// It is followed: libraries are found under names that are links.
    Followed,
    /// The path had none when it was granted. A guest may have written where it
    /// leads, and put one there since; then it is not granted.
    Refused,
}

/// What may be done with a granted path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Read and execute.
    Read,
    /// Read and write, not execute.
    Write,
    /// A harmless device such as `/dev/null`.
    Device,
}

/// A symbolic link in the private root. Leads nowhere else than a path would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Its absolute path.
    pub path: PathBuf,
    /// What it says.
    pub target: PathBuf,
}

impl Grant {
    /// A file of the system that can be read and executed.
    pub fn read(path: &Path) -> Self {
        Self { path: path.to_owned(), access: Access::Read, links: Links::Followed }
    }
}

/// A private, empty `/tmp` in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// Bytes it can hold.
    pub bytes: u64,
    /// Files and folders it can hold.
    pub files: u32,
}

/// Limits that the kernel keeps for each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessLimits {
    /// Address space in bytes; none for engines that reserve far more than they use.
    pub address_space: Option<u64>,
    /// CPU seconds, after which the process is ended.
    pub cpu_seconds: u64,
    /// Size of a file in bytes.
    pub file_bytes: u64,
    /// Open descriptors.
    pub open_files: u64,
    /// Processes and threads of the user, where the kernel counts them per jail.
    pub processes: u64,
}

impl Spec {
    /// As an argument of the process to be jailed.
    pub fn to_argument(&self) -> String {
        // Plain data with text keys: writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Spec::to_argument`] wrote. `None` for anything else.
    pub fn from_argument(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, Grant, Link, ProcessLimits, Scratch, Spec};

    #[test]
    fn a_spec_survives_its_way_into_the_process() {
        let spec = Spec {
            filter: Filter::Engine,
            grants: vec![Grant::read("/usr/bin/node".as_ref())],
            links: vec![Link { path: "/proc/self/exe".into(), target: "/usr/bin/node".into() }],
            hidden: vec!["/usr/lib/node/site".into()],
            scratch: Some(Scratch { bytes: 1 << 20, files: 100 }),
            limits: ProcessLimits {
                address_space: None,
                cpu_seconds: 31,
                file_bytes: 1 << 20,
                open_files: 64,
                processes: 64,
            },
            control_groups: vec!["/sys/fs/cgroup/x/cgroup.procs".into()],
            lifeline: 3,
        };
        assert_eq!(Spec::from_argument(&spec.to_argument()), Some(spec));
        assert_eq!(Spec::from_argument("{}"), None);
    }
}
