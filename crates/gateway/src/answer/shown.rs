//! The only way out: a type for what a client may see.
//!
//! In: an outcome with real values. Its type says where its text comes from, and so what
//! counts as personal data in it ([`Outgoing`]). Out: [`Shown`], redacted, capped and
//! measured.
//!
//! Invariant: only [`show`] makes a `Shown`, and the server sends nothing else. Sending an
//! answer that was not redacted does not compile.

mod run;
mod tool_answer;

use std::fmt;
use std::ops::Deref;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tidegate_model::{RunError, json_bytes};
use tidegate_privacy::Restored;

use crate::answer::form::Form;
use crate::privacy::{Counts, Leaving, Origin};

pub(crate) use run::{EndedRun, RunAnswer};
pub use tool_answer::ToolAnswer;
pub(crate) use tool_answer::{RawAnswer, has_binary, not_searched};

/// A value that a client may see. It can be read and sent, but neither made nor changed
/// outside of this module.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown<T> {
    value: T,
    bytes: u64,
}

/// An answer for a client, or the error it gets instead.
pub type ShowResult<T> = Result<Shown<T>, Shown<RunError>>;

impl<T> Shown<T> {
    /// Bytes of text in it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<T> Deref for Shown<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: fmt::Display> fmt::Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A value that can be shown to a client. Sealed: all implementations are in this module.
pub(crate) trait Outgoing: sealed::Sealed {
    /// What the client sees of it.
    type Shown;

    /// Replaces personal data, and caps text that others can influence.
    fn redact(self, leaving: &mut Leaving<'_>) -> Self::Shown;

    /// Bytes of text that the client gets.
    fn bytes(shown: &Self::Shown) -> u64;
}

mod sealed {
    pub(crate) trait Sealed {}
}

/// Redacts, caps and measures: the only function that makes a [`Shown`].
pub(crate) fn show<T: Outgoing>(outgoing: T, leaving: &mut Leaving<'_>) -> Shown<T::Shown> {
    let value = outgoing.redact(leaving);
    let bytes = T::bytes(&value);
    Shown { value, bytes }
}

impl sealed::Sealed for RunError {}

impl Outgoing for RunError {
    type Shown = Self;

    fn redact(self, leaving: &mut Leaving<'_>) -> Self {
        leaving.error(self).clipped()
    }

    fn bytes(shown: &Self) -> u64 {
        (shown.message.len() + shown.hint.as_ref().map_or(0, String::len)) as u64
    }
}

/// Our own text about tools and skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolText {
    /// The text.
    pub text: String,
    /// The tokens of the definitions in it, if it has any.
    pub definition_tokens: Option<usize>,
}

impl ToolText {
    /// A text without definitions.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), definition_tokens: None }
    }
}

impl sealed::Sealed for ToolText {}

impl Outgoing for ToolText {
    type Shown = Self;

    fn redact(self, leaving: &mut Leaving<'_>) -> Self {
        let text = leaving.redact(Origin::AboutTools, &self.text).into_string();
        Self { text, ..self }
    }

    fn bytes(shown: &Self) -> u64 {
        shown.text.len() as u64
    }
}

/// Upstream tools as MCP lists them, each as JSON.
pub(crate) struct ToolList(pub(crate) Vec<Value>);

impl sealed::Sealed for ToolList {}

impl Outgoing for ToolList {
    type Shown = Vec<Value>;

    fn redact(self, leaving: &mut Leaving<'_>) -> Vec<Value> {
        let redacted = self.0.iter().filter_map(|tool| {
            // Tokens need no escapes: it stays JSON.
            serde_json::from_str(&leaving.redact(Origin::AboutTools, &tool.to_string())).ok()
        });
        redacted.collect()
    }

    fn bytes(shown: &Vec<Value>) -> u64 {
        json_bytes(shown)
    }
}

/// The client's own text, to be searched for personal data.
pub(crate) struct Unsanitized<'a>(pub(crate) &'a str);

/// A text with values replaced by tokens, or the other way round.
#[derive(Clone, PartialEq, Eq)]
pub struct Sanitized {
    /// The text.
    pub text: String,
    /// How many places were replaced, by type.
    pub counts: Counts,
}

impl From<Restored<String>> for Sanitized {
    fn from(restored: Restored<String>) -> Self {
        let mut counts = Counts::new();
        for (token, count) in restored.counts {
            *counts.entry(token.data_type).or_default() += count;
        }
        Self { text: restored.value, counts }
    }
}

impl sealed::Sealed for Unsanitized<'_> {}

impl Outgoing for Unsanitized<'_> {
    type Shown = Sanitized;

    fn redact(self, leaving: &mut Leaving<'_>) -> Sanitized {
        leaving.search_whole();
        let text = leaving.text(self.0).into_string();
        Sanitized { text, counts: std::mem::take(&mut leaving.counts) }
    }

    fn bytes(shown: &Sanitized) -> u64 {
        shown.text.len() as u64
    }
}

/// Real values that the model may see, because a person or the configuration allowed it.
/// The only text that is not redacted.
pub(crate) struct Approved(pub(crate) String);

impl sealed::Sealed for Approved {}

impl Outgoing for Approved {
    type Shown = String;

    fn redact(self, _leaving: &mut Leaving<'_>) -> String {
        self.0
    }

    fn bytes(shown: &String) -> u64 {
        shown.len() as u64
    }
}

impl sealed::Sealed for Form {}

impl Outgoing for Form {
    type Shown = Self;

    /// It is made of redacted text.
    fn redact(self, _leaving: &mut Leaving<'_>) -> Self {
        self
    }

    fn bytes(shown: &Self) -> u64 {
        (shown.title.len() + shown.details.len()) as u64
    }
}
