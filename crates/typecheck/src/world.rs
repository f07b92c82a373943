//! Worlds: the folders in which programs are checked.
//!
//! In: the declarations that one program needs. Out: a folder with exactly these
//! declarations, our own files (for TypeScript a tsconfig and the globals) and an empty
//! program, leased to one check at a time. Idle worlds are reused; the least recently used
//! ones are removed first.
//! Invariants: a world never changes after it was written, so the compiler may cache it.
//! Concurrent checks get separate copies, so a program never sees another one. Folder names
//! are random, since a program could import from a folder whose name it can guess.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::dialect::Dialect;
use crate::scratch::{Scratch, make_private, random_name};

/// The most idle worlds on disk.
const MAX_IDLE_WORLDS: usize = 32;
/// The most bytes of declarations for one program.
const DECLARATION_BYTES: usize = 8 * 1024 * 1024;

/// A declaration file that a program can import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative, with `/` as the separator: `servers/github/index.ts`.
    pub path: String,
    /// Its content.
    pub text: Arc<str>,
}

/// All worlds of this process.
pub(crate) struct Worlds {
    scratch: Scratch,
    dialect: Dialect,
    /// Least recently used first.
    idle: Mutex<Vec<World>>,
}

struct World {
    files: Fingerprint,
    folder: PathBuf,
}

type Fingerprint = [u8; 32];

impl Worlds {
    pub(crate) fn new(scratch: Scratch, dialect: Dialect) -> Self {
        Self { scratch, dialect, idle: Mutex::default() }
    }

    /// The folder that contains all worlds.
    pub(crate) fn folder(&self) -> &Path {
        self.scratch.folder()
    }

    /// A world with these files that no other check uses. Blocks on the disk.
    pub(crate) fn lease(self: &Arc<Self>, files: &[SourceFile]) -> io::Result<Lease> {
        let fingerprint = fingerprint(files);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle.iter().rposition(|world| world.files == fingerprint);
        let known = known.map(|at| idle.remove(at));
        drop(idle);
        let world = match known {
            Some(world) => world,
            None => {
                let folder = write(self.folder(), self.dialect, files)?;
                World { files: fingerprint, folder }
            }
        };
        Ok(Lease { worlds: Arc::clone(self), world: Some(world) })
    }

    fn give_back(&self, world: World) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(world);
        let oldest = (idle.len() > MAX_IDLE_WORLDS).then(|| idle.remove(0));
        drop(idle);
        if let Some(world) = oldest {
            // A folder that remains is removed with the scratch folder.
            let _ = fs::remove_dir_all(world.folder);
        }
    }
}

/// A world in use. Dropped only after its document has been closed.
pub(crate) struct Lease {
    worlds: Arc<Worlds>,
    world: Option<World>,
}

impl Lease {
    pub(crate) fn folder(&self) -> &Path {
        self.world.as_ref().map_or(Path::new(""), |world| &world.folder)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(world) = self.world.take() {
            self.worlds.give_back(world);
        }
    }
}

/// Why these files cannot be written, if so: names that lead outside, or too much text.
pub(crate) fn refusal(dialect: Dialect, files: &[SourceFile]) -> Option<&'static str> {
    let size: usize = files.iter().map(|file| file.text.len()).sum();
    if size > DECLARATION_BYTES {
        return Some("its declarations are larger than 8 MB");
    }
    files
        .iter()
        .any(|file| !is_plain(dialect, &file.path))
        .then_some("a declaration has an invalid file name")
}

fn is_plain(dialect: Dialect, path: &str) -> bool {
    let components = || Path::new(path).components();
    !path.contains(['\\', '\0'])
        && path.ends_with(dialect.ending())
        && path != dialect.program()
        && !dialect.own_files().iter().any(|(own, _)| *own == path)
        && components().all(|part| matches!(part, Component::Normal(_)))
}

fn fingerprint(files: &[SourceFile]) -> Fingerprint {
    let mut files: Vec<&SourceFile> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hash = Sha256::new();
    for file in files {
        for part in [file.path.as_bytes(), file.text.as_bytes()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}

fn write(scratch: &Path, dialect: Dialect, files: &[SourceFile]) -> io::Result<PathBuf> {
    let folder = scratch.join(random_name()?);
    make_private(&folder)?;
    let own = dialect.own_files();
    let own = own.iter().map(|(path, text)| (*path, text.as_str()));
    for (path, text) in files.iter().map(|file| (file.path.as_str(), &*file.text)).chain(own) {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    // The program itself is a document in memory that replaces this file. The file must
    // exist, or the document belongs to no project.
    fs::write(folder.join(dialect.program()), "")?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use super::{Dialect, MAX_IDLE_WORLDS, Scratch, SourceFile, Worlds, refusal};

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: Arc::from(text) }
    }

    fn worlds(folder: &Path) -> Arc<Worlds> {
        Arc::new(Worlds::new(Scratch::make(folder).unwrap(), Dialect::TypeScript))
    }

    #[test]
    fn the_same_files_get_the_same_folder_and_others_another() {
        let folder = tempfile::tempdir().unwrap();
        let worlds = worlds(folder.path());
        let (a, b) = (file("servers/a.ts", "1"), file("servers/b.ts", "2"));
        let first = worlds.lease(&[a.clone(), b.clone()]).unwrap().folder().to_owned();
        assert_eq!(fs::read_to_string(first.join("servers/a.ts")).unwrap(), "1");
        assert_eq!(worlds.lease(&[b, a.clone()]).unwrap().folder(), first);
        assert_ne!(worlds.lease(&[a, file("servers/b.ts", "3")]).unwrap().folder(), first);
    }

    #[test]
    fn a_world_is_used_by_one_check_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let worlds = worlds(folder.path());
        let (one, two) = (worlds.lease(&[]).unwrap(), worlds.lease(&[]).unwrap());
        assert_ne!(one.folder(), two.folder());
    }

    #[test]
    fn the_oldest_idle_worlds_are_removed_and_those_in_use_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let worlds = worlds(folder.path());
        let used = worlds.lease(&[]).unwrap();
        let mut made = Vec::new();
        for number in 0..=MAX_IDLE_WORLDS {
            let lease = worlds.lease(&[file("a.ts", &number.to_string())]).unwrap();
            made.push(lease.folder().to_owned());
        }
        let there: Vec<bool> = made.iter().map(|folder| folder.exists()).collect();
        let mut expected = vec![true; MAX_IDLE_WORLDS + 1];
        expected[0] = false;
        assert_eq!((there, used.folder().exists()), (expected, true));
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        let bad = Some("a declaration has an invalid file name");
        let refusal = |files: &[SourceFile]| refusal(Dialect::TypeScript, files);
        for path in ["../a.ts", "/a.ts", "a/../../b.ts", "a.js", "program.ts", "a\\b.ts", ""] {
            assert_eq!(refusal(&[file(path, "")]), bad, "{path}");
        }
        assert_eq!(refusal(&[file("servers/a b/index.d.ts", "")]), None);
        let large = "x".repeat(8 * 1024 * 1024 + 1);
        assert_eq!(refusal(&[file("a.ts", &large)]), Some("its declarations are larger than 8 MB"));
    }
}
