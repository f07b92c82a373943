//! Works on a large text in pieces, so that nobody waits for the session until all of it is
//! done.
//!
//! First the detected values are remembered, then these and all known ones are replaced: the
//! result is that of the whole text at once. The caller can stop after any piece, and what was
//! written so far is complete. No cut is inside of a value, a token or a word.

use std::ops::Range;

use tidegate_model::Span;

use super::chunks::{BUFFER_BYTES, border, moved_before};
use super::find_known::Hit;
use super::json::JsonStrings;
use super::json_source::{Begin, json_source, no_token_is};
use super::spelling::Place;
use super::{SessionValues, Tokenized, find_tokens};

/// The size of a piece. Chosen: a dense one takes a few milliseconds.
pub const PIECE_BYTES: usize = 32 * 1024;

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenAs {
    /// Any text.
    Text,
    /// JSON, which stays JSON.
    Json,
}

/// A text that is worked on.
pub struct Pieces<'a> {
    text: &'a str,
    spans: &'a [Span],
    written_as: WrittenAs,
    /// How many spans are remembered.
    remembered: usize,
    /// The bytes that are done.
    at: usize,
    strings: JsonStrings<'a>,
    done: Tokenized,
}

impl<'a> Pieces<'a> {
    /// A text, and what was detected in it.
    pub fn new(text: &'a str, spans: &'a [Span], written_as: WrittenAs) -> Self {
        let strings = JsonStrings::new(text, Begin::Outside, &no_token_is);
        let done = Tokenized::default();
        Self { text, spans, written_as, remembered: 0, at: 0, strings, done }
    }

    /// Remembers the values of the next piece. Returns how many of them were new, or `None`
    /// if there is no more.
    pub fn remember(&mut self, session: &mut SessionValues) -> Option<usize> {
        let spans = self.spans.get(self.remembered..).filter(|spans| !spans.is_empty())?;
        session.make_room();
        let start = self.text.floor_char_boundary(spans[0].start);
        let count = spans.partition_point(|span| span.end <= start + PIECE_BYTES).max(1);
        let spans = &spans[..count];
        let end = self.text.ceil_char_boundary(spans[count - 1].end);
        let mut tokens = find_tokens(self.text.get(start..end).unwrap_or_default());
        session.note_foreign(&tokens);
        for token in &mut tokens {
            token.range = token.range.start + start..token.range.end + start;
        }
        let before = session.len();
        session.register_detected(self.text, spans, &tokens, |_| ());
        self.remembered += count;
        Some(session.len() - before)
    }

    /// Whether all values are remembered.
    pub fn are_remembered(&self) -> bool {
        self.remembered == self.spans.len()
    }

    /// Stops after what is remembered: the rest of the text is left out.
    pub fn end_here(&mut self) {
        if let Some(next) = self.spans.get(self.remembered) {
            self.spans = &self.spans[..self.remembered];
            let cut = border(self.text, next.start.min(self.text.len()));
            let near = self.spans.iter().rev().take_while(|span| span.end > cut);
            self.text = &self.text[..moved_before(cut, near.map(Span::range).collect())];
            self.strings = JsonStrings::new(self.text, Begin::Outside, &no_token_is);
        }
    }

    /// Text that consists of the words of JSON is replaced in as JSON. Before the first piece
    /// only: a text in which nothing is replaced is not read for this.
    fn recognise_source(&mut self) {
        if self.at == 0
            && self.written_as == WrittenAs::Text
            && let Some(begin) = json_source(self.text, &[], &no_token_is)
        {
            self.written_as = WrittenAs::Json;
            self.strings = JsonStrings::new(self.text, begin, &no_token_is);
        }
    }

    /// Replaces the values of the next piece. Returns whether there is more.
    pub fn replace(&mut self, session: &mut SessionValues) -> bool {
        self.recognise_source();
        session.make_room();
        let mut piece = PIECE_BYTES;
        loop {
            let end = self.window_end(piece, session.index.longest());
            let window = &self.text[self.at..end];
            let found = session.locate(window, &self.spans_in(self.at..end));
            let (mut placed, walk) = self.placed(found);
            let mut cut = window.len();
            if end < self.text.len() {
                let ranges = placed.iter().map(|(hit, _)| hit.start..hit.end);
                let tokens = find_tokens(window).into_iter().map(|token| token.range);
                let border = self.before_escape(border(window, piece));
                cut = moved_before(border, ranges.chain(tokens).collect());
            }
            if cut == 0 && end < self.text.len() {
                // One value is longer than the piece.
                piece *= 2;
                continue;
            }
            placed.retain(|(hit, _)| hit.end <= cut);
            session.write_into(&mut self.done, &window[..cut], placed);
            self.at += cut;
            self.strings.to(self.at);
            self.strings.learn_depth(&walk);
            return self.at < self.text.len();
        }
    }

