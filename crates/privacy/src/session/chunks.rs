//! Streams in chunks: a value or a token may span two of them.
//!
//! Output is delayed until at least [`BUFFER_BYTES`] more bytes have arrived, or the end.
//! The cut between output and buffer is never inside a token, a detected or known value,
//! or a word. The buffer holds at most twice that size and one chunk.

use std::ops::Range;

use tidegate_model::{Detect, TextKind};

use super::{
    Place, RestoreError, Restored, SessionValues, Token, TokenAction, Tokenized, find_tokens,
};

/// Larger than almost all values; a private key fits.
pub const BUFFER_BYTES: usize = 4096;
/// Longer than any token in any encoding.
const LONGEST_TOKEN: usize = 256;

/// Tokenizes a text in chunks.
#[derive(Default)]
pub struct TokenizeChunks {
    pub(super) held: String,
}

impl TokenizeChunks {
    /// Takes a chunk and returns the text that is ready, often none.
    pub fn push(
        &mut self,
        chunk: &str,
        session: &mut SessionValues,
        detector: &dyn Detect,
    ) -> Tokenized {
        self.held.push_str(chunk);
        // Frequent enough to make progress, rare enough not to scan everything twice.
        if self.held.len() < 2 * BUFFER_BYTES {
            return Tokenized::default();
        }
        session.make_room();
        let spans = detector.scan(&self.held, TextKind::Text);
        let mut found = session.locate(&self.held, &spans);
        let tokens = find_tokens(&self.held);
        let ranges = found.iter().map(|hit| hit.start..hit.end);
        let ranges = ranges.chain(tokens.into_iter().map(|token| token.range)).collect();
        let cut = moved_before(border(&self.held, self.held.len() - BUFFER_BYTES), ranges);
        found.retain(|hit| hit.end <= cut);
        let rest = self.held.split_off(cut);
        let ready = std::mem::replace(&mut self.held, rest);
        session.write(&ready, found.into_iter().map(|hit| (hit, Place::Text)))
    }

    /// Processes the rest.
    pub fn finish(self, session: &mut SessionValues, detector: &dyn Detect) -> Tokenized {
        let spans = detector.scan(&self.held, TextKind::Text);
        session.tokenize(&self.held, &spans)
    }
}

/// Restores a text in chunks.
#[derive(Default)]
pub struct RestoreChunks {
    held: String,
}

impl RestoreChunks {
    /// Takes a chunk and returns the text that is ready.
    pub fn push(
        &mut self,
        chunk: &str,
        session: &SessionValues,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<String>, RestoreError> {
        self.held.push_str(chunk);
        // An incomplete token begins after this place.
        let mut cut = boundary(&self.held, self.held.len().saturating_sub(LONGEST_TOKEN));
        for token in find_tokens(&self.held) {
            if token.range.start < cut && token.range.end > cut {
                cut = token.range.start;
            }
        }
        let rest = self.held.split_off(cut);
        let ready = std::mem::replace(&mut self.held, rest);
        session.restore(&ready, action)
    }

    /// Processes the rest.
    pub fn finish(
        self,
        session: &SessionValues,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<String>, RestoreError> {
        session.restore(&self.held, action)
    }
}

/// A cut, moved to the start of the ranges that it is inside of.
pub(super) fn moved_before(mut cut: usize, mut ranges: Vec<Range<usize>>) -> usize {
    // From right to left: moving the cut to the start of one range can put it inside an
    // earlier one.
    ranges.sort_by_key(|range| (range.start, range.end));
    for range in ranges.iter().rev() {
        if range.start < cut && range.end > cut {
            cut = range.start;
        }
    }
    cut
}

/// The last start of a line up to `at`, or else of a word, if it is near.
pub(super) fn border(text: &str, at: usize) -> usize {
    let at = boundary(text, at);
    let near = boundary(text, at.saturating_sub(BUFFER_BYTES / 4));
    let line = text[near..at].rfind('\n').map(|place| place + 1);
    let word = || text[near..at].rfind([' ', '\t', ',', ';', '>', '"']).map(|place| place + 1);
    line.or_else(word).map_or(at, |place| near + place)
}

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
