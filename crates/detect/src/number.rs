//! Decides what a number in a text is.
//!
//! In: the place of a digit, `+` or `(`. Out: finds, and where the scan goes on. Asked in
//! this order: address of a computer, card, social security, national id, date of
//! birth, telephone. Bounded: one look gathers at most ten groups.

use std::cell::LazyCell;

use tidegate_model::DataType;

use super::card;
use super::check::is_day;
use super::class::{DIGIT, LETTER, WORD, byte_at, byte_before, class_at, class_before, run_end};
use super::digits::Digits;
use super::ip;
use super::lexicon::{
    BIRTH_CUE, CARD_CUE, ID_CUE, NUMBER_STOP, NUMBER_WORD, PHONE_CUE, SSN_CUE, VERSION_CUE,
};
use super::national;
use super::phone::{Shape, is_international, local_shape};
use super::run::{CHECKED, Found, PROSE, Run};

/// The flags of the words before a number, which are looked up when they are needed.
type Words<'a> = LazyCell<u32, &'a dyn Fn() -> u32>;

/// What the words around say a number is.
#[derive(Clone, Copy)]
pub(super) struct Hint(pub(super) u32);

/// Looks at the number that starts at `start`; returns where to go on.
pub(super) fn look(run: &mut Run<'_>, text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    if byte_at(bytes, start).is_ascii_digit() {
        // A short number with nothing of a number behind it: most numbers end here.
        let end = run_end(bytes, start, DIGIT);
        let goes_on = matches!(byte_at(bytes, end), b' ' | b'-' | b'.' | b'/' | b')')
            && (byte_at(bytes, end + 1).is_ascii_digit()
                || matches!(byte_at(bytes, end + 1), b' ' | b'-' | b'('));
        if end - start < 7 && !goes_on {
            return end;
        }
    }
    let digits = Digits::gather(bytes, start);
    let next = run_end(bytes, start + usize::from(!byte_at(bytes, start).is_ascii_digit()), DIGIT)
        .max(start + 1);
    if digits.groups == 0 || digits.too_long {
        return next;
    }
    let first_end = digits.end(1);
    // A short number alone is nothing: most numbers end here.
    if digits.groups == 1 && first_end - start < 7 {
        return next;
    }
    let before = byte_before(bytes, start);
    if class_before(bytes, start) & WORD != 0
        || (matches!(before, b'-' | b'.' | b'/' | b'#' | b'$') && glued(bytes, start))
    {
        return next;
    }
    match find(run, text, &digits, None) {
        Some(found) => {
            run.add(found.start, found.end, found.data_type, found.rank);
            found.end
        }
        // Times, dates and versions are one thing: do not look inside.
        None if is_date(&digits).is_some() => digits.end(3),
        None => next,
    }
}

/// Whether the sign before joins the number to a word.
fn glued(bytes: &[u8], start: usize) -> bool {
    let before = byte_before(bytes, start);
    matches!(before, b'#' | b'$') || start >= 2 && class_at(bytes, start - 2) & WORD != 0
}

