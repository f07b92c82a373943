//! The key of the person who approves.
//!
//! In: a passphrase that only this person knows. Out: signatures under their decisions, and
//! the verification of those. The file `approver.key` holds the public half and the
//! parameters of the derivation, so whoever reads it can check a decision and not make one.
//! It is in a folder of root's, if root has put one there, else in the state folder.
//!
//! PBKDF2 and Ed25519, since `ring` is linked for TLS already: no dependency is added.
//!
//! The file also says whether a reply to a form of a client counts, which nobody signs. So a
//! gateway that has pinned a key has pinned this too.
//!
//! Invariant: the passphrase and the private half are never written. A file that others can
//! write is an error and never means that there is no key.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::StoreError;
use crate::private_files::create_private_dir;

const FILE: &str = "approver.key";

/// Root's folder. Nobody but root can replace a key in it.
const SYSTEM_FOLDER: &str = "/etc/tidegate";

/// The recommendation of OWASP (2023) for PBKDF2 with SHA-256; about 0.2 s.
const ITERATIONS: u32 = 600_000;

/// The most iterations that a file can ask for: it must not be able to block a command.
const MAX_ITERATIONS: u32 = 10_000_000;

/// No key file is larger.
const MAX_BYTES: u64 = 4096;

const KDF: &str = "pbkdf2-hmac-sha256";

/// Where a key is, and so who can replace it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// In the state folder: whoever can write there.
    State,
    /// In root's folder: root.
    System,
}

/// Whether a client's reply to a form counts as the person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientForms {
    /// It does, unsigned: whoever is the client of a gateway can approve.
    #[default]
    Count,
    /// It does not: every approval needs the passphrase.
    DoNotCount,
}

/// The public half, and how to derive the private one.
#[derive(Clone, PartialEq, Eq)]
pub struct ApproverKey {
    place: KeyPlace,
    content: KeyFile,
}

/// The content of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    kdf: String,
    iterations: NonZeroU32,
    salt: String,
    public_key: String,
    /// Absent in files of earlier versions.
    #[serde(default)]
    client_forms: ClientForms,
}

/// The private half, for as long as a command needs it.
pub struct Signer(Ed25519KeyPair);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer(..)")
    }
}

impl fmt::Debug for ApproverKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApproverKey({:?}, {})", self.place, self.content.public_key)
    }
}

impl Signer {
    /// Signs a statement.
    pub fn sign(&self, statement: &[u8]) -> Vec<u8> {
        self.0.sign(statement).as_ref().to_vec()
    }
}

impl ApproverKey {
    /// The key that counts for a state folder; `None` if nobody has set one up.
    pub fn load(state_dir: &Path) -> Result<Option<Self>, StoreError> {
        let system = Self::path(KeyPlace::System, state_dir);
        match read(&system, KeyPlace::System)? {
            Some(key) => Ok(Some(key)),
            None => read(&Self::path(KeyPlace::State, state_dir), KeyPlace::State),
        }
    }

    /// The file of a key.
    pub fn path(place: KeyPlace, state_dir: &Path) -> PathBuf {
        match place {
            KeyPlace::State => state_dir.join(FILE),
            KeyPlace::System => Path::new(SYSTEM_FOLDER).join(FILE),
        }
    }

