//! Why the state could not be read or written.

use std::path::PathBuf;

use thiserror::Error;

/// Why the state could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// SQLite failed.
    #[error("the database failed")]
    Database(#[from] rusqlite::Error),
    /// A file or folder of the state could not be written.
    #[error("cannot write `{path}`")]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database was written by a newer tidegate.
    #[error("the database has version {found}, this tidegate knows up to {known}")]
    TooNew {
        /// Its version.
        found: usize,
        /// The newest version known here.
        known: usize,
    },
    /// The transaction that held this change failed; the log has the cause.
    #[error("the change could not be committed")]
    NotCommitted,
    /// The database's threads have ended.
    #[error("the database is closed")]
    Closed,
    /// The file with the vault's key cannot be trusted.
    #[error("the vault's key `{path}` {why}: {remedy}")]
    UnfitKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The file with the approver's key cannot be trusted.
    #[error(
        "the approver's key `{path}` {why}: correct that, or remove the file and run `tidegate approvals setup`"
    )]
    UnfitApproverKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The state folder, or something in it, cannot be trusted.
    #[error("`{path}` {why}: {remedy}")]
    UnfitFolder {
        /// What.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A quota of the state folder is used up.
    #[error("there are too many {what}")]
    TooMuch {
        /// Of what.
        what: &'static str,
    },
    /// Two processes with the same session gave one token to two values.
    #[error("`{token}` stands for another value already")]
    TokenTaken {
        /// Which one.
        token: String,
    },
    /// The operating system returned no random bytes.
    #[error("the system gave no random bytes")]
    NoRandomness,
    /// The text is longer than the cipher's limit of 256 GB.
    #[error("a value is too long for the vault")]
    TooLongForVault,
}
