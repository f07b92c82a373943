//! The errors of a check.
//!
//! In: what went wrong. Out: a text for the operator.
//! Invariant: none of these errors is about the types of the program, which can still run.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::confine::{SpawnError, Unconfined};

/// Why a program was not checked. None of these errors is about the program's types; the
/// program can still run.
#[derive(Debug, Error)]
pub enum TypeCheckError {
    /// The text could make the compiler read files that are not part of the check.
    #[error("the program is not type-checked: {reason}")]
    Refused {
        /// Why it was refused.
        reason: &'static str,
    },
    /// The check took too long; the compiler was killed.
    #[error("the type check did not finish within {} ms", after.as_millis())]
    Timeout {
        /// The deadline.
        after: Duration,
    },
    /// The compiler could not be started.
    #[error("the type checker `{command}` could not be started")]
    Start {
        /// Its path.
        command: String,
        /// The error of the system.
        #[source]
        cause: io::Error,
    },
    /// The compiler would have run unconfined, so it was not started.
    #[error("the type checker `{command}` was not started because it would run unconfined")]
    Unconfined {
        /// Its path.
        command: String,
        /// What the kernel lacks.
        #[source]
        cause: Unconfined,
    },
    /// The compiler exited during a check, or broke the protocol.
    #[error("the type checker failed: {reason}")]
    Broken {
        /// What happened.
        reason: String,
    },
    /// The compiler failed several times in a row and is disabled for a while.
    #[error("the type checker keeps failing and is off for another {} s", retry_in.as_secs().max(1))]
    Off {
        /// The time until it is tried again.
        retry_in: Duration,
    },
    /// The scratch folder cannot be used.
    #[error("the folder `{folder}` of the type checker cannot be used")]
    Folder {
        /// Which folder.
        folder: String,
        /// The error of the system.
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
