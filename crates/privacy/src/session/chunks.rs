//! Streams in chunks: a value or a token may span two of them.
//!
//! Nothing is given out before at least [`BUFFER_BYTES`] more bytes have come, or the end.
//! The cut between what goes and what stays is never inside of a token, a detected or a
//! known value, or a word. What is held is bounded by twice that, and one chunk.

use tidegate_model::{Detect, TextKind};

use super::{
    Quotes, RestoreError, Restored, SessionValues, Token, TokenAction, Tokenized, find_tokens,
};

/// More than almost all values have; a private key fits.
pub const BUFFER_BYTES: usize = 4096;
/// Longer than any token in any encoding.
const LONGEST_TOKEN: usize = 256;

/// Tokenizes a text in chunks.
#[derive(Default)]
pub struct TokenizeChunks {
    pub(super) held: String,
}

impl TokenizeChunks {
    /// Takes a chunk and returns what can be given out, often nothing.
    pub fn push(
        &mut self,
        chunk: &str,
        session: &mut SessionValues,
        detector: &dyn Detect,
    ) -> Tokenized {
        self.held.push_str(chunk);
        // Often enough to make progress, seldom enough not to scan everything twice.
        if self.held.len() < 2 * BUFFER_BYTES {
            return Tokenized::default();
        }
        session.make_room();
        let spans = detector.scan(&self.held, TextKind::Text);
        let mut found = session.locate(&self.held, &spans);
        let tokens = find_tokens(&self.held);
        let mut cut = border(&self.held, self.held.len() - BUFFER_BYTES);
        // From the right: what ends after the cut may begin before it, and the next
        // one end after that.
        let ranges = found.iter().map(|hit| hit.start..hit.end);
        let mut ranges: Vec<_> =
            ranges.chain(tokens.into_iter().map(|token| token.range)).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        for range in ranges.iter().rev() {
            if range.start < cut && range.end > cut {
                cut = range.start;
            }
        }
        found.retain(|hit| hit.end <= cut);
        let rest = self.held.split_off(cut);
        let ready = std::mem::replace(&mut self.held, rest);
        session.write(&ready, found.into_iter().map(|hit| (hit, Quotes::None)))
    }

    /// The rest.
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
    /// Takes a chunk. What can be given out.
    pub fn push(
        &mut self,
        chunk: &str,
        session: &SessionValues,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<String>, RestoreError> {
        self.held.push_str(chunk);
        // A token that is not whole yet begins after this.
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

    /// The rest.
    pub fn finish(
        self,
        session: &SessionValues,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<String>, RestoreError> {
        session.restore(&self.held, action)
    }
}

/// The last place up to `at` where a line begins, or else a word, if it is near.
fn border(text: &str, at: usize) -> usize {
    let at = boundary(text, at);
    let near = boundary(text, at.saturating_sub(BUFFER_BYTES / 4));
    let line = text[near..at].rfind('\n').map(|place| place + 1);
    let word = || text[near..at].rfind([' ', '\t', ',', ';', '>', '"']).map(|place| place + 1);
    line.or_else(word).map_or(at, |place| near + place)
}

fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
