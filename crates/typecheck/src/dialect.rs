//! The supported checkers, and how they differ.
//!
//! In: a checker. Out: how to start and initialize it, and the files that it needs in the
//! folder of a program.
//! Invariant: all checkers speak the language server protocol; the rest of this crate treats
//! them alike.

use std::time::Duration;

use serde_json::{Value, json};

use crate::confine::SOFT_MEMORY;
use crate::{python_files, typescript_files};

/// How long a check may take, including the start of the checker.
pub const CHECK_DEADLINE: Duration = Duration::from_secs(2);
/// The same for pyright. Chosen: it took 2 s to start and read the standard library
/// on two busy cores, and a tenth of that later.
const PYRIGHT_DEADLINE: Duration = Duration::from_secs(5);

/// The log level at which the server logs nothing.
const LOG_NOTHING: u32 = 5;

/// Which checker a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    TypeScript,
    Ty,
    Pyright,
}

/// How a checker finds the settings of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Roots {
    /// From the nearest settings file above the program.
    Nearest,
    /// From the registered folders, which must include that of the program.
    Registered,
}

impl Dialect {
    pub(crate) fn is_python(self) -> bool {
        self != Self::TypeScript
    }

    /// The file of a program.
    pub(crate) fn program(self) -> &'static str {
        if self.is_python() { "program.py" } else { typescript_files::PROGRAM }
    }

    /// How the names of declarations end.
    pub(crate) fn ending(self) -> &'static str {
        if self.is_python() { ".pyi" } else { ".ts" }
    }

    pub(crate) fn language_id(self) -> &'static str {
        if self.is_python() { "python" } else { "typescript" }
    }

    pub(crate) fn roots(self) -> Roots {
        if self.is_python() { Roots::Registered } else { Roots::Nearest }
    }

    pub(crate) fn deadline(self) -> Duration {
        if self == Self::Pyright { PYRIGHT_DEADLINE } else { CHECK_DEADLINE }
    }

    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::TypeScript => &["--lsp", "--stdio"],
            Self::Ty => &["server"],
            Self::Pyright => &["--stdio"],
        }
    }

    /// The complete environment of the process.
    pub(crate) fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::TypeScript => &[("GOMEMLIMIT", SOFT_MEMORY), ("GOMAXPROCS", "2")],
            Self::Ty => &[("TY_MAX_PARALLELISM", "2")],
            // Node would read the configuration of OpenSSL, which it cannot here.
            Self::Pyright => {
                &[("NODE_OPTIONS", "--max-old-space-size=512"), ("OPENSSL_CONF", "/dev/null")]
            }
        }
    }

    pub(crate) fn initialization(self) -> Value {
        match self {
            Self::TypeScript => {
                json!({"disablePushDiagnostics": true, "logVerbosity": LOG_NOTHING})
            }
            Self::Ty => json!({"logLevel": "error"}),
            Self::Pyright => json!({}),
        }
    }

    /// Our own files beside a program, with their texts.
    pub(crate) fn own_files(self) -> Vec<(&'static str, String)> {
        match self {
            Self::TypeScript => typescript_files::typescript_files(),
            Self::Ty => python_files::ty_files(),
            Self::Pyright => python_files::pyright_files(),
        }
    }
}
