//! Who makes a request.
//!
//! Every limit, approval and record belongs to a principal. It says who somebody is and
//! not what they may do: that is decided by the policy.

use std::fmt;
use std::sync::Arc;

/// Who makes a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Principal {
    /// The client on standard input, which has this process to itself. What it is
    /// allowed or has seen ends with the process.
    #[default]
    Process,
    /// The user at a terminal, through a command that they started themselves. Their
    /// answers hold for whatever they start this way, and for no client's requests.
    LocalUser,
    /// A session with a name, which outlives the process.
    Session(SessionName),
    /// A client that has shown a token of this name.
    Token(Arc<str>),
}

impl Principal {
    /// The session's name, if the principal has one.
    pub fn session(&self) -> Option<&SessionName> {
        match self {
            Self::Session(name) => Some(name),
            Self::Process | Self::LocalUser | Self::Token(_) => None,
        }
    }
}

/// The name of a session that outlives a process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(Arc<str>);

/// The text is not a valid name of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSessionName;

impl fmt::Display for InvalidSessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name has 1 to 64 letters, digits, `.`, `_` and `-`")
    }
}

impl std::error::Error for InvalidSessionName {}

impl SessionName {
    const LONGEST: usize = 64;

    /// Checks a name that somebody typed.
    pub fn parse(text: &str) -> Result<Self, InvalidSessionName> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match (1..=Self::LONGEST).contains(&text.len()) && text.chars().all(plain) {
            true => Ok(Self(text.into())),
            false => Err(InvalidSessionName),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_name_is_short_and_plain() {
        let valid = |text: &str| SessionName::parse(text).is_ok();
        assert!(valid("team.build-7_a") && valid(&"a".repeat(64)));
        assert!(!valid("") && !valid("../x") && !valid("a b") && !valid(&"a".repeat(65)));
    }
}
