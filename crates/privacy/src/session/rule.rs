//! Chooses the rule by which a value is replaced outside the place where it was detected.
//!
//! Emails, numbers and secrets match anywhere. Names are words of a language: they must match
//! whole words, and a name of one word must be long or match in case; one that is also a
//! common word ("Will", "Target") is not searched for.

use tidegate_model::DataType;

use super::canonical::core;
use super::common_words::is_common;
use super::entries::Rule;
use super::known_numbers::FEWEST;
use super::substrings;

/// The fewest letters of a single name that is searched for.
const SHORTEST_NAME: usize = 3;
/// From this length on a single name matches in any case: `JOHANNSEN`, `johannsen`.
const ANY_CASE: usize = 6;
/// The fewest letters of one word of a name of several words.
const SHORTEST_PART: usize = 4;

/// The rule for a value.
pub(crate) fn rule(data_type: DataType, value: &str, canonical: &str) -> Rule {
    match data_type {
        DataType::Person | DataType::Org | DataType::Address => name_rule(core(value), canonical),
        DataType::IpAddress => Rule::Words,
        DataType::Phone
        | DataType::Ssn
        | DataType::NationalId
        | DataType::CreditCard
        | DataType::Iban => {
            if canonical.len() >= FEWEST {
                Rule::Anywhere
            } else {
                Rule::Detected
            }
        }
        DataType::Email | DataType::BirthDate | DataType::Secret | DataType::Custom => {
            let lengths = substrings::SHORTEST..=substrings::LONGEST;
            if lengths.contains(&value.len()) { Rule::Anywhere } else { Rule::Detected }
        }
    }
}

fn name_rule(name: &str, canonical: &str) -> Rule {
    let letters = count_letters(name);
    if !name.is_ascii() && name.chars().any(has_no_spaces) {
        return if name.len() >= substrings::SHORTEST { Rule::Anywhere } else { Rule::Detected };
    }
    let is_word = if canonical.is_ascii() {
        canonical.bytes().all(|byte| byte.is_ascii_alphanumeric())
    } else {
        canonical.chars().all(char::is_alphanumeric)
    };
    if !is_word {
        return if letters >= 5 { Rule::Words } else { Rule::Detected };
    }
    if letters < SHORTEST_NAME || is_common(canonical) || name.chars().all(char::is_numeric) {
        Rule::Detected
    } else if letters < ANY_CASE {
        Rule::SameCase
    } else {
        Rule::Words
    }
}

/// The first and the last word of a name of several.
pub(crate) fn parts(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim();
    let first = name.split_once(char::is_whitespace).map(|(first, _)| first);
    let last = name.rsplit_once(char::is_whitespace).map(|(_, last)| last);
    first.into_iter().chain(last).map(core)
}

/// Whether such a word identifies a person.
pub(crate) fn is_distinctive(part: &str) -> bool {
    let is_name = if part.is_ascii() {
        part.len() >= SHORTEST_PART
            && part.as_bytes()[0].is_ascii_uppercase()
            && part.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'\''))
    } else {
        part.chars().count() >= SHORTEST_PART
            && part.chars().next().is_some_and(char::is_uppercase)
            && part.chars().all(|char| char.is_alphabetic() || matches!(char, '-' | '\'' | '’'))
    };
    is_name && !is_common(part)
}

fn count_letters(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(u8::is_ascii_alphanumeric).count();
    }
    text.chars().filter(|char| char.is_alphanumeric()).count()
}

/// Chinese, Japanese, Korean, Thai and their neighbours: they write no spaces between words,
/// so a name has no word boundaries to check.
fn has_no_spaces(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    use super::{is_distinctive, parts, rule};
    use crate::session::canonical::canonical;
    use crate::session::entries::Rule;

    #[test]
    fn a_name_is_searched_for_as_far_as_it_is_distinctive() {
        for (name, expected) in [
            ("Jane Doe", Rule::Words),
            ("Johannsen", Rule::Words),
            ("Jane", Rule::SameCase),
            ("Bo", Rule::Detected),
            ("Will", Rule::Detected),
            ("Al B", Rule::Detected),
            ("12345", Rule::Detected),
            ("山田太郎", Rule::Anywhere),
            ("李", Rule::Detected),
        ] {
            let form = canonical(DataType::Person, name);
            assert_eq!(rule(DataType::Person, name, &form), expected, "{name}");
        }
    }

    #[test]
    fn numbers_and_secrets_are_searched_for_unless_they_are_short() {
        for (data_type, value, expected) in [
            (DataType::Phone, "555-1234", Rule::Anywhere),
            (DataType::Phone, "55-123", Rule::Detected),
            (DataType::Secret, "hunter2", Rule::Anywhere),
            (DataType::Secret, "1234", Rule::Detected),
            (DataType::IpAddress, "10.0.0.1", Rule::Words),
        ] {
            assert_eq!(rule(data_type, value, &canonical(data_type, value)), expected, "{value}");
        }
    }

    #[test]
    fn the_parts_of_a_name_are_its_first_and_last_word() {
        let of = |name| parts(name).filter(|part| is_distinctive(part)).collect::<Vec<_>>();
        assert_eq!(of("Jane Doering"), ["Jane", "Doering"]);
        assert_eq!(of("Doering, Jane M."), ["Doering"]);
        assert_eq!(of("Jane Mary-Ann O’Neill"), ["Jane", "O’Neill"]);
        assert_eq!(of("Will Smith"), ["Smith"]);
        assert_eq!(of("jane doering"), [""; 0]);
        assert_eq!(of("Jane"), [""; 0]);
    }
}
