//! Validators of identity, tax and insurance numbers outside the United States.
//!
//! In: groups of digits, or a word of letters and digits. Out: whether a country's rule accepts
//! them. `Sure` formats need no context, since format and check digits rarely match by chance;
//! `NeedsCue` formats need a word or a key that identifies them.

use crate::number::check_digit::{is_day, luhn, remainder, sum, verhoeff, weighted};
use crate::number::confidence::Confidence;
use crate::number::digits::Digits;

/// Judges numbers of digits only; also returns how many groups make the number.
pub(crate) fn in_digits(digits: &Digits) -> (Confidence, usize) {
    for groups in (1..=digits.groups).rev() {
        let values = digits.values(groups);
        let shape = judge(values, digits.lengths(groups), digits.signs(groups));
        if shape != Confidence::No {
            return (shape, groups);
        }
    }
    (Confidence::No, 0)
}

fn judge(values: &[u8], lengths: &[u8], signs: &[u8]) -> Confidence {
    match (lengths, signs) {
        // Brazil: CPF and CNPJ as they are written.
        ([3, 3, 3, 2], [b'.', b'.', b'-']) if cpf(values) => Confidence::Sure,
        ([2, 3, 3, 4, 2], [b'.', b'.', b'/', b'-']) if cnpj(values) => Confidence::Sure,
        // Sweden: personnummer.
        ([6 | 8, 4], [b'-']) if swedish(values) => Confidence::Sure,
        // Switzerland: AHV.
        ([3, 4, 4, 2], [b'.', b'.', b'.']) if values.starts_with(&[7, 5, 6]) && ean13(values) => {
            Confidence::Sure
        }
        // Belgium: rijksregisternummer.
        ([2, 2, 2, 3, 2], [b'.', b'.', b'-', b'.']) if belgian(values) => Confidence::Sure,
        // Czechia and Slovakia: rodné číslo.
        ([6, 4], [b'/']) if remainder(values, 11) == 0 => Confidence::Sure,
        // France: numéro de sécurité sociale.
        ([15] | [13, 2] | [1, 2, 2, 2, 3, 3, 2], _) if french(values) => Confidence::Sure,
        // China: resident identity card that ends in a digit.
        ([18], _) if chinese(values, values.last().copied().map(u32::from)) => Confidence::Sure,
        // India: Aadhaar.
        ([12] | [4, 4, 4], _) if values.first().is_some_and(|d| *d >= 2) && verhoeff(values) => {
            Confidence::NeedsCue
        }
        ([11] | [2, 3, 3, 3] | [3, 3, 3, 2], _)
            if german(values)
                || pesel(values)
                || cpf(values)
                || norwegian(values)
                || oib(values)
                || turkish(values) =>
        {
            Confidence::NeedsCue
        }
        ([9], _) | ([4, 2, 3], _) | ([3, 3, 3], _)
            if dutch(values) || (luhn(values) && values.first() != Some(&0)) =>
        {
            Confidence::NeedsCue
        }
        ([10] | [3, 3, 4] | [6, 4], _) if nhs(values) || swedish(values) || danish(values) => {
            Confidence::NeedsCue
        }
        ([14], _) if cnpj(values) => Confidence::NeedsCue,
        ([13], _) if south_african(values) || romanian(values) => Confidence::NeedsCue,
        _ => Confidence::No,
    }
}

