//! Postal addresses.
//!
//! In: a house number, a street word or a word for a dwelling. Out: a candidate over street,
//! dwelling, post code, city and country, as far as they are adjacent. An address needs a street
//! with a number, or a dwelling and a post code.

pub(crate) mod street;
pub(crate) mod tail;

use tidegate_model::DataType;

use crate::address::street::{
    is_compound, number_after, small_street, street, street_at, with_prefix,
};
use crate::address::tail::tail;
use crate::byte_class::{
    DIGIT, LETTER, WORD, byte_at, byte_before, class_at, class_before, floor_char, run_end,
    upper_at,
};
use crate::dictionary::{COMMON, GIVEN, VERY_COMMON};
use crate::lexicon::{ADDRESS_CUE, DWELLING, STOP_WORD, STREET_END, STREET_START};
use crate::scan::{PROSE, Scan};
use crate::sequence::{Kind, Sequence, Word};

/// Starts with a house number: `12 Main Street`, `23, rue Olivier`.
pub(crate) fn from_number(
    scan: &mut Scan<'_>,
    text: &str,
    start: usize,
    end: usize,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if end - start > 6
        || matches!(byte_before(bytes, start), b'-' | b'.' | b'/' | b'#' | b'$' | b':' | b'+')
        || class_before(bytes, start) & WORD != 0
    {
        return None;
    }
    // `893/044 John Rest`
    let end = if byte_at(bytes, end) == b'/'
        && byte_at(bytes, end + 1).is_ascii_digit()
        && run_end(bytes, end + 1, DIGIT) - end <= 4
    {
        run_end(bytes, end + 1, DIGIT)
    } else {
        end
    };
    let at = match (byte_at(bytes, end), byte_at(bytes, end + 1)) {
        (b' ', next) if next.is_ascii_digit() => {
            // `704 1436 Redbud Drive`: two numbers.
            let second = run_end(bytes, end + 1, DIGIT);
            if second - end > 6 || byte_at(bytes, second) != b' ' {
                return None;
            }
            second + 1
        }
        (b' ', _) => end + 1,
        (b',', b' ') => end + 2,
        _ => return None,
    };
    if class_at(bytes, at) & LETTER == 0 {
        return None;
    }
    let (street_end, known) = street(scan, text, at)?;
    // `5049 Harjukuja 54`: a second number may follow the street.
    let second = number_after(bytes, street_end).filter(|_| byte_at(bytes, street_end) == b' ');
    let (stop, post) = tail(scan, text, second.unwrap_or(street_end));
    let said = second.is_some() && scan.flags_before(text, start, 4) & ADDRESS_CUE != 0;
    if !known && !post && !said {
        return None;
    }
    scan.add(start, stop, DataType::Address, PROSE);
    Some(stop)
}

/// `rue de Marchand, 77538 Gillet`: a street without a number, seen from its post code.
pub(crate) fn before_post_code(
    scan: &mut Scan<'_>,
    text: &str,
    start: usize,
    end: usize,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if !(4..=6).contains(&(end - start)) || byte_at(bytes, end) != b' ' || !upper_at(text, end + 1)
    {
        return None;
    }
    let comma =
        start.checked_sub(2).filter(|at| matches!(bytes.get(*at..start), Some(b", " | b",\n")))?;
    let mut word_end = comma;
    for _ in 0..6 {
        let (from, to) = crate::scan::word_before(text, word_end, comma.saturating_sub(48))?;
        if text
            .get(to..word_end)
            .is_none_or(|gap| !matches!(gap, "" | " " | "-" | "'" | "." | ". "))
        {
            return None;
        }
        let flags = text.get(from..to).map_or(0, |word| scan.lexicon.word(word));
        if flags & STREET_START != 0 && to - from > 2 && word_end < comma {
            let (stop, _) = tail(scan, text, comma);
            scan.add(from, stop, DataType::Address, PROSE);
            return Some(stop.max(end));
        }
        word_end = from;
    }
    None
}

