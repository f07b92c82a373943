//! The parts of a text in which escapes hide what a detector would find.
//!
//! In: a text. Out: the surroundings of such escapes, decoded. A detector reads JSON strings
//! decoded and text as it is: `ann&#64;x.org`, `ann=40x.org`, `ann\u0040x.org` in text that is
//! not JSON, and whatever is escaped once more than the JSON around it, is no address to it.
//! What is found in these parts is remembered, and [`Views`] find it where it is.
//!
//! A text without such escapes costs two searches for the bytes that they begin with.

use std::ops::Range;

use memchr::memchr2_iter;
use tidegate_model::Span;

use super::WrittenAs;
use super::decode::{Views, word_end, word_start};
use super::entities::entity;
use super::quoted_printable::{is_quoted_printable, is_text};

/// How far the words around a value, which say what it is, can be from an escape. Chosen: a
/// line or two.
const AROUND: usize = 160;

/// A decoded part of a text.
#[derive(Debug)]
pub struct DecodedPart {
    text: String,
    views: Views,
}

impl DecodedPart {
    fn of(source: &[u8]) -> Option<Self> {
        let views = Views::of(source, source.len());
        let last = views.bytes(views.levels().checked_sub(1)?);
        let mut text = String::with_capacity(last.len());
        for chunk in last.utf8_chunks() {
            text.push_str(chunk.valid());
            // Each byte keeps its place.
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
        Some(Self { text, views })
    }

    /// The decoded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The spans of this text that an escape is in: the others are found without decoding.
    pub fn hidden(&self, spans: Vec<Span>) -> Vec<Span> {
        let Some(last) = self.views.levels().checked_sub(1) else { return Vec::new() };
        let is_hidden =
            |span: &Span| self.views.raw(last, span.range()).len() != span.range().len();
        spans.into_iter().filter(is_hidden).collect()
    }
}

/// The parts of a text in which escapes may hide values.
pub fn decoded_parts(text: &str, written_as: WrittenAs) -> Vec<DecodedPart> {
    let source = text.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut add = |at: usize| {
        let start = word_start(source, at.saturating_sub(AROUND));
        let end = word_end(source, (at + AROUND).min(source.len()));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => ranges.push(start..end),
        }
    };
    let is_quoted = is_quoted_printable(source);
    if is_quoted || is_quoted_in_json(source) {
        // Values are cut at any place, so all of it is decoded.
        return DecodedPart::of(source).into_iter().collect();
    }
    let mut done = 0;
    for at in memchr2_iter(b'&', b'\\', source) {
        if at < done {
            continue;
        }
        if source[at] == b'&' {
            if hides(&source[at + 1..]) {
                add(at);
            }
            continue;
        }
        let backslashes = source[at..].iter().take_while(|byte| **byte == b'\\').count();
        done = at + backslashes;
        if is_code(&source[done..], backslashes, written_as) {
            add(at);
        }
    }
    ranges.into_iter().filter_map(|range| DecodedPart::of(&source[range])).collect()
}

/// Whether an entity hides something: markup is full of the first four, which are in no value.
fn hides(name: &[u8]) -> bool {
    !["amp;", "lt;", "gt;", "quot;"].iter().any(|own| name.starts_with(own.as_bytes()))
        && entity(name).is_some()
}

/// Whether so many backslashes begin the code of a character that the reader of JSON leaves.
fn is_code(after: &[u8], backslashes: usize, written_as: WrittenAs) -> bool {
    let digits = match after.first() {
        Some(b'u') if written_as == WrittenAs::Json && backslashes == 1 => return false,
        Some(b'u') => 4,
        Some(b'x') => 2,
        _ => return false,
    };
    after.get(1..=digits).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
}

/// Whether a JSON text has a string with soft line breaks.
fn is_quoted_in_json(source: &[u8]) -> bool {
    memchr::memchr_iter(b'=', source).any(|at| {
        let after = &source[at + 1..];
        (after.starts_with(br"\r\n") || after.starts_with(br"\n"))
            && at > 0
            && is_text(&source[at - 1])
    })
}

#[cfg(test)]
mod tests {
    use tidegate_model::{DataType, Span};

    use super::super::WrittenAs;
    use super::decoded_parts;

    fn texts(text: &str, written_as: WrittenAs) -> Vec<String> {
        decoded_parts(text, written_as).iter().map(|part| part.text().to_owned()).collect()
    }

    #[test]
    fn what_an_escape_hides_is_decoded_in_text_and_in_json() {
        for (text, plain) in [
            ("to ann&#64;x.org", "to ann@x.org"),
            ("to ann&commat;x.org", "to ann@x.org"),
            ("to ann=40x.org", "to ann@x.org"),
            ("to ann@x.=\r\norg", "to ann@x.org"),
            (r"to ann\u0040x.org", "to ann@x.org"),
            (r"to ann\x40x.org", "to ann@x.org"),
        ] {
            assert_eq!(texts(text, WrittenAs::Text), [plain], "{text}");
            // As a string in JSON, and of that again.
            let json = serde_json::Value::from(text).to_string();
            assert_eq!(texts(&json, WrittenAs::Json), [format!("\"{plain}\"")], "{json}");
        }
    }

    #[test]
    fn what_the_detector_reads_itself_is_in_no_part() {
        for text in [
            r#"{"a":"J\u00f6rg \"x\"\n","b":"c &amp; d &lt;e&gt;","size=20":"a=b"}"#,
            r#"["plain", 1, "100%"]"#,
        ] {
            assert_eq!(texts(text, WrittenAs::Json), [""; 0], "{text}");
        }
    }

    #[test]
    fn only_spans_with_an_escape_are_hidden() {
        let parts = decoded_parts("a@x.org b&#64;x.org", WrittenAs::Text);
        let span = |start: usize, end: usize| Span::certain(start..end, DataType::Email);
        assert_eq!(parts[0].hidden(vec![span(0, 7), span(8, 15)]), [span(8, 15)]);
    }
}
