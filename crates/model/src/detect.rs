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

/// The position and type of personal data in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// What it is.
    pub data_type: DataType,
}

impl Span {
    /// Its bytes in the text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}