/// Judges a word of letters and digits.
pub(crate) fn in_word(word: &[u8]) -> Confidence {
    let letter = |at: usize| word.get(at).is_some_and(u8::is_ascii_alphabetic);
    let digits = |from: usize, to: usize| {
        word.get(from..to).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    match word.len() {
        // Italy: codice fiscale.
        16 if (0..6).all(letter)
            && letter(8)
            && letter(11)
            && letter(15)
            && digits(6, 8)
            && digits(9, 11)
            && codice_fiscale(word) =>
        {
            Confidence::Sure
        }
        18 if digits(0, 17) && letter(17) && chinese(&values(word, 0, 17), None) => {
            Confidence::Sure
        }
        // United Kingdom: National Insurance number.
        9 if letter(0) && letter(1) && digits(2, 8) && nino(word) => Confidence::Sure,
        // Spain: NIE, and DNI, which is too short to be sure.
        9 if matches!(word.first(), Some(b'X' | b'Y' | b'Z')) && digits(1, 8) && spanish(word) => {
            Confidence::Sure
        }
        9 if digits(0, 8) && letter(8) && spanish(word) => Confidence::NeedsCue,
        // India: PAN. Mexico: CURP.
        10 if (0..5).all(letter) && digits(5, 9) && letter(9) => Confidence::NeedsCue,
        18 if (0..4).all(letter)
            && digits(4, 10)
            && (10..16).all(letter)
            && matches!(word.get(10), Some(b'H' | b'M')) =>
        {
            Confidence::Sure
        }
        // Passports: a letter or two, and digits.
        8..=9 if letter(0) && digits(2, word.len()) => Confidence::NeedsCue,
        _ => Confidence::No,
    }
}

fn values(word: &[u8], from: usize, to: usize) -> Vec<u8> {
    word.get(from..to)
        .unwrap_or_default()
        .iter()
        .filter(|b| b.is_ascii_digit())
        .map(|b| b - b'0')
        .collect()
}

fn number(values: &[u8], from: usize, to: usize) -> u32 {
    values
        .get(from..to)
        .unwrap_or_default()
        .iter()
        .fold(0, |total, digit| total * 10 + u32::from(*digit))
}

fn check_11(values: &[u8], weights: &[u32], digit: usize) -> bool {
    let rest = sum(values, weights) % 11;
    let expected = if rest < 2 { 0 } else { 11 - rest };
    values.get(digit).is_some_and(|found| u32::from(*found) == expected)
}

fn cpf(values: &[u8]) -> bool {
    values.len() == 11
        && values.iter().any(|digit| Some(digit) != values.first())
        && check_11(values, &[10, 9, 8, 7, 6, 5, 4, 3, 2], 9)
        && check_11(values, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 10)
}

fn cnpj(values: &[u8]) -> bool {
    values.len() == 14
        && check_11(values, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 12)
        && check_11(values, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 13)
}

fn swedish(values: &[u8]) -> bool {
    let short = values.get(values.len().saturating_sub(10)..).unwrap_or_default();
    short.len() == 10 && is_day(number(short, 2, 4), number(short, 4, 6)) && luhn(short)
}

fn danish(values: &[u8]) -> bool {
    values.len() == 10 && is_day(number(values, 2, 4), number(values, 0, 2))
}

fn ean13(values: &[u8]) -> bool {
    weighted(values, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1], 10)
}

fn belgian(values: &[u8]) -> bool {
    let head = u64::from(number(values, 0, 9));
    let check = u64::from(number(values, 9, 11));
    values.len() == 11 && (97 - head % 97 == check || 97 - (2_000_000_000 + head) % 97 == check)
}

fn french(values: &[u8]) -> bool {
    let head = values.get(..13).unwrap_or_default();
    let month = number(values, 3, 5);
    matches!(values.first(), Some(1 | 2))
        && ((1..=12).contains(&month) || (20..=42).contains(&month))
        && 97 - remainder(head, 97) == u64::from(number(values, 13, 15))
}

fn chinese(values: &[u8], last: Option<u32>) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let rest = sum(values, &WEIGHTS) % 11;
    (19..=20).contains(&number(values, 6, 8))
        && is_day(number(values, 10, 12), number(values, 12, 14))
        && last.map_or(rest == 2, |digit| digit == (12 - rest) % 11)
}

fn german(values: &[u8]) -> bool {
    if values.len() != 11 || values.first() == Some(&0) {
        return false;
    }
    let product = values.iter().take(10).fold(10_u32, |product, digit| {
        let total = (u32::from(*digit) + product) % 10;
        (if total == 0 { 10 } else { total }) * 2 % 11
    });
    values.last().is_some_and(|check| u32::from(*check) == (11 - product) % 10)
}

fn oib(values: &[u8]) -> bool {
    german(values)
}

