//! What the host and the jail of a command say to each other: one JSON text per line.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tidegate_model::FileIdentity;

/// What to become. Comes from the host, after it has read the report.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Go {
    /// The executable.
    pub path: PathBuf,
    /// The file that it must be.
    pub identity: FileIdentity,
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
}

/// What the jail says after the report. The host reads it from a process that
/// it does not have to believe: nothing of the command can write here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The executable is another file than was pinned.
    Changed,
    /// The kernel did not start it, for this reason (`errno`).
    NotStarted(i32),
    /// It ended by itself.
    Exited {
        /// With this code.
        code: i32,
        /// The size of its `/tmp`, if there is no room left in it.
        full_scratch: Option<u64>,
    },
    /// This signal ended it.
    Signalled(i32),
}

/// Writes one line.
pub(crate) fn tell(host: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    host.write_all(&line)
}
