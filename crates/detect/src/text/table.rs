//! Tables in text: CSV, TSV, semicolon-separated, and Markdown.
//!
//! In: the start of a line. Out: candidates for the cells below a header row that names the
//! columns. A header row has at least two cells, all short names, at least one of them
//! informative.

use memchr::memchr;

use crate::byte_class::{LETTER, byte_at, class_at, find_either, floor_char, trim_with_offset};
use crate::keyed_value::{self, Outcome};
use crate::keys::KeyClass;
use crate::scan::Scan;
use crate::text;

const COLUMNS: usize = 32;

/// Reads a table that starts at `start`; returns its end.
pub(crate) fn detect_at(scan: &mut Scan<'_>, whole: &str, start: usize) -> Option<usize> {
    let bytes = whole.as_bytes();
    if class_at(bytes, start) & LETTER == 0 && !matches!(byte_at(bytes, start), b'"' | b'|' | b'#')
    {
        return None;
    }
    // A header row is short and followed by more lines; most texts are one line.
    let head_end = start + memchr(b'\n', bytes.get(start..bytes.len().min(start + 400))?)?;
    first_cell(bytes, start)?;
    let head = whole.get(start..head_end)?;
    let sign = sign_of(head)?;
    // In Markdown, a row of dashes follows the header.
    if sign == b'|'
        && byte_at(bytes, start) == b'|'
        && !matches!(
            bytes.get(head_end + 1..head_end + 4),
            Some([b'|', b'-' | b':' | b' ', b'-' | b':'])
        )
    {
        return None;
    }
    if sign != b'|'
        && head
            .as_bytes()
            .split(|byte| *byte == sign)
            .any(|cell| cell.len() > 42 || cell.iter().filter(|byte| **byte == b' ').count() > 4)
    {
        return None;
    }
    let mut classes = [KeyClass::Unknown; COLUMNS];
    let mut count = 0;
    let mut informative = 0;
    for (from, to) in cells(head, sign) {
        let name = head.get(from..to)?.trim().trim_matches('"').trim_start_matches('#').trim();
        // `Bank account (IBAN)`, `Amount (EUR)`: the parentheses hold an explanation.
        let name = name
            .strip_suffix(')')
            .and_then(|open| open.split_once(" ("))
            .map_or(name, |(before, _)| before);
        if name.len() > 40
            || name.chars().any(|c| matches!(c, '@' | '=' | '{' | '(' | ':'))
            || name.split_whitespace().count() > 4
            || name.chars().next().is_some_and(|c| c.is_ascii_digit())
        {
            return None;
        }
        let class = scan.key(name);
        informative +=
            usize::from(!matches!(class, KeyClass::Unknown | KeyClass::Id | KeyClass::Thing));
        if let Some(slot) = classes.get_mut(count) {
            *slot = class;
        }
        count += 1;
    }
    if count < 2 || informative == 0 {
        return None;
    }
    person_columns(&mut classes, count);
    let end = rows(scan, whole, head_end + 1, sign, &classes, count);
    (end > head_end + 1).then_some(end)
}

/// Rejects most lines that are not a header: the first cell of a header is a name of few words,
/// followed by a separator.
fn first_cell(bytes: &[u8], start: usize) -> Option<()> {
    let mut spaces = 0;
    for (place, byte) in bytes.get(start..bytes.len().min(start + 44))?.iter().enumerate() {
        match byte {
            b',' | b';' | b'\t' => return (place > 0).then_some(()),
            b'|' => return Some(()),
            b' ' => {
                spaces += 1;
                if spaces > 3 {
                    return None;
                }
            }
            b'\n' | b':' | b'=' | b'(' | b'@' | b'{' | b'<' | b'/' => return None,
            _ => {}
        }
    }
    None
}

