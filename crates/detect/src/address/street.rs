//! Street names and house numbers.
//!
//! In: an offset where a street may begin or end. Out: where it ends, and whether a street word
//! proves it.

use crate::byte_class::{DIGIT, LETTER, WORD, byte_at, class_at, floor_char, run_end, upper_at};
use crate::byte_pairs::BytePairs;
use crate::dictionary::{GIVEN, hash_at, lookup};
use crate::lexicon::{DWELLING, PARTICLE, STOP_WORD, STREET_END, STREET_START};
use crate::scan::Scan;

/// Endings of compound street names: `Hauptstraße`, `Storgatan`, `Kerkstraat`.
#[rustfmt::skip]
const COMPOUND: &[&str] = &[
    "straße", "strasse", "str", "gasse", "allee", "platz", "weg", "ring", "ufer", "damm",
    "chaussee", "steig", "markt", "graben", "gade", "vej", "stræde", "vænget", "parken", "toften",
    "plads", "gata", "gaten", "gatan", "vägen", "vegen", "veien", "gränd", "torget", "stigen",
    "backen", "svingen", "bakken", "katu", "tie", "kuja", "polku", "kaari", "bulevardi", "straat",
    "laan", "plein", "gracht", "kade", "dreef", "singel", "steeg", "dijk", "hof", "pad", "baan",
    "lei", "utca", "tänav", "iela", "gatvė", "tunet", "åsen", "haugen", "lia", "vollen", "stien",
    "kollen", "ringen", "alléen", "marka", "skogen", "engen", "faret", "krok",
];

/// The end of a street's name at `at`, and whether a street word proves it.
pub(crate) fn street(scan: &Scan<'_>, text: &str, at: usize) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let mut end = at;
    let mut proven = None;
    let mut begun = false;
    let mut capitals = 0;
    for count in 0..6 {
        let stop = run_end(bytes, end, LETTER);
        let word = text.get(end..stop)?;
        if word.is_empty() {
            if count == 0
                && let Some(next) = after_ordinal(bytes, end)
            {
                end = next;
                capitals += 1;
                continue;
            }
            break;
        }
        let upper = upper_at(text, end);
        let hash = hash_at(text, end, stop);
        let flags = scan.lexicon.flags(hash);
        if count > 0 && flags & DWELLING != 0 && flags & (STREET_END | STREET_START) == 0 {
            break;
        }
        if !upper
            && flags & (PARTICLE | STREET_START) == 0
            && !word.contains('\'')
            && (!begun || word.len() > 3)
        {
            if count == 0 {
                return None;
            }
            break;
        }
        if upper
            && flags & STOP_WORD != 0
            && flags & (STREET_END | STREET_START) == 0
            && lookup(hash) & GIVEN == 0
            && !begun
            && !STREET_NAME_STARTS.contains(&word)
        {
            break;
        }
        let dot = usize::from(
            byte_at(bytes, stop) == b'.' && byte_at(bytes, stop + 1) != b' '
                || byte_at(bytes, stop) == b'.'
                    && word.len() <= 4
                    && flags & (STREET_END | STREET_START) != 0,
        );
        if count == 0
            && flags & STREET_START != 0
            && (upper || flags & STREET_END != 0 || word.len() > 2)
        {
            begun = true;
        } else if upper {
            capitals += 1;
        }
        if (count > 0 && upper && flags & STREET_END != 0 && !begun)
            || (upper && is_compound(word))
            || (begun && upper && capitals > 0)
        {
            proven = Some(stop + dot);
        }
        end = stop + dot;
        match byte_at(bytes, end) {
            b' ' | b'-' | b'\'' => end += 1,
            _ => break,
        }
        if !begun && proven.is_some() && !upper_at(text, end) {
            break;
        }
    }
    match proven {
        Some(stop) => Some((stop, true)),
        None if capitals > 0 && !begun => Some((text.get(at..end)?.trim_end().len() + at, false)),
        None => None,
    }
}

/// The offset after `5th ` or `42nd `.
fn after_ordinal(bytes: &[u8], at: usize) -> Option<usize> {
    let end = run_end(bytes, at, WORD);
    (byte_at(bytes, at).is_ascii_digit() && end - at <= 5 && byte_at(bytes, end) == b' ')
        .then_some(end + 1)
}

