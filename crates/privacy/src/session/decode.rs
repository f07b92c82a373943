//! Views of a text with its escapes decoded.
//!
//! In: bytes. Out: the surroundings of every escape, decoded, with a mapping back to the
//! original bytes. A value written as `jane%40x.org`, `jane\u0040x.org`, `jane&#64;x.org` or
//! `jane=40x.org` is plain there. Text that was encoded twice (`%2540`, `\\u0040`) is
//! plain in a second view, made from the first; there is no third.
//!
//! Text far from an escape is in no view: it is searched directly. A text without
//! `%`, `\`, `&` and `=` costs two searches for these.

use std::ops::Range;

use super::entities::entity;
use super::escapes::{Escaped, hex, is_word};
use super::quoted_printable::{is_quoted_printable, quoted};

/// How often a text is decoded.
const LEVELS: usize = 2;
/// Surroundings are extended to whole words up to this length.
const LONGEST_WORD: usize = 64;

/// The surroundings of escapes, decoded once.
#[derive(Debug, Default)]
struct View {
    /// Surroundings, with a zero byte between them.
    bytes: Vec<u8>,
    /// From the first place in `bytes` on, the bytes come from the second place in the source.
    steps: Vec<(usize, usize)>,
}

/// All views of a text; empty if it has no escapes.
#[derive(Debug, Default)]
pub(crate) struct Views(Vec<View>);

impl Views {
    /// Decodes a text. `reach` is how far a value can stretch from an escape in it.
    pub(crate) fn of(text: &[u8], reach: usize) -> Self {
        let mut views: Vec<View> = Vec::new();
        for _ in 0..LEVELS {
            let source = views.last().map_or(text, |view| &view.bytes);
            match decode(source, reach) {
                Some(view) => views.push(view),
                None => break,
            }
        }
        Self(views)
    }

    /// The number of views.
    pub(crate) fn levels(&self) -> usize {
        self.0.len()
    }

    /// The bytes of one view.
    pub(crate) fn bytes(&self, level: usize) -> &[u8] {
        self.0.get(level).map_or(&[], |view| &view.bytes)
    }

    /// Maps a range of a view back to the text.
    pub(crate) fn raw(&self, level: usize, range: Range<usize>) -> Range<usize> {
        self.0
            .iter()
            .take(level + 1)
            .rev()
            .fold(range, |range, view| view.origin(range.start)..view.origin(range.end))
    }
}

impl View {
    fn origin(&self, at: usize) -> usize {
        let after = self.steps.partition_point(|(from, _)| *from <= at);
        let (from, raw) = after.checked_sub(1).map_or((0, 0), |step| self.steps[step]);
        raw + (at - from)
    }
}

fn decode(source: &[u8], reach: usize) -> Option<View> {
    let mut view = View::default();
    // The end of what was copied or decoded, and of what must be copied at least.
    let (mut done, mut wanted) = (0, 0);
    for at in places(source) {
        if at < done {
            continue;
        }
        let Some((length, escaped)) = escape_at(source, at) else { continue };
        let from = at.saturating_sub(reach);
        if from > wanted {
            view.bytes.extend_from_slice(&source[done..wanted]);
            view.bytes.push(0);
            done = word_start(source, from).max(wanted);
            view.steps.push((view.bytes.len(), done));
        }
        view.bytes.extend_from_slice(&source[done..at]);
        view.steps.push((view.bytes.len(), at));
        escaped.push_to(&mut view.bytes);
        done = at + length;
        view.steps.push((view.bytes.len(), done));
        wanted = word_end(source, (done + reach).min(source.len()));
    }
    view.bytes.extend_from_slice(&source[done..wanted.max(done)]);
    if view.steps.is_empty() { None } else { Some(view) }
}

/// Where escapes may be. `=` begins one in quoted-printable only: elsewhere `=20` is a number.
fn places(source: &[u8]) -> impl Iterator<Item = usize> {
    let mut equals_signs = None;
    if is_quoted_printable(source) {
        equals_signs = Some(memchr::memchr_iter(b'=', source).peekable());
    }
    let mut others = memchr::memchr3_iter(b'%', b'\\', b'&', source).peekable();
    std::iter::from_fn(move || {
        let Some(equals_signs) = &mut equals_signs else { return others.next() };
        match (equals_signs.peek(), others.peek()) {
            (Some(sign), Some(other)) if sign < other => equals_signs.next(),
            (Some(_), None) => equals_signs.next(),
            _ => others.next(),
        }
    })
}

pub(super) fn word_start(source: &[u8], from: usize) -> usize {
    let before = source[..from].iter().rev().take(LONGEST_WORD);
    from - before.take_while(|byte| is_word(**byte)).count()
}

pub(super) fn word_end(source: &[u8], from: usize) -> usize {
    let after = source[from..].iter().take(LONGEST_WORD);
    from + after.take_while(|byte| is_word(**byte)).count()
}

/// The escape at a place, and its length.
fn escape_at(source: &[u8], at: usize) -> Option<(usize, Escaped)> {
    let bytes = source.get(at..)?;
    if bytes.first() == Some(&b'=') { quoted(source, at) } else { escape(bytes) }
}

