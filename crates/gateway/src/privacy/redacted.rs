//! Text in which personal data has been replaced, as a type.
//!
//! In: text that [`Leaving`](super::Leaving) has searched, literals, and text of the user's
//! own. Out: [`Redacted`], and errors made of it. It is shown as it is: searching it again
//! would let a server get our own words redacted by listing them as names.
//!
//! Invariant: text of a program, a server or a model becomes `Redacted` only by being
//! searched.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use tidegate_model::{Effect, ErrorCode, RiskLevel, RunError, RunId, visible_line};

/// Text without personal data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted(String);

impl Redacted {
    /// The result of a search for personal data.
    pub(super) fn searched(text: String) -> Self {
        Self(text)
    }

    /// Text that only we or the user wrote: an id, a rule of `policy.toml`. Never text of a
    /// program, a server or a model.
    pub(crate) fn trusted(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// One text from several parts.
    pub(crate) fn join(parts: &[&dyn Part]) -> Self {
        let mut text = Self::default();
        text.push(parts);
        text
    }

    pub(crate) fn push(&mut self, parts: &[&dyn Part]) {
        for part in parts {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{part}");
        }
    }

    /// The first characters, on one line and without hidden characters.
    pub(crate) fn start(&self, chars: usize) -> Self {
        let end = self.char_indices().nth(chars).map_or(self.len(), |(at, _)| at);
        let cut = if end < self.len() { "…" } else { "" };
        Self(format!("{}{cut}", visible_line(&self[..end])))
    }

    /// The whole text without hidden characters, in lines of at most so many columns; at least
    /// one. A character outside of ASCII may take two columns.
    pub(crate) fn wrapped(&self, columns: usize) -> Vec<Self> {
        let text = visible_line(self);
        let mut lines = Vec::new();
        let (mut start, mut width) = (0, 0);
        for (at, char) in text.char_indices() {
            let more = if char.is_ascii() { 1 } else { 2 };
            if width + more > columns && at > start {
                lines.push(Self(text[start..at].to_owned()));
                (start, width) = (at, 0);
            }
            width += more;
        }
        lines.push(Self(text[start..].to_owned()));
        lines
    }

    pub(crate) fn split_lines(&self) -> impl Iterator<Item = Self> {
        self.lines().map(|line| Self(line.to_owned()))
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Redacted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A part that a redacted text can be made of. A `&'static str` is a literal of ours.
pub(crate) trait Part: fmt::Display {}

impl Part for Redacted {}
impl Part for &'static str {}
impl Part for u8 {}
impl Part for u32 {}
impl Part for u64 {}
impl Part for usize {}
impl Part for RiskLevel {}
impl Part for Effect {}
impl Part for RunId {}

/// An error made of redacted text.
#[derive(Debug)]
pub(crate) struct RedactedError(RunError);

impl RedactedError {
    pub(crate) fn new(code: ErrorCode, message: &[&dyn Part]) -> Self {
        Self(RunError::new(code, Redacted::join(message).0))
    }

    pub(crate) fn with_hint(self, hint: &[&dyn Part]) -> Self {
        Self(self.0.with_hint(Redacted::join(hint).0))
    }
}

/// The redacted errors of one request.
///
/// A program gets them as text, and may throw them again with words of its own around them.
/// What comes back is searched, except for the texts listed here: whoever sends them, they
/// have no personal data in them.
#[derive(Debug, Default)]
pub(crate) struct RedactedErrors(Mutex<BTreeSet<String>>);

impl RedactedErrors {
    /// Adds an error and returns it as a plain one.
    pub(crate) fn add(&self, RedactedError(error): RedactedError) -> RunError {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(error.message.clone());
        texts.extend(error.hint.clone());
        error
    }

    /// The longest redacted text in a text, with the text before and after it.
    pub(super) fn split<'a>(&self, text: &'a str) -> Option<(&'a str, Redacted, &'a str)> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = texts.iter().filter(|own| text.contains(own.as_str()));
        let longest = found.max_by_key(|own| own.len())?;
        let (before, after) = text.split_once(longest.as_str())?;
        Some((before, Redacted(longest.clone()), after))
    }
}