fn pesel(values: &[u8]) -> bool {
    weighted(values, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10)
        && is_day(number(values, 2, 4) % 20, number(values, 4, 6))
}

fn norwegian(values: &[u8]) -> bool {
    weighted(values, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1, 0], 11)
        && weighted(values, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)
}

fn turkish(values: &[u8]) -> bool {
    values.len() == 11
        && values.first() != Some(&0)
        && values.last().is_some_and(|last| {
            values.iter().take(10).map(|d| u32::from(*d)).sum::<u32>() % 10 == u32::from(*last)
        })
}

fn dutch(values: &[u8]) -> bool {
    values.len() == 9
        && (sum(values, &[9, 8, 7, 6, 5, 4, 3, 2])
            + 10 * u32::from(values.last().copied().unwrap_or(0)))
        .is_multiple_of(11)
}

fn nhs(values: &[u8]) -> bool {
    weighted(values, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11)
}

fn south_african(values: &[u8]) -> bool {
    luhn(values) && is_day(number(values, 2, 4), number(values, 4, 6))
}

fn romanian(values: &[u8]) -> bool {
    let rest = sum(values, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 % 10;
    is_day(number(values, 3, 5), number(values, 5, 7))
        && values.last().is_some_and(|last| u32::from(*last) == rest)
}

fn nino(word: &[u8]) -> bool {
    let first = word.first().is_some_and(|b| !b"DFIQUV".contains(b) && b.is_ascii_uppercase());
    let second = word.get(1).is_some_and(|b| !b"DFIQUVO".contains(b) && b.is_ascii_uppercase());
    first && second && matches!(word.get(8), Some(b'A'..=b'D'))
}

fn spanish(word: &[u8]) -> bool {
    let prefix = match word.first() {
        Some(b'Y') => 10_000_000,
        Some(b'Z') => 20_000_000,
        _ => 0,
    };
    let digits = values(word, 0, 8);
    let total = prefix + number(&digits, 0, digits.len());
    b"TRWAGMYFPDXBNJZSQVHLCKE".get(total as usize % 23) == word.get(8)
}

fn codice_fiscale(word: &[u8]) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let place = |b: u8| {
        u32::from(if b.is_ascii_digit() {
            b - b'0'
        } else {
            b.to_ascii_uppercase().wrapping_sub(b'A')
        })
    };
    let total: u32 = word
        .iter()
        .take(15)
        .enumerate()
        .map(|(at, b)| {
            if at % 2 == 0 { ODD.get(place(*b) as usize).copied().unwrap_or(0) } else { place(*b) }
        })
        .sum();
    word.last().is_some_and(|last| place(*last) == total % 26)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Confidence {
        in_digits(&Digits::gather(text.as_bytes(), 0)).0
    }

    #[test]
    fn written_forms_with_right_check_digits_are_sure() {
        for sure in [
            "529.982.247-25",
            "11.444.777/0001-61",
            "811228-9874",
            "756.1234.5678.97",
            "85.07.30-033.28",
            "1 85 05 78 006 084 91",
            "11010519491231002",
        ] {
            let expected = if sure.len() == 17 { Confidence::No } else { Confidence::Sure };
            assert_eq!(digits(sure), expected, "{sure}");
        }
        assert_eq!(digits("529.982.247-26"), Confidence::No);
    }

    #[test]
    fn bare_digits_need_a_word() {
        for possible in ["44051401359", "111222333", "9434765919"] {
            assert_eq!(digits(possible), Confidence::NeedsCue, "{possible}");
        }
    }

    #[test]
    fn words_are_judged_by_country() {
        assert_eq!(in_word(b"RSSMRA85T10A562S"), Confidence::Sure);
        assert_eq!(in_word(b"AB123456C"), Confidence::Sure);
        assert_eq!(in_word(b"X1234567L"), Confidence::Sure);
        assert_eq!(in_word(b"12345678Z"), Confidence::NeedsCue);
        assert_eq!(in_word(b"11010519491231002X"), Confidence::Sure);
        assert_eq!(in_word(b"RSSMRA85T10A562T"), Confidence::No);
    }
}
