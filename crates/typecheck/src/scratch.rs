//! The scratch folder of this process: `<folder>/<random>/`, with a lock.
//!
//! In: a folder that several gateways may share. Out: a folder below it for this process
//! only, private to its user and removed at the end.
//! Invariant: the folder of a running process is never removed. Its lock is released by the
//! kernel when the process dies, so the next gateway recognises and removes leftovers.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

const LOCK: &str = "lock";

pub(crate) struct Scratch {
    folder: PathBuf,
    /// Held until the process ends.
    _lock: File,
}

impl Scratch {
    /// Creates the folder, and removes those of dead processes.
    pub(crate) fn make(shared: &Path) -> io::Result<Self> {
        make_private(shared)?;
        // The compiler reports canonical paths; ours must have the same prefix.
        let shared = shared.canonicalize()?;
        // Held while the folder is created and locked, so that it is not removed in between.
        let entrance = lock_file(&shared)?;
        entrance.lock()?;
        sweep(&shared);
        let folder = shared.join(random_name()?);
        make_private(&folder)?;
        let lock = lock_file(&folder)?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the next gateway removes the folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn sweep(shared: &Path) {
    for entry in fs::read_dir(shared).into_iter().flatten().flatten() {
        let folder = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let abandoned = match File::open(folder.join(LOCK)) {
            Ok(lock) => lock.try_lock().is_ok(),
            // Folders get their lock file under the shared lock, so one without it was
            // partly removed.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if abandoned && let Err(error) = fs::remove_dir_all(&folder) {
            tracing::debug!(folder = %folder.display(), %error, "could not remove a leftover folder");
        }
    }
}

fn lock_file(folder: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))
}

/// A name that no program can guess.
pub(crate) fn random_name() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Scratch;

    fn folders(shared: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(shared)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock")
            .collect();
        names.sort();
        names
    }

    fn name(scratch: &Scratch) -> String {
        scratch.folder().file_name().unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn leftovers_are_removed_and_folders_in_use_are_not() {
        let shared = tempfile::tempdir().unwrap();
        let living = Scratch::make(shared.path()).unwrap();
        fs::create_dir(shared.path().join("dead")).unwrap();
        fs::write(shared.path().join("dead/lock"), "").unwrap();
        fs::create_dir_all(shared.path().join("half/world")).unwrap();
        let second = Scratch::make(shared.path()).unwrap();
        let mut expected = vec![name(&living), name(&second)];
        expected.sort();
        assert_eq!(folders(shared.path()), expected);
        drop(living);
        assert_eq!(folders(shared.path()), [name(&second)]);
    }
}
