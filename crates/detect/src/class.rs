//! What each byte can be, and what lies around a place.
//!
//! In: bytes. Out: classes from a table of 256, so that the scan decides with one load.
//! The two first bytes 0xC2 and 0xE2 begin Latin and general punctuation in UTF-8 and
//! do not count as letters; all other bytes from 0x80 do.

use memchr::memchr2;

/// `a` to `z`.
pub(super) const LOWER: u8 = 1;
/// `A` to `Z`.
pub(super) const UPPER: u8 = 2;
/// `0` to `9`.
pub(super) const DIGIT: u8 = 4;
/// Part of a letter outside ASCII.
pub(super) const HIGH: u8 = 8;
/// The underscore.
pub(super) const UNDER: u8 = 16;
/// A sign that may begin or join something to look at.
pub(super) const MARK: u8 = 32;
/// A character of an email's local part that is none of the above.
pub(super) const LOCAL: u8 = 64;

/// A sign that joins the words of a key.
pub(super) const JOIN: u8 = 128;

pub(super) const LETTER: u8 = LOWER | UPPER | HIGH;
pub(super) const WORD: u8 = LETTER | DIGIT | UNDER;

pub(super) static CLASS: [u8; 256] = table();

const fn table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDER,
            0xC2 | 0xE2 => MARK,
            0x80..=0xFF => HIGH,
            b'-' => MARK | LOCAL | JOIN,
            b'.' => LOCAL | JOIN,
            b'+' | b'%' => MARK | LOCAL,
            b'@' | b':' | b'=' | b'(' | b'\n' => MARK,
            b'!' | b'#' | b'$' | b'*' | b'^' | b'~' => LOCAL,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// The class at a place, 0 outside the text.
pub(super) fn class_at(bytes: &[u8], at: usize) -> u8 {
    #[cfg(test)]
    count();
    bytes.get(at).map_or(0, |&byte| CLASS[usize::from(byte)])
}

/// The class before a place, 0 at the start.
pub(super) fn class_before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| class_at(bytes, before))
}

/// The byte at a place, 0 outside the text.
pub(super) fn byte_at(bytes: &[u8], at: usize) -> u8 {
    #[cfg(test)]
    count();
    bytes.get(at).copied().unwrap_or(0)
}

/// The byte before a place, 0 at the start.
pub(super) fn byte_before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| byte_at(bytes, before))
}

/// The end of the run of bytes with one of the classes, from a place on.
pub(super) fn run_end(bytes: &[u8], from: usize, classes: u8) -> usize {
    let mut end = from;
    while class_at(bytes, end) & classes != 0 {
        end += 1;
    }
    end
}

/// The start of the run of bytes with one of the classes, up to a place, at most `limit` back.
pub(super) fn run_start(bytes: &[u8], to: usize, classes: u8, limit: usize) -> usize {
    let mut start = to;
    while start > 0 && to - start < limit && class_before(bytes, start) & classes != 0 {
        start -= 1;
    }
    start
}

/// The place of the first of two bytes. Most are near: a call of `memchr` would take longer
/// than to find them.
#[inline]
pub(super) fn near(bytes: &[u8], from: usize, one: u8, other: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let zeros = |eight: u64| eight.wrapping_sub(ONES) & !eight & (ONES << 7);
    let mut at = from;
    for _ in 0..3 {
        let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else { break };
        let eight = u64::from_le_bytes(*eight);
        let found =
            zeros(eight ^ (ONES * u64::from(one))) | zeros(eight ^ (ONES * u64::from(other)));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    memchr2(one, other, bytes.get(at..)?).map(|found| at + found)
}

/// A text without the blanks around it, and how many bytes of them stand before.
#[inline]
pub(super) fn trimmed(text: &str) -> (&str, usize) {
    let ends = (text.as_bytes().first(), text.as_bytes().last());
    if let (Some(first), Some(last)) = ends
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return (text, 0);
    }
    let rest = text.trim_start();
    (rest.trim_end(), text.len() - rest.len())
}

/// Whether the character at a place is an upper-case letter.
pub(super) fn upper_at(text: &str, at: usize) -> bool {
    let byte = byte_at(text.as_bytes(), at);
    if byte < 0x80 {
        return byte.is_ascii_uppercase();
    }
    text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase)
}

/// The nearest character border at or before a place.
pub(super) fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
thread_local! {
    static LOOKS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
fn count() {
    LOOKS.with(|looks| looks.set(looks.get() + 1));
}

/// How many bytes this thread has looked at: tests of the work that a text takes.
#[cfg(test)]
pub(super) fn counted() -> u64 {
    LOOKS.with(std::cell::Cell::get)
}
