//! Writes the typed APIs to disk.
//!
//! In: the files of `tree.rs` and a folder. Out: the folder holds these files, and a
//! manifest with the hash of each. Files that are already right are not touched, so that
//! file watchers are not triggered. Files of an earlier run that are no longer part of the
//! tree are removed. Files that we did not write, and obsolete ones that somebody has
//! changed, stay.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fingerprint::sha256_hex;
use crate::tree::TreeFile;

/// The manifest's name.
pub const MANIFEST: &str = "tidegate-manifest.json";

/// Why the tree could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// An I/O operation failed.
    #[error("cannot write `{path}`")]
    Io {
        /// Which file.
        path: PathBuf,
        /// The error from the system.
        #[source]
        source: io::Error,
    },
    /// A file that we did not write is in the way.
    #[error(
        "`{path}` was not written by Tidegate and is left unchanged; choose another folder, or remove it"
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A link leads out of the folder.
    #[error(
        "`{path}` is a link and could lead out of the folder; choose another folder, or remove it"
    )]
    Link {
        /// Which folder.
        path: PathBuf,
    },
}

/// The result of writing the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteSummary {
    /// New or changed files.
    pub written: usize,
    /// Files that were already right.
    pub unchanged: usize,
    /// Files of an earlier run that were removed.
    pub removed: usize,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// SHA-256 by path.
    files: BTreeMap<String, String>,
}

/// Brings a folder into the state of `files`. Writes nothing if a file that we did not write
/// is in the way.
pub fn write_tree(folder: &Path, files: &[TreeFile]) -> Result<WriteSummary, WriteError> {
    let path = folder.join(MANIFEST);
    let before: Manifest = fs::read(&path)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let mut manifest = Manifest { format: 1, files: BTreeMap::new() };
    let mut changed = Vec::new();
    for (name, text) in files {
        manifest.files.insert(name.clone(), sha256_hex(&[text.as_bytes()]));
        if differs(folder, name, text, &before)? {
            changed.push((name, text));
        }
    }
    let mut done =
        WriteSummary { unchanged: files.len() - changed.len(), ..WriteSummary::default() };
    for (name, text) in changed {
        put(folder, &folder.join(name), text.as_bytes())?;
        done.written += 1;
    }
    for (name, hash) in &before.files {
        if !manifest.files.contains_key(name) && remove(folder, name, hash) {
            done.removed += 1;
        }
    }
    let text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| WriteError::Io { path: path.clone(), source: error.into() })?;
    put(folder, &path, (text + "\n").as_bytes())?;
    Ok(done)
}

/// Whether a file has to be written.
fn differs(folder: &Path, name: &str, text: &str, before: &Manifest) -> Result<bool, WriteError> {
    let path = folder.join(name);
    let mut at = folder.to_owned();
    for part in Path::new(name).components() {
        at.push(part);
        if at.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return Err(WriteError::Link { path: at });
        }
    }
    match fs::read(&path) {
        Ok(old) if old == text.as_bytes() => Ok(false),
        Ok(_) if !before.files.contains_key(name) => Err(WriteError::Foreign { path }),
        _ => Ok(true),
    }
}

/// Removes a file of an earlier run, unless it was changed since then.
fn remove(folder: &Path, name: &str, hash: &str) -> bool {
    let path = folder.join(name);
    // Anyone may have edited the manifest.
    let is_ours = is_inside(name) && fs::read(&path).is_ok_and(|old| sha256_hex(&[&old]) == *hash);
    let removed = is_ours && fs::remove_file(&path).is_ok();
    if removed {
        // Fails if the folder is not empty, which is intended.
        let _ = path.parent().map(fs::remove_dir);
    }
    removed
}

/// Writes a temporary file and renames it, so that a reader never sees a partial file.
fn put(folder: &Path, path: &Path, text: &[u8]) -> Result<(), WriteError> {
    let failed = |source| WriteError::Io { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    // Concurrent runs must not share it.
    let unfinished = folder.join(format!(".tidegate-{}.part", std::process::id()));
    fs::write(&unfinished, text).map_err(failed)?;
    fs::rename(&unfinished, path).map_err(failed)
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::{WriteError, WriteSummary, write_tree};

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    fn read(folder: &Path, name: &str) -> Option<String> {
        fs::read_to_string(folder.join(name)).ok()
    }

    #[test]
    fn only_what_differs_is_written_and_only_what_was_ours_is_removed() {
        let folder = TempDir::new().unwrap();
        let out = folder.path();
        let first = [
            file("servers/a/one.ts", "1"),
            file("servers/b/two.ts", "2"),
            file("servers/b/three.ts", "3"),
        ];
        let written = |written, unchanged, removed| WriteSummary { written, unchanged, removed };
        assert_eq!(write_tree(out, &first).unwrap(), written(3, 0, 0));
        assert_eq!(write_tree(out, &first).unwrap(), written(0, 3, 0));
        fs::write(out.join("servers/b/mine.txt"), "mine").unwrap();
        fs::write(out.join("servers/b/three.ts"), "changed by hand").unwrap();
        assert_eq!(write_tree(out, &[file("servers/a/one.ts", "new")]).unwrap(), written(1, 0, 1));
        assert_eq!(read(out, "servers/a/one.ts").as_deref(), Some("new"));
        assert_eq!(read(out, "servers/b/two.ts"), None);
        assert_eq!(read(out, "servers/b/three.ts").as_deref(), Some("changed by hand"));
        assert_eq!(read(out, "servers/b/mine.txt").as_deref(), Some("mine"));
    }

    #[test]
    fn a_file_of_somebody_else_stops_everything_before_it_begins() {
        let folder = TempDir::new().unwrap();
        let out = folder.path();
        fs::create_dir(out.join("servers")).unwrap();
        fs::write(out.join("servers/index.ts"), "mine").unwrap();
        let refused = write_tree(out, &[file("servers/a.ts", "1"), file("servers/index.ts", "2")]);
        assert!(
            matches!(refused, Err(WriteError::Foreign { path }) if path == out.join("servers/index.ts"))
        );
        assert_eq!(read(out, "servers/a.ts"), None);
        assert_eq!(read(out, "servers/index.ts").as_deref(), Some("mine"));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_manifests_do_not_lead_out_of_the_folder() {
        let (folder, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let out = folder.path();
        std::os::unix::fs::symlink(outside.path(), out.join("servers")).unwrap();
        let refused = write_tree(out, &[file("servers/a.ts", "1")]);
        assert!(matches!(refused, Err(WriteError::Link { path }) if path == out.join("servers")));
        fs::remove_file(out.join("servers")).unwrap();

        fs::write(folder.path().join("keep"), "x").unwrap();
        let inner = out.join("inner");
        fs::create_dir(&inner).unwrap();
        let hash = crate::fingerprint::sha256_hex(&[b"x"]);
        let manifest = format!("{{\"format\": 1, \"files\": {{\"../keep\": \"{hash}\"}}}}");
        fs::write(inner.join(super::MANIFEST), manifest).unwrap();
        write_tree(&inner, &[]).unwrap();
        assert_eq!(read(out, "keep").as_deref(), Some("x"));
    }
}