    /// A key for a new passphrase.
    pub fn derive(
        passphrase: &str,
        place: KeyPlace,
        client_forms: ClientForms,
    ) -> Result<Self, StoreError> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|_| StoreError::NoRandomness)?;
        let iterations = NonZeroU32::new(ITERATIONS).unwrap_or(NonZeroU32::MIN);
        let pair = key_pair(passphrase, &salt, iterations).ok_or(StoreError::NoRandomness)?;
        let content = KeyFile {
            kdf: KDF.to_owned(),
            iterations,
            salt: hex::encode(salt),
            public_key: hex::encode(pair.public_key()),
            client_forms,
        };
        Ok(Self { place, content })
    }

    /// Writes the file, in place of an earlier one.
    pub fn write(&self, state_dir: &Path) -> Result<(), StoreError> {
        let path = Self::path(self.place, state_dir);
        let failed = |source| StoreError::File { path: path.clone(), source };
        match self.place {
            KeyPlace::State => create_private_dir(state_dir)?,
            KeyPlace::System => std::fs::create_dir_all(SYSTEM_FOLDER).map_err(failed)?,
        }
        let random = getrandom::u64().map_err(|_| StoreError::NoRandomness)?;
        let unfinished = path.with_extension(format!("{random:016x}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(
            &mut options,
            match self.place {
                KeyPlace::State => 0o600,
                KeyPlace::System => 0o644,
            },
        );
        let text = serde_json::to_string_pretty(&self.content).unwrap_or_default();
        let written = options.open(&unfinished).and_then(|mut file| {
            writeln!(file, "{text}")?;
            file.sync_all()?;
            std::fs::rename(&unfinished, &path)
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        written.map_err(failed)
    }

    /// How a decision that it signs was made, for the record.
    pub fn channel(&self) -> &'static str {
        match self.place {
            KeyPlace::State => "passphrase",
            KeyPlace::System => "system passphrase",
        }
    }

    /// Where it is.
    pub fn place(&self) -> KeyPlace {
        self.place
    }

    /// Whether forms of clients count.
    pub fn client_forms(&self) -> ClientForms {
        self.content.client_forms
    }

    /// The private half; `None` if this is not the passphrase.
    pub fn unlock(&self, passphrase: &str) -> Option<Signer> {
        let salt = hex::decode(&self.content.salt).ok()?;
        let pair = key_pair(passphrase, &salt, self.content.iterations)?;
        let is_right = hex::encode(pair.public_key()) == self.content.public_key;
        is_right.then_some(Signer(pair))
    }

    /// Whether the person has signed this statement.
    pub fn has_signed(&self, statement: &[u8], signature: &[u8]) -> bool {
        let Ok(public) = hex::decode(&self.content.public_key) else { return false };
        UnparsedPublicKey::new(&ED25519, public).verify(statement, signature).is_ok()
    }
}

fn key_pair(passphrase: &str, salt: &[u8], iterations: NonZeroU32) -> Option<Ed25519KeyPair> {
    let mut seed = Zeroizing::new([0; 32]);
    let algorithm = ring::pbkdf2::PBKDF2_HMAC_SHA256;
    ring::pbkdf2::derive(algorithm, iterations, salt, passphrase.as_bytes(), &mut *seed);
    Ed25519KeyPair::from_seed_unchecked(&*seed).ok()
}

fn read(path: &Path, place: KeyPlace) -> Result<Option<ApproverKey>, StoreError> {
    let unfit = |why| StoreError::UnfitApproverKey { path: path.to_owned(), why };
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(unfit("cannot be opened, or is a link")),
    };
    let about = file.metadata().map_err(|_| unfit("cannot be read"))?;
    if !about.is_file() {
        return Err(unfit("is not a file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = about.uid();
        let own = rustix::process::geteuid().as_raw();
        if owner != 0 && (place == KeyPlace::System || owner != own) {
            return Err(unfit("belongs to another user"));
        }
        if about.mode() & 0o022 != 0 {
            return Err(unfit("can be written by others"));
        }
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|_| unfit("cannot be read"))?;
    let content: KeyFile =
        serde_json::from_str(&text).map_err(|_| unfit("is not a key of this version"))?;
    if content.kdf != KDF || content.iterations.get() > MAX_ITERATIONS {
        return Err(unfit("is not a key of this version"));
    }
    Ok(Some(ApproverKey { place, content }))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{ApproverKey, ClientForms, KeyPlace};
    use crate::StoreError;

    #[test]
    fn only_the_passphrase_signs_and_the_file_alone_verifies() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(ApproverKey::load(state.path()).unwrap(), None);
        let made =
            ApproverKey::derive("a long passphrase", KeyPlace::State, ClientForms::DoNotCount)
                .unwrap();
        made.write(state.path()).unwrap();
        let key = ApproverKey::load(state.path()).unwrap().unwrap();
        assert_eq!(key, made);
        assert!(key.unlock("a long passphrasf").is_none());
        let signature = key.unlock("a long passphrase").unwrap().sign(b"yes to this");
        assert!(key.has_signed(b"yes to this", &signature));
        assert!(!key.has_signed(b"yes to that", &signature));
        assert!(!key.has_signed(b"yes to this", b""));
        let other =
            ApproverKey::derive("a long passphrase", KeyPlace::State, ClientForms::Count).unwrap();
        assert!(!other.has_signed(b"yes to this", &signature), "another salt is another key");
        let text = std::fs::read_to_string(state.path().join("approver.key")).unwrap();
        assert!(!text.contains("passphrase"));
    }

    #[test]
    fn whether_forms_count_is_kept_with_the_key() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("approver.key");
        let read = || ApproverKey::load(state.path()).map(|key| key.unwrap().client_forms());
        for forms in [ClientForms::Count, ClientForms::DoNotCount] {
            let key = ApproverKey::derive("a long passphrase", KeyPlace::State, forms).unwrap();
            key.write(state.path()).unwrap();
            assert_eq!(read().unwrap(), forms);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // A word that nobody knows is no yes, and a file of an earlier version has none.
        std::fs::write(&path, text.replace("do_not_count", "perhaps")).unwrap();
        assert!(read().is_err());
        let before = text.replace(",\n  \"client_forms\": \"do_not_count\"", "");
        assert_ne!(before, text);
        std::fs::write(&path, before).unwrap();
        assert_eq!(read().unwrap(), ClientForms::Count);
    }

    #[test]
    fn a_file_that_cannot_be_trusted_is_an_error_and_not_the_absence_of_a_key() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("approver.key");
        let problem = || match ApproverKey::load(state.path()) {
            Err(StoreError::UnfitApproverKey { why, .. }) => why,
            other => panic!("{other:?}"),
        };
        symlink(state.path().join("elsewhere"), &path).unwrap();
        assert_eq!(problem(), "cannot be opened, or is a link");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "{}").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(problem(), "can be written by others");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(problem(), "is not a key of this version");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(problem(), "is not a file");
    }
}
