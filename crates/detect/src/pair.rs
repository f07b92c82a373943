//! `key: value` and `key=value` in text.
//!
//! In: the offset of a `:` or `=`. Out: a candidate for the value, if the key before the sign
//! has a class. Reads quoted and bare values, JSON and code inside text, headers of mail and
//! HTTP, settings. Looks at most 48 bytes back.

pub(crate) mod contact_card;

use tidegate_model::DataType;

use crate::byte_class::{
    CLASS, JOIN, LETTER, WORD, byte_at, byte_before, class_at, class_before, floor_char,
};
use crate::keyed_value::{self, Outcome};
use crate::keys::KeyClass;
use crate::lexicon::{CARD_CUE, ID_CUE, PHONE_CUE, SSN_CUE};
use crate::number::digits::Digits;
use crate::number::{self, Hint};
use crate::org::keyed::company_end;
use crate::person::keyed::name_end;
use crate::scan::{CHECKED, KEYED, Scan};
use crate::sequence::Sequence;
use crate::{address, announced, markup, org};

/// Judges the pair around the sign at `at`; returns where to continue, if it has a value.
pub(crate) fn detect_at(scan: &mut Scan<'_>, text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (key_start, key_end) = key_before(bytes, at)?;
    // Times and numbers are not keys.
    if byte_at(bytes, key_start).is_ascii_digit() {
        return None;
    }
    let key = text.get(floor_char(text, key_start)..key_end)?;
    let mut class = scan.key(key);
    if byte_at(bytes, at) == b':'
        && matches!(class, KeyClass::Name | KeyClass::Id | KeyClass::Place)
        && matches!(byte_at(bytes, at + 1), b' ' | b'\t')
    {
        // `contact name: …`, `Phone number: …`: the words before belong to the key.
        if let Some(longer) = longer_key(text, key_start, key_end) {
            let found = scan.key(longer);
            class = if found == KeyClass::Unknown { class } else { found };
        }
    }
    if let Some(end) = structured(scan, text, key_start, key_end, at, class) {
        return Some(end);
    }
    if matches!(
        class,
        KeyClass::Unknown
            | KeyClass::Id
            | KeyClass::Email
            | KeyClass::Ip
            | KeyClass::Iban
            | KeyClass::Thing
            | KeyClass::Place
            | KeyClass::Login
    ) {
        return None;
    }
    let mut start = at + 1;
    if byte_at(bytes, start) == b'=' {
        return None;
    }
    while matches!(byte_at(bytes, start), b' ' | b'\t') && start - at < 40 {
        start += 1;
    }
    // Markdown: `**Name:** Anna`.
    if bytes.get(start..start + 3) == Some(b"** ") {
        start += 3;
    }
    let quote = byte_at(bytes, start);
    if matches!(quote, b'"' | b'\'' | b'`') {
        let end = quoted_end(
            bytes,
            start + 1,
            quote,
            if class == KeyClass::Password { 20_000 } else { 400 },
        )?;
        let class = if class == KeyClass::Name { KeyClass::Role } else { class };
        return (keyed_value::value(scan, text, start + 1, end, class) == Outcome::Consumed)
            .then_some(end);
    }
    bare(scan, text, start, class, byte_at(bytes, at))
}

/// Values described by more than the word before the sign: see `markup`, `contact_card`,
/// `announced`.
fn structured(
    scan: &mut Scan<'_>,
    text: &str,
    key_start: usize,
    key_end: usize,
    at: usize,
    class: KeyClass,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let before = byte_before(bytes, key_start);
    if byte_at(bytes, at) == b':' {
        let property = matches!(before, b'=' | b',')
            || matches!(before, b'\n' | 0) && byte_before(bytes, at).is_ascii_uppercase();
        return if property { contact_card::line(scan, text, at) } else { None };
    }
    match text.get(key_start..key_end)? {
        "CN" if before == b';' => contact_card::common_name(scan, text, at),
        "value" | "content" => markup::attribute(scan, text, at),
        key if matches!(class, KeyClass::Unknown | KeyClass::Id)
            && matches!(
                bytes.get(key_start..key_start + 2),
                Some(b"se" | b"si" | b"SE" | b"SI" | b"PH" | b"JS")
            ) =>
        {
            announced::cookie(scan, text, key, at)
        }
        _ => None,
    }
}

/// The key before the sign: letters, digits, `_`, `-` and `.`, optionally in quotes.
fn key_before(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut end = at;
    while matches!(byte_before(bytes, end), b' ' | b'"' | b'\'' | b'*' | b'`') && at - end < 3 {
        end -= 1;
    }
    let mut start = end;
    while end - start < 48 && class_before(bytes, start) & (WORD | JOIN) != 0 {
        start -= 1;
    }
    (start < end && CLASS[usize::from(byte_at(bytes, end - 1))] & WORD != 0).then_some((start, end))
}

fn longer_key(text: &str, start: usize, end: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut from = start;
    for _ in 0..2 {
        if byte_before(bytes, from) != b' '
            || class_before(bytes, from.checked_sub(1)?) & LETTER == 0
        {
            break;
        }
        from -= 1;
        while class_before(bytes, from) & WORD != 0 && end - from < 48 {
            from -= 1;
        }
    }
    let from = floor_char(text, from);
    (from < start).then(|| text.get(from..end)).flatten()
}

