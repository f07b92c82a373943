//! Principals: who makes a request.
//!
//! Every limit, approval and record belongs to a principal. It says who makes a request; the
//! policy decides what they may do.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The party that makes a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Principal {
    /// The client on standard input, which has this process to itself. Its approvals and the
    /// values it has seen are forgotten with the process.
    #[default]
    Process,
    /// The user at a terminal, through a command that they started themselves. Their answers
    /// apply to everything they start this way, and to no client's requests.
    LocalUser,
    /// A session with a name, which outlives the process.
    Session(SessionName),
    /// A client that has presented the token with this name.
    Token(Arc<str>),
}

impl Principal {
    /// The named session if there is a name, otherwise the local user.
    pub fn at_terminal(session: Option<SessionName>) -> Self {
        session.map_or(Self::LocalUser, Self::Session)
    }

    /// The named session if there is a name, otherwise the client of this process.
    pub fn on_stdio(session: Option<SessionName>) -> Self {
        session.map_or(Self::Process, Self::Session)
    }

    /// The session's name, if the principal has one.
    pub fn session(&self) -> Option<&SessionName> {
        match self {
            Self::Session(name) => Some(name),
            Self::Process | Self::LocalUser | Self::Token(_) => None,
        }
    }

    /// The prefix under which parked runs of this principal are stored. A run of a process
    /// can be resumed by another process and by the local user, so all of them share the
    /// empty prefix; no session name has a `:`.
    pub fn storage_key(&self) -> Cow<'_, str> {
        match self {
            Self::Process | Self::LocalUser => Cow::Borrowed(""),
            Self::Session(name) => Cow::Borrowed(name.as_str()),
            Self::Token(name) => Cow::Owned(format!("token:{name}")),
        }
    }

    /// The key that approvals are bound to; `process` is the random name of this process.
    pub fn key(&self, process: &str) -> PrincipalKey {
        PrincipalKey(match self {
            Self::Process => format!("{PROCESS}{process}"),
            Self::LocalUser => LOCAL_USER.to_owned(),
            Self::Session(name) => format!("session {name}"),
            Self::Token(name) => format!("token {name}"),
        })
    }
}

const PROCESS: &str = "process ";
const LOCAL_USER: &str = "by hand";

/// What a stored [`PrincipalKey`] says about its principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    /// [`Principal::Process`].
    Process,
    /// [`Principal::LocalUser`].
    LocalUser,
    /// One with a name, which the key shows.
    Named,
}

impl PrincipalKind {
    /// The kind of the principal with this stored key.
    pub fn of_key(key: &str) -> Self {
        match key {
            LOCAL_USER => Self::LocalUser,
            _ if key.starts_with(PROCESS) => Self::Process,
            _ => Self::Named,
        }
    }
}

/// A principal as it is stored: distinct among all processes that share a state folder.
///
/// Approvals are bound to it by a hash, and parked runs contain it as text, so the text of a
/// key never changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrincipalKey(String);

impl PrincipalKey {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
        f.write_str("a session name has 1 to 64 characters: letters, digits, `.`, `_` and `-`")
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

impl FromStr for SessionName {
    type Err = InvalidSessionName;

    fn from_str(text: &str) -> Result<Self, InvalidSessionName> {
        Self::parse(text)
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Principal, PrincipalKey, PrincipalKind, SessionName};

    fn session(name: &str) -> Principal {
        Principal::Session(SessionName::parse(name).unwrap())
    }

    /// The texts that earlier versions wrote. A change here needs a migration.
    #[test]
    fn stored_texts_are_those_of_existing_databases() {
        let token = Principal::Token("ci".into());
        for (principal, storage_key, key, kind) in [
            (Principal::Process, "", "process mp1abc", PrincipalKind::Process),
            (Principal::LocalUser, "", "by hand", PrincipalKind::LocalUser),
            (session("work"), "work", "session work", PrincipalKind::Named),
            (token, "token:ci", "token ci", PrincipalKind::Named),
        ] {
            assert_eq!(principal.storage_key(), storage_key);
            assert_eq!(principal.key("mp1abc").as_str(), key);
            assert_eq!(PrincipalKind::of_key(key), kind);
        }
    }

    #[test]
    fn a_key_is_stored_as_plain_text() {
        let key = session("work").key("p");
        let json = serde_json::to_string(&key).unwrap();
        assert_eq!(json, r#""session work""#);
        assert_eq!(serde_json::from_str::<PrincipalKey>(&json).unwrap(), key);
    }

    #[test]
    fn principals_of_different_kinds_have_different_keys() {
        let named = |name: &str| [session(name), Principal::Token(name.into())];
        let [a, b] = named("process");
        let all = [Principal::Process, Principal::LocalUser, a, b];
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                assert_ne!(one.key("process"), other.key("process"));
            }
        }
    }

    #[test]
    fn a_session_name_is_short_and_plain() {
        let valid = |text: &str| SessionName::parse(text).is_ok();
        assert!(valid("team.build-7_a") && valid(&"a".repeat(64)));
        assert!(!valid("") && !valid("../x") && !valid("a b") && !valid(&"a".repeat(65)));
    }
}
