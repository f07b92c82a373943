//! Lines and columns of offsets.
//!
//! In: the source and offsets in it. Out: lines and columns as a model counts them: both
//! from 1, columns in characters.

use ruff_source_file::LineIndex;
use ruff_text_size::TextSize;

/// Converts offsets to lines and columns.
pub(crate) struct Lines<'s> {
    source: &'s str,
    index: LineIndex,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, index: LineIndex::from_source_text(source) }
    }

    /// The line alone, which is cheaper.
    pub(crate) fn line(&self, offset: TextSize) -> u32 {
        u32::try_from(self.index.line_index(offset).get()).unwrap_or(u32::MAX)
    }

    /// Converts ascending offsets, counting each line only once.
    pub(crate) fn places(&self) -> Places<'_> {
        Places { lines: self, last: TextSize::new(0), at: (1, 1) }
    }

    pub(crate) fn place(&self, offset: TextSize) -> (u32, u32) {
        let at = self.index.line_column(offset, self.source);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (number(at.line.get()), number(at.column.get()))
    }
}

/// Converts ascending offsets to lines and columns.
pub(crate) struct Places<'l> {
    lines: &'l Lines<'l>,
    last: TextSize,
    at: (u32, u32),
}

impl Places<'_> {
    pub(crate) fn place(&mut self, offset: TextSize) -> (u32, u32) {
        let same_line = self.lines.line(offset) == self.at.0 && self.last != TextSize::new(0);
        self.at = match same_line && offset >= self.last {
            true => {
                let between = self.lines.source.get(self.last.to_usize()..offset.to_usize());
                let passed = between.map_or(0, |text| text.chars().count());
                (self.at.0, self.at.1.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX)))
            }
            false => self.lines.place(offset),
        };
        self.last = offset;
        self.at
    }
}
