//! Decides what a number in a text is.
//!
//! In: the offset of a digit, `+` or `(`. Out: candidates, and where the scan continues. Tries,
//! in this order: IP address, payment card, social security number, national ID, date of birth,
//! telephone number. Bounded: gathers at most ten groups of digits.

pub(crate) mod card;
pub(crate) mod check_digit;
pub(crate) mod confidence;
pub(crate) mod digits;
pub(crate) mod ip;
pub(crate) mod national_id;
pub(crate) mod phone;

use std::cell::LazyCell;

use tidegate_model::DataType;

use crate::byte_class::{
    DIGIT, LETTER, WORD, byte_at, byte_before, class_at, class_before, run_end,
};
use crate::lexicon::{
    BIRTH_CUE, CARD_CUE, ID_CUE, NOT_PHONE_CUE, NUMBER_WORD, PHONE_CUE, SSN_CUE, VERSION_CUE,
};
use crate::number::check_digit::is_day;
use crate::number::confidence::Confidence;
use crate::number::digits::Digits;
use crate::number::phone::{is_international, local_confidence};
use crate::scan::{CHECKED, Candidate, PROSE, Scan};

/// The lexicon flags of the words before a number, looked up on first use.
type Words<'a> = LazyCell<u32, &'a dyn Fn() -> u32>;

/// The lexicon flags that the key of a number implies.
#[derive(Clone, Copy)]
pub(crate) struct Hint(pub(crate) u32);

/// Looks at the number that starts at `start`; returns where to continue.
pub(crate) fn detect_at(scan: &mut Scan<'_>, text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    if byte_at(bytes, start).is_ascii_digit() {
        // Most numbers end here: a short number, and nothing after it that could continue it.
        let end = run_end(bytes, start, DIGIT);
        let continues = matches!(byte_at(bytes, end), b' ' | b'-' | b'.' | b'/' | b')')
            && (byte_at(bytes, end + 1).is_ascii_digit()
                || matches!(byte_at(bytes, end + 1), b' ' | b'-' | b'('));
        if end - start < 7 && !continues {
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
    // A short number on its own means nothing.
    if digits.groups == 1 && first_end - start < 7 {
        return next;
    }
    let before = byte_before(bytes, start);
    if class_before(bytes, start) & WORD != 0
        || (matches!(before, b'-' | b'.' | b'/' | b'#' | b'$') && glued(bytes, start))
    {
        return next;
    }
    match find(scan, text, &digits, None) {
        Some(found) => {
            scan.add(found.start, found.end, found.data_type, found.rank);
            found.end
        }
        // A date is one unit: nothing inside it is examined.
        None if is_date(&digits).is_some() => digits.end(3),
        None => next,
    }
}

/// Whether the character before joins the number to a word.
fn glued(bytes: &[u8], start: usize) -> bool {
    let before = byte_before(bytes, start);
    matches!(before, b'#' | b'$') || start >= 2 && class_at(bytes, start - 2) & WORD != 0
}

/// What the digits are. With a hint, the surrounding words do not matter.
pub(crate) fn find(
    scan: &Scan<'_>,
    text: &str,
    digits: &Digits,
    hint: Option<Hint>,
) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let start = digits.start;
    let plus = byte_at(bytes, start) == b'+';
    if !plus && digits.groups >= 4 && digits.signs(4) == b"..." {
        let Some(end) = ip::v4(bytes, start) else {
            // `06.12.34.56.78` has one more group than an IP address.
            let dotted = digits.groups > 4 && byte_at(bytes, start) == b'0';
            return if dotted { phone_of(scan, text, digits, hint) } else { None };
        };
        let version = hint.map_or_else(|| scan.flags_before(text, start, 6), |hint| hint.0)
            & VERSION_CUE
            != 0;
        return (!version).then(|| checked(start, end, DataType::IpAddress));
    }
    let total = digits.values(digits.groups).len();
    if total < 6 {
        return None;
    }
    // A date with a time is not a date of birth.
    if !plus
        && is_date(digits).is_some()
        && (byte_at(bytes, digits.end(3)) == b'T'
            || digits.groups > 3 && byte_at(bytes, digits.end(4)) == b':')
    {
        return None;
    }
    // Looked up only if a word decides: most numbers are not personal, whatever precedes them.
    let flags = || hint.map_or_else(|| scan.flags_before(text, start, 5), |hint| hint.0);
    let words: Words<'_> = LazyCell::new(&flags);
    if !plus {
        if total >= 12
            && let Some(groups) = card::groups(digits, || *words & CARD_CUE != 0)
            && may_end_at(bytes, digits.end(groups))
        {
            return Some(checked(start, digits.end(groups), DataType::CreditCard));
        }
        if let Some(found) = us_social_security(digits, bytes, &words) {
            return Some(found);
        }
        if let Some(found) = birth_date(text, digits, &words) {
            return found;
        }
        let (shape, groups) = national_id::in_digits(digits);
        if (shape == Confidence::Sure || shape == Confidence::NeedsCue && *words & ID_CUE != 0)
            && may_end_at(bytes, digits.end(groups))
        {
            return Some(checked(start, digits.end(groups), DataType::NationalId));
        }
    }
    phone(scan, text, digits, &words, hint)
}

