//! Reads text once, byte by byte, and calls the detectors where something may begin.
//!
//! In: a piece of text. Out: candidates in `Scan`. Words in lower case, which are most of any
//! text, cost one table lookup per byte and nothing else. Every detector returns an offset after
//! the one it was called for, and looks a bounded distance ahead and back: the time is linear in
//! the length of the text.

pub(crate) mod sql_insert;
pub(crate) mod table;

use tidegate_model::DataType;

use crate::byte_class::{
    CLASS, DIGIT, HIGH, LOWER, MARK, UNDER, UPPER, WORD, byte_at, byte_before,
};
use crate::dictionary::{CALENDAR, COMMON, GIVEN, PLACE, SURNAME, hash_at, lookup};
use crate::lexicon::ID_CUE;
use crate::number::confidence::Confidence;
use crate::number::ip;
use crate::number::national_id;
use crate::scan::{CHECKED, Scan};
use crate::secret::vendor;
use crate::{address, announced, capitalised, email, iban, markup, number, pair, secret};

/// Scans a piece of text.
pub(crate) fn scan_text(scan: &mut Scan<'_>, text: &str) {
    if let Some(copy) = capitalise_names(text) {
        scan_from(scan, &copy, 0);
        return;
    }
    let at = table::detect_at(scan, text, 0).unwrap_or(0);
    scan_from(scan, text, at);
}

/// Restores capitals in a short text that has none, as people write in chats. Words that are
/// only names get their capital back; then the text is scanned as usual.
fn capitalise_names(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if bytes.len() > 2000 || bytes.iter().any(u8::is_ascii_uppercase) || !bytes.contains(&b' ') {
        return None;
    }
    let mut copy = None;
    let mut at = 0;
    while at < bytes.len() {
        let end = crate::byte_class::run_end(bytes, at, crate::byte_class::LETTER);
        if end == at {
            at += 1;
            continue;
        }
        if end - at >= 3
            && bytes[at].is_ascii_lowercase()
            && CLASS[usize::from(byte_at(bytes, end))] & (DIGIT | UNDER) == 0
            && !matches!(byte_before(bytes, at), b'@' | b'.' | b'/' | b'-' | b'_')
            && byte_at(bytes, end) != b'@'
        {
            let known = lookup(hash_at(text, at, end));
            let is_name =
                known & (GIVEN | SURNAME) != 0 && known & (COMMON | PLACE | CALENDAR) == 0;
            if is_name
                && text.get(at..end).is_none_or(|word| !NOT_NAMES_IN_LOWER_CASE.contains(&word))
            {
                let first = char::from(bytes[at].to_ascii_uppercase());
                copy.get_or_insert_with(|| text.to_owned())
                    .replace_range(at..=at, first.encode_utf8(&mut [0; 4]));
            }
        }
        at = end;
    }
    copy
}

/// Scans a table cell, which contains no table itself.
pub(crate) fn scan_line(scan: &mut Scan<'_>, text: &str) {
    scan_from(scan, text, 0);
}

/// Words that the dictionary lists only as names, although they are among the four thousand
/// most frequent English words. In lower case they are not names.
const NOT_NAMES_IN_LOWER_CASE: [&str; 25] = [
    "her", "pages", "story", "council", "daily", "early", "brands", "laws", "heard", "justice",
    "fields", "samples", "hunter", "bass", "parks", "hills", "lane", "keys", "sterling", "gray",
    "powers", "marks", "bills", "stamps", "dial",
];

/// Classes that end the quick search: anything but lower-case letters and plain punctuation.
const INTERESTING: u8 = UPPER | DIGIT | HIGH | UNDER | MARK;

fn scan_from(scan: &mut Scan<'_>, text: &str, from: usize) {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut floor = from;
    while let Some(found) = next_interesting(bytes, at) {
        let class = CLASS[usize::from(bytes[found])];
        if class & MARK != 0 {
            at = mark(scan, text, found);
        } else {
            let mut start = found;
            while start > floor && CLASS[usize::from(bytes[start - 1])] & LOWER != 0 {
                start -= 1;
            }
            let mut mask = if start < found { class | LOWER } else { class };
            let mut end = found + 1;
            while end < bytes.len() {
                let class = CLASS[usize::from(bytes[end])];
                if class & WORD == 0 {
                    break;
                }
                mask |= class;
                end += 1;
            }
            at = word(scan, text, start, end, mask);
        }
        floor = at;
    }
}