/// The end of a street at `at`, if a street word proves it.
pub(crate) fn street_at(scan: &Scan<'_>, text: &str, at: usize) -> Option<usize> {
    street(scan, text, at).filter(|found| found.1).map(|found| found.0)
}

/// Stop words that names of streets begin with: `North Road`.
const STREET_NAME_STARTS: [&str; 13] =
    ["North", "South", "East", "West", "N", "S", "E", "W", "New", "Old", "Upper", "Lower", "The"];

static ENDS: BytePairs = BytePairs::of_ends(COMPOUND);

pub(crate) fn is_compound(word: &str) -> bool {
    let bytes = word.as_bytes();
    word.len() >= 6
        && ENDS.may(byte_at(bytes, bytes.len() - 2), byte_at(bytes, bytes.len() - 1))
        && COMPOUND.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end))
}

/// ` utca 5`, ` katu 5`, ` tie 5` after a name: the end of the number.
pub(crate) fn small_street(scan: &Scan<'_>, text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if byte_at(bytes, end) != b' ' {
        return None;
    }
    let stop = run_end(bytes, end + 1, LETTER);
    let word = text.get(end + 1..stop)?;
    if !(3..=12).contains(&word.len()) || upper_at(text, end + 1) {
        return None;
    }
    let number = number_after(bytes, stop)?;
    (scan.lexicon.word(word) & STREET_END != 0).then_some(number)
}

/// `al. Zielna 21`, `ul. Miła 3`: a short street word in lower case before.
pub(crate) fn with_prefix(text: &str, start: usize) -> usize {
    let before = text.get(..floor_char(text, start)).unwrap_or_default();
    [
        "al. ", "ul. ", "pl. ", "os. ", "str. ", "c/ ", "av. ", "nám. ", "tř. ", "ул. ", "пр. ",
        "jl. ",
    ]
    .iter()
    .find(|prefix| {
        before.ends_with(*prefix)
            && !before
                .get(..before.len() - prefix.len())
                .is_some_and(|head| head.ends_with(char::is_alphanumeric))
    })
    .map_or(start, |prefix| start - prefix.len())
}

/// The end of a house number after a street: ` 12`, `, 12a`, ` 12/3`, ` nr. 5`.
pub(crate) fn number_after(bytes: &[u8], end: usize) -> Option<usize> {
    let mut at = match (byte_at(bytes, end), byte_at(bytes, end + 1)) {
        (b',', b' ') => end + 2,
        (b' ', _) => end + 1,
        (b'.', b' ') => end + 2,
        _ => return None,
    };
    // A digit needs no label, and few other bytes begin one.
    match byte_at(bytes, at) {
        b'0'..=b'9' => return number_end(bytes, at),
        b'N' | b'n' | b's' | 0xD0 | 0xE2 => {}
        _ => return None,
    }
    for label in [
        &b"No. "[..],
        b"Nr. ",
        b"nr. ",
        b"n. ",
        b"no. ",
        "nº ".as_bytes(),
        "N° ".as_bytes(),
        "Nº ".as_bytes(),
        "n° ".as_bytes(),
        "№ ".as_bytes(),
        "д. ".as_bytes(),
        "буд. ".as_bytes(),
        b"s/n",
    ] {
        if bytes.get(at..).is_some_and(|rest| rest.starts_with(label)) {
            at += label.len();
            break;
        }
    }
    number_end(bytes, at)
}

/// The end of the house number at `at`.
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = run_end(bytes, at, DIGIT);
    if digits == at || digits - at > 5 {
        return None;
    }
    let mut stop = run_end(bytes, digits, WORD);
    if stop - digits > 2 {
        return None;
    }
    if matches!(byte_at(bytes, stop), b'/' | b'-') && byte_at(bytes, stop + 1).is_ascii_digit() {
        stop = run_end(bytes, stop + 1, WORD);
    }
    if byte_at(bytes, stop) == b'.' && matches!(byte_at(bytes, stop + 1), b',' | 0) {
        stop += 1;
    }
    (!(matches!(byte_at(bytes, stop), b'.' | b':' | b'%') && class_at(bytes, stop + 1) & WORD != 0))
        .then_some(stop)
}
