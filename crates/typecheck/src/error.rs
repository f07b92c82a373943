//! Why a program was not checked.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::confine::{SpawnError, Unconfined};

/// Why a program was not checked. None of these says anything about the
/// program's types; the program can still run.
#[derive(Debug, Error)]
pub enum TypeCheckError {
    /// The text could make the compiler read what is not part of the check.
    #[error("the program is not type-checked: {reason}")]
    Refused {
        /// What was seen.
        reason: &'static str,
    },
    /// The check took too long; the compiler was killed.
    #[error("the type check did not end within {} ms", after.as_millis())]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// The compiler could not be started.
    #[error("the type checker `{command}` could not be started")]
    Start {
        /// Its path.
        command: String,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The compiler would have run unconfined, so it was not started.
    #[error("the type checker `{command}` was not started, since it would run unconfined")]
    Unconfined {
        /// Its path.
        command: String,
        /// What the kernel lacks.
        #[source]
        cause: Unconfined,
    },
    /// The compiler ended in the middle of a check, or said what is not LSP.
    #[error("the type checker broke off: {reason}")]
    Broken {
        /// What happened.
        reason: String,
    },
    /// The compiler failed several times in a row and is left alone for a while.
    #[error("the type checker keeps failing and is off for another {} s", retry_in.as_secs().max(1))]
    Off {
        /// When it is tried again.
        retry_in: Duration,
    },
    /// The scratch folder cannot be used.
    #[error("the folder `{folder}` of the type checker cannot be used")]
    Folder {
        /// Which folder.
        folder: String,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
}

impl TypeCheckError {
    pub(crate) fn not_started(command: String, error: SpawnError) -> Self {
        match error {
            SpawnError::Start(cause) => Self::Start { command, cause },
            SpawnError::Unconfined(cause) => Self::Unconfined { command, cause },
        }
    }
}
