//! Classes of bytes, and the bytes around an offset.
//!
//! In: bytes. Out: classes from a table of 256, so that the scan decides with one load. 0xC2 and
//! 0xE2 begin Latin and general punctuation in UTF-8 and are not letters; all other bytes from
//! 0x80 are.

use memchr::memchr2;

/// `a` to `z`.
pub(crate) const LOWER: u8 = 1;
/// `A` to `Z`.
pub(crate) const UPPER: u8 = 2;
/// `0` to `9`.
pub(crate) const DIGIT: u8 = 4;
/// Part of a letter outside ASCII.
pub(crate) const HIGH: u8 = 8;
/// The underscore.
pub(crate) const UNDER: u8 = 16;
/// A character that may begin or join something worth checking.
pub(crate) const MARK: u8 = 32;
/// Allowed in the local part of an email address, and none of the above.
pub(crate) const LOCAL: u8 = 64;

/// Joins the words of a key.
pub(crate) const JOIN: u8 = 128;

pub(crate) const LETTER: u8 = LOWER | UPPER | HIGH;
pub(crate) const WORD: u8 = LETTER | DIGIT | UNDER;

pub(crate) static CLASS: [u8; 256] = table();

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

/// The class at an offset, 0 outside the text.
pub(crate) fn class_at(bytes: &[u8], at: usize) -> u8 {
    #[cfg(test)]
    count();
    bytes.get(at).map_or(0, |&byte| CLASS[usize::from(byte)])
}

/// The class before an offset, 0 at the start.
pub(crate) fn class_before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| class_at(bytes, before))
}

/// The byte at an offset, 0 outside the text.
pub(crate) fn byte_at(bytes: &[u8], at: usize) -> u8 {
    #[cfg(test)]
    count();
    bytes.get(at).copied().unwrap_or(0)
}

/// The byte before an offset, 0 at the start.
pub(crate) fn byte_before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| byte_at(bytes, before))
}

/// The end of the run of bytes of the given classes that starts at `from`.
pub(crate) fn run_end(bytes: &[u8], from: usize, classes: u8) -> usize {
    let mut end = from;
    while class_at(bytes, end) & classes != 0 {
        end += 1;
    }
    end
}

/// The start of the run of bytes of the given classes that ends at `to`, at most `limit` back.
pub(crate) fn run_start(bytes: &[u8], to: usize, classes: u8, limit: usize) -> usize {
    let mut start = to;
    while start > 0 && to - start < limit && class_before(bytes, start) & classes != 0 {
        start -= 1;
    }
    start
}

/// The offset of the first of two bytes. It is mostly close: a call to `memchr` would cost more
/// than this search.
#[inline]
pub(crate) fn find_either(bytes: &[u8], from: usize, one: u8, other: u8) -> Option<usize> {
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

/// A text without surrounding whitespace, and how many bytes were cut in front.
#[inline]
pub(crate) fn trim_with_offset(text: &str) -> (&str, usize) {
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

/// Whether the character at an offset is an upper-case letter.
pub(crate) fn upper_at(text: &str, at: usize) -> bool {
    let byte = byte_at(text.as_bytes(), at);
    if byte < 0x80 {
        return byte.is_ascii_uppercase();
    }
    text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase)
}

/// The nearest character boundary at or before an offset.
pub(crate) fn floor_char(text: &str, at: usize) -> usize {
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

/// How many bytes this thread has read, for tests of the cost of a text.
#[cfg(test)]
pub(crate) fn counted() -> u64 {
    LOOKS.with(std::cell::Cell::get)
}
