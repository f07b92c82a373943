//! Values that a key names.
//!
//! In: the borders of a value and the class of its key. Out: a find over the value, or
//! word that the value must be read like any other text.

use tidegate_model::DataType;

use super::check::luhn;
use super::class::{CLASS, DIGIT, LETTER, byte_at, trimmed};
use super::digits::Digits;
use super::keys::KeyClass;
use super::name_value::{looks_like_name, may_be_name};
use super::org_value::whole_is_company;
use super::run::{CHECKED, LABELLED, Run};
use super::secret_value::{is_password, is_token};

/// Whether a value is dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Done,
    /// Read it like any text.
    Open,
}

/// Judges the value at `start..end` under a key of this class.
pub(super) fn value(
    run: &mut Run<'_>,
    text: &str,
    start: usize,
    end: usize,
    class: KeyClass,
) -> Reading {
    let Some(raw) = text.get(start..end) else { return Reading::Open };
    let (value, lead) = trimmed(raw);
    let start = start + lead;
    let end = start + value.len();
    let Some(data_type) = judge(run, value, class) else {
        if matches!(class, KeyClass::Person | KeyClass::Role | KeyClass::Email) {
            display_names(run, value, start);
        }
        return if class == KeyClass::Version { Reading::Done } else { Reading::Open };
    };
    let (start, end) =
        if class == KeyClass::Auth { (start + scheme_length(value), end) } else { (start, end) };
    run.add(
        start,
        end,
        data_type,
        if data_type == DataType::Secret || data_type == DataType::Custom {
            CHECKED + 1
        } else {
            LABELLED
        },
    );
    Reading::Done
}

/// The names in `Ann Lee <ann@example.org>, "Lee, Bob" <bob@example.org>`, as mail has them.
fn display_names(run: &mut Run<'_>, value: &str, base: usize) {
    let mut from = 0;
    while let Some(open) = value.get(from..).and_then(|rest| rest.find(['<', '('])) {
        let before = value.get(from..from + open).unwrap_or_default();
        let name = before.trim_matches([' ', ',', ';', '"', '\'', '\t', '>', ')']);
        let lead = before.find(name).unwrap_or(0);
        if may_be_name(name) && run.rules.wants(DataType::Person) {
            let start = base + from + lead;
            run.add(start, start + name.len(), DataType::Person, LABELLED);
        }
        let behind = from + open + 1;
        let close = value.get(behind..).and_then(|rest| rest.find(['>', ')']));
        from = close.map_or(value.len(), |close| behind + close + 1);
    }
}

fn judge(run: &Run<'_>, value: &str, class: KeyClass) -> Option<DataType> {
    let bytes = value.as_bytes();
    let digits = || bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let good = match class {
        KeyClass::Person => (may_be_name(value)).then_some(DataType::Person),
        KeyClass::Role => looks_like_name(run.lexicon, value)
            .or_else(|| is_company(run, value).then_some(DataType::Org)),
        KeyClass::Org => is_title(value).then_some(DataType::Org),
        KeyClass::Phone => {
            (value.len() <= 32 && (5..=17).contains(&digits()) && mostly_digits(bytes))
                .then_some(DataType::Phone)
        }
        KeyClass::Address => (value.len() >= 4
            && value.len() <= 300
            && classes(bytes) & LETTER != 0
            && !value.contains('@')
            && !value.contains("://"))
        .then_some(DataType::Address),
        KeyClass::Birth => (value.len() <= 30 && digits() >= 4).then_some(DataType::BirthDate),
        KeyClass::Password => (is_password(bytes)
            && (!value.contains(' ') || value.len() <= 64 || value.starts_with("-----BEGIN")))
        .then_some(DataType::Secret),
        KeyClass::Token => is_token(bytes).then_some(DataType::Secret),
        KeyClass::Auth => is_token(bytes.get(scheme_length(value)..)?).then_some(DataType::Secret),
        KeyClass::Ssn => (value.len() <= 11 && digits() == 9).then_some(DataType::Ssn),
        KeyClass::NationalId => (value.len() <= 25 && digits() >= 5 && !value.contains('@'))
            .then_some(DataType::NationalId),
        KeyClass::Card => (value.len() <= 25 && (12..=19).contains(&digits()) && is_card(bytes))
            .then_some(DataType::CreditCard),
        KeyClass::Custom => (!value.is_empty()).then_some(DataType::Custom),
        _ => None,
    };
    let good = match good {
        // What is a card by all that a card must be is one, whatever a column is called.
        Some(DataType::NationalId) if (14..=19).contains(&digits()) && is_card(bytes) => {
            Some(DataType::CreditCard)
        }
        good => good,
    };
    good.filter(|data_type| run.rules.wants(*data_type))
}

