//! The rest of an address after the street: dwelling, post code, city, region, country.
//!
//! In: the end of a street. Out: the end of the address, and whether it has a post code. Takes
//! parts as long as they look like parts of an address; a city counts only next to a post code,
//! a region or directly after the street.

use crate::byte_class::{DIGIT, LETTER, WORD, byte_at, class_at, run_end, upper_at};
use crate::dictionary::{CALENDAR, PLACE, SURNAME, VERY_COMMON};
use crate::lexicon::{DWELLING, PARTICLE, STOP_WORD};
use crate::scan::Scan;

const PARTS: usize = 8;

/// The end of the address whose street ends at `from`, and whether it has a post code.
pub(crate) fn tail(scan: &Scan<'_>, text: &str, from: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut sure = from;
    let mut at = from;
    let mut post = false;
    let mut cities = 0;
    let mut after_region = false;
    for _ in 0..PARTS {
        let Some((next, strong)) = separator(bytes, at) else { break };
        if let Some(end) = unit(scan, text, next) {
            at = end;
            sure = end;
        } else if let Some(end) = post_code(text, next).filter(|_| !post) {
            // A number far from a city could be anything.
            let city = city(scan, text, end + 1)
                .filter(|_| matches!(byte_at(bytes, end), b' ' | b'\n' | b','));
            if !strong && city.is_none() && cities == 0 && !after_region {
                break;
            }
            post = true;
            at = end;
            sure = end;
            if let Some(stop) = city {
                at = stop;
                sure = stop;
                cities += 1;
            }
        } else if let Some(end) = region(text, next) {
            let before_code =
                separator(bytes, end).is_some_and(|(next, _)| post_code(text, next).is_some());
            if !before_code && !strong {
                break;
            }
            after_region = true;
            at = end;
            if cities > 0 || before_code {
                sure = end;
            }
        } else if strong
            && cities < 3
            && let Some(end) = city(scan, text, next)
        {
            cities += 1;
            at = end;
            let closed = matches!(
                byte_at(bytes, end),
                0 | b'\n' | b',' | b'.' | b'"' | b')' | b';' | b'<' | b'|'
            );
            let country =
                text.get(next..end).and_then(|words| words.rsplit(' ').next()).is_some_and(
                    |word| crate::dictionary::lookup_word(word) & (PLACE | SURNAME) == PLACE,
                );
            // `Ikoyi, Lagos`: a district and its city.
            let known = || {
                text.get(next..end)
                    .is_some_and(|word| crate::dictionary::lookup_word(word) & PLACE != 0)
            };
            if closed && cities == 1 || country || cities == 2 && known() {
                sure = end;
            }
        } else {
            break;
        }
        if post && cities > 0 && !continues(scan, text, at) {
            break;
        }
    }
    // `Roma (RM)`, `São Paulo / SP`, `Curitiba - PR`.
    (province(text, sure).unwrap_or(sure), post)
}

fn continues(scan: &Scan<'_>, text: &str, at: usize) -> bool {
    separator(text.as_bytes(), at).is_some_and(|(next, strong)| {
        unit(scan, text, next).is_some()
            || post_code(text, next).is_some() && strong
            || region(text, next).is_some() && strong
            || city(scan, text, next).is_some_and(|end| {
                strong
                    && text
                        .get(next..end)
                        .is_some_and(|word| crate::dictionary::lookup_word(word) & PLACE != 0)
            })
    })
}

/// Where the next part begins, and whether a comma or line end separates it.
fn separator(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut next = at;
    let mut strong = false;
    while next - at < 10 {
        match byte_at(bytes, next) {
            b' ' => {}
            b',' | b'\n' | b'\r' => strong = true,
            b'-' if byte_at(bytes, next + 1) == b' ' && next > at => strong = true,
            _ => break,
        }
        next += 1;
    }
    (next > at && class_at(bytes, next) & WORD != 0 || byte_at(bytes, next) == b'#')
        .then_some((next, strong))
}

fn unit(scan: &Scan<'_>, text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if byte_at(bytes, at) == b'#' {
        let end = run_end(bytes, at + 1, WORD);
        return (end > at + 1 && end - at <= 7).then_some(end);
    }
    let end = run_end(bytes, at, LETTER);
    let word = text.get(at..end)?;
    if word.is_empty() || word.len() > 14 {
        // `3º B`, `2. OG`
        return None;
    }
    if scan.lexicon.word(word) & DWELLING == 0 {
        return None;
    }
    let mut next = end;
    while matches!(byte_at(bytes, next), b'.' | b' ' | b'#' | b':') && next - end < 3 {
        next += 1;
    }
    let stop = run_end(bytes, next, WORD);
    (next > end
        && stop > next
        && stop - next <= if word.len() <= 2 { 4 } else { 6 }
        && (class_at(bytes, next) & DIGIT != 0 || stop - next == 1 && upper_at(text, next)))
    .then_some(stop)
}

