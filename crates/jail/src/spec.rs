//! Describes a jail: its files, its limits, its system calls.
//!
//! In: written by the host. Out: read by the process to be jailed.
//! Invariant: it travels as a command line argument, so nothing in it is secret.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a Python zygote finds this crate as a shared library.
pub const ZYGOTE_LIBRARY_PATH: &str = "/jail.so";

/// The description of one jail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The system calls that stay allowed.
    pub filter: Filter,
    /// The contents of the private root. Nothing else of the host is visible.
    pub grants: Vec<Grant>,
    /// Symbolic links in the private root.
    pub links: Vec<Link>,
    /// Folders inside granted folders that appear empty.
    pub hidden: Vec<PathBuf>,
    /// A private `/tmp`, if the jail has one.
    pub scratch: Option<Scratch>,
    /// Limits of each process.
    pub limits: ProcessLimits,
    /// The control group files that the process writes its process id to.
    pub control_groups: Vec<PathBuf>,
    /// A descriptor whose other end the gateway holds. When the gateway closes it,
    /// everything in the jail is killed.
    pub lifeline: i32,
}

/// A set of allowed system calls, listed in `syscalls.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// For our own executable, as a reader or as the QuickJS worker: no file, no socket,
    /// no process, no thread.
    OwnCode,
    /// For the process that readers are forked from: the same, plus the calls to fork and
    /// to seal the new process.
    ReaderZygote,
    /// For an engine that is another executable and compiles at run time: files of the
    /// private root, threads, executable memory; no socket.
    Engine,
    /// For Python: files of the private root and of its own folder, threads, processes;
    /// executable code only from files that cannot be written; no socket.
    Python,
    /// For the process that Python workers are forked from: the same, plus the calls that
    /// jail the new process.
    PythonZygote,
    /// For host commands: the calls of ordinary programs.
    Command,
}

/// A file or folder of the host that appears in the private root, under the same path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Its absolute path.
    pub path: PathBuf,
    /// The access to it.
    pub access: Access,
    /// Whether its path may contain symbolic links.
    pub links: LinkPolicy,
}

/// How symbolic links in a granted path are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkPolicy {
    /// They are followed: libraries are often found under names that are links.
    Followed,
    /// The path had none when it was granted. If one of its folders is writable by a
    /// guest, the guest may have added one since; then the path is not granted.
    Refused,
}

/// The access to a granted path.
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

/// A symbolic link in the private root. It can only lead to what the root contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Its absolute path.
    pub path: PathBuf,
    /// The path it points to.
    pub target: PathBuf,
}

impl Grant {
    /// A file or folder of the system that can be read and executed.
    pub fn read(path: &Path) -> Self {
        Self { path: path.to_owned(), access: Access::Read, links: LinkPolicy::Followed }
    }
}

/// A private `/tmp` in memory, empty at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// Its size in bytes.
    pub bytes: u64,
    /// How many files and folders it can hold.
    pub files: u32,
}

/// Limits that the kernel enforces for each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessLimits {
    /// Address space in bytes; `None` for engines that reserve far more than they use.
    pub address_space: Option<u64>,
    /// CPU seconds, after which the process is killed.
    pub cpu_seconds: u64,
    /// Size of a file in bytes.
    pub file_bytes: u64,
    /// Number of open descriptors.
    pub open_files: u64,
    /// Number of processes and threads of the user, where the kernel counts them per jail.
    pub processes: u64,
}

impl Spec {
    /// The description as a command line argument of the process to be jailed.
    pub fn to_argument(&self) -> String {
        // Plain data with text keys: writing it cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the text that [`Spec::to_argument`] wrote. `None` for anything else.
    pub fn from_argument(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, Grant, Link, ProcessLimits, Scratch, Spec};

    #[test]
    fn a_spec_is_the_same_in_the_process_to_be_jailed() {
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
