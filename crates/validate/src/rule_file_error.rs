//! What is wrong with a rule file.

use std::ops::Range;

/// A rule file that cannot be used, with the place and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}:{line}: {message}")]
pub struct RuleError {
    /// The file, as the user named it.
    pub place: String,
    /// Line in it, from 1.
    pub line: usize,
    /// The fact.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl RuleError {
    pub(crate) fn new(
        file: &SourceFile<'_>,
        span: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let start = file.text.floor_char_boundary(span.start);
        let line = file.text[..start].matches('\n').count() + 1;
        Self { place: file.place.to_owned(), line, message: message.into(), hint: hint.into() }
    }
}

/// A rule file while it is read.
#[derive(Clone, Copy)]
pub(crate) struct SourceFile<'s> {
    pub(crate) text: &'s str,
    pub(crate) place: &'s str,
}
