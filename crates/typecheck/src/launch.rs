//! How to start a checker.
//!
//! In: a checker found on this machine. Out: everything that `server.rs` needs to start it.

use std::path::PathBuf;
use std::time::Duration;

use crate::confine::Confinement;
use crate::dialect::Dialect;

/// How to start the checker.
pub(crate) struct Launch {
    pub(crate) dialect: Dialect,
    /// Its executable, or its script.
    pub(crate) compiler: PathBuf,
    /// The program that runs it, if it is a script.
    pub(crate) runtime: Option<PathBuf>,
    /// Further files and folders with programs that it needs.
    pub(crate) programs: Vec<PathBuf>,
    /// The time limit of a check.
    pub(crate) deadline: Duration,
    pub(crate) confinement: Confinement,
}

impl Launch {
    pub(crate) fn typescript(tsc: PathBuf, confinement: Confinement) -> Self {
        let dialect = Dialect::TypeScript;
        let (programs, deadline) = (Vec::new(), dialect.deadline());
        Self { dialect, compiler: tsc, runtime: None, programs, deadline, confinement }
    }
}
