//! Postal addresses.
//!
//! In: a number, a street word or a word for a dwelling. Out: a find from there over the
//! street, the dwelling, the post code, the city and the country, as far as they stand
//! together. An address needs a street with a number, or a dwelling and a post code.

use tidegate_model::DataType;

use super::class::{
    DIGIT, LETTER, WORD, byte_at, byte_before, class_at, class_before, floor_char, run_end,
    upper_at,
};
use super::lexicon::{ADDRESS_CUE, STOP, STREET_END, STREET_START, UNIT};
use super::place::tail;
use super::run::{PROSE, Run};
use super::sequence::{Kind, Sequence, Word};
use super::street::{is_compound, number_after, small_street, street, street_at, with_prefix};
use super::words::{GIVEN, PLAIN, VERY_PLAIN};

/// A house number in front: `12 Main Street`, `23, rue Olivier`.
pub(super) fn from_number(
    run: &mut Run<'_>,
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
    let (street_end, known) = street(run, text, at)?;
    // `5049 Harjukuja 54`: some write a second number behind the street.
    let second = number_after(bytes, street_end).filter(|_| byte_at(bytes, street_end) == b' ');
    let (stop, post) = tail(run, text, second.unwrap_or(street_end));
    let said = second.is_some() && run.flags_before(text, start, 4) & ADDRESS_CUE != 0;
    if !known && !post && !said {
        return None;
    }
    run.add(start, stop, DataType::Address, PROSE);
    Some(stop)
}

/// `rue de Marchand, 77538 Gillet`: a street without a number, seen from its post code.
pub(super) fn before_post_code(
    run: &mut Run<'_>,
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
        let (from, to) = super::run::word_before(text, word_end, comma.saturating_sub(48))?;
        if text
            .get(to..word_end)
            .is_none_or(|gap| !matches!(gap, "" | " " | "-" | "'" | "." | ". "))
        {
            return None;
        }
        let flags = text.get(from..to).map_or(0, |word| run.lexicon.word(word));
        if flags & STREET_START != 0 && to - from > 2 && word_end < comma {
            let (stop, _) = tail(run, text, comma);
            run.add(from, stop, DataType::Address, PROSE);
            return Some(stop.max(end));
        }
        word_end = from;
    }
    None
}

/// A street word or a dwelling in front: `Calle Mayor 12`, `Flat 4, Smith Underpass`.
pub(super) fn from_word(run: &mut Run<'_>, text: &str, word: &Word) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = word.end + usize::from(byte_at(bytes, word.end) == b'.');
    if byte_at(bytes, at) != b' ' {
        return None;
    }
    let next = at + 1;
    if word.flags & UNIT != 0
        && (class_at(bytes, next) & DIGIT != 0 || run_end(bytes, next, WORD) == next + 1)
    {
        let number = run_end(bytes, next, WORD);
        if number - next > 6 {
            return None;
        }
        // `Flat 4, 12 Smith Street` and `Studio 3, Sanders Drive`: the street comes second.
        let mut second = number + 2 * usize::from(byte_at(bytes, number) == b',');
        if byte_at(bytes, second).is_ascii_digit() && run_end(bytes, second, DIGIT) - second <= 5 {
            second = run_end(bytes, second, DIGIT) + 1;
        }
        let proven = street_at(run, text, second).filter(|_| second > number);
        let (stop, post) = tail(run, text, proven.unwrap_or(number));
        let street = proven.is_some()
            || text.get(number..stop).is_some_and(|rest| {
                rest.split([' ', ','])
                    .any(|w| run.lexicon.word(w) & STREET_END != 0 || is_compound(w))
            });
        if post || street && run.flags_before(text, word.start, 4) & ADDRESS_CUE != 0 {
            run.add(word.start, stop, DataType::Address, PROSE);
            return Some(stop);
        }
        return None;
    }
    if word.flags & STREET_START == 0 {
        return None;
    }
    let (end, proven) = street(run, text, word.start)?;
    let number = number_after(bytes, end);
    let (stop, post) = tail(run, text, number.unwrap_or(end));
    let cue = run.flags_before(text, word.start, 4) & ADDRESS_CUE != 0;
    // `Via` and `Place` are plain words too: a number must follow.
    let ok = number.is_some() && (post || proven || cue)
        || post && proven
        || proven && word.known & (PLAIN | GIVEN) == 0 && word.end - word.start > 2;
    if !ok || number.is_none() && !post && word.known & PLAIN != 0 {
        return None;
    }
    run.add(word.start, stop, DataType::Address, PROSE);
    Some(stop)
}

/// `Seifertallee 7, 12345 Berlin`, `Via Roma 3`: a word that ends like a street, and a number.
pub(super) fn from_compound(run: &mut Run<'_>, text: &str, sequence: &Sequence) -> Option<usize> {
    let bytes = text.as_bytes();
    let last = sequence.words().last()?;
    // `Kossuth utca 250.`: the street word in small letters.
    let small = small_street(run, text, last.end);
    let number = small.or_else(|| number_after(bytes, last.end))?;
    let word = text.get(last.start..last.end)?;
    let street_word = sequence.words().len() >= 2 && last.flags & STREET_END != 0;
    let compound = is_compound(word) || street_word || small.is_some();
    let (stop, post) = tail(run, text, number);
    if !compound && !post {
        return None;
    }
    // Without a street word, a post code with its city must prove it.
    if !compound
        && (sequence.words().len() > 3
            || sequence.words().iter().any(|w| {
                w.flags & STOP != 0 || w.known & VERY_PLAIN != 0 || w.kind == Kind::AllCapitals
            }))
    {
        return None;
    }
    let lead = sequence
        .words()
        .iter()
        .take_while(|w| w.flags & STOP != 0 && w.flags & STREET_START == 0)
        .count();
    let start = sequence.words().get(lead.min(sequence.words().len() - 1))?.start;
    run.add(with_prefix(text, start), stop, DataType::Address, PROSE);
    Some(stop)
}

/// The end of an address behind `Address: `.
pub(super) fn read_labelled(text: &str, start: usize) -> Option<usize> {
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