    /// The text with tokens, as far as it is done, and how many bytes of it are.
    pub fn finish(self) -> (Tokenized, usize) {
        (self.done, self.at)
    }

    /// The ranges to replace in the window that begins here, and the walk through its strings,
    /// which needs the text around it.
    fn placed(&self, mut found: Vec<Hit>) -> (Vec<(Hit, Place)>, JsonStrings<'a>) {
        let mut walk = self.strings;
        if self.written_as == WrittenAs::Text {
            return (found.into_iter().map(|hit| (hit, Place::Text)).collect(), walk);
        }
        for hit in &mut found {
            (hit.start, hit.end) = (hit.start + self.at, hit.end + self.at);
        }
        let mut placed = walk.placed(self.at, found);
        for (hit, _) in &mut placed {
            (hit.start, hit.end) = (hit.start - self.at, hit.end - self.at);
        }
        (placed, walk)
    }

    /// A place of the window that begins here, moved out of an escape.
    fn before_escape(&self, place: usize) -> usize {
        let mut walk = self.strings;
        match self.written_as {
            WrittenAs::Text => place,
            WrittenAs::Json => walk.to(self.at + place).saturating_sub(self.at),
        }
    }

    /// The end of the bytes to look at for a piece: no value that begins in it ends later.
    fn window_end(&self, piece: usize, longest: usize) -> usize {
        let behind = BUFFER_BYTES.max(2 * longest);
        let mut end = self.text.len().min(self.at.saturating_add(piece).saturating_add(behind));
        let last = self.spans.partition_point(|span| span.start < end);
        if let Some(span) = last.checked_sub(1).and_then(|last| self.spans.get(last)) {
            end = end.max(span.end.min(self.text.len()));
        }
        self.text.ceil_char_boundary(end)
    }

