//! A place in a text that holds personal data.

use std::ops::Range;

use tidegate_model::DataType;

/// Where personal data stands, and of which type it is.
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
    /// The bytes of the text.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}