/// The next byte of an interesting class, eight bytes at a time.
fn next_interesting(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let eight = u64::from_le_bytes(*chunk);
        let mut mask = not_plain(eight);
        while mask != 0 {
            let bits = mask.trailing_zeros() & 0x38;
            if CLASS[usize::from((eight >> bits) as u8)] & INTERESTING != 0 {
                return Some(at + bits as usize / 8);
            }
            mask &= mask - 1;
        }
        at += 8;
    }
    bytes
        .get(at..)?
        .iter()
        .position(|byte| CLASS[usize::from(*byte)] & INTERESTING != 0)
        .map(|place| at + place)
}

/// The high bit of each byte that may be interesting: any but lower-case letters and the
/// punctuation after them in ASCII, spaces, quotes, commas, full stops, slashes and the like.
fn not_plain(bytes: u64) -> u64 {
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = bytes & !HIGHS;
    // From the backtick on; four bytes from the space on; `,.<>`; `'/`.
    let letters = low + ONES * (0x80 - 0x60);
    let no_space = ((low & (ONES * 0x7C)) ^ (ONES * 0x20)) + ONES * 0x7F;
    let no_stop = ((low & (ONES * 0x6D)) ^ (ONES * 0x2C)) + ONES * 0x7F;
    let no_slash = ((low & (ONES * 0x77)) ^ (ONES * 0x27)) + ONES * 0x7F;
    let plain = letters | !(no_space & no_stop & no_slash);
    (!plain | bytes) & HIGHS
}

/// Judges a word that is more than lower-case letters.
fn word(scan: &mut Scan<'_>, text: &str, start: usize, end: usize, mask: u8) -> usize {
    let bytes = text.as_bytes();
    let first = CLASS[usize::from(byte_at(bytes, start))];
    if byte_before(bytes, start) == b'>'
        && let Some(stop) = markup::element(scan, text, start)
    {
        return stop.max(end);
    }
    if mask == DIGIT {
        if byte_at(bytes, end) == b':'
            && (6..=12).contains(&(end - start))
            && let Some(stop) = bot_token(bytes, end)
        {
            scan.add(start, stop, DataType::Secret, CHECKED);
            return stop;
        }
        if let Some(stop) = address::from_number(scan, text, start, end)
            .or_else(|| address::before_post_code(scan, text, start, end))
        {
            return stop;
        }
        return number::detect_at(scan, text, start);
    }
    if mask & (DIGIT | UNDER) != 0 {
        return alphanumeric(scan, text, start, end, mask);
    }
    if first & UPPER != 0 || (mask & HIGH != 0 && first & LOWER == 0) {
        let may_be_key =
            end - start >= 16 || matches!(byte_at(bytes, end), b'.' | b'-') && end - start <= 6;
        if may_be_key && let Some(stop) = vendor::by_prefix(bytes, start) {
            scan.add(start, stop, DataType::Secret, CHECKED);
            return stop;
        }
        return capitalised::detect_at(scan, text, start, end);
    }
    if end - start >= 16
        && let Some(stop) = vendor::by_prefix(bytes, start)
    {
        scan.add(start, stop, DataType::Secret, CHECKED);
        return stop;
    }
    end
}

/// Judges a word of letters and digits: a key, an account number, an identity number.
fn alphanumeric(scan: &mut Scan<'_>, text: &str, start: usize, end: usize, mask: u8) -> usize {
    let bytes = text.as_bytes();
    let length = end - start;
    if length >= 4
        && let Some(stop) = vendor::by_prefix(bytes, start)
    {
        scan.add(start, stop, DataType::Secret, CHECKED);
        return stop;
    }
    if announced::may_follow_announcement(bytes, start)
        && let Some(stop) = announced::secret(scan, text, start)
    {
        return stop.max(end);
    }
    let head = bytes.get(start..start + 4).unwrap_or_default();
    if let [a, b, c, d] = head
        && a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic()
        && c.is_ascii_digit()
        && d.is_ascii_digit()
        && !matches!(byte_before(bytes, start), b'-' | b'/' | b'.')
        && let Some(stop) = iban::end(bytes, start)
    {
        scan.add(start, stop, DataType::Iban, CHECKED);
        return stop;
    }
    if mask & (HIGH | UNDER) == 0
        && (8..=18).contains(&length)
        && !matches!(byte_before(bytes, start), b'-' | b'/' | b'.')
        && !matches!(byte_at(bytes, end), b'-' | b'/')
    {
        let shape = bytes.get(start..end).map_or(Confidence::No, national_id::in_word);
        if shape == Confidence::Sure
            || shape == Confidence::NeedsCue && scan.flags_before(text, start, 4) & ID_CUE != 0
        {
            scan.add(start, end, DataType::NationalId, CHECKED);
            return end;
        }
    }
    if byte_at(bytes, start).is_ascii_digit()
        && length <= 6
        && let Some(stop) = address::from_number(scan, text, start, end)
    {
        return stop;
    }
    end
}

