//! Errors in a rule file, with the line and the next step.

use std::ops::Range;

/// An invalid rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}:{line}: {message}")]
pub struct RuleFileError {
    /// The path of the file, as the user wrote it.
    pub place: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl RuleFileError {
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

/// The text of a rule file and its path.
#[derive(Clone, Copy)]
pub(crate) struct SourceFile<'s> {
    pub(crate) text: &'s str,
    pub(crate) place: &'s str,
}