/// Starts with a street word or a dwelling: `Calle Mayor 12`, `Flat 4, Smith Underpass`.
pub(crate) fn from_word(scan: &mut Scan<'_>, text: &str, word: &Word) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = word.end + usize::from(byte_at(bytes, word.end) == b'.');
    if byte_at(bytes, at) != b' ' {
        return None;
    }
    let next = at + 1;
    if word.flags & DWELLING != 0
        && (class_at(bytes, next) & DIGIT != 0 || run_end(bytes, next, WORD) == next + 1)
    {
        let number = run_end(bytes, next, WORD);
        if number - next > 6 {
            return None;
        }
        // `Flat 4, 12 Smith Street` and `Studio 3, Sanders Drive`: the street follows the
        // dwelling.
        let mut second = number + 2 * usize::from(byte_at(bytes, number) == b',');
        if byte_at(bytes, second).is_ascii_digit() && run_end(bytes, second, DIGIT) - second <= 5 {
            second = run_end(bytes, second, DIGIT) + 1;
        }
        let proven = street_at(scan, text, second).filter(|_| second > number);
        let (stop, post) = tail(scan, text, proven.unwrap_or(number));
        let street = proven.is_some()
            || text.get(number..stop).is_some_and(|rest| {
                rest.split([' ', ','])
                    .any(|w| scan.lexicon.word(w) & STREET_END != 0 || is_compound(w))
            });
        if post || street && scan.flags_before(text, word.start, 4) & ADDRESS_CUE != 0 {
            scan.add(word.start, stop, DataType::Address, PROSE);
            return Some(stop);
        }
        return None;
    }
    if word.flags & STREET_START == 0 {
        return None;
    }
    let (end, proven) = street(scan, text, word.start)?;
    let number = number_after(bytes, end);
    let (stop, post) = tail(scan, text, number.unwrap_or(end));
    let cue = scan.flags_before(text, word.start, 4) & ADDRESS_CUE != 0;
    // `Via` and `Place` are common words too, so a number must follow.
    let ok = number.is_some() && (post || proven || cue)
        || post && proven
        || proven && word.known & (COMMON | GIVEN) == 0 && word.end - word.start > 2;
    if !ok || number.is_none() && !post && word.known & COMMON != 0 {
        return None;
    }
    scan.add(word.start, stop, DataType::Address, PROSE);
    Some(stop)
}

/// `Seifertallee 7, 12345 Berlin`, `Via Roma 3`: a word that ends like a street, and a number.
pub(crate) fn from_compound(scan: &mut Scan<'_>, text: &str, sequence: &Sequence) -> Option<usize> {
    let bytes = text.as_bytes();
    let last = sequence.words().last()?;
    // `Kossuth utca 250.`: a street word in lower case.
    let small = small_street(scan, text, last.end);
    let number = small.or_else(|| number_after(bytes, last.end))?;
    let word = text.get(last.start..last.end)?;
    let street_word = sequence.words().len() >= 2 && last.flags & STREET_END != 0;
    let compound = is_compound(word) || street_word || small.is_some();
    let (stop, post) = tail(scan, text, number);
    if !compound && !post {
        return None;
    }
    // Without a street word, a post code with a city must confirm it.
    if !compound
        && (sequence.words().len() > 3
            || sequence.words().iter().any(|w| {
                w.flags & STOP_WORD != 0
                    || w.known & VERY_COMMON != 0
                    || w.kind == Kind::AllCapitals
            }))
    {
        return None;
    }
    let lead = sequence
        .words()
        .iter()
        .take_while(|w| w.flags & STOP_WORD != 0 && w.flags & STREET_START == 0)
        .count();
    let start = sequence.words().get(lead.min(sequence.words().len() - 1))?.start;
    scan.add(with_prefix(text, start), stop, DataType::Address, PROSE);
    Some(stop)
}

/// The end of the address after `Address: `.
pub(crate) fn address_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if class_at(bytes, start) & WORD == 0 {
        return None;
    }
    let limit = floor_char(text, bytes.len().min(start + 160));
    let line = text.get(start..limit)?;
    let end = line.find(['\n', '\r', ';', '|', '<', '"', '\t']).unwrap_or(line.len());
    let line = line.get(..end)?;
    let sentence =
        line.match_indices(". ")
            .find(|(at, _)| {
                line.get(..*at).is_some_and(|before| {
                    before.rsplit([' ', ',']).next().is_some_and(|word| {
                        word.len() > 3 || word.chars().all(|c| c.is_ascii_digit())
                    })
                })
            })
            .map_or(line.len(), |(at, _)| at);
    let value = line.get(..sentence)?.trim_end_matches(['.', ',', ' ', ')']);
    (value.len() >= 5
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.chars().any(char::is_alphabetic)
        && !value.contains('@')
        && !value.contains("://"))
    .then_some(start + value.len())
}
