//! A program from its source to what is known of it.
//!
//! The source is hostile and the parser is large, so the reading is bounded before
//! it begins: by the length of the source, and by how deep its tree can get
//! (`depth`), on a stack that such a tree cannot fill. A panic ends the reading and
//! nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ruff_python_parser::parse_module;
use ruff_source_file::LineIndex;
use ruff_text_size::TextSize;
use tidegate_model::{Prepared, PythonNames};

use crate::bindings::Bindings;
use crate::hints::hints;
use crate::imports::imports;
use crate::meanings::Meanings;
use crate::references::references;
use crate::repeats::Repeats;
use crate::{depth, facts, fence, measures};

/// Longer programs are not read. Ten times the longest that a model has the tokens
/// to write; a tree takes up to a hundred times the memory of its source.
pub const LONGEST_SOURCE: usize = 512 * 1024;

/// The stack that a reading needs at most. By trial: the deepest trees that are let
/// through take between 1 and 2 MB without optimisation.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Reads a program; nothing if it is not understood. To be called on a thread with
/// [`STACK_BYTES`] of stack.
pub fn prepare(source: &str) -> Option<Prepared> {
    if source.len() > LONGEST_SOURCE {
        return None;
    }
    // Whatever the parser trips over is not worth more than its own reading.
    catch_unwind(AssertUnwindSafe(|| read(source))).ok().flatten()
}

fn read(source: &str) -> Option<Prepared> {
    let source = fence::without_fence(source);
    if !depth::is_shallow(&source) {
        return None;
    }
    let parsed = parse_module(&source).ok()?;
    let lines = Lines::new(&source);
    let body = parsed.suite();
    let bindings = Bindings::of(body);
    let meanings = Meanings::new(&bindings);
    let repeats = Repeats::of(body);
    let measured = measures::measure(&source, parsed.tokens(), body);
    let (reading, noted) = facts::reading(body, &lines, &repeats, measured);
    let (references, kept) = references(body, &meanings, &lines, &noted);
    let python = PythonNames { imports: imports(body, &lines), kept, hints: hints(body, &lines) };
    // Everybody counts lines that end like this the same.
    let check_text = Some(source.replace("\r\n", "\n").replace('\r', "\n"));
    Some(Prepared { references, reading, check_text, python, executable: None })
}

/// From offsets to the lines and columns that a model counts: both from 1, columns
/// in characters.
pub(crate) struct Lines<'s> {
    source: &'s str,
    index: LineIndex,
}

impl<'s> Lines<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, index: LineIndex::from_source_text(source) }
    }

    /// The line alone, which is quickly found.
    pub(crate) fn line(&self, offset: TextSize) -> u32 {
        u32::try_from(self.index.line_index(offset).get()).unwrap_or(u32::MAX)
    }

    /// The places of offsets that only get larger: each line is counted once.
    pub(crate) fn places(&self) -> Places<'_> {
        Places { lines: self, last: TextSize::new(0), at: (1, 1) }
    }

    pub(crate) fn place(&self, offset: TextSize) -> (u32, u32) {
        let at = self.index.line_column(offset, self.source);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (number(at.line.get()), number(at.column.get()))
    }
}

/// From offsets to lines and columns, in one go.
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

#[cfg(test)]
mod tests;
