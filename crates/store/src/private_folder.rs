//! Makes a state folder private, whoever created it: only its owner can read what is in it.
//!
//! In: the path of a state folder. Out: how many entries had to be changed, or why the folder
//! cannot be used. Links are never followed. One in place of the folder or of something in it
//! is refused, and so is anything that belongs to somebody else: they could read or replace
//! what is stored. The same goes for a folder that others can put in its place, since they can
//! write to one above it.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::private_files::create_private_dir;

/// A folder of programs that `doctor --fix` installs. They are no secret, but they are
/// executed.
const TOOLS: &str = "tools";

/// The rights of others.
const OTHERS: u32 = 0o077;

/// The rights of others to change something.
const OTHERS_WRITE: u32 = 0o022;

/// In such a folder, nobody can rename what belongs to another.
const STICKY: u32 = 0o1000;

/// The rights that others lose to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    All,
    /// Programs: others may read and execute them.
    Write,
}

impl Taken {
    const fn rights(self) -> u32 {
        match self {
            Self::All => OTHERS,
            Self::Write => OTHERS_WRITE,
        }
    }
}

/// Makes a state folder private; creates it if it is missing. Returns how many entries others
/// had rights to.
pub fn make_state_private(state_dir: &Path) -> Result<usize, StoreError> {
    check_ancestors(state_dir)?;
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
    let mut folders = vec![(state_dir.to_owned(), Taken::All)];
    while let Some((folder, taken)) = folders.pop() {
        let Some(data) = metadata(&folder)?.filter(Metadata::is_dir) else { continue };
        changed += usize::from(make_private(&folder, &data, taken)?);
        for entry in entries(&folder)? {
            let Some(data) = metadata(&entry)? else { continue };
            let is_top = folder == state_dir;
            let taken = if is_top && entry.ends_with(TOOLS) { Taken::Write } else { taken };
            if data.is_symlink() && is_top {
                let remedy = "remove it; to keep the state elsewhere, set `TIDEGATE_HOME`";
                return Err(unfit(&entry, "is a link", remedy));
            } else if data.is_dir() {
                folders.push((entry, taken));
            } else if data.is_file() {
                changed += usize::from(make_private(&entry, &data, taken)?);
            } else if taken == Taken::Write {
                // Links among programs are executed too.
                check_owner(&entry, &data, taken)?;
            }
        }
    }
    Ok(changed)
}

/// Nobody else can replace the state folder, or one that it is in.
fn check_ancestors(state_dir: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::File { path: state_dir.to_owned(), source };
    let path = std::path::absolute(state_dir).map_err(failed)?;
    let resolved = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
    let resolved = resolved.unwrap_or_default();
    for folder in resolved.ancestors().chain(path.ancestors().skip(1)) {
        // One that is missing will be made private.
        let Ok(data) = fs::metadata(folder) else { continue };
        let mode = data.permissions().mode();
        let by_group = mode & 0o020 != 0 && !is_own_group(data.gid());
        if mode & STICKY == 0 && (by_group || mode & 0o002 != 0) {
            let why = "can be written by others, who could replace the state folder in it";
            let remedy = "take this right away with `chmod go-w`, or set `TIDEGATE_HOME` to a folder \
                          of your own";
            return Err(unfit(folder, why, remedy));
        }
    }
    Ok(())
}

/// Many systems give each user a group of their own, and folders that it can write.
fn is_own_group(group: u32) -> bool {
    group == 0 || group == rustix::process::getegid().as_raw()
}

/// Takes rights of others away. Returns whether there were any.
fn make_private(path: &Path, data: &Metadata, taken: Taken) -> Result<bool, StoreError> {
    check_owner(path, data, taken)?;
    let (mode, rights) = (data.permissions().mode() & 0o7777, taken.rights());
    if mode & rights == 0 {
        return Ok(false);
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !rights)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::File { path: path.to_owned(), source }),
    }
}

