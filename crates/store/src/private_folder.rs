//! Makes a state folder private, whoever created it: only its owner can read what is in it.
//!
//! In: the path of a state folder. Out: how many entries had to be changed, or why the folder
//! cannot be used. Links are never followed. One in place of the folder or of something in it
//! is refused, and so is anything that belongs to somebody else: they could read or replace
//! what is stored.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::private_files::create_private_dir;

/// A folder of programs that `doctor --fix` installs. They are no secret, and many.
const TOOLS: &str = "tools";

/// The rights of others.
const OTHERS: u32 = 0o077;

/// Makes a state folder private; creates it if it is missing. Returns how many entries others
/// had rights to.
pub fn make_state_private(state_dir: &Path) -> Result<usize, StoreError> {
    match fs::symlink_metadata(state_dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_private_dir(state_dir)?,
        Err(source) => return Err(StoreError::File { path: state_dir.to_owned(), source }),
        Ok(data) if !data.is_dir() => {
            let why = if data.is_symlink() { "is a link" } else { "is not a folder" };
            return Err(unfit(state_dir, why, "set `TIDEGATE_HOME` to a folder of your own"));
        }
        Ok(_) => {}
    }
    // The folder first: from then on nobody else can change what is in it.
    let mut changed = 0;
    let mut folders = vec![state_dir.to_owned()];
    while let Some(folder) = folders.pop() {
        let data = metadata(&folder)?;
        if data.is_some_and(|data| data.is_dir()) {
            changed += usize::from(make_private(&folder)?);
            for entry in entries(&folder)? {
                let is_top = folder == state_dir;
                match metadata(&entry)? {
                    Some(data) if data.is_symlink() && is_top => {
                        let remedy = "remove it; to keep the state elsewhere, set `TIDEGATE_HOME`";
                        return Err(unfit(&entry, "is a link", remedy));
                    }
                    Some(data) if data.is_dir() && is_top && entry.ends_with(TOOLS) => {}
                    Some(data) if data.is_dir() => folders.push(entry),
                    Some(data) if data.is_file() => changed += usize::from(make_private(&entry)?),
                    Some(_) | None => {}
                }
            }
        }
    }
    Ok(changed)
}

/// Takes the rights of others away. Returns whether there were any.
fn make_private(path: &Path) -> Result<bool, StoreError> {
    let Some(data) = metadata(path)? else { return Ok(false) };
    if data.uid() != rustix::process::geteuid().as_raw() {
        let remedy = "give it to yourself with `chown -R`, or set `TIDEGATE_HOME` to a folder of \
                      your own";
        return Err(unfit(path, "belongs to another user", remedy));
    }
    let mode = data.permissions().mode() & 0o7777;
    if mode & OTHERS == 0 {
        return Ok(false);
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

/// `None` if it has just been removed: other gateways share the folder.
fn metadata(path: &Path) -> Result<Option<Metadata>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(data) => Ok(Some(data)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |source| StoreError::File { path: folder.to_owned(), source };
    match fs::read_dir(folder) {
        Ok(entries) => {
            entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(failed(source)),
    }
}

fn unfit(path: &Path, why: &'static str, remedy: &'static str) -> StoreError {
    StoreError::UnfitFolder { path: path.to_owned(), why, remedy }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::make_state_private;

    fn rights(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn open_to_all(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn g48_a_folder_that_was_open_to_others_is_private_after_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let (state, other) = (folder.path().join("state"), folder.path().join("other"));
        fs::write(&other, "").unwrap();
        open_to_all(&other, 0o644);
        for name in ["outputs", "skills/one", "tools/bin"] {
            fs::create_dir_all(state.join(name)).unwrap();
        }
        let files = ["record.db", "record.db-wal", "vault.key", "outputs/r1.json", "skills/one/a"];
        for name in files.iter().chain(&["tools/bin/tsc"]) {
            fs::write(state.join(name), "").unwrap();
            open_to_all(&state.join(name), 0o666);
        }
        let folders = ["", "outputs", "skills", "skills/one"];
        for name in folders {
            open_to_all(&state.join(name), 0o755);
        }
        symlink(&other, state.join("outputs/link")).unwrap();
        assert_eq!(make_state_private(&state).unwrap(), files.len() + folders.len());
        for name in files {
            assert_eq!(rights(&state.join(name)), 0o600, "{name}");
        }
        for name in folders {
            assert_eq!(rights(&state.join(name)), 0o700, "{name}");
        }
        // What a link points to is none of ours.
        assert_eq!(rights(&other), 0o644);
        assert_eq!(rights(&state.join("tools/bin/tsc")), 0o666);
        assert_eq!(make_state_private(&state).unwrap(), 0);
        // A missing folder is made.
        let new = folder.path().join("new/state");
        assert_eq!(make_state_private(&new).unwrap(), 0);
        assert_eq!(rights(&new), 0o700);
    }

    #[test]
    fn g48_a_link_in_place_of_the_folder_or_in_it_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (state, elsewhere) = (folder.path().join("state"), folder.path().join("elsewhere"));
        fs::create_dir(&elsewhere).unwrap();
        open_to_all(&elsewhere, 0o755);
        symlink(&elsewhere, &state).unwrap();
        let refused = |what: &str, why: &str, remedy: &str| {
            let path = folder.path().join(what);
            let expected = format!("`{}` {why}: {remedy}", path.display());
            assert_eq!(make_state_private(&state).unwrap_err().to_string(), expected);
        };
        let own_folder = "set `TIDEGATE_HOME` to a folder of your own";
        refused("state", "is a link", own_folder);
        fs::remove_file(&state).unwrap();
        fs::write(&state, "").unwrap();
        refused("state", "is not a folder", own_folder);
        fs::remove_file(&state).unwrap();
        fs::create_dir(&state).unwrap();
        for name in ["outputs", "record.db", "vault.key"] {
            symlink(&elsewhere, state.join(name)).unwrap();
            let remedy = "remove it; to keep the state elsewhere, set `TIDEGATE_HOME`";
            refused(&format!("state/{name}"), "is a link", remedy);
            fs::remove_file(state.join(name)).unwrap();
        }
        assert_eq!(rights(&elsewhere), 0o755);
    }

    #[test]
    fn g48_what_belongs_to_another_user_is_refused() {
        if !rustix::process::geteuid().is_root() {
            // Only root can give a file away.
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "outputs", "outputs/r1.json"] {
            let state = folder.path().join(format!("state-{}", name.len()));
            fs::create_dir_all(state.join("outputs")).unwrap();
            fs::write(state.join("outputs/r1.json"), "").unwrap();
            let path = state.join(name);
            std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
            assert_eq!(
                make_state_private(&state).unwrap_err().to_string(),
                format!(
                    "`{}` belongs to another user: give it to yourself with `chown -R`, or set \
                     `TIDEGATE_HOME` to a folder of your own",
                    path.to_string_lossy().trim_end_matches('/')
                )
            );
        }
    }
}