/// The classes of the first bytes, together.
fn classes(bytes: &[u8]) -> u8 {
    bytes.iter().take(256).fold(0, |all, byte| all | CLASS[usize::from(*byte)])
}

/// The length of `Bearer ` or another scheme in front of the secret.
fn scheme_length(value: &str) -> usize {
    value
        .find(' ')
        .filter(|space| {
            *space < 12 && value.as_bytes().iter().take(*space).all(u8::is_ascii_alphabetic)
        })
        .map_or(0, |space| space + 1)
}

fn mostly_digits(bytes: &[u8]) -> bool {
    let others = bytes
        .iter()
        .filter(|b| {
            !b.is_ascii_digit() && !matches!(b, b' ' | b'-' | b'.' | b'/' | b'(' | b')' | b'+')
        })
        .count();
    others <= 4
}

fn is_card(bytes: &[u8]) -> bool {
    let digits: Vec<u8> = bytes.iter().filter(|b| b.is_ascii_digit()).map(|b| b - b'0').collect();
    luhn(&digits) && bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'-' | b'.'))
}

/// A name of a company: letters, and no address of a page, path or identifier.
fn is_title(value: &str) -> bool {
    // 120 characters have at most 480 bytes.
    if value.len() > 480 || !(2..=120).contains(&value.chars().count()) {
        return false;
    }
    let bytes = value.as_bytes();
    let classes = classes(bytes);
    classes & LETTER != 0
        && !bytes.contains(&b'@')
        && (bytes.contains(&b' ')
            || !bytes.contains(&b'/')
                && !bytes.contains(&b'_')
                && (classes & DIGIT == 0 || value.len() <= 16))
        && !(bytes.contains(&b':') && value.contains("://"))
        && !matches!(
            value,
            "null"
                | "none"
                | "None"
                | "N/A"
                | "n/a"
                | "NULL"
                | "true"
                | "false"
                | "unknown"
                | "Unknown"
                | "-"
        )
}

fn is_company(run: &Run<'_>, value: &str) -> bool {
    value.len() <= 120 && whole_is_company(run.lexicon, value)
}

/// A number in JSON under a key of this class.
pub(super) fn number(run: &mut Run<'_>, text: &str, start: usize, end: usize, class: KeyClass) {
    let bytes = text.as_bytes();
    if byte_at(bytes, start) == b'-' || end - start < 7 {
        return;
    }
    let digits = Digits::gather(bytes, start);
    if digits.groups != 1 {
        return;
    }
    let values = digits.values(1);
    let data_type = match class {
        KeyClass::Phone if values.len() <= 15 => DataType::Phone,
        KeyClass::Ssn if values.len() == 9 => DataType::Ssn,
        KeyClass::Card if (12..=19).contains(&values.len()) && luhn(values) => DataType::CreditCard,
        KeyClass::NationalId => DataType::NationalId,
        KeyClass::Password | KeyClass::Token if values.len() >= 8 => DataType::Secret,
        KeyClass::Custom => DataType::Custom,
        KeyClass::Unknown
            if values.len() >= 15 && super::card::groups(&digits, || false).is_some() =>
        {
            DataType::CreditCard
        }
        _ => return,
    };
    run.add(start, end, data_type, LABELLED);
}