    /// The spans in a range of the text, as they are in it.
    fn spans_in(&self, range: Range<usize>) -> Vec<Span> {
        let first = self.spans.partition_point(|span| span.start < range.start);
        let spans = self.spans[first..].iter().take_while(|span| span.end <= range.end);
        let moved = |span: &Span| Span {
            start: span.start - range.start,
            end: span.end - range.start,
            ..*span
        };
        spans.map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use tidegate_model::{DataType, Span};

    use super::super::{Limits, SessionValues, Token, TokenAction, Tokenized};
    use super::{PIECE_BYTES, Pieces, WrittenAs};

    /// JSON with an address in each row, and one that is detected in the last row only.
    fn rows(count: usize) -> (String, Vec<Span>) {
        let (mut text, mut spans) = (String::from("["), Vec::new());
        for number in 0..count {
            let _ = write!(text, r#"{{"a":"x \"é\\","late":"late@x.org","n":-12.5,"b":""#);
            let start = text.len();
            let _ = write!(text, "p{number}@example.org");
            spans.push(Span::certain(start..text.len(), DataType::Email));
            text.push_str("\"},");
        }
        text.push_str(r#""late@x.org"]"#);
        let end = text.len() - 2;
        spans.push(Span::certain(end - 10..end, DataType::Email));
        (text, spans)
    }

    fn in_pieces(session: &mut SessionValues, pieces: &mut Pieces<'_>) -> usize {
        let mut new = 0;
        while let Some(more) = pieces.remember(session) {
            new += more;
        }
        while pieces.replace(session) {}
        new
    }

    #[test]
    fn a_text_in_pieces_has_the_tokens_of_the_whole_text() {
        let (text, spans) = rows(3000);
        assert!(text.len() > 4 * PIECE_BYTES);
        for written_as in [WrittenAs::Json, WrittenAs::Text] {
            let mut session = SessionValues::default();
            session.remember("late@x.org", &[Span::certain(0..10, DataType::Email)]);
            let whole = match written_as {
                WrittenAs::Json => session.tokenize_json(&text, &spans),
                WrittenAs::Text => session.tokenize(&text, &spans),
            };
            let mut session = SessionValues::default();
            let mut pieces = Pieces::new(&text, &spans, written_as);
            assert_eq!(in_pieces(&mut session, &mut pieces), 3001);
            let (done, bytes) = pieces.finish();
            assert_eq!(bytes, text.len());
            let new = session.mark_sent(whole.new.iter().map(|new| new.token));
            assert_eq!(Tokenized { new, ..done }, whole);
        }
    }

    #[test]
    fn g45_spellings_in_json_inside_json_are_those_of_the_whole_text() {
        let (mut text, mut spans) = (String::from(r#"{"a":"["#), Vec::new());
        for number in 0..8000 {
            text.push_str(r#"\""#);
            let start = text.len();
            let _ = write!(text, r"J\\u00f6rg Q{number}");
            spans.push(Span::certain(start..text.len(), DataType::Person));
            text.push_str(r#"\","#);
        }
        text.push_str(r#"0]","b":4930123456789}"#);
        let start = text.len() - 14;
        spans.push(Span::certain(start..text.len() - 1, DataType::Phone));
        assert!(text.len() > 4 * PIECE_BYTES);
        let whole = SessionValues::default().tokenize_json(&text, &spans);
        let mut session = SessionValues::default();
        let mut pieces = Pieces::new(&text, &spans, WrittenAs::Json);
        in_pieces(&mut session, &mut pieces);
        let (done, _) = pieces.finish();
        let new = session.mark_sent(whole.new.iter().map(|new| new.token));
        assert!(Tokenized { new, ..done } == whole);
        let restored = session.restore(&whole.text, &|_| TokenAction::Restore).unwrap();
        assert!(restored.value == text);
    }

    #[test]
    fn work_can_stop_after_any_piece() {
        let (text, spans) = rows(3000);
        let mut session = SessionValues::default();
        let mut pieces = Pieces::new(&text, &spans, WrittenAs::Text);
        assert!(pieces.remember(&mut session).is_some());
        let remembered = session.len();
        assert!(remembered < 3000);
        pieces.end_here();
        while pieces.replace(&mut session) {}
        let (done, bytes) = pieces.finish();
        assert!(bytes < 2 * PIECE_BYTES);
        assert_eq!(done.counts[&DataType::Email] as usize, remembered);
        assert!(!done.text.contains("@example.org"), "{}", done.text);
    }

    #[test]
    fn a_value_longer_than_a_piece_is_replaced_as_a_whole() {
        let secret = "s".repeat(3 * PIECE_BYTES);
        let text = format!("k {secret} {}", "word ".repeat(PIECE_BYTES));
        let end = 2 + secret.len();
        let spans = [Span::certain(2..end, DataType::Secret)];
        let mut session = SessionValues::default();
        let mut pieces = Pieces::new(&text, &spans, WrittenAs::Text);
        assert_eq!(in_pieces(&mut session, &mut pieces), 1);
        let (done, _) = pieces.finish();
        assert_eq!(done.text, format!("k [SECRET_1]{}", &text[end..]));
    }

    #[test]
    fn what_was_sent_is_dropped_last_and_only_that_is_new_for_the_vault() {
        let mut session = SessionValues::new(Limits { values: 100, bytes: usize::MAX });
        let (text, spans) = rows(50);
        let mut pieces = Pieces::new(&text, &spans, WrittenAs::Json);
        in_pieces(&mut session, &mut pieces);
        let token = |number| Token { data_type: DataType::Email, number };
        let sent = session.mark_sent([token(7), token(8), token(7), token(999)]);
        let sent: Vec<Token> = sent.into_iter().map(|new| new.token).collect();
        assert_eq!(sent, [token(7), token(8)]);
        assert_eq!(session.mark_sent([token(7)]), []);
        // Others push the rest out.
        for number in 0..1000 {
            let text = format!("flood{number}@example.org");
            let span = Span::certain(0..text.len(), DataType::Email);
            session.remember(&text, &[span]);
            assert!(session.len() <= 101);
        }
        assert!(session.mask(token(7)).is_ok() && session.mask(token(8)).is_ok());
        assert!(session.mask(token(9)).is_err());
        assert!(session.dropped() > 900);
    }
}
