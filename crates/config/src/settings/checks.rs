//! The checks before a run.

use std::path::PathBuf;

/// The checks before a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// What the type check does.
    pub types: TypeCheck,
    /// The compiler to use instead of searching for one. Absolute; need not
    /// exist.
    pub tsc: Option<PathBuf>,
    /// The same for Python: ty or pyright.
    pub python: Option<PathBuf>,
    /// Files with the user's own rules about programs. Absolute; need not exist.
    pub patterns: Vec<PathBuf>,
}

/// What the type check of a program does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeCheck {
    /// Arguments that do not fit the declared input types are errors, and the program
    /// does not run; problems with results are warnings in the answer.
    #[default]
    Auto,
    /// There is no type check.
    Off,
    /// Every type error is only a warning.
    Warn,
    /// Every type error refuses the program.
    Strict,
}

impl TypeCheck {
    pub(crate) const ALL: [Self; 4] = [Self::Auto, Self::Off, Self::Warn, Self::Strict];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Strict => "strict",
        }
    }
}
