//! A host command that programs may run, as the configuration describes it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// One allowed command: an executable, what its arguments may be, and what its
/// jail holds.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// The name that programs use.
    pub name: String,
    /// The executable, with every link resolved when the configuration was read.
    pub path: PathBuf,
    /// The file that was there then; none if there was no file.
    pub identity: Option<FileIdentity>,
    /// One pattern for each of the first arguments, all of which must be given.
    pub arguments: Vec<ArgumentPattern>,
    /// What every further argument must match; none are taken if absent.
    pub rest: Option<ArgumentPattern>,
    /// Files and folders it can read.
    pub read: Vec<PathBuf>,
    /// Files and folders it can read and write.
    pub write: Vec<PathBuf>,
    /// Its whole environment.
    pub environment: BTreeMap<String, Secret<String>>,
    /// The longest it may take.
    pub time: Duration,
    /// What is kept of its standard output, and of its standard error.
    pub output_bytes: u64,
    /// The memory of all its processes.
    pub memory_bytes: u64,
}

impl CommandSpec {
    /// Chosen: what ordinary tools take, and well below a run's own limit.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(10);

    /// Chosen: more than a program can use without reading it.
    pub const DEFAULT_OUTPUT_BYTES: u64 = 1024 * 1024;

    /// Chosen: the same as for a program.
    pub const DEFAULT_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
}

/// What one argument may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentPattern {
    /// This text.
    Exact(String),
    /// Any text that is not empty and does not begin with a dash.
    Any,
    /// What this regular expression matches as a whole.
    Regex(String),
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileIdentity {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
    /// Its length.
    pub bytes: u64,
    /// When it was last changed, in nanoseconds; of the inode, which cannot be
    /// set back.
    pub changed_ns: i128,
}

impl FileIdentity {
    /// The identity in what the kernel says of a file.
    pub fn of(data: &Metadata) -> Self {
        let seconds = i128::from(data.ctime()) * 1_000_000_000;
        Self {
            device: data.dev(),
            inode: data.ino(),
            bytes: data.size(),
            changed_ns: seconds + i128::from(data.ctime_nsec()),
        }
    }
}
