//! JSON strings that contain escapes.
//!
//! In: the range of the string in the document. Out: candidates with offsets in the raw bytes.
//! Decodes the string, scans it and maps the offsets back, so that `\n` ends a line and `\u00e9`
//! is a letter.

use crate::byte_class::byte_at;
use crate::json;
use crate::keys::KeyClass;
use crate::scan::Scan;

/// Scans the string at `start..end`.
pub(crate) fn scan_string(
    scan: &mut Scan<'_>,
    document: &str,
    start: usize,
    end: usize,
    class: KeyClass,
    nested: u8,
) {
    let Some(raw) = document.get(start..end) else { return };
    let (plain, map) = unescape(raw);
    let reached = scan.out.len();
    let base = std::mem::replace(&mut scan.base, 0);
    json::value(scan, &plain, 0, plain.len(), class, nested);
    scan.base = base;
    for found in scan.out.iter_mut().skip(reached) {
        found.start = base + start + raw_place(&map, found.start);
        found.end = base + start + raw_place(&map, found.end);
    }
}

/// The decoded text, and pairs of offsets: from the first offset on, decoded and raw text differ
/// by the distance of the two.
fn unescape(raw: &str) -> (String, Vec<(usize, usize)>) {
    let bytes = raw.as_bytes();
    let mut plain = String::with_capacity(raw.len());
    let mut map = vec![(0, 0)];
    let mut at = 0;
    while at < raw.len() {
        let stop = bytes
            .get(at..)
            .and_then(|rest| memchr::memchr(b'\\', rest))
            .map_or(raw.len(), |found| at + found);
        plain.push_str(raw.get(at..stop).unwrap_or_default());
        if stop >= raw.len() {
            break;
        }
        let (character, length) = one(raw, stop);
        plain.push(character);
        at = stop + length;
        map.push((plain.len(), at));
    }
    (plain, map)
}

/// The character of the escape at `at`, and its length.
fn one(raw: &str, at: usize) -> (char, usize) {
    let bytes = raw.as_bytes();
    match byte_at(bytes, at + 1) {
        b'n' => ('\n', 2),
        b't' => ('\t', 2),
        b'r' => ('\r', 2),
        b'b' | b'f' => (' ', 2),
        b'u' => {
            let unit = |from: usize| {
                raw.get(from..from + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok())
            };
            match unit(at + 2) {
                Some(high @ 0xD800..=0xDBFF) => {
                    let low =
                        if raw.get(at + 6..at + 8) == Some("\\u") { unit(at + 8) } else { None };
                    match low {
                        Some(low @ 0xDC00..=0xDFFF) => (
                            char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
                                .unwrap_or('?'),
                            12,
                        ),
                        _ => ('?', 6),
                    }
                }
                Some(code) => (char::from_u32(code).unwrap_or('?'), 6),
                None => ('?', 2),
            }
        }
        0 => ('\\', 1),
        byte if byte < 0x80 => (char::from(byte), 2),
        _ => ('\\', 1),
    }
}

/// The offset in the raw text.
fn raw_place(map: &[(usize, usize)], place: usize) -> usize {
    let after = map.partition_point(|(plain, _)| *plain <= place);
    let (plain, raw) =
        after.checked_sub(1).and_then(|index| map.get(index)).copied().unwrap_or((0, 0));
    raw + (place - plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_written_out_and_places_map_back() {
        let (plain, map) = unescape(r#"a\nb\u00e9c\ud83d\ude00d\"e"#);
        assert_eq!(plain, "a\nbéc😀d\"e");
        let place = plain.find('d').unwrap();
        assert_eq!(raw_place(&map, place), 23);
        assert_eq!(raw_place(&map, plain.len()), 27);
    }
}
