//! Judges a value by the class of its key.
//!
//! In: the range of a value and the class of its key. Out: a candidate over the value, or the
//! outcome that the value must be scanned like any other text.

use tidegate_model::DataType;

use crate::byte_class::{CLASS, DIGIT, LETTER, byte_at, trim_with_offset};
use crate::keys::KeyClass;
use crate::number::check_digit::luhn;
use crate::number::digits::Digits;
use crate::org::keyed::whole_is_company;
use crate::person::keyed::{looks_like_name, may_be_name};
use crate::scan::{CHECKED, KEYED, Scan};
use crate::secret::value::{is_password, is_token};

/// The result of judging a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Consumed,
    /// The value must be scanned like any text.
    ScanAsText,
}

/// Judges the value at `start..end` under a key of this class.
pub(crate) fn value(
    scan: &mut Scan<'_>,
    text: &str,
    start: usize,
    end: usize,
    class: KeyClass,
) -> Outcome {
    let Some(raw) = text.get(start..end) else { return Outcome::ScanAsText };
    let (value, lead) = trim_with_offset(raw);
    let start = start + lead;
    let end = start + value.len();
    let Some(data_type) = judge(scan, value, class) else {
        if matches!(class, KeyClass::Person | KeyClass::Role | KeyClass::Email) {
            display_names(scan, value, start);
        }
        return if class == KeyClass::Version { Outcome::Consumed } else { Outcome::ScanAsText };
    };
    let (start, end) =
        if class == KeyClass::Auth { (start + scheme_length(value), end) } else { (start, end) };
    scan.add(
        start,
        end,
        data_type,
        if data_type == DataType::Secret || data_type == DataType::Custom {
            CHECKED + 1
        } else {
            KEYED
        },
    );
    Outcome::Consumed
}

/// The names in `Ann Lee <ann@example.org>, "Lee, Bob" <bob@example.org>`, as in mail headers.
fn display_names(scan: &mut Scan<'_>, value: &str, base: usize) {
    let mut from = 0;
    while let Some(open) = value.get(from..).and_then(|rest| rest.find(['<', '('])) {
        let before = value.get(from..from + open).unwrap_or_default();
        let name = before.trim_matches([' ', ',', ';', '"', '\'', '\t', '>', ')']);
        let lead = before.find(name).unwrap_or(0);
        if may_be_name(name) && scan.rules.wants(DataType::Person) {
            let start = base + from + lead;
            scan.add(start, start + name.len(), DataType::Person, KEYED);
        }
        let behind = from + open + 1;
        let close = value.get(behind..).and_then(|rest| rest.find(['>', ')']));
        from = close.map_or(value.len(), |close| behind + close + 1);
    }
}

fn judge(scan: &Scan<'_>, value: &str, class: KeyClass) -> Option<DataType> {
    let bytes = value.as_bytes();
    let digits = || bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let good = match class {
        KeyClass::Person => (may_be_name(value)).then_some(DataType::Person),
        KeyClass::Role => looks_like_name(scan.lexicon, value)
            .or_else(|| is_company(scan, value).then_some(DataType::Org)),
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
        // A valid card number is a card, whatever its column is called.
        Some(DataType::NationalId) if (14..=19).contains(&digits()) && is_card(bytes) => {
            Some(DataType::CreditCard)
        }
        good => good,
    };
    good.filter(|data_type| scan.rules.wants(*data_type))
}

/// The classes of the first bytes, combined.
fn classes(bytes: &[u8]) -> u8 {
    bytes.iter().take(256).fold(0, |all, byte| all | CLASS[usize::from(*byte)])
}

/// The length of `Bearer ` or another scheme before the secret.
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

/// Placeholders under a key for companies.
const NO_COMPANY: [&str; 11] =
    ["null", "none", "None", "N/A", "n/a", "NULL", "true", "false", "unknown", "Unknown", "-"];

/// Whether a value can be a company's name: letters, and no URL, path or identifier.
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
        && !NO_COMPANY.contains(&value)
}

fn is_company(scan: &Scan<'_>, value: &str) -> bool {
    value.len() <= 120 && whole_is_company(scan.lexicon, value)
}

/// Judges a JSON number under a key of this class.
pub(crate) fn number(scan: &mut Scan<'_>, text: &str, start: usize, end: usize, class: KeyClass) {
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
            if values.len() >= 15 && crate::number::card::groups(&digits, || false).is_some() =>
        {
            DataType::CreditCard
        }
        _ => return,
    };
    scan.add(start, end, data_type, KEYED);
}
