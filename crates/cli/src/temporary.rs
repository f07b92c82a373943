//! A folder for one command, removed with it.
//!
//! In: what it is for. Out: a new folder that nobody else can enter. What must stay
//! true: it was made here. Others can write to the folder of temporary files too, and
//! what they have put there in advance must never become our state.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Removed when dropped.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub(crate) fn new(purpose: &str) -> anyhow::Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).context("there are no random numbers")?;
        let name = format!("tidegate-{purpose}-{:032x}", u128::from_le_bytes(random));
        let folder = std::env::temp_dir().join(name);
        make(&folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// An error if anything is there, a link included.
fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{TemporaryFolder, make};

    #[test]
    fn a_folder_is_new_private_and_removed() {
        let (first, second) =
            (TemporaryFolder::new("x").unwrap(), TemporaryFolder::new("x").unwrap());
        assert_ne!(first.path(), second.path());
        let mode = first.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }

    #[test]
    fn what_somebody_has_put_there_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let (planted, link) = (folder.path().join("planted"), folder.path().join("link"));
        std::fs::create_dir(&planted).unwrap();
        symlink(&planted, &link).unwrap();
        assert!(make(&planted).is_err());
        assert!(make(&link).is_err());
        assert!(make(&folder.path().join("new")).is_ok());
    }
}
