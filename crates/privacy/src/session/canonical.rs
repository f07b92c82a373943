//! The canonical form of a value: spellings with the same form share a token.
//!
//! | type | form |
//! | --- | --- |
//! | email | lower case, without `mailto:` and angle brackets |
//! | phone | digits, with `+` for an international number (or `00`), an extension after `x` |
//! | card, social security number | digits |
//! | national number, IBAN | letters and digits, upper case |
//! | IP address | as Rust's standard library writes it; IPv4 in IPv6 as IPv4 |
//! | person, company, address | folded: NFC, lower case, one space for any white space, no punctuation at the ends |
//! | birth date, secret, custom | unchanged |

use std::borrow::Cow;
use std::net::IpAddr;

use tidegate_model::DataType;
use unicode_normalization::UnicodeNormalization;

/// The canonical form of a value. Never empty, unless the value is blank.
pub fn canonical(data_type: DataType, value: &str) -> Cow<'_, str> {
    let value = value.trim();
    let form = match data_type {
        DataType::Email => email(value),
        DataType::Phone => phone(value).into(),
        DataType::CreditCard | DataType::Ssn => {
            value.chars().filter(char::is_ascii_digit).collect::<String>().into()
        }
        DataType::NationalId | DataType::Iban => {
            let kept = value.chars().filter(|char| char.is_alphanumeric());
            kept.flat_map(char::to_uppercase).collect::<String>().into()
        }
        DataType::IpAddress => ip_address(value).into(),
        DataType::Person | DataType::Org | DataType::Address => folded(core(value)).into(),
        DataType::BirthDate | DataType::Secret | DataType::Custom => value.into(),
    };
    // A phone number without digits must not equal all others without digits.
    if form.is_empty() { value.into() } else { form }
}

/// The canonical forms of a value whose type is not known: one for each type.
pub fn canonical_forms(value: &str) -> Vec<(DataType, String)> {
    let form = |data_type| (data_type, canonical(data_type, value).into_owned());
    DataType::ALL.into_iter().map(form).collect()
}

fn email(value: &str) -> Cow<'_, str> {
    let value = value.strip_prefix('<').unwrap_or(value);
    let value = value.strip_suffix('>').unwrap_or(value);
    let value = match value.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &value[7..],
        _ => value,
    };
    if value.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        value.to_lowercase().into()
    } else {
        value.into()
    }
}

fn phone(value: &str) -> String {
    let mut form = String::with_capacity(value.len());
    let mut international = false;
    for char in value.chars() {
        if char.is_ascii_digit() {
            form.push(char);
        } else if char == '+' && form.is_empty() {
            international = true;
        } else if form.len() >= 7 && char.is_ascii_alphabetic() && !form.ends_with('x') {
            // `x12`, `ext. 12`, `extension 12`.
            form.push('x');
        }
    }
    if form.ends_with('x') {
        form.pop();
    }
    if !international && let Some(rest) = form.strip_prefix("00") {
        form = rest.to_owned();
        international = true;
    }
    if international && !form.is_empty() {
        form.insert(0, '+');
    }
    form
}

fn ip_address(value: &str) -> String {
    let bare = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(value);
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().to_string(),
        Err(_) => value.to_ascii_lowercase(),
    }
}

/// A name without the punctuation around it.
pub(crate) fn core(value: &str) -> &str {
    let is_ascii_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = value.as_bytes();
    if is_ascii_word(bytes.first()) && is_ascii_word(bytes.last()) {
        return value;
    }
    let core = value.trim_matches(|char: char| !is_word_char(char));
    if core.is_empty() { value } else { core }
}

/// Whether a character belongs to a word: a letter, a digit, or a combining accent.
pub(crate) fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&char)
}

/// A name in its folded form.
fn folded(value: &str) -> String {
    let mut before = b' ';
    let is_plain = value.bytes().all(|byte| {
        let plain = byte.is_ascii_graphic() || (byte == b' ' && before != b' ');
        before = byte;
        plain
    });
    if is_plain {
        return value.to_ascii_lowercase();
    }
    let mut form = String::with_capacity(value.len());
    for word in value.split_whitespace() {
        if !form.is_empty() {
            form.push(' ');
        }
        fold_into(&mut form, word);
    }
    form
}

/// Appends a text in lower case, composed, with one form of apostrophe.
pub(crate) fn fold_into(form: &mut String, text: &str) {
    if text.is_ascii() {
        let start = form.len();
        form.push_str(text);
        form[start..].make_ascii_lowercase();
        return;
    }
    // Characters before the first combining accent are composed: Western and Central European.
    if text.chars().all(|char| char < '\u{300}') {
        text.chars().for_each(|char| fold_char(form, char));
    } else {
        text.nfc().for_each(|char| fold_char(form, char));
    }
}

fn fold_char(form: &mut String, char: char) {
    match char {
        _ if char.is_ascii() => form.push(char.to_ascii_lowercase()),
        'ß' | 'ẞ' => form.push_str("ss"),
        // Sigma has a second lower-case form at the end of a word.
        'ς' => form.push('σ'),
        '’' | 'ʼ' => form.push('\''),
        _ => form.extend(char.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    use super::{canonical, canonical_forms};

    #[test]
    fn all_ways_to_write_a_value_have_one_form() {
        for (data_type, form, ways) in [
            (
                DataType::Email,
                "jane@x.org",
                vec!["jane@x.org", "Jane@X.ORG", " mailto:JANE@x.org", "<jane@x.org>"],
            ),
            (DataType::Email, "jörg@x.org", vec!["JÖRG@x.org"]),
            (
                DataType::Phone,
                "+493012345",
                vec!["+49 30 12345", "0049-30-12345", "+49 (30) 12345", "tel:+493012345"],
            ),
            (DataType::Phone, "5551234567", vec!["(555) 123-4567", "555.123.4567"]),
            (DataType::Phone, "5551234567x12", vec!["555 123 4567 x12", "5551234567 ext. 12"]),
            (
                DataType::CreditCard,
                "4111111111111111",
                vec!["4111-1111-1111-1111", "4111 1111 1111 1111"],
            ),
            (DataType::Ssn, "123456789", vec!["123-45-6789"]),
            (DataType::NationalId, "QQ123456C", vec!["qq 12 34 56 c", "QQ123456C"]),
            (DataType::Iban, "DE89370400440532013000", vec!["de89 3704 0044 0532 0130 00"]),
            (DataType::IpAddress, "2001:db8::1", vec!["2001:0DB8:0:0::0001", "[2001:db8::1]"]),
            (DataType::IpAddress, "10.0.0.1", vec!["10.0.0.1", "::ffff:10.0.0.1"]),
            (
                DataType::Person,
                "jane o'neill",
                vec!["Jane O'Neill", "JANE  O’NEILL,", "jane\u{a0}o'neill"],
            ),
            (DataType::Person, "jörg weiss", vec!["JÖRG WEISS", "Jo\u{308}rg Weiß"]),
            (DataType::Org, "acme inc", vec!["Acme Inc.", "ACME INC"]),
            (DataType::Secret, "aB c", vec!["aB c", " aB c\n"]),
        ] {
            for way in ways {
                assert_eq!(canonical(data_type, way), form, "{way}");
            }
        }
    }

    #[test]
    fn a_value_without_what_its_form_is_made_of_is_its_own_form() {
        assert_eq!(canonical(DataType::Phone, "call me"), "call me");
        assert_eq!(canonical(DataType::Person, "..."), "...");
        assert_eq!(canonical(DataType::Email, " "), "");
        assert_eq!(canonical_forms("Jane Doe").len(), DataType::ALL.len());
    }
}
