//! The key of the vault.
//!
//! By default the file `vault.key` in the state folder: 32 random bytes, created when the
//! vault is first opened, readable by its owner only. It protects copies of the database
//! (a backup, a sold disk, a file sent to somebody), not against anybody who can read the
//! whole state folder.
//!
//! The system's keychain would be better where there is one. Servers have none, and the
//! crate that supports all of them (`keyring`) pulls in D-Bus and an async runtime on
//! Linux. So the file is what always works, and a caller with a keychain, a secret manager
//! or a hardware key passes its key to [`VaultKey::from_bytes`].

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use zeroize::Zeroizing;

use crate::StoreError;
use crate::private_files::create_private_dir;

const FILE: &str = "vault.key";
const BYTES: usize = 32;

/// A key, wiped when it is no longer needed. Prints as `VaultKey(..)`.
pub struct VaultKey(Zeroizing<[u8; BYTES]>);

impl fmt::Debug for VaultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VaultKey(..)")
    }
}

impl VaultKey {
    /// A key from elsewhere. It must be random, not a password.
    pub fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The key in the file `vault.key` of a state folder, which is created if it is
    /// missing.
    pub fn from_state(state_dir: &Path) -> Result<Self, StoreError> {
        create_private_dir(state_dir)?;
        let path = state_dir.join(FILE);
        // If two processes create one at the same time, one succeeds and the other reads
        // it.
        match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(state_dir, &path)?,
            _ => {}
        }
        read(&path)
    }

    pub(super) fn expose(&self) -> &[u8; BYTES] {
        &self.0
    }
}

/// Written completely under another name and then linked into place, which fails if
/// another process was faster: nobody ever reads a partial key.
fn make(state_dir: &Path, path: &Path) -> Result<(), StoreError> {
    let mut key = Zeroizing::new([0; BYTES]);
    getrandom::fill(&mut *key).map_err(|_| StoreError::NoRandomness)?;
    let name = getrandom::u64().map_err(|_| StoreError::NoRandomness)?;
    let unfinished = state_dir.join(format!("{FILE}.{name:016x}"));
    let failed = |source| StoreError::File { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&unfinished).and_then(|mut file| {
        file.write_all(&*key)?;
        file.sync_all()?;
        std::fs::hard_link(&unfinished, path)
    });
    let _ = std::fs::remove_file(&unfinished);
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<VaultKey, StoreError> {
    let failed = |source| StoreError::File { path: path.to_owned(), source };
    let unfit = |why: &'static str, remedy: &'static str| StoreError::UnfitKey {
        path: path.to_owned(),
        why,
        remedy,
    };
    let file = open(path).map_err(|error| {
        if is_link(path) {
            unfit("is a link", "put the file itself there, or remove the link")
        } else {
            failed(error)
        }
    })?;
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(unfit("is not a file", "remove it; a new key is made, old values are lost"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if about.mode() & 0o077 != 0 {
            return Err(unfit(
                "can be read by others",
                "run `chmod 600` on it; if others may have read it, remove it instead",
            ));
        }
        if about.uid() != rustix::process::geteuid().as_raw() {
            return Err(unfit("belongs to another user", "run `chown` on it"));
        }
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(BYTES + 1));
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    let key: [u8; BYTES] = bytes.as_slice().try_into().map_err(|_| {
        unfit(
            "does not have 32 bytes",
            "restore it from a backup, or remove it: old values are lost",
        )
    })?;
    Ok(VaultKey::from_bytes(key))
}

/// Does not follow a link, which could lead to a file that somebody else can write.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    options.open(path)
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_symlink())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::VaultKey;

    fn message(state: &Path) -> String {
        VaultKey::from_state(state).unwrap_err().to_string().replace(state.to_str().unwrap(), "DIR")
    }

    #[test]
    fn the_key_is_made_once_for_its_owner_only() {
        let state = tempfile::tempdir().unwrap();
        let first = VaultKey::from_state(state.path()).unwrap();
        let second = VaultKey::from_state(state.path()).unwrap();
        assert_eq!(first.expose(), second.expose());
        assert_ne!(first.expose(), &[0; 32]);
        let mode = fs::metadata(state.path().join("vault.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 1);
        assert_eq!(format!("{first:?}"), "VaultKey(..)");
    }

    #[test]
    fn processes_that_start_at_once_have_one_key() {
        let state = tempfile::tempdir().unwrap();
        let keys: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let open = || scope.spawn(|| *VaultKey::from_state(state.path()).unwrap().expose());
            let threads: Vec<_> = (0..8).map(|_| open()).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(keys, vec![keys[0]; 8]);
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let state = tempfile::tempdir().unwrap();
        VaultKey::from_state(state.path()).unwrap();
        let path = state.path().join("vault.key");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(
            message(state.path()),
            "the vault's key `DIR/vault.key` can be read by others: run `chmod 600` on it; if \
             others may have read it, remove it instead"
        );
    }

    #[test]
    fn a_link_a_folder_and_half_a_key_are_refused() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("vault.key");
        symlink(state.path().join("elsewhere"), &path).unwrap();
        assert_eq!(
            message(state.path()),
            "the vault's key `DIR/vault.key` is a link: put the file itself there, or remove the \
             link"
        );
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(
            message(state.path()),
            "the vault's key `DIR/vault.key` is not a file: remove it; a new key is made, old \
             values are lost"
        );
        fs::remove_dir(&path).unwrap();
        fs::write(&path, [1; 31]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(
            message(state.path()),
            "the vault's key `DIR/vault.key` does not have 32 bytes: restore it from a backup, or \
             remove it: old values are lost"
        );
    }
}
