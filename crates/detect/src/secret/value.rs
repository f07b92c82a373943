//! Secrets under a key.
//!
//! In: the value under a key like `password` or `token`. Out: whether it is a secret rather than
//! a placeholder, a type or a piece of code.

use crate::byte_class::{CLASS, DIGIT, LOWER, UPPER};
use crate::secret::vendor::base64;

/// Whether a value is only a placeholder: `${PASSWORD}`, `<token>`, `****`.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let Some(first) = value.first() else { return true };
    let last = value.last().unwrap_or(first);
    let wrapped = matches!(
        (first, last),
        (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') | (b'%', b'%')
    );
    let variable = *first == b'$'
        && value.get(1).is_some_and(|b| matches!(b, b'{' | b'(') || b.is_ascii_uppercase());
    let hidden = value
        .iter()
        .all(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'#' | b'?') || b >= &0x80);
    wrapped || variable || hidden || *first == b'&' && value.len() < 4
}

/// Words that code and texts use in place of a password.
const NOT_SECRETS: &str = "string str text none null nil true false required optional undefined password secret token bool boolean int number varchar redacted hidden masked changeme empty yes no and or the is not your reset expired invalid object any unknown default test example missing char option self this bearer basic n/a disabled enabled refused denied granted revoked rotated unset";

/// Whether a value under a key like `password` is a password.
pub(crate) fn is_password(value: &[u8]) -> bool {
    value.len() >= 4
        && value.len() <= 4096
        && !is_placeholder(value)
        && (value.len() > 9
            || !NOT_SECRETS.split(' ').any(|word| value.eq_ignore_ascii_case(word.as_bytes())))
        && !is_code(value)
}

/// Whether a value under a key like `token` is a token: it must look random.
pub(crate) fn is_token(value: &[u8]) -> bool {
    let classes = value.iter().fold(0, |all, byte| all | CLASS[usize::from(*byte)]);
    value.len() >= 8
        && is_password(value)
        && classes & DIGIT != 0
        && classes & (LOWER | UPPER) != 0
        && !value.contains(&b' ')
        || value.len() >= 20
            && is_password(value)
            && classes & (LOWER | UPPER) == LOWER | UPPER
            && value.iter().all(|b| base64(*b))
        || value.len() >= 12 && value.iter().all(u8::is_ascii_digit)
}

/// `getPassword()`, `os.environ["X"]`, `config.password`, `process.env.TOKEN`.
fn is_code(value: &[u8]) -> bool {
    let call = value.last() == Some(&b')')
        && value.contains(&b'(')
        && value.first().is_some_and(u8::is_ascii_alphabetic);
    let path = [
        &b"process.env"[..],
        b"os.environ",
        b"os.getenv",
        b"env.",
        b"config.",
        b"self.",
        b"this.",
        b"settings.",
        b"secrets.",
        b"vault:",
        b"var.",
    ]
    .iter()
    .any(|prefix| value.starts_with(prefix));
    call || path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_types_and_code_are_no_secrets() {
        for value in [
            "${PASSWORD}",
            "<token>",
            "********",
            "string",
            "getPassword()",
            "process.env.TOKEN",
            "abc",
        ] {
            assert!(!is_password(value.as_bytes()), "{value}");
        }
        assert!(
            is_password(b"hunter22")
                && is_token(b"ef7f0085b59307006b4918")
                && !is_token(b"pagination")
        );
    }
}