/// The escape that the bytes begin with, and its length.
fn escape(bytes: &[u8]) -> Option<(usize, Escaped)> {
    match bytes {
        [b'%', digits @ ..] => {
            let byte = u8::try_from(hex(digits.get(..2)?)?).ok()?;
            Some((3, Escaped::Byte(byte)))
        }
        // `\u{40}` of JavaScript and Rust.
        [b'\\', b'u', b'{', digits @ ..] => {
            let length = digits.iter().take(9).position(|byte| *byte == b'}')?;
            let char = char::from_u32(hex(&digits[..length])?)?;
            Some((4 + length, Escaped::Char(char)))
        }
        [b'\\', b'u', digits @ ..] => unicode_escape(digits),
        [b'\\', b'U', digits @ ..] => {
            Some((10, Escaped::Char(char::from_u32(hex(digits.get(..8)?)?)?)))
        }
        // Three digits of C, Python and shells.
        [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            let digit = |byte: &u8| byte - b'0';
            Some((4, Escaped::Byte(digit(a) << 6 | digit(b) << 3 | digit(c))))
        }
        [b'\\', b'x', digits @ ..] => {
            Some((4, Escaped::Char(char::from_u32(hex(digits.get(..2)?)?)?)))
        }
        [b'\\', letter, ..] => {
            let char = match letter {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                // The backslashes of JSON (`\/`) and of Markdown (`\_`).
                other if other.is_ascii_punctuation() => char::from(*other),
                _ => return None,
            };
            Some((2, Escaped::Char(char)))
        }
        [b'&', name @ ..] => {
            let (length, char) = entity(name)?;
            Some((1 + length, Escaped::Char(char)))
        }
        _ => None,
    }
}

/// `\uXXXX`, or two of them for a surrogate pair.
fn unicode_escape(digits: &[u8]) -> Option<(usize, Escaped)> {
    let first = hex(digits.get(..4)?)?;
    if let Some(char) = char::from_u32(first) {
        return Some((6, Escaped::Char(char)));
    }
    let [b'\\', b'u', low @ ..] = digits.get(4..10)? else { return None };
    let second = hex(low)?;
    if !(0xd800..0xdc00).contains(&first) || !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let char = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))?;
    Some((12, Escaped::Char(char)))
}

#[cfg(test)]
mod tests {
    use super::Views;

    /// Every view, and the raw text of each of its pieces.
    fn seen(text: &str, reach: usize) -> Vec<String> {
        let views = Views::of(text.as_bytes(), reach);
        (0..views.levels())
            .map(|level| String::from_utf8_lossy(views.bytes(level)).replace('\0', "|"))
            .collect()
    }

    #[test]
    fn every_escape_is_decoded() {
        for (text, plain) in [
            ("a%40b", "a@b"),
            (r"a\u0040b", "a@b"),
            (r"a\x40b", "a@b"),
            (r"a\u{40}b\u{000040}c", "a@b@c"),
            (r"a\U00000040b\100c", "a@b@c"),
            (r"M\303\274ller", "Müller"),
            (r"a\/b\nc\_d", "a/b\nc_d"),
            ("a&#64;b&#x40;c&commat;d&amp;e", "a@b@c@d&e"),
            ("a&#0000000064;b&#64c&#X40/&Uuml;&szlig;", "a@b@c@/Üß"),
            ("M=C3=BCller=20=2D=\r\nA=\nB a=40b", "Müller -AB a@b"),
            (r"M\u00fcller", "Müller"),
            ("M%C3%BCller", "Müller"),
            (r"\ud83d\ude00!", "😀!"),
        ] {
            assert_eq!(seen(text, 64), [plain], "{text}");
        }
    }

    #[test]
    fn what_was_encoded_twice_is_decoded_twice() {
        assert_eq!(seen("a%2540b", 64), ["a%40b", "a@b"]);
        assert_eq!(seen(r"a\\u0040b", 64), [r"a\u0040b", "a@b"]);
        assert_eq!(seen(r#"{\"a\":\"x\\u0040y\"}"#, 64), [r#"{"a":"x\u0040y"}"#, r#"{"a":"x@y"}"#]);
    }

    #[test]
    fn what_is_no_escape_is_in_no_view() {
        for text in [
            "",
            "100%",
            "%4",
            "%zz",
            r"\",
            r"\u12",
            r"\u{}",
            r"\u{40",
            r"\u{0000000040}",
            r"\U0040",
            r"\400",
            r"\18",
            r"\ud800",
            r"\qa",
            "a & b; c",
            "&;",
            "&#;",
            "&#xffffffff;",
            "&#99999999999;",
            "size=20 and=42&year=2024",
            "a=C3",
            "a=c3=bc",
            "a =\n b",
        ] {
            assert_eq!(seen(text, 64), [""; 0], "{text}");
        }
    }

    #[test]
    fn only_the_surroundings_of_escapes_are_seen_and_all_know_their_place() {
        let text = "one two three%20four five six seven eight%21nine ten eleven twelve";
        assert_eq!(seen(text, 4), ["|three four|eight!nine"]);
        let views = Views::of(text.as_bytes(), 4);
        let bytes = views.bytes(0);
        for (word, raw) in [("three", "three"), ("e f", "e%20f"), ("eight!", "eight%21")] {
            let at = bytes.windows(word.len()).position(|window| window == word.as_bytes());
            let at = at.unwrap();
            assert_eq!(&text[views.raw(0, at..at + word.len())], raw);
        }
    }

    #[test]
    fn a_place_in_the_second_view_leads_back_to_the_text() {
        let text = r"x %2540 \\u0040 y";
        let views = Views::of(text.as_bytes(), 64);
        assert_eq!(views.bytes(1), b"x @ @ y");
        assert_eq!(&text[views.raw(1, 2..3)], "%2540");
        assert_eq!(&text[views.raw(1, 4..7)], r"\\u0040 y");
    }
}