/// A post code: four to seven digits, `12-345`, `123 45`, `12345-678`, `1234 AB`, `SW1A 1AA`.
fn post_code(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = if matches!(
        bytes.get(at..at + 2),
        Some(b"D-" | b"A-" | b"F-" | b"B-" | b"S-" | b"L-" | b"I-" | b"N-" | b"H-")
    ) || bytes.get(at..at + 3).is_some_and(|p| {
        p == b"CH-"
            || p == b"SE-"
            || p == b"DK-"
            || p == b"FI-"
            || p == b"LT-"
            || p == b"LV-"
            || p == b"HU-"
    }) {
        run_end(bytes, at, LETTER) + 1
    } else {
        at
    };
    let digits = run_end(bytes, at, DIGIT) - at;
    let after = at + digits;
    let group = |from: usize| run_end(bytes, from, DIGIT) - from;
    let clean = |end: usize| (class_at(bytes, end) & WORD == 0).then_some(end);
    match digits {
        2 if byte_at(bytes, after) == b'-' && group(after + 1) == 3 => return clean(after + 4),
        3 if byte_at(bytes, after) == b' ' && group(after + 1) == 2 => return clean(after + 3),
        3 if byte_at(bytes, after) == b'-' && group(after + 1) == 4 => return clean(after + 5),
        5 if byte_at(bytes, after) == b'-' && matches!(group(after + 1), 3 | 4) => {
            return clean(after + 1 + group(after + 1));
        }
        4 if byte_at(bytes, after) == b'-' && group(after + 1) == 3 => return clean(after + 4),
        4 if byte_at(bytes, after) == b' ' && dutch_letters(bytes, after + 1) => {
            return clean(after + 3);
        }
        4 if dutch_letters(bytes, after) => return clean(after + 2),
        4..=7 => return clean(after),
        0 => {}
        _ => return None,
    }
    // Letters first: United Kingdom, Canada, Ireland, Malta.
    let end = run_end(bytes, at, WORD);
    let head = bytes.get(at..end)?;
    let mixed = (2..=4).contains(&head.len())
        && head.iter().all(u8::is_ascii_alphanumeric)
        && head.first().is_some_and(u8::is_ascii_uppercase)
        && head.iter().any(u8::is_ascii_digit);
    if mixed && byte_at(bytes, end) == b' ' {
        let stop = run_end(bytes, end + 1, WORD);
        let second = bytes.get(end + 1..stop)?;
        if (3..=4).contains(&second.len())
            && second.iter().any(u8::is_ascii_digit)
            && second.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        {
            return Some(stop);
        }
    }
    let joined = (5..=7).contains(&head.len())
        && head.first().is_some_and(u8::is_ascii_uppercase)
        && head.last().is_some_and(u8::is_ascii_uppercase)
        && head.iter().filter(|b| b.is_ascii_digit()).count() >= 2
        && head.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    joined.then_some(end)
}

fn dutch_letters(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_uppercase))
}

/// `CA`, `NSW`: two or three capitals.
fn region(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = run_end(bytes, at, WORD);
    (matches!(end - at, 2 | 3) && bytes.get(at..end)?.iter().all(u8::is_ascii_uppercase))
        .then_some(end)
}

/// Words in lower case inside the names of cities: `Stratford upon Avon`.
const CITY_PARTICLES: [&str; 16] = [
    "upon", "am", "an", "sur", "sous", "les", "lès", "en", "in", "im", "bei", "na", "nad", "pod",
    "aan", "on",
];
/// Stop words that names of cities begin with: `Los Angeles`, `Den Haag`.
const CITY_STARTS: [&str; 17] = [
    "New", "North", "South", "East", "West", "Old", "Upper", "Lower", "La", "Le", "Les", "El",
    "Los", "Las", "Central", "Den", "Der",
];

/// The end of a city's name at `at`: one to four capitalised words.
fn city(scan: &Scan<'_>, text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = None;
    let mut next = at;
    for count in 0..5 {
        let stop = run_end(bytes, next, LETTER);
        let word = text.get(next..stop)?;
        let upper = upper_at(text, next);
        // A word without a capital is not a city.
        let (flags, known) = if upper {
            scan.lexicon.both_at(text, next, stop)
        } else {
            (scan.lexicon.word_at(text, next, stop), 0)
        };
        let joined = end.is_some_and(|end| next > end + 1);
        // `Leeds LS1 4DY`: a post code begins.
        if word.is_empty()
            || class_at(bytes, stop) & DIGIT != 0
            || !upper
                && (flags & PARTICLE == 0 && !CITY_PARTICLES.contains(&word)
                    || count == 0 && byte_at(bytes, stop) != b'\'')
        {
            break;
        }
        if upper
            && byte_at(bytes, stop) != b'\''
            && (flags & STOP_WORD != 0 && known & PLACE == 0 && !CITY_STARTS.contains(&word)
                || known & CALENDAR != 0
                || count > 0
                    && !joined
                    && known & VERY_COMMON != 0
                    && known & (PLACE | SURNAME) == 0)
        {
            break;
        }
        if upper {
            end = Some(stop);
        }
        match byte_at(bytes, stop) {
            b' ' | b'-' | b'\'' => next = stop + 1,
            0xE2 if text.get(stop..stop + 3) == Some("’") => next = stop + 3,
            b'.' if matches!(word, "St" | "Ste" | "Bad") && byte_at(bytes, stop + 1) == b' ' => {
                next = stop + 2;
            }
            _ => break,
        }
    }
    end
}

fn province(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let bytes = rest.as_bytes();
    let two = |from: usize| {
        bytes.get(from..from + 2).is_some_and(|two| two.iter().all(u8::is_ascii_uppercase))
    };
    if rest.starts_with(" (") && two(2) && byte_at(bytes, 4) == b')' {
        return Some(at + 5);
    }
    if (rest.starts_with(" / ") || rest.starts_with(" - "))
        && two(3)
        && class_at(bytes, 5) & WORD == 0
    {
        return Some(at + 5);
    }
    None
}
