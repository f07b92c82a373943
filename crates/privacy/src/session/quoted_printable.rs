//! Quoted-printable, as in the source of mails: `ann=40x.org`, and `=` at the end of a line that
//! goes on.
//!
//! In: bytes. Out: what an escape in them stands for. `=` is in most texts, and `=20` is a
//! number nearly everywhere, so escapes count only in a text with one that is hardly anything
//! else.

use super::escapes::{Escaped, is_word};

/// Whether a text has an escape that is unlikely to be anything else: a byte whose code has a
/// letter or that is part of a character, an `@`, or a soft line break inside a word.
pub(super) fn is_quoted_printable(source: &[u8]) -> bool {
    memchr::memchr_iter(b'=', source).any(|at| match quoted(source, at) {
        Some((_, Escaped::Nothing)) => true,
        Some((_, Escaped::Byte(b'@'))) => joins_words(source, at, at + 3),
        Some((_, Escaped::Byte(byte))) if byte >= 0x80 => continues(source, at),
        Some((_, Escaped::Byte(_))) => {
            source.get(at + 2).is_some_and(u8::is_ascii_uppercase)
                && at.checked_sub(1).and_then(|before| source.get(before)).is_some_and(is_text)
        }
        Some((_, Escaped::Char(_))) | None => false,
    })
}

/// The escape at an equals sign, and its length.
pub(super) fn quoted(source: &[u8], at: usize) -> Option<(usize, Escaped)> {
    match source.get(at + 1..)? {
        [b'\r', b'\n', ..] if joins_words(source, at, at + 3) => Some((3, Escaped::Nothing)),
        [b'\n', ..] if joins_words(source, at, at + 2) => Some((2, Escaped::Nothing)),
        [high, low, ..] => {
            let byte = digit(*high)? << 4 | digit(*low)?;
            (byte >= b' ' && byte != 0x7f).then_some((3, Escaped::Byte(byte)))
        }
        _ => None,
    }
}

/// Encoders write capital letters.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Whether the text goes on directly before and after an escape.
fn joins_words(source: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| source.get(before));
    before.is_some_and(is_text) && source.get(end).is_some_and(is_text)
}

/// Whether a word, an address or a tag may go on with a byte.
pub(super) fn is_text(byte: &u8) -> bool {
    is_word(*byte) || matches!(byte, b'.' | b'-' | b'_' | b'+' | b'@' | b',' | b'>' | b'<')
}

/// Whether a byte that is not ASCII is followed or preceded by another one: together they are a
/// character.
fn continues(source: &[u8], at: usize) -> bool {
    let is_high = |at: usize| {
        source.get(at) == Some(&b'=')
            && matches!(quoted(source, at), Some((_, Escaped::Byte(0x80..))))
    };
    is_high(at + 3) || at.checked_sub(3).is_some_and(is_high)
}