fn quoted_end(bytes: &[u8], from: usize, quote: u8, limit: usize) -> Option<usize> {
    let mut at = from;
    // Only private keys are this long.
    while at < bytes.len() && at - from < limit {
        match byte_at(bytes, at) {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            b'\n' if at - from > 400 => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

fn line_end(bytes: &[u8], from: usize, limit: usize) -> usize {
    let rest = bytes.get(from..bytes.len().min(from + limit)).unwrap_or_default();
    from + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

fn bare(scan: &mut Scan<'_>, text: &str, start: usize, class: KeyClass, sign: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    match class {
        KeyClass::Password | KeyClass::Token | KeyClass::Auth => {
            secret(scan, text, start, class, sign)
        }
        KeyClass::Person | KeyClass::Role | KeyClass::Name => {
            if class != KeyClass::Person
                && let Some((from, to)) =
                    org::in_sequence(scan, text, &Sequence::read(scan.lexicon, text, start))
            {
                scan.add(from, to, DataType::Org, KEYED);
                return Some(to);
            }
            let end = name_end(scan.lexicon, text, start, class)?;
            scan.add(start, end, DataType::Person, KEYED);
            Some(end)
        }
        KeyClass::Org => {
            let end = company_end(scan.lexicon, text, start)?;
            scan.add(start, end, DataType::Org, KEYED);
            Some(end)
        }
        KeyClass::Address => {
            let end = address::address_end(text, start)?;
            scan.add(start, end, DataType::Address, KEYED);
            Some(end)
        }
        KeyClass::Birth => {
            let end = (start + 24).min(line_end(bytes, start, 24));
            let stop = bytes
                .get(start..end)?
                .iter()
                .position(|b| matches!(b, b',' | b';' | b'|' | b')' | b'<'))
                .map_or(end, |place| start + place);
            let stop = floor_char(text, stop);
            let digits = bytes.get(start..stop)?.iter().filter(|b| b.is_ascii_digit()).count();
            if digits < 4 || CLASS[usize::from(byte_at(bytes, start))] & WORD == 0 {
                return None;
            }
            let read = Digits::gather(bytes, start);
            let stop = if number::is_date(&read).is_some() {
                read.end(3)
            } else {
                text.get(start..stop)?.trim_end_matches(['.', ' ']).len() + start
            };
            scan.add(start, stop, DataType::BirthDate, KEYED);
            Some(stop)
        }
        KeyClass::Phone => hinted(scan, text, start, PHONE_CUE, DataType::Phone),
        KeyClass::Ssn => hinted(scan, text, start, SSN_CUE, DataType::Ssn),
        KeyClass::Card => hinted(scan, text, start, CARD_CUE, DataType::CreditCard),
        KeyClass::NationalId => hinted(scan, text, start, ID_CUE, DataType::NationalId),
        KeyClass::Custom => {
            let end = floor_char(text, line_end(bytes, start, 200));
            scan.add(
                start,
                start + text.get(start..end)?.trim_end().len(),
                DataType::Custom,
                CHECKED,
            );
            Some(end)
        }
        KeyClass::Version => {
            // Skip the number, which would look like an IP address.
            let mut end = start;
            while class_at(bytes, end) & WORD != 0 || byte_at(bytes, end) == b'.' {
                end += 1;
            }
            Some(end.max(start))
        }
        _ => None,
    }
}

/// A number whose type is implied by its key.
fn hinted(
    scan: &mut Scan<'_>,
    text: &str,
    start: usize,
    hint: u32,
    data_type: DataType,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if !byte_at(bytes, start).is_ascii_digit() && !matches!(byte_at(bytes, start), b'+' | b'(') {
        return None;
    }
    let digits = Digits::gather(bytes, start);
    let found = number::find(scan, text, &digits, Some(Hint(hint)))?;
    let rank = if found.data_type == data_type { CHECKED } else { KEYED };
    scan.add(found.start, found.end, found.data_type, rank);
    Some(found.end)
}

/// Whether `name=` follows, as in the query of a URL.
fn next_parameter(bytes: &[u8], at: usize) -> bool {
    let end = crate::byte_class::run_end(bytes, at, WORD);
    end > at && end - at < 40 && byte_at(bytes, end) == b'='
}

fn secret(
    scan: &mut Scan<'_>,
    text: &str,
    mut start: usize,
    class: KeyClass,
    sign: u8,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if class == KeyClass::Auth || class == KeyClass::Token {
        for scheme in
            ["Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "ApiKey ", "Digest "]
        {
            if bytes.get(start..).is_some_and(|rest| rest.starts_with(scheme.as_bytes())) {
                start += scheme.len();
                break;
            }
        }
    }
    let mut end = start;
    while end < bytes.len() && end - start < 4096 {
        match byte_at(bytes, end) {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' => break,
            b'&' if sign == b'=' && next_parameter(bytes, end + 1) => break,
            b',' | b';' if class_at(bytes, end + 1) & WORD == 0 => break,
            b'\\' if matches!(byte_at(bytes, end + 1), b'n' | b'r' | b't' | b'"') => break,
            _ => {}
        }
        end += 1;
    }
    while end > start
        && matches!(byte_before(bytes, end), b'.' | b',' | b';' | b')' | b']' | b'}' | b':')
    {
        let open = match byte_before(bytes, end) {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => 0,
        };
        if open != 0 && bytes.get(start..end).is_some_and(|value| value.contains(&open)) {
            break;
        }
        end -= 1;
    }
    let (start, end) = (floor_char(text, start), floor_char(text, end));
    (keyed_value::value(
        scan,
        text,
        start,
        end,
        if class == KeyClass::Auth { KeyClass::Token } else { class },
    ) == Outcome::Consumed)
        .then_some(end)
}