/// The end of a Telegram token, after the number of the bot.
fn bot_token(bytes: &[u8], colon: usize) -> Option<usize> {
    let tail = bytes.get(colon + 1..)?;
    let length = tail
        .iter()
        .take(48)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .count();
    (tail.starts_with(b"AA") && (33..=40).contains(&length)).then_some(colon + 1 + length)
}

/// Judges a character that may begin or join something.
fn mark(scan: &mut Scan<'_>, text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match byte_at(bytes, at) {
        b'@' => {
            let borders = email::around(text, at, 1);
            if let Some((start, _)) = borders
                && byte_before(bytes, start) == b'<'
            {
                announced::display_name(scan, text, start);
            }
            found(scan, borders, DataType::Email).unwrap_or(at + 1)
        }
        b'%' if bytes.get(at + 1..at + 3) == Some(b"40") => {
            found(scan, email::around(text, at, 3), DataType::Email).unwrap_or(at + 1)
        }
        b':' => colon(scan, text, at),
        b'=' => pair::detect_at(scan, text, at).unwrap_or(at + 1).max(at + 1),
        b'(' if sql_insert::may_start(bytes, at) => {
            sql_insert::detect_at(scan, text, at).unwrap_or(at + 1).max(at + 1)
        }
        b'+' | b'('
            if byte_at(bytes, at + 1).is_ascii_digit() || bytes.get(at..at + 2) == Some(b"+(") =>
        {
            number::detect_at(scan, text, at)
        }
        b'-' => dash(scan, text, at),
        // A table begins after an empty line, a colon or a code fence.
        b'\n' if matches!(byte_before(bytes, at), b'\n' | b':' | b'`' | b'\r' | 0) => {
            table::detect_at(scan, text, at + 1).unwrap_or(at + 1)
        }
        0xC2 => at + 2,
        0xE2 => at + 3,
        _ => at + 1,
    }
}

fn found(
    scan: &mut Scan<'_>,
    borders: Option<(usize, usize)>,
    data_type: DataType,
) -> Option<usize> {
    let (start, end) = borders?;
    scan.add(start, end, data_type, CHECKED);
    Some(end)
}

fn colon(scan: &mut Scan<'_>, text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(at + 1..at + 3) == Some(b"//") {
        if let Some((password, host)) = secret::in_url(bytes, at) {
            if let Some((start, end)) = password {
                scan.add(
                    crate::byte_class::floor_char(text, start),
                    crate::byte_class::floor_char(text, end),
                    DataType::Secret,
                    CHECKED,
                );
            }
            return host;
        }
        return at + 3;
    }
    let next = byte_at(bytes, at + 1);
    let before = byte_before(bytes, at);
    if next == b':' || next.is_ascii_hexdigit() && before.is_ascii_hexdigit() {
        return match ip::v6(text, at) {
            Ok((start, end)) => {
                scan.add(start, end, DataType::IpAddress, CHECKED);
                end
            }
            Err(go_on) => pair::detect_at(scan, text, at).unwrap_or(go_on).max(at + 1),
        };
    }
    pair::detect_at(scan, text, at).unwrap_or(at + 1).max(at + 1)
}

/// Keys that begin with lower-case letters and a dash, and keys in PEM format.
fn dash(scan: &mut Scan<'_>, text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    if byte_at(bytes, at + 1) == b'-' {
        if bytes.get(at..at + 10) == Some(b"-----BEGIN")
            && let Some(end) = secret::pem(text, at)
        {
            scan.add(at, end, DataType::Secret, CHECKED + 1);
            return end;
        }
        return crate::byte_class::run_end(bytes, at, 0).max(at + 1);
    }
    if CLASS[usize::from(byte_before(bytes, at))] & LOWER != 0 {
        let start = crate::byte_class::run_start(bytes, at, WORD, 9);
        if at - start <= 8
            && let Some(end) = vendor::by_prefix(bytes, start)
        {
            scan.add(start, end, DataType::Secret, CHECKED);
            return end;
        }
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::{CLASS, INTERESTING, next_interesting, not_plain};

    #[test]
    fn the_quick_search_finds_every_byte_that_tells() {
        for byte in 0..=255_u8 {
            let flagged = not_plain(u64::from_le_bytes([byte; 8])) != 0;
            assert_eq!(
                flagged,
                !matches!(byte, b'`'..=0x7F | b' '..=b'#' | b',' | b'.' | b'<' | b'>' | b'\'' | b'/'),
                "{byte}"
            );
            let mut bytes = *b"some plain text, with more.";
            bytes[21] = byte;
            assert_eq!(
                next_interesting(&bytes, 3),
                (CLASS[usize::from(byte)] & INTERESTING != 0).then_some(21),
                "{byte}"
            );
        }
    }
}
