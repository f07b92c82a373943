//! Snapshots: the last known tools of each server, on disk.
//!
//! One file per server, so that a start with twenty configured servers can
//! answer at once without starting any of them. A snapshot is valid only for the
//! configuration it was made with: another command or package version has
//! another fingerprint.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tidegate_model::{ServerInfo, ServerSpec, ToolDef, ToolList, Transport};

use crate::fingerprint::{definition_hash, sha256_hex};

/// Incremented when the layout changes; older files are then ignored and rebuilt.
const FORMAT: u32 = 2;

/// Why a snapshot could not be written. Reading never fails: a bad file counts as missing.
#[derive(Debug, Error)]
#[error("cannot write the snapshot `{path}`")]
pub struct SnapshotError {
    path: PathBuf,
    #[source]
    source: std::io::Error,
}

/// One server's tools at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    format: u32,
    /// Name in the configuration.
    pub server: String,
    fingerprint: String,
    /// Package name, version and protocol as the server gave them.
    pub info: ServerInfo,
    /// SHA-256 of each tool's definition.
    pub tool_hashes: BTreeMap<String, String>,
    /// The definitions.
    pub tools: Vec<ToolDef>,
}

/// The folder of snapshots.
#[derive(Debug, Clone)]
pub struct Snapshots {
    folder: PathBuf,
}

impl Snapshots {
    /// Uses the folder `snapshots` of a state folder, and creates it when needed.
    pub fn new(state_dir: &Path) -> Self {
        Self { folder: state_dir.join("snapshots") }
    }

    /// The tools a server had when it last ran with this configuration, and the
    /// hash of each.
    pub fn load(&self, spec: &ServerSpec) -> Option<(ToolList, BTreeMap<String, String>)> {
        let text = fs::read(self.path(&spec.name)).ok()?;
        let snapshot: Snapshot = serde_json::from_slice(&text).ok()?;
        let current = snapshot.format == FORMAT
            && snapshot.server == spec.name
            && snapshot.fingerprint == server_fingerprint(spec);
        let list = ToolList { left_out: 0, info: snapshot.info, tools: snapshot.tools };
        current.then_some((list, snapshot.tool_hashes))
    }

    /// Saves a server's tools for the next start.
    pub fn save(&self, spec: &ServerSpec, list: &ToolList) -> Result<(), SnapshotError> {
        let path = self.path(&spec.name);
        let failed = |source| SnapshotError { path: path.clone(), source };
        let hash = |tool: &ToolDef| (tool.name.clone(), definition_hash(tool));
        let snapshot = Snapshot {
            format: FORMAT,
            server: spec.name.clone(),
            fingerprint: server_fingerprint(spec),
            info: list.info.clone(),
            tool_hashes: list.tools.iter().map(hash).collect(),
            tools: list.tools.clone(),
        };
        let text = serde_json::to_vec(&snapshot).map_err(|error| failed(error.into()))?;
        fs::create_dir_all(&self.folder).map_err(failed)?;
        // Two gateways may write the same snapshot: each writes its own file and renames it.
        let unfinished = path.with_extension(format!("{}.part", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        // As everything in a state folder.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&unfinished).map_err(failed)?;
        file.write_all(&text).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)
    }

    fn path(&self, server: &str) -> PathBuf {
        // Server names can contain any character; file names only safe ones.
        let mut name = String::new();
        for byte in server.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
                name.push(char::from(byte));
            } else {
                name.push_str(&format!("%{byte:02x}"));
            }
        }
        self.folder.join(format!("{name}.json"))
    }
}

/// A hash of what the tools depend on: the command with its arguments, or the URL. Only the hash
/// is kept, since arguments may contain secrets.
pub fn server_fingerprint(spec: &ServerSpec) -> String {
    let mut parts: Vec<&[u8]> = Vec::new();
    match &spec.transport {
        Transport::Stdio { command, args, env, .. } => {
            parts.push(b"stdio");
            parts.push(command.as_bytes());
            parts.extend(args.iter().map(|arg| arg.expose().as_bytes()));
            // Names only: which variables are set can determine which tools there
            // are; their values are secrets and rotate.
            parts.extend(env.keys().map(String::as_bytes));
        }
        Transport::Http { url, .. } => {
            parts.push(b"http");
            parts.push(url.expose().as_bytes());
        }
    }
    sha256_hex(&parts)
}
