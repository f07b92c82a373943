//! Only one process at a time can hold a named session.
//!
//! Two processes would give the same token to two values, since each counts on its own.
//! The lock is released with the process, however it ends.

use std::fs::{File, TryLockError, create_dir_all};
use std::io;

use thiserror::Error;

use super::Privacy;
use crate::digest::sha256_hex;
use tidegate_model::SessionName;

/// A named session belongs to this process while this is held.
#[must_use]
pub(crate) struct SessionLock(#[expect(dead_code, reason = "held, never read")] File);

/// Why a session cannot be used.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Another process holds it.
    #[error(
        "session `{0}` is in use by another process\nhint: end that one first, or choose another \
         name"
    )]
    InUse(String),
    /// The lock cannot be created.
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
    /// Locks a named session for this process.
    pub(crate) fn lock_session(&self, name: &SessionName) -> Result<SessionLock, SessionError> {
        let name = name.as_str();
        let failed = |source| SessionError::Lock { name: name.to_owned(), source };
        let folder = self.vaults.state_dir.join("sessions");
        create_dir_all(&folder).map_err(failed)?;
        let lock = File::create(folder.join(sha256_hex(name))).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(SessionLock(lock)),
            Err(TryLockError::WouldBlock) => Err(SessionError::InUse(name.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}