fn check_owner(path: &Path, data: &Metadata, taken: Taken) -> Result<(), StoreError> {
    let owner = data.uid();
    // Root may have installed the programs.
    let is_roots_program = owner == 0 && taken == Taken::Write;
    if owner == rustix::process::geteuid().as_raw() || is_roots_program {
        return Ok(());
    }
    let remedy = "give it to yourself with `chown -R`, or set `TIDEGATE_HOME` to a folder of your \
                  own";
    Err(unfit(path, "belongs to another user", remedy))
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
        // And the program.
        assert_eq!(make_state_private(&state).unwrap(), files.len() + folders.len() + 1);
        for name in files {
            assert_eq!(rights(&state.join(name)), 0o600, "{name}");
        }
        for name in folders {
            assert_eq!(rights(&state.join(name)), 0o700, "{name}");
        }
        // What a link points to is none of ours.
        assert_eq!(rights(&other), 0o644);
        // Programs are no secret.
        assert_eq!(rights(&state.join("tools/bin/tsc")), 0o644);
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
        let link = "tools/.bin/tsc";
        for name in ["", "outputs", "outputs/r1.json", "tools", "tools/tsc.js", link] {
            let state = folder.path().join(format!("state-{}", name.len()));
            for folder in ["outputs", "tools/.bin"] {
                fs::create_dir_all(state.join(folder)).unwrap();
            }
            for file in ["outputs/r1.json", "tools/tsc.js"] {
                fs::write(state.join(file), "").unwrap();
            }
            symlink("../tsc.js", state.join(link)).unwrap();
            let path = state.join(name);
            std::os::unix::fs::lchown(&path, Some(65534), Some(65534)).unwrap();
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

    #[test]
    fn g48_programs_in_the_folder_are_changed_by_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        fs::create_dir_all(state.join("tools/.bin")).unwrap();
        make_state_private(&state).unwrap();
        for name in ["tools", "tools/.bin", "tools/tsc.js"] {
            if name.ends_with("js") {
                fs::write(state.join(name), "").unwrap();
            }
            open_to_all(&state.join(name), 0o777);
        }
        symlink("../tsc.js", state.join("tools/.bin/tsc")).unwrap();
        assert_eq!(make_state_private(&state).unwrap(), 3);
        for name in ["tools", "tools/.bin", "tools/tsc.js"] {
            assert_eq!(rights(&state.join(name)), 0o755, "{name}");
        }
        assert_eq!(make_state_private(&state).unwrap(), 0);
    }

    #[test]
    fn g48_a_folder_that_others_can_replace_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (above, parent) = (folder.path().join("above"), folder.path().join("above/parent"));
        let state = parent.join("state");
        fs::create_dir_all(&parent).unwrap();
        for open in [&above, &parent] {
            for mode in [0o777, 0o757] {
                open_to_all(open, mode);
                let refused = make_state_private(&state).unwrap_err().to_string();
                let expected = format!(
                    "`{}` can be written by others, who could replace the state folder in it: take \
                     this right away with `chmod go-w`, or set `TIDEGATE_HOME` to a folder of your \
                     own",
                    open.display()
                );
                assert_eq!(refused, expected);
                assert!(!state.exists());
            }
            // As in `/tmp`: they cannot rename what is not theirs.
            open_to_all(open, 0o1777);
            make_state_private(&state).unwrap();
            fs::remove_dir(&state).unwrap();
            // A link elsewhere does not hide it.
            open_to_all(open, 0o777);
            let link = folder.path().join("link");
            symlink(&parent, &link).unwrap();
            make_state_private(&link.join("state")).unwrap_err();
            fs::remove_file(&link).unwrap();
            // A group of one's own can write.
            open_to_all(open, 0o775);
            make_state_private(&state).unwrap();
            fs::remove_dir(&state).unwrap();
            open_to_all(open, 0o755);
        }
    }
}
