//! A private folder for the state of one command, removed when it is dropped.
//!
//! In: its purpose. Out: a new folder in the folder of temporary files.
//! Invariant: only this user can enter it. Others can write to the folder of temporary
//! files too, and nothing that they put there may become our state; `tempfile` creates
//! a folder that did not exist, or fails.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use anyhow::Context;
use tempfile::{Builder, TempDir};

pub(crate) fn private_folder(purpose: &str) -> anyhow::Result<TempDir> {
    let mut folder = Builder::new();
    folder.permissions(Permissions::from_mode(0o700));
    let folder = folder.prefix(&format!("tidegate-{purpose}-")).tempdir();
    folder.context("cannot create a temporary folder")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::private_folder;

    #[test]
    fn a_folder_is_new_private_and_removed() {
        let (first, second) = (private_folder("x").unwrap(), private_folder("x").unwrap());
        assert_ne!(first.path(), second.path());
        let mode = first.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