fn phone_of(scan: &Scan<'_>, text: &str, digits: &Digits, hint: Option<Hint>) -> Option<Candidate> {
    let flags = || hint.map_or_else(|| scan.flags_before(text, digits.start, 5), |hint| hint.0);
    phone(scan, text, digits, &LazyCell::new(&flags), hint)
}

fn checked(start: usize, end: usize, data_type: DataType) -> Candidate {
    Candidate { start, end, data_type, rank: CHECKED }
}

/// Whether a number may end here.
fn may_end_at(bytes: &[u8], end: usize) -> bool {
    class_at(bytes, end) & WORD == 0
        && !(matches!(byte_at(bytes, end), b'-' | b'.' | b'/' | b':')
            && class_at(bytes, end + 1) & (DIGIT | LETTER) != 0)
}

fn us_social_security(digits: &Digits, bytes: &[u8], words: &Words<'_>) -> Option<Candidate> {
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
        && may_end_at(bytes, end)
        && (**words & SSN_CUE != 0 || form && **words & NOT_PHONE_CUE == 0))
        .then(|| checked(digits.start, end, DataType::Ssn))
}

/// `Some(None)` for a date that is nobody's birthday.
fn birth_date(text: &str, digits: &Digits, words: &Words<'_>) -> Option<Option<Candidate>> {
    is_date(digits)?;
    let end = digits.end(3);
    if **words & BIRTH_CUE == 0 || class_at(text.as_bytes(), end) & WORD != 0 {
        return Some(None);
    }
    Some(Some(Candidate { start: digits.start, end, data_type: DataType::BirthDate, rank: PROSE }))
}

/// Whether the first three groups are a day, a month and a year.
pub(crate) fn is_date(digits: &Digits) -> Option<()> {
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
    scan: &Scan<'_>,
    text: &str,
    digits: &Digits,
    words: &Words<'_>,
    hint: Option<Hint>,
) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let start = digits.start;
    let plus = byte_at(bytes, start) == b'+';
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
            match local_confidence(values, digits.lengths(groups), digits.signs(groups)) {
                Confidence::Sure => **words & NOT_PHONE_CUE == 0 || **words & PHONE_CUE != 0,
                Confidence::NeedsCue => {
                    let (cue, stop) = (**words & PHONE_CUE != 0, **words & NOT_PHONE_CUE != 0);
                    // `… 45 EUR. Callback number …`: the closer word decides.
                    let find_either =
                        || scan.flags_before(text, start, 2) & (PHONE_CUE | NOT_PHONE_CUE);
                    (cue && (!stop || hint.is_some() || find_either() == PHONE_CUE))
                        || (**words & NUMBER_WORD != 0 && !stop && groups >= 3)
                        || followed_by_phone_word(scan, text, end, values.len())
                }
                Confidence::No => false,
            }
        };
        if good {
            return Some(checked(start, extension(bytes, end), DataType::Phone));
        }
    }
    None
}

/// `28-64-66-98 office`, `555 0143 (mobile)`.
fn followed_by_phone_word(scan: &Scan<'_>, text: &str, end: usize, count: usize) -> bool {
    count >= 7 && scan.flags_after(text, end, 1) & PHONE_CUE != 0
}

fn phone_end(bytes: &[u8], end: usize) -> bool {
    let next = byte_at(bytes, end);
    if next == b'x' && byte_at(bytes, end + 1).is_ascii_digit() {
        return true;
    }
    may_end_at(bytes, end)
        && !(next == b','
            && byte_at(bytes, end + 1).is_ascii_digit()
            && byte_at(bytes, end + 2).is_ascii_digit()
            && byte_at(bytes, end + 4) == b',')
}

/// The end of an extension: `x12`, `ext. 12`, `#12`.
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
