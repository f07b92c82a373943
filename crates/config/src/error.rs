//! Configuration errors, worded so that a person can fix them.
//!
//! Invariant: neither message nor hint shows a configured value.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tidegate_model::visible_line;

/// A refused configuration: what is wrong, where, and what to do next.
///
/// One type for every problem, since every reader (terminal, dashboard,
/// `doctor`) needs the same four things; [`ConfigErrorKind`] distinguishes them.
#[derive(Debug, thiserror::Error)]
pub struct ConfigError {
    /// What went wrong, for programs.
    pub kind: ConfigErrorKind,
    /// What is wrong, with names in back-ticks and without a full stop.
    pub message: String,
    /// Where it is written, if anywhere.
    pub place: Option<Place>,
    /// What to do next.
    pub hint: Option<String>,
    /// The error from the operating system.
    #[source]
    pub cause: Option<io::Error>,
}

impl ConfigError {
    pub(crate) fn new(kind: ConfigErrorKind, message: impl Into<String>) -> Self {
        let message = printable(&message.into());
        Self { kind, message, place: None, hint: None, cause: None }
    }

    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_cause(mut self, cause: io::Error) -> Self {
        self.cause = Some(cause);
        self
    }
}

/// The text on one line with invisible characters made visible. Names of keys and servers are
/// shown, and a file from elsewhere must not control the terminal through them.
pub(crate) fn printable(text: &str) -> String {
    visible_line(text).into_owned()
}

/// Prints message, place and hint. The cause is not included: code that prints an error
/// chain finds it through `source()`.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.kind.as_str(), self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n  at {place}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// A position in a configuration file. Prints as `file:line:column`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, spelled as it was given.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// The kinds of problem a configuration can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConfigErrorKind {
    /// The named file does not exist.
    MissingFile,
    /// The file exists but cannot be read.
    UnreadableFile,
    /// The file was found by search and belongs to another user.
    ForeignFile,
    /// The file is larger than any honest configuration.
    TooLarge,
    /// The file is not UTF-8, TOML or JSON.
    Syntax,
    /// An unknown key.
    UnknownKey,
    /// A key that is written twice.
    DuplicateKey,
    /// A value whose type the key does not accept.
    WrongType,
    /// A value of the right type that the key does not accept.
    BadValue,
    /// A name that a server cannot have.
    BadName,
    /// Two servers that a program could not tell apart.
    NameClash,
    /// `command`, `url` and `type` do not describe one transport.
    Transport,
    /// A profile that allows more than the one that it extends.
    WiderProfile,
    /// An executable that cannot be used as a command.
    BadCommand,
    /// Something that this version does not have.
    Unsupported,
    /// A variable without a value.
    UnsetVariable,
    /// A `${...}` that is not a variable.
    BadVariable,
    /// The platform names no home folder.
    NoHome,
}

impl ConfigErrorKind {
    /// The stable code, as printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingFile => "config.missing_file",
            Self::UnreadableFile => "config.unreadable_file",
            Self::ForeignFile => "config.foreign_file",
            Self::TooLarge => "config.too_large",
            Self::Syntax => "config.syntax",
            Self::UnknownKey => "config.unknown_key",
            Self::DuplicateKey => "config.duplicate_key",
            Self::WrongType => "config.wrong_type",
            Self::BadValue => "config.bad_value",
            Self::BadName => "config.bad_name",
            Self::NameClash => "config.name_clash",
            Self::Transport => "config.transport",
            Self::WiderProfile => "config.wider_profile",
            Self::BadCommand => "config.bad_command",
            Self::Unsupported => "config.unsupported",
            Self::UnsetVariable => "config.unset_variable",
            Self::BadVariable => "config.bad_variable",
            Self::NoHome => "config.no_home",
        }
    }
}
