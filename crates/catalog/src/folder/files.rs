//! Finds the files of a folder to read.
//!
//! In: the folder that was named. Out: its `*.json` files and those of its
//! subfolders, sorted, so that every machine reads them in the same order.
//! Nothing outside that folder is read: a link to a folder is not entered, a
//! link to a file counts only if it leads to a file inside. Names that begin with
//! a dot are ignored.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::FolderError;

/// How deep folders are read. Chosen: catalogs have one or two levels, and reading a folder
/// that was named by mistake (a home, a project with its packages) ends soon.
pub(super) const MAX_DEPTH: usize = 8;

/// The `*.json` files in and below `root`, sorted.
pub(super) fn below(
    root: &Path,
    problems: &mut Vec<FolderError>,
) -> Result<Vec<PathBuf>, FolderError> {
    let inside = fs::canonicalize(root).map_err(|source| failed(root, source))?;
    let mut walk = Walk { inside, files: Vec::new(), folders: Vec::new(), problems };
    walk.read(root, 0)?;
    while let Some((folder, depth)) = walk.folders.pop() {
        if let Err(problem) = walk.read(&folder, depth) {
            walk.problems.push(problem);
        }
    }
    walk.files.sort();
    Ok(walk.files)
}

struct Walk<'a> {
    inside: PathBuf,
    files: Vec<PathBuf>,
    folders: Vec<(PathBuf, usize)>,
    problems: &'a mut Vec<FolderError>,
}

impl Walk<'_> {
    fn read(&mut self, folder: &Path, depth: usize) -> Result<(), FolderError> {
        let entries = fs::read_dir(folder).map_err(|source| failed(folder, source))?;
        let mut entries = entries
            .collect::<Result<Vec<DirEntry>, _>>()
            .map_err(|source| failed(folder, source))?;
        // The system's order differs between machines; problems are reported in sorted order.
        entries.sort_by_key(DirEntry::path);
        for entry in entries {
            if let Err(problem) = self.take(&entry, depth) {
                self.problems.push(problem);
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: &DirEntry, depth: usize) -> Result<(), FolderError> {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            return Ok(());
        }
        let named_json = path.extension().is_some_and(|end| end == "json");
        let kind = entry.file_type().map_err(|source| failed(&path, source))?;
        if kind.is_symlink() {
            return self.take_link(path, named_json);
        }
        if kind.is_dir() {
            if depth == MAX_DEPTH {
                return Err(FolderError::TooDeep { path, limit: MAX_DEPTH });
            }
            self.folders.push((path, depth + 1));
        } else if kind.is_file() && named_json {
            // Regular files only: reading a pipe could block forever.
            self.files.push(path);
        }
        Ok(())
    }

    fn take_link(&mut self, path: PathBuf, named_json: bool) -> Result<(), FolderError> {
        if path.is_dir() {
            return Err(FolderError::Link { path, reason: "to folders are not followed" });
        }
        if !named_json {
            return Ok(());
        }
        let target = fs::canonicalize(&path).map_err(|source| failed(&path, source))?;
        if !target.starts_with(&self.inside) {
            return Err(FolderError::Link { path, reason: "out of the catalog are not followed" });
        }
        if target.is_file() {
            self.files.push(path);
        }
        Ok(())
    }
}

fn failed(path: &Path, source: std::io::Error) -> FolderError {
    FolderError::Read { path: path.to_owned(), source }
}
