//! A host command that programs may run.
//!
//! In: the configuration. Out: what `policy` decides on and `sandbox` runs. Plain data.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// One allowed command: an executable, patterns for its arguments, and the files and limits of
/// its jail.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// The name that programs use.
    pub name: String,
    /// The executable, with every link resolved when the configuration was loaded.
    pub path: PathBuf,
    /// The identity of that file at that time; `None` if it did not exist.
    pub identity: Option<FileIdentity>,
    /// Patterns for the first arguments, all of which are required.
    pub arguments: Vec<ArgumentPattern>,
    /// The pattern for every further argument; without it there are no further arguments.
    pub rest: Option<ArgumentPattern>,
    /// Files and folders it can read.
    pub read: Vec<PathBuf>,
    /// Files and folders it can read and write.
    pub write: Vec<PathBuf>,
    /// Its whole environment.
    pub environment: BTreeMap<String, Secret<String>>,
    /// Its time limit.
    pub time: Duration,
    /// The most bytes kept of standard output, and of standard error.
    pub output_bytes: u64,
    /// The memory limit of all its processes together.
    pub memory_bytes: u64,
}

impl CommandSpec {
    /// Chosen: enough for ordinary tools, and well below the limit of a run.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(10);

    /// Chosen: more than a program can use without reading it.
    pub const DEFAULT_OUTPUT_BYTES: u64 = 1024 * 1024;

    /// Chosen: the same as for a program.
    pub const DEFAULT_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
}

/// The pattern of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentPattern {
    /// This text.
    Exact(String),
    /// Any text that is not empty and does not begin with a dash.
    Any,
    /// Any text that this regular expression matches as a whole.
    Regex(String),
}

/// Distinguishes one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileIdentity {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
    /// Its length.
    pub bytes: u64,
    /// The time of its last inode change (`ctime`) in nanoseconds, which cannot be set back.
    pub changed_ns: i128,
}

impl FileIdentity {
    /// The identity of a file, from its metadata.
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
