//! Finds known values that were encoded as a whole: base64, base64url, hexadecimal.
//!
//! Decodes the first characters of a word, and the rest only if a known value begins like
//! that. Only values encoded on their own are found: base64 of a longer text that contains
//! a value is not.

use super::entries::{Id, KnownValue};
use super::substrings::{SHORTEST, SubstringIndex};

/// Longer values are not searched for in encoded form.
pub(crate) const LONGEST: usize = 1024;
/// Characters of base64 for the first six bytes of a value.
const BASE64_START: usize = 8;
/// How many `-`, `_`, `+` or `/` are tried as the end of a value in base64.
const MOST_ENDS: usize = 8;

/// The value encoded in a word that begins here: the end of the code, and the value's id.
/// `word` is the end of the word's letters and digits.
pub(crate) fn encoded_at(
    bytes: &[u8],
    start: usize,
    word: usize,
    values: &SubstringIndex,
) -> Option<(usize, Id)> {
    let hexadecimal = hex_at(bytes, start, word, values);
    hexadecimal.or_else(|| base64_at(bytes, start, values))
}

fn base64_at(bytes: &[u8], start: usize, values: &SubstringIndex) -> Option<(usize, Id)> {
    let code = &bytes[start..];
    let mut all = SEXTETS[usize::from(*code.first()?)];
    if !values.has_sextet(all) {
        return None;
    }
    let bits = code.first_chunk::<BASE64_START>()?.iter().fold(0_u64, |bits, &char| {
        let sextet = SEXTETS[usize::from(char)];
        all |= sextet;
        bits << 6 | u64::from(sextet)
    });
    // Six bytes, in the low 48 bits.
    if all >= NO_SEXTET || !values.may_begin(&bits.to_be_bytes()[2..]) {
        return None;
    }
    let mut decoded = Vec::with_capacity(64);
    let (mut bits, mut count) = (0_u32, 0);
    let mut ends = 0;
    let mut found = None;
    for (at, &char) in code.iter().enumerate().take(LONGEST * 4 / 3 + 4) {
        let Some(sextet) = sextet(char) else { break };
        bits = bits << 6 | sextet;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
        let next = code.get(at + 1).copied().unwrap_or(0);
        // The unused bits of the last character must be zero.
        if !next.is_ascii_alphanumeric() && count < 6 && bits == 0 && ends < MOST_ENDS {
            ends += 1;
            if let Some(KnownValue { id, .. }) = values.whole(&decoded) {
                let padding = code[at + 1..].iter().take(2).take_while(|byte| **byte == b'=');
                found = Some((start + at + 1 + padding.count(), id));
            }
        }
    }
    found
}

fn hex_at(bytes: &[u8], start: usize, word: usize, values: &SubstringIndex) -> Option<(usize, Id)> {
    let code = &bytes[start..word];
    let code = code.strip_prefix(b"0x").unwrap_or(code);
    if !code.len().is_multiple_of(2) || !(2 * SHORTEST..=2 * LONGEST).contains(&code.len()) {
        return None;
    }
    let mut head = [0; SHORTEST];
    for (byte, pair) in head.iter_mut().zip(code.chunks(2)) {
        *byte = hex_pair(pair)?;
    }
    if !values.may_begin(&head) {
        return None;
    }
    let decoded: Vec<u8> = code.chunks(2).map(hex_pair).collect::<Option<_>>()?;
    values.whole(&decoded).map(|value| (word, value.id))
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let [high, low] = pair else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

#[inline]
fn sextet(char: u8) -> Option<u32> {
    let sextet = SEXTETS[usize::from(char)];
    (sextet < NO_SEXTET).then_some(u32::from(sextet))
}

/// Not a character of base64.
const NO_SEXTET: u8 = 64;

/// The six bits of each character of base64, in both alphabets.
const SEXTETS: [u8; 256] = {
    let mut table = [NO_SEXTET; 256];
    let mut index = 0;
    while index < 26 {
        table[b'A' as usize + index] = index as u8;
        table[b'a' as usize + index] = 26 + index as u8;
        index += 1;
    }
    let mut index = 0;
    while index < 10 {
        table[b'0' as usize + index] = 52 + index as u8;
        index += 1;
    }
    table[b'+' as usize] = 62;
    table[b'-' as usize] = 62;
    table[b'/' as usize] = 63;
    table[b'_' as usize] = 63;
    table
};

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};

    use super::encoded_at;
    use crate::session::entries::{KnownValue, Rule};
    use crate::session::hash::Key;
    use crate::session::substrings::SubstringIndex;

    #[test]
    fn a_value_is_found_in_base64_and_in_hexadecimal_and_only_as_a_whole() {
        let mut values = SubstringIndex::new(Key::random());
        let known = ["jane@x.org", "jane@xx.org", "jane@xxx.org", "Jörg Ødegård>?~"];
        for (id, value) in (0..).zip(known) {
            values.add_whole(value, KnownValue { id, rule: Rule::Anywhere });
        }
        let at = |code: &str| {
            let text = format!("={code}&");
            let word = 1 + code.bytes().take_while(u8::is_ascii_alphanumeric).count();
            encoded_at(text.as_bytes(), 1, word, &values)
        };
        for (id, value) in (0..).zip(known) {
            let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
            for code in [
                STANDARD.encode(value),
                STANDARD_NO_PAD.encode(value),
                URL_SAFE.encode(value),
                hex.to_uppercase(),
                format!("0x{hex}"),
                hex,
            ] {
                assert_eq!(at(&code), Some((1 + code.len(), id)), "{code}");
            }
        }
        assert_eq!(at(&STANDARD.encode("JANE@x.org")), Some((17, 0)));
        assert_eq!(at(&STANDARD.encode("jane@x.org and more")), None);
        assert_eq!(at("amFuZUB4Lm9yZw1"), None);
    }
}
