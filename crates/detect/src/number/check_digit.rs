//! Check digits and checksums.
//!
//! In: digits as values from 0 to 9. Out: whether they are consistent.

/// The Luhn check of payment cards.
pub(crate) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(*digit) << (place & 1);
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether the weighted sum is a multiple of the modulus.
pub(crate) fn weighted(digits: &[u8], weights: &[u32], modulus: u32) -> bool {
    digits.len() == weights.len() && sum(digits, weights).is_multiple_of(modulus)
}

/// The weighted sum.
pub(crate) fn sum(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum()
}

/// The remainder of a long number.
pub(crate) fn remainder(digits: &[u8], modulus: u64) -> u64 {
    digits.iter().fold(0, |rest, digit| (rest * 10 + u64::from(*digit)) % modulus)
}

/// The Verhoeff check of Indian Aadhaar numbers.
pub(crate) fn verhoeff(digits: &[u8]) -> bool {
    const PERMUTED: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u8, b: u8| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let mut state = 0;
    for (place, digit) in digits.iter().rev().enumerate() {
        let row = PERMUTED.get(place % 8).copied().unwrap_or_default();
        state = product(state, row.get(usize::from(*digit)).copied().unwrap_or(0));
    }
    state == 0
}

/// Whether month and day are in range.
pub(crate) fn is_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|b| b - b'0').collect()
    }

    #[test]
    fn known_numbers_pass_and_a_changed_digit_does_not() {
        assert!(luhn(&digits("4111111111111111")) && !luhn(&digits("4111111111111112")));
        assert!(verhoeff(&digits("2363")) && !verhoeff(&digits("2364")));
        assert!(verhoeff(&digits("123451")));
        assert_eq!(remainder(&digits("1234567890123456789"), 97), 1_234_567_890_123_456_789 % 97);
    }
}
