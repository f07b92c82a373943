//! Payment cards.
//!
//! In: groups of digits. Out: how many groups make a card number: an issuer's range, a length of
//! that issuer, and the check digit. With a word like `card` nearby, any number of 12 to 19
//! digits with a valid check digit counts.

use crate::number::check_digit::luhn;
use crate::number::digits::Digits;

/// How many of the groups make a card number.
pub(crate) fn groups(digits: &Digits, said_to_be_card: impl Fn() -> bool) -> Option<usize> {
    (1..=digits.groups).rev().find(|&groups| {
        let values = digits.values(groups);
        (12..=19).contains(&values.len())
            && same_separator(digits.signs(groups))
            && usual_grouping(digits.lengths(groups))
            && values.iter().any(|digit| *digit != 0)
            && luhn(values)
            && (has_issuer(values) || said_to_be_card())
    })
}

fn same_separator(signs: &[u8]) -> bool {
    signs.iter().all(|sign| matches!(sign, b' ' | b'-' | b'.') && Some(sign) == signs.first())
}

fn usual_grouping(lengths: &[u8]) -> bool {
    match lengths {
        [_] | [4, 6, 5] | [4, 6, 4] | [6, 13] | [4, 4, 5] => true,
        [first @ .., last] => {
            first.len() >= 2 && first.iter().all(|length| *length == 4) && *last <= 4
        }
        [] => false,
    }
}

/// Whether an issuer has numbers like this one.
fn has_issuer(digits: &[u8]) -> bool {
    let head = digits.iter().take(4).fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    matches!(
        (digits.len(), head),
        // Visa; Mastercard, JCB, Discover, Mir, UnionPay, RuPay, Troy and Maestro; American Express; Diners.
        (13 | 16 | 19, 4000..=4999)
            | (16, 5100..=5599 | 2221..=2720 | 3528..=3589 | 6011 | 6440..=6599 | 2200..=2204)
            | (16, 6200..=6299 | 8100..=8299 | 9792 | 5018 | 5020 | 5038 | 6304 | 6759 | 6761..=6763)
            | (15, 3400..=3499 | 3700..=3799 | 1800 | 2131)
            | (14, 3000..=3099 | 3600..=3699 | 3800..=3999)
            | (17..=19, 6200..=6299 | 3528..=3589 | 6011)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, said: bool) -> Option<usize> {
        groups(&Digits::gather(text.as_bytes(), 0), || said)
    }

    #[test]
    fn issuer_length_and_check_digit_must_fit() {
        assert_eq!(found("4111 1111 1111 1111", false), Some(4));
        assert_eq!(found("378282246310005", false), Some(1));
        assert_eq!(found("3782-822463-10005 04", false), Some(3));
        assert_eq!(found("4111 1111 1111 1112", false), None);
        assert_eq!(found("1234567812345670", false), None);
        assert_eq!(found("1234567812345670", true), Some(1));
        assert_eq!(found("41 11 11 11 11 11 11 11", false), None);
    }
}