/// What the digits are. With a hint, the words around are not asked.
pub(super) fn find(
    run: &Run<'_>,
    text: &str,
    digits: &Digits,
    hint: Option<Hint>,
) -> Option<Found> {
    let bytes = text.as_bytes();
    let start = digits.start;
    let plus = byte_at(bytes, start) == b'+';
    if !plus && digits.groups >= 4 && digits.signs(4) == b"..." {
        let Some(end) = ip::v4(bytes, start) else {
            // `06.12.34.56.78` has one group more.
            let dotted = digits.groups > 4 && byte_at(bytes, start) == b'0';
            return if dotted { phone_of(run, text, digits, hint) } else { None };
        };
        let version =
            hint.map_or_else(|| run.flags_before(text, start, 6), |hint| hint.0) & VERSION_CUE != 0;
        return (!version).then(|| checked(start, end, DataType::IpAddress));
    }
    let total = digits.values(digits.groups).len();
    if total < 6 {
        return None;
    }
    // A date with a time behind it is nobody's birthday.
    if !plus
        && is_date(digits).is_some()
        && (byte_at(bytes, digits.end(3)) == b'T'
            || digits.groups > 3 && byte_at(bytes, digits.end(4)) == b':')
    {
        return None;
    }
    // Asked for only where a word decides: most numbers are nothing whatever stands before.
    let look = || hint.map_or_else(|| run.flags_before(text, start, 5), |hint| hint.0);
    let words: Words<'_> = LazyCell::new(&look);
    if !plus {
        if total >= 12
            && let Some(groups) = card::groups(digits, || *words & CARD_CUE != 0)
            && clean_end(bytes, digits.end(groups))
        {
            return Some(checked(start, digits.end(groups), DataType::CreditCard));
        }
        if let Some(found) = social(digits, bytes, &words) {
            return Some(found);
        }
        if let Some(found) = born(text, digits, &words) {
            return found;
        }
        let (shape, groups) = national::in_digits(digits);
        if (shape == Shape::Sure || shape == Shape::Possible && *words & ID_CUE != 0)
            && clean_end(bytes, digits.end(groups))
        {
            return Some(checked(start, digits.end(groups), DataType::NationalId));
        }
    }
    phone(run, text, digits, &words, plus, hint.is_some())
}

fn phone_of(run: &Run<'_>, text: &str, digits: &Digits, hint: Option<Hint>) -> Option<Found> {
    let look = || hint.map_or_else(|| run.flags_before(text, digits.start, 5), |hint| hint.0);
    phone(run, text, digits, &LazyCell::new(&look), false, hint.is_some())
}

fn checked(start: usize, end: usize, data_type: DataType) -> Found {
    Found { start, end, data_type, rank: CHECKED }
}

/// Whether a number may end here.
fn clean_end(bytes: &[u8], end: usize) -> bool {
    class_at(bytes, end) & WORD == 0
        && !(matches!(byte_at(bytes, end), b'-' | b'.' | b'/' | b':')
            && class_at(bytes, end + 1) & (DIGIT | LETTER) != 0)
}

fn social(digits: &Digits, bytes: &[u8], words: &Words<'_>) -> Option<Found> {
    let (groups, form) =
        match (digits.lengths(3.min(digits.groups)), digits.signs(3.min(digits.groups))) {
            ([3, 2, 4], [b'-', b'-']) => (3, true),
            ([3, 2, 4], [a, b]) if a == b => (3, false),
            ([9, ..], _) => (1, false),
            _ => return None,
        };
    let area = digits.number(0, 3);
    let valid = area != 0
        && area != 666
        && area < 900
        && digits.number(3, 5) != 0
        && digits.number(5, 9) != 0;
    let end = digits.end(groups);
    (valid
        && clean_end(bytes, end)
        && (**words & SSN_CUE != 0 || form && **words & NUMBER_STOP == 0))
        .then(|| checked(digits.start, end, DataType::Ssn))
}

/// `Some(None)` for a date that is nobody's birthday.
fn born(text: &str, digits: &Digits, words: &Words<'_>) -> Option<Option<Found>> {
    is_date(digits)?;
    let end = digits.end(3);
    if **words & BIRTH_CUE == 0 || class_at(text.as_bytes(), end) & WORD != 0 {
        return Some(None);
    }
    Some(Some(Found { start: digits.start, end, data_type: DataType::BirthDate, rank: PROSE }))
}

