//! The protocol between the host and the jail of a command: one JSON value per line.
//!
//! In: [`CommandStart`], from the host. Out: [`CommandStatus`], from the jail.
//! Invariant: no process of the command can write to this socket.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tidegate_model::FileIdentity;

/// The command to execute. The host sends it after accepting the report.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandStart {
    /// The executable.
    pub path: PathBuf,
    /// The identity that the file must have.
    pub identity: FileIdentity,
    /// The arguments, without the name of the executable.
    pub arguments: Vec<String>,
    /// The complete environment.
    pub environment: BTreeMap<String, String>,
}

/// How a command ended, or why it did not start. The jail sends it after the report. It comes
/// from our own code: the command cannot write to this socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandStatus {
    /// The executable is not the file that was pinned.
    Changed,
    /// The kernel did not start it; the value is the `errno`.
    NotStarted(i32),
    /// It exited.
    Exited {
        /// Its exit code.
        code: i32,
        /// The size of its `/tmp` in bytes, if it was full.
        full_scratch: Option<u64>,
    },
    /// It was killed by this signal.
    Signalled(i32),
}

/// Writes one value as a line of JSON.
pub(crate) fn send_line(host: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    host.write_all(&line)
}
