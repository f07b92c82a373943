//! Literals that look encoded.
//!
//! In: the text of a literal. Out: whether it looks like base64, hexadecimal or base85, and
//! its entropy.

/// Shorter texts are names, keys and checksums. Chosen: a SHA-512 in hexadecimal has 128
/// characters.
const MIN_BYTES: usize = 160;

/// Whether a text is not meant for people: one long word in base64, hexadecimal or base85.
pub(crate) fn looks_encoded(text: &str) -> bool {
    if text.len() < MIN_BYTES || !text.is_ascii() {
        return text.len() >= MIN_BYTES
            && text.bytes().filter(|byte| *byte == b'\\').count() * 5 > text.len();
    }
    let escaped = text.bytes().filter(|byte| *byte == b'\\').count();
    // `\x89\x50…`: every fourth character.
    if escaped * 5 > text.len() {
        return true;
    }
    let word = text.replace("\\n", "");
    let letters = word.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    if letters.clone().any(|byte| byte.is_ascii_whitespace()) {
        return false;
    }
    let is_hexadecimal = letters.clone().all(|byte| byte.is_ascii_hexdigit());
    if is_hexadecimal {
        return entropy(&word) > 2.5;
    }
    let has = |test: fn(&u8) -> bool| letters.clone().any(|byte| test(&byte));
    has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && !word.contains("://")
        && !word.contains('<')
        && entropy(&word) > 4.6
}

/// Bits per character.
#[expect(clippy::cast_precision_loss, reason = "an entropy is not exact")]
pub(crate) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u64; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = text.len().max(1) as f64;
    let part = |count: u64| {
        let share = count as f64 / all;
        -share * share.log2()
    };
    counts.into_iter().filter(|count| *count > 0).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::{entropy, looks_encoded};

    #[test]
    fn unreadable_text_looks_encoded() {
        let base64 = "aW1wb3J0IG9zO29zLnN5c3RlbSgnaWQnKTtwcmludCgxMjM0NTY3ODkwKQpkZWYgZihhLGIpOgog\
                      ICAgcmV0dXJuIGErYgpmb3IgeCBpbiByYW5nZSgxMCk6CiAgICBwcmludChmKHgsIDIpKSMgYWFh\
                      YmJiY2NjZGRkCnByaW50KCdaWlpZWVlYWFgnKQ";
        assert!(looks_encoded(base64), "{}", entropy(base64));
        assert!(looks_encoded(&"6f732e73797374656d2827696427".repeat(8)));
        assert!(looks_encoded(&"\\x6f\\x73".repeat(30)));
        assert!(!looks_encoded(&"0".repeat(400)));
        assert!(!looks_encoded(&"A sentence of 12 words that somebody wrote. ".repeat(9)));
        assert!(!looks_encoded(&format!("https://example.com/{}", "Path0/".repeat(40))));
        assert!(!looks_encoded("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        assert!(!looks_encoded("\\x89PNG\\r\\n\\x1a\\n"));
    }
}