/// Whether the first three groups are a day, a month and a year.
pub(super) fn is_date(digits: &Digits) -> Option<()> {
    if digits.groups < 3 {
        return None;
    }
    let [a, b] = digits.signs(3) else { return None };
    if a != b || !matches!(a, b'-' | b'/' | b'.') {
        return None;
    }
    let year = |value: u32| (1850..=2150).contains(&value);
    let fits = match digits.lengths(3) {
        [4, 1 | 2, 1 | 2] => {
            let (month, day) = (digits.values(2).len(), digits.values(3).len());
            year(digits.number(0, 4)) && is_day(digits.number(4, month), digits.number(month, day))
        }
        [1 | 2, 1 | 2, third @ (2 | 4)] => {
            let [first, second, end] = [1, 2, 3].map(|groups| digits.values(groups).len());
            let one = digits.number(0, first);
            let two = digits.number(first, second);
            let last = digits.number(second, end);
            (*third == 2 || year(last)) && (is_day(one, two) || is_day(two, one))
        }
        _ => false,
    };
    fits.then_some(())
}

fn phone(
    run: &Run<'_>,
    text: &str,
    digits: &Digits,
    words: &Words<'_>,
    plus: bool,
    labelled: bool,
) -> Option<Found> {
    let bytes = text.as_bytes();
    let start = digits.start;
    for groups in (1..=digits.groups).rev() {
        let values = digits.values(groups);
        let end = digits.end(groups);
        if values.len() < 6 || values.len() > 18 || !phone_end(bytes, end) {
            continue;
        }
        let good = if plus {
            is_international(values)
        } else if values.starts_with(&[0, 0]) && values.len() >= 10 {
            values.get(2..).is_some_and(is_international)
        } else {
            match local_shape(values, digits.lengths(groups), digits.signs(groups)) {
                Shape::Sure => **words & NUMBER_STOP == 0 || **words & PHONE_CUE != 0,
                Shape::Possible => {
                    let (cue, stop) = (**words & PHONE_CUE != 0, **words & NUMBER_STOP != 0);
                    // `… 45 EUR. Callback number …`: the nearer word counts.
                    let near = || run.flags_before(text, start, 2) & (PHONE_CUE | NUMBER_STOP);
                    (cue && (!stop || labelled || near() == PHONE_CUE))
                        || (**words & NUMBER_WORD != 0 && !stop && groups >= 3)
                        || spoken_of(run, text, end, values.len())
                }
                Shape::No => false,
            }
        };
        if good {
            return Some(checked(start, extension(bytes, end), DataType::Phone));
        }
    }
    None
}

/// `28-64-66-98 office`, `555 0143 (mobile)`.
fn spoken_of(run: &Run<'_>, text: &str, end: usize, count: usize) -> bool {
    count >= 7 && run.flags_after(text, end, 1) & PHONE_CUE != 0
}

fn phone_end(bytes: &[u8], end: usize) -> bool {
    let next = byte_at(bytes, end);
    if next == b'x' && byte_at(bytes, end + 1).is_ascii_digit() {
        return true;
    }
    clean_end(bytes, end)
        && !(next == b','
            && byte_at(bytes, end + 1).is_ascii_digit()
            && byte_at(bytes, end + 2).is_ascii_digit()
            && byte_at(bytes, end + 4) == b',')
}

/// The end of an extension behind the number: `x12`, `ext. 12`, `#12`.
fn extension(bytes: &[u8], end: usize) -> usize {
    let mut at = end;
    while byte_at(bytes, at) == b' ' && at < end + 2 {
        at += 1;
    }
    let word = run_end(bytes, at, LETTER);
    let named = bytes.get(at..word).is_some_and(|w| {
        ["x", "ext", "extension", "durchwahl", "poste", "int", "anexo"]
            .iter()
            .any(|e| w.eq_ignore_ascii_case(e.as_bytes()))
    });
    let mut number = if named {
        word
    } else if byte_at(bytes, at) == b'#' {
        at + 1
    } else {
        return end;
    };
    while matches!(byte_at(bytes, number), b'.' | b' ' | b':') && number < word + 3 {
        number += 1;
    }
    let stop = run_end(bytes, number, DIGIT);
    if stop > number && stop - number <= 6 { stop } else { end }
}
