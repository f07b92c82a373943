//! The typed APIs on disk.
//!
//! In: the files of `tree.rs` and a folder. Out: the folder holds exactly these
//! files, and a manifest with the hash of each. Files that are right already are
//! left alone, so that nobody who watches them wakes up; files of an earlier run
//! that are not part of the tree any more are removed; files that we did not
//! write are never touched.

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
#[error("cannot write `{path}`")]
pub struct WriteError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// New or changed files.
    pub written: usize,
    /// Files that were right already.
    pub unchanged: usize,
    /// Files of an earlier run that are gone now.
    pub removed: usize,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// SHA-256 by path.
    files: BTreeMap<String, String>,
}

/// Brings a folder into the state of `files`.
pub fn write_tree(folder: &Path, files: &[TreeFile]) -> Result<Written, WriteError> {
    let path = folder.join(MANIFEST);
    let before: Manifest = fs::read(&path)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let mut done = Written::default();
    let mut manifest = Manifest { format: 1, files: BTreeMap::new() };
    for (name, text) in files {
        manifest.files.insert(name.clone(), sha256_hex(&[text.as_bytes()]));
        match put(&folder.join(name), text.as_bytes())? {
            true => done.written += 1,
            false => done.unchanged += 1,
        }
    }
    for name in before.files.keys().filter(|name| !manifest.files.contains_key(*name)) {
        // The manifest is a file that anybody may have changed.
        if is_inside(name) && fs::remove_file(folder.join(name)).is_ok() {
            done.removed += 1;
            // Fails unless the folder is empty, as it should.
            let _ = folder.join(name).parent().map(fs::remove_dir);
        }
    }
    let failed =
        |source: serde_json::Error| WriteError { path: path.clone(), source: source.into() };
    let text = serde_json::to_string_pretty(&manifest).map_err(failed)?;
    put(&path, (text + "\n").as_bytes())?;
    Ok(done)
}

/// Writes a file unless it says this already. Whether it was written.
fn put(path: &Path, text: &[u8]) -> Result<bool, WriteError> {
    if fs::read(path).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    let failed = |source| WriteError { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    // Beside it and renamed: a reader never sees half a file.
    let unfinished = path.with_extension("part");
    fs::write(&unfinished, text).map_err(failed)?;
    fs::rename(&unfinished, path).map_err(failed)?;
    Ok(true)
}

fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}