/// A column `name` holds names of people if there is a column with an email address, a telephone
/// number or the like.
pub(crate) fn person_columns(classes: &mut [KeyClass], count: usize) {
    let columns = classes.get_mut(..count.min(COLUMNS)).unwrap_or_default();
    let person = columns
        .iter()
        .filter(|class| {
            matches!(
                class,
                KeyClass::Email
                    | KeyClass::Phone
                    | KeyClass::Birth
                    | KeyClass::Ssn
                    | KeyClass::Address
                    | KeyClass::Person
                    | KeyClass::Role
            )
        })
        .count();
    let thing =
        columns.iter().filter(|class| matches!(class, KeyClass::Thing | KeyClass::Version)).count();
    for class in columns {
        if *class == KeyClass::Name {
            *class =
                if person > 0 && person >= thing { KeyClass::Person } else { KeyClass::Unknown };
        }
    }
}

fn sign_of(head: &str) -> Option<u8> {
    if head.starts_with('|') {
        return Some(b'|');
    }
    [b'\t', b';', b',', b'|'].into_iter().find(|sign| memchr(*sign, head.as_bytes()).is_some())
}

fn rows(
    scan: &mut Scan<'_>,
    whole: &str,
    from: usize,
    sign: u8,
    classes: &[KeyClass],
    count: usize,
) -> usize {
    let bytes = whole.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        let end =
            at + bytes.get(at..).and_then(|rest| memchr(b'\n', rest)).unwrap_or(bytes.len() - at);
        let Some(line) = whole.get(at..end) else { return at };
        let mut borders = [(0, 0); COLUMNS * 2];
        let found =
            borders.iter_mut().zip(cells(line, sign)).map(|(slot, cell)| *slot = cell).count();
        if found < 2 || found > count + 2 || line.len() > 20_000 {
            return at;
        }
        let more = if found < borders.len() { 0 } else { usize::MAX };
        let more = cells(line, sign).skip(found).take(more);
        for (column, (start, stop)) in borders.iter().copied().take(found).chain(more).enumerate() {
            let class = if found == count {
                classes.get(column).copied().unwrap_or(KeyClass::Unknown)
            } else {
                KeyClass::Unknown
            };
            cell(scan, whole, at + start, at + stop, class);
        }
        at = end + 1;
    }
    bytes.len()
}

fn cell(scan: &mut Scan<'_>, whole: &str, start: usize, end: usize, class: KeyClass) {
    let Some(raw) = whole.get(start..end) else { return };
    let (trim_with_offset, lead) = trim_with_offset(raw);
    let (mut start, mut end) = (start + lead, start + lead + trim_with_offset.len());
    if trim_with_offset.len() >= 2
        && trim_with_offset.starts_with('"')
        && trim_with_offset.ends_with('"')
    {
        start += 1;
        end -= 1;
    }
    if start >= end {
        return;
    }
    if class != KeyClass::Unknown
        && keyed_value::value(scan, whole, start, end, class) == Outcome::Consumed
    {
        return;
    }
    let Some(piece) = whole.get(floor_char(whole, start)..end) else { return };
    let base = scan.base;
    scan.base += start;
    text::scan_line(scan, piece);
    scan.base = base;
}

/// The ranges of the cells of a line. Separators inside quotes do not count.
fn cells(line: &str, sign: u8) -> impl Iterator<Item = (usize, usize)> {
    let bytes = line.as_bytes();
    let mut at = usize::from(sign == b'|' && bytes.first() == Some(&b'|'));
    let mut done = false;
    let closed = sign == b'|' && line.trim_end().ends_with('|');
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let start = at;
        let mut quoted = false;
        loop {
            let found = if quoted {
                find_either(bytes, at, b'"', b'"')
            } else {
                find_either(bytes, at, b'"', sign)
            };
            at = found.unwrap_or(bytes.len());
            if byte_at(bytes, at) != b'"' {
                break;
            }
            quoted = !quoted;
            at += 1;
        }
        let end = at;
        done = at >= bytes.len();
        at += 1;
        if done && closed && line.get(start..end).is_none_or(|rest| rest.trim().is_empty()) {
            return None;
        }
        Some((start, end))
    })
}
