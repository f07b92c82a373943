//! Decodes bytes hidden in text, exactly as Python does.
//!
//! In: the name of a standard library function and its input. Out: the bytes; `None` if
//! Python would refuse the input, or if the function is not supported. Sizes are bounded by
//! those of texts (`value.rs`).

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The result of a decoding function of the standard library.
pub(super) fn decoded(function: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match function {
        "base64.b64decode"
        | "base64.standard_b64decode"
        | "base64.urlsafe_b64decode"
        | "base64.decodebytes"
        | "binascii.a2b_base64" => base64(bytes),
        "base64.b32decode" => base32(bytes),
        "base64.b16decode" | "binascii.unhexlify" | "binascii.a2b_hex" | "bytes.fromhex"
        | "bytearray.fromhex" => from_hex(bytes),
        "base64.b85decode" => base85(bytes, BASE85),
        "base64.a85decode" => base85(bytes, ASCII85),
        _ => None,
    }
}

/// The result of a codec. If Python supports both directions, they return the same.
pub(super) fn by_codec(codec: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match codec.to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
        "rot13" | "rot_13" => Some(bytes.iter().map(|byte| rotated(*byte)).collect()),
        "hex" | "hex_codec" => from_hex(bytes),
        "base64" | "base_64" | "base64_codec" => base64(bytes),
        "unicode_escape" | "raw_unicode_escape" => unescaped(bytes),
        "utf_8" | "utf8" | "ascii" | "latin_1" | "latin1" | "iso_8859_1" => Some(bytes.to_vec()),
        _ => None,
    }
}

fn rotated(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        _ => byte,
    }
}

fn base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let plain = bytes.iter().filter_map(|byte| match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(*byte),
        byte => byte.is_ascii_alphanumeric().then_some(*byte),
    });
    BASE64.decode(plain.collect::<Vec<u8>>()).ok()
}

fn base32(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut held, mut bits, mut found) = (0_u32, 0, Vec::new());
    for byte in bytes.iter().filter(|byte| **byte != b'=') {
        let digit = match byte.to_ascii_uppercase() {
            letter @ b'A'..=b'Z' => letter - b'A',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        held = (held << 5 | u32::from(digit)) & 0xFFFF;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            found.push((held >> bits & 0xFF) as u8);
        }
    }
    Some(found)
}

fn from_hex(bytes: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    hex::decode(digits).ok()
}

/// The digits of `base64.b85decode`, and of `a85decode`.
const BASE85: &[u8] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const ASCII85: &[u8] =
    b"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu";

fn base85(bytes: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    for group in bytes.chunks(5) {
        let missing = 5 - group.len();
        let padded = group.iter().copied().chain(std::iter::repeat_n(*digits.last()?, missing));
        let mut number = 0_u64;
        for byte in padded {
            number = number * 85 + digits.iter().position(|digit| *digit == byte)? as u64;
        }
        let whole = u32::try_from(number).ok()?.to_be_bytes();
        found.extend_from_slice(whole.get(..4_usize.checked_sub(missing)?)?);
    }
    Some(found)
}

/// Decodes `\x6f`, `\157` and `\u006f`.
fn unescaped(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (mut found, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('\\') {
        found.push_str(before);
        let (digits, radix) = match after.chars().next()? {
            'x' => (after.get(1..3)?, 16),
            'u' => (after.get(1..5)?, 16),
            'U' => (after.get(1..9)?, 16),
            '0'..='7' => (after.get(..3)?, 8),
            _ => return None,
        };
        found.push(char::from_u32(u32::from_str_radix(digits, radix).ok()?)?);
        rest = &after[digits.len() + usize::from(radix == 16)..];
    }
    found.push_str(rest);
    Some(found.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::{by_codec, decoded};

    /// Each input was produced by Python itself.
    #[test]
    fn decoding_matches_python() {
        for (function, hidden) in [
            ("base64.b64decode", "b3Muc3lzdGVt"),
            ("base64.b64decode", "b3Mu\nc3lzdGVt\n"),
            ("base64.b32decode", "N5ZS443ZON2GK3I="),
            ("base64.b16decode", "6F732E73797374656D"),
            ("bytes.fromhex", "6f 73 2e 73 79 73 74 65 6d"),
            ("base64.b85decode", "Z*wkld2@7SZ2"),
            ("base64.a85decode", "Df[OPH#n(=D#"),
        ] {
            let found = decoded(function, hidden.as_bytes());
            assert_eq!(found.as_deref(), Some(&b"os.system"[..]), "{function}");
        }
        for (codec, hidden) in [
            ("rot13", "bf.flfgrz"),
            ("ROT-13", "bf.flfgrz"),
            ("hex", "6f732e73797374656d"),
            ("base64", "b3Muc3lzdGVt"),
            ("unicode_escape", r"\x6f\163\u002esystem"),
        ] {
            let found = by_codec(codec, hidden.as_bytes());
            assert_eq!(found.as_deref(), Some(&b"os.system"[..]), "{codec}");
        }
    }

    #[test]
    fn inputs_that_python_refuses_give_nothing() {
        assert_eq!(decoded("bytes.fromhex", b"6"), None);
        assert_eq!(decoded("base64.b32decode", b"1"), None);
        assert_eq!(decoded("base64.b85decode", b"~~~~~"), None);
        assert_eq!(decoded("base64.b85decode", b"a"), Some(Vec::new()));
        assert_eq!(by_codec("unicode_escape", br"\x6"), None);
        assert_eq!(by_codec("unicode_escape", "\\xé".as_bytes()), None);
    }
}
