//! Values that the surrounding words announce, without a `:` or `=`.
//!
//! In: the offset of a word with digits, of an address, of a cookie. Out: candidates. `the
//! password is Gecko5624#`, `Ann Lee <ann@example.org>`, `Set-Cookie: sid=…`.

use tidegate_model::DataType;

use crate::byte_class::{LETTER, byte_at, byte_before, class_before, floor_char, upper_at};
use crate::lexicon::{PARTICLE, STOP_WORD};
use crate::person::keyed::may_be_name;
use crate::scan::{CHECKED, KEYED, Scan};
use crate::secret::value::is_token;

const PASSWORDS: [&[u8]; 10] = [
    b"password",
    b"passwort",
    b"kennwort",
    b"passphrase",
    b"passcode",
    b"wachtwoord",
    b"mot de passe",
    "contrase\u{f1}a".as_bytes(),
    b"senha",
    b"parola",
];
const COPULAS: [&[u8]; 6] = [b" is", b" ist", b" lautet", b" est", b" es", " \u{e9}".as_bytes()];

/// Whether the bytes before a word can end an announcement of a secret. Mostly they cannot.
#[inline]
pub(crate) fn may_follow_announcement(bytes: &[u8], start: usize) -> bool {
    match bytes.get(start.saturating_sub(3)..start) {
        Some([a, b, b' ']) => matches!(
            &[*a, *b],
            b"is"
                | b"st"
                | b"et"
                | b"es"
                | b"rd"
                | b"RD"
                | b"rt"
                | b"se"
                | b"de"
                | b"ha"
                | b"la"
                | [0xC3, 0xA9 | 0xB1]
        ),
        Some([before, b' ', b'\'' | b'"' | b'`']) => ends_password(*before),
        Some([_, b'a'..=b'z', b'-']) => true,
        _ => false,
    }
}

/// Whether `password`, `Kennwort`, `is` or a similar word ends with this byte.
fn ends_password(byte: u8) -> bool {
    matches!(byte, b's' | b't' | b'd' | b'D' | b'e' | b'a' | 0xA9)
}

/// A secret after `password is`: it must look random. `start` is the start of a word in it.
#[inline(never)]
pub(crate) fn secret(scan: &mut Scan<'_>, text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = start;
    // `tulip-harbor7`
    while from > 0
        && start - from < 40
        && matches!(byte_before(bytes, from), b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z')
    {
        from -= 1;
    }
    let quote = matches!(byte_before(bytes, from), b'\'' | b'"' | b'`');
    let gap = from.checked_sub(1 + usize::from(quote))?;
    if byte_at(bytes, gap) != b' ' || !ends_password(byte_before(bytes, gap)) {
        return None;
    }
    let head = bytes.get(gap.saturating_sub(24)..gap)?;
    let bare = COPULAS.iter().find_map(|are| head.strip_suffix(*are));
    let named = bare.unwrap_or(head);
    let is_password = PASSWORDS.iter().any(|word| {
        named
            .len()
            .checked_sub(word.len())
            .and_then(|place| named.get(place..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    });
    if !is_password {
        return None;
    }
    let rest = bytes.get(from..bytes.len().min(from + 200))?;
    let length = rest
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'\'' | b'"' | b'`' | b'<'))
        .unwrap_or(rest.len());
    let mut end = floor_char(text, from + length);
    while matches!(byte_before(bytes, end), b'.' | b',' | b';' | b')' | b':') {
        end -= 1;
    }
    let value = bytes.get(from..end)?;
    // `password reset2024`: without `is` it must look more random.
    let random = value.len() >= 16
        || value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    if !is_token(value) || bare.is_none() && !quote && !random {
        return None;
    }
    scan.add(from, end, DataType::Secret, CHECKED);
    Some(end)
}

/// The value of a session cookie.
pub(crate) fn cookie(scan: &mut Scan<'_>, text: &str, key: &str, sign: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(key.as_bytes().last(), Some(b'n' | b'N' | b'd' | b'D')) {
        return None;
    }
    let session = ["session", "sessionid", "session_id", "sid", "phpsessid", "jsessionid"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name));
    if !session {
        return None;
    }
    let line = bytes.get(sign.saturating_sub(80)..sign)?;
    let line = line.rsplit(|byte| *byte == b'\n').next()?;
    if !line.windows(6).any(|part| part.eq_ignore_ascii_case(b"ookie:")) {
        return None;
    }
    let rest = bytes.get(sign + 1..bytes.len().min(sign + 1000))?;
    let length = rest
        .iter()
        .position(|byte| !byte.is_ascii_graphic() || matches!(byte, b';' | b',' | b'"' | b'\''))
        .unwrap_or(rest.len());
    if length < 16 || !is_token(rest.get(..length)?) {
        return None;
    }
    scan.add(sign + 1, sign + 1 + length, DataType::Secret, CHECKED);
    Some(sign + 1 + length)
}

/// The name before `<ann@example.org>`: two to four capitalised words.
pub(crate) fn display_name(scan: &mut Scan<'_>, text: &str, address: usize) {
    let bytes = text.as_bytes();
    if byte_before(bytes, address) != b'<' || address < 4 || byte_at(bytes, address - 2) != b' ' {
        return;
    }
    let end = address - 2;
    let mut start = end;
    let mut words = 0;
    while words < 4 {
        let mut from = if words == 0 { end } else { start.saturating_sub(1) };
        if words > 0 && byte_before(bytes, start) != b' ' {
            break;
        }
        let to = from;
        while from > 0
            && to - from < 40
            && (class_before(bytes, from) & LETTER != 0
                || matches!(byte_before(bytes, from), b'-' | b'\'' | b'.'))
        {
            from -= 1;
        }
        let from = floor_char(text, from);
        let Some(word) = text.get(from..to).filter(|word| !word.is_empty()) else { break };
        let flags = scan.lexicon.word(word);
        if !(upper_at(text, from) && flags & STOP_WORD == 0 || words > 0 && flags & PARTICLE != 0) {
            break;
        }
        start = from;
        words += 1;
    }
    if words >= 2 && upper_at(text, start) && text.get(start..end).is_some_and(may_be_name) {
        scan.add(start, end, DataType::Person, KEYED);
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::TextKind;

    use crate::testing::found_as;

    fn found(text: &str) -> Vec<&str> {
        found_as(text, TextKind::Auto)
    }

    #[test]
    fn secrets_that_words_announce_are_found() {
        assert_eq!(found("The wifi password is tulip-harbor7x."), ["tulip-harbor7x"]);
        assert_eq!(found("CREATE USER app WITH PASSWORD 'Falke1374?';"), ["Falke1374?"]);
        assert_eq!(
            found("Set-Cookie: sid=Pa5xoSWpMhT6SaWvgLwVTJeGKp83; HttpOnly"),
            ["Pa5xoSWpMhT6SaWvgLwVTJeGKp83"]
        );
        for text in [
            "The password reset-2024 page is down.",
            "Your password is 12 characters long.",
            "INFO sid=Pa5xoSWpMhT6SaWvgLwVTJeGKp83",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn names_before_an_address_are_names() {
        assert_eq!(
            found("  - Zyxa Quux-Yq <zq@y.example.org>"),
            ["Zyxa Quux-Yq", "zq@y.example.org"]
        );
        assert_eq!(found("Please write to <zq@y.example.org>"), ["zq@y.example.org"]);
    }
}
