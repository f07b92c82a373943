//! One process at a time has a session with a name.
//!
//! Two of them would give the same token to two values: each counts by itself. The lock
//! goes with the process, however it ends.

use std::fs::{File, TryLockError, create_dir_all};
use std::io;

use thiserror::Error;

use super::Privacy;
use crate::digest::sha256_hex;
use tidegate_model::{Principal, SessionName};

/// The session is this process's for as long as this is kept.
#[must_use]
pub struct OwnSession {
    _lock: Option<File>,
}

/// Why a session cannot be used.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Another process has it.
    #[error(
        "session `{0}` is in use by another process\nhint: end that one first, or choose another \
         name"
    )]
    InUse(String),
    /// The lock cannot be made.
    #[error("the lock of session `{name}` cannot be made")]
    Lock {
        /// The session.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Privacy {
    /// Makes a session this process's own. Those without a name are it anyway.
    pub(crate) fn own_session(&self, principal: &Principal) -> Result<OwnSession, SessionError> {
        let Some(name) = principal.session().map(SessionName::as_str) else {
            return Ok(OwnSession { _lock: None });
        };
        let failed = |source| SessionError::Lock { name: name.to_owned(), source };
        let folder = self.vaults.state_dir.join("sessions");
        create_dir_all(&folder).map_err(failed)?;
        let lock = File::create(folder.join(sha256_hex(name))).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(OwnSession { _lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(SessionError::InUse(name.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}
