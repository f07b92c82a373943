//! Rows of SQL: `INSERT INTO people (name, phone) VALUES ('Ann', '…'), (…)`.
//!
//! In: an open parenthesis. Out: candidates for the values after `VALUES`, classed by the names
//! of their columns, and the offset after the rows. Searches a bounded distance back for the
//! names.

use memchr::memrchr;

use crate::byte_class::{byte_at, byte_before};
use crate::keyed_value::{self, Outcome};
use crate::keys::KeyClass;
use crate::scan::Scan;
use crate::text;
use crate::text::table::person_columns;

const COLUMNS: usize = 32;
const REACH: usize = 800;

/// Whether `VALUES` precedes the parenthesis at `at`.
#[inline(never)]
pub(crate) fn may_start(bytes: &[u8], at: usize) -> bool {
    let before = byte_before(bytes, at);
    let last = if matches!(before, b' ' | b'\n') { byte_before(bytes, at - 1) } else { before };
    matches!(last, b's' | b'S') && values_before(bytes, at).is_some()
}

fn values_before(bytes: &[u8], at: usize) -> Option<usize> {
    let end = at - usize::from(matches!(byte_before(bytes, at), b' ' | b'\n'));
    let word = end.checked_sub(6)?;
    bytes.get(word..end)?.eq_ignore_ascii_case(b"values").then_some(word)
}

/// Reads the rows that start at the parenthesis at `at`.
pub(crate) fn detect_at(scan: &mut Scan<'_>, whole: &str, at: usize) -> Option<usize> {
    let bytes = whole.as_bytes();
    let word = values_before(bytes, at)?;
    let from = word.saturating_sub(REACH);
    let names = bytes.get(from..word)?.trim_ascii_end().strip_suffix(b")")?;
    let open = memrchr(b'(', names)?;
    let names = whole.get(from + open + 1..from + names.len())?;
    let mut classes = [KeyClass::Unknown; COLUMNS];
    let mut count = 0;
    for name in names.split(',') {
        let name = name.trim().trim_matches(['`', '"', '[', ']']);
        *classes.get_mut(count)? = scan.key(name);
        count += 1;
    }
    person_columns(&mut classes, count);
    let mut place = at;
    while byte_at(bytes, place) == b'(' {
        place = row(scan, whole, place + 1, &classes);
        let mut next = place;
        while byte_at(bytes, next).is_ascii_whitespace() || byte_at(bytes, next) == b',' {
            next += 1;
        }
        if byte_at(bytes, next) != b'(' {
            break;
        }
        place = next;
    }
    Some(place)
}

/// Reads one row; returns the offset after its closing parenthesis.
fn row(scan: &mut Scan<'_>, whole: &str, from: usize, classes: &[KeyClass]) -> usize {
    let bytes = whole.as_bytes();
    let mut at = from;
    let mut column = 0;
    while at < bytes.len() {
        match byte_at(bytes, at) {
            b'\'' => {
                let end = quoted_end(bytes, at + 1);
                let class = classes.get(column).copied().unwrap_or(KeyClass::Unknown);
                value(scan, whole, at + 1, end, class);
                at = end + 1;
            }
            b',' => {
                column += 1;
                at += 1;
            }
            b')' => return at + 1,
            byte if byte.is_ascii_whitespace() => at += 1,
            // A number, NULL or a function call.
            _ => {
                let start = at;
                while at < bytes.len() && !matches!(byte_at(bytes, at), b',' | b')' | b'\'') {
                    at += 1;
                }
                let class = classes.get(column).copied().unwrap_or(KeyClass::Unknown);
                value(scan, whole, start, at, class);
            }
        }
    }
    at
}

/// The end of a string; quotes in it are doubled or escaped by a backslash.
fn quoted_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        match byte_at(bytes, at) {
            b'\'' if byte_at(bytes, at + 1) == b'\'' => at += 1,
            b'\'' => return at,
            b'\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn value(scan: &mut Scan<'_>, whole: &str, start: usize, end: usize, class: KeyClass) {
    if class != KeyClass::Unknown
        && keyed_value::value(scan, whole, start, end, class) == Outcome::Consumed
    {
        return;
    }
    let Some(piece) = whole.get(start..end) else { return };
    let base = scan.base;
    let names_suppressed = std::mem::replace(&mut scan.names_suppressed, class == KeyClass::Thing);
    scan.base += start;
    text::scan_line(scan, piece);
    scan.base = base;
    scan.names_suppressed = names_suppressed;
}

#[cfg(test)]
mod tests {
    use tidegate_model::TextKind;

    use crate::testing::found_as;

    #[test]
    fn rows_are_read_with_the_names_of_their_columns() {
        let text = "insert into `users` (`first_name`, `company`, `phone`, `n`) values \
            ('Zyxa', 'Quux''s', '601 512 235', 7), ('Zyxo', NULL, NULL, 8);\nSee a@b.example.org";
        let found = found_as(text, TextKind::Auto);
        assert_eq!(found, ["Zyxa", "Quux''s", "601 512 235", "Zyxo", "a@b.example.org"]);
    }
}
