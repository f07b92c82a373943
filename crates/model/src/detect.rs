//! The interface of a detector of personal data.
//!
//! The trait is here because the crate that finds personal data (`detect`) and the one
//! that replaces it (`privacy`) may not depend on each other.

use std::fmt;
use std::ops::Range;

use crate::DataType;

/// Finds personal data in a text.
pub trait Detect: fmt::Debug + Send + Sync {
    /// Where personal data is in the text: sorted, without overlaps, each span on
    /// character boundaries.
    fn scan(&self, text: &str, kind: TextKind) -> Vec<Span>;
}

/// How to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Prose, logs, code, mail, tables.
    Text,
    /// A JSON document; any part that is not valid JSON is read as text.
    Json,
    /// JSON if it parses as JSON, otherwise text.
    Auto,
}

/// How sure it is that something is personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// By its form, a check digit, or the key it is under.
    Certain,
    /// Guessed from the words around it.
    Guess,
}

/// The position and type of personal data in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// What it is.
    pub data_type: DataType,
    /// How sure this is.
    pub certainty: Certainty,
}

impl Span {
    /// Personal data for certain.
    pub fn certain(range: Range<usize>, data_type: DataType) -> Self {
        Self { start: range.start, end: range.end, data_type, certainty: Certainty::Certain }
    }

    /// Its bytes in the text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}
