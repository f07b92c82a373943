//! Secrets with delimiters: private keys, and passwords in URLs.
//!
//! In: the offset of the delimiter. Out: the range of the secret alone.

pub(crate) mod value;
pub(crate) mod vendor;

use crate::byte_class::byte_at;
use crate::secret::value::is_placeholder;

/// The end of the private key in PEM format that begins at `start`.
pub(crate) fn pem(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let head = rest.get(..64.min(rest.len())).or_else(|| rest.get(..40))?;
    if !head.starts_with("-----BEGIN ") || !head.contains("PRIVATE KEY") {
        return None;
    }
    // A key of 16384 bits needs about 13 kB.
    let limit = crate::byte_class::floor_char(rest, 20_000);
    let body = rest.get(..limit)?;
    let Some(foot) = body.find("-----END ") else {
        let end = body.find("\n\n").unwrap_or(body.len());
        return Some(start + end);
    };
    let after = body.get(foot + 9..)?;
    let end = after.find("-----").map_or(body.len(), |dashes| foot + 9 + dashes + 5);
    Some(start + end)
}

/// The range of the password in `scheme://user:password@host`, and where the host begins;
/// `colon` is the first colon.
pub(crate) fn in_url(bytes: &[u8], colon: usize) -> Option<(Option<(usize, usize)>, usize)> {
    let from = colon + 3;
    let mut at = from;
    let mut first_colon = None;
    let mut last_at = None;
    while at < bytes.len() && at - from < 512 {
        match byte_at(bytes, at) {
            b':' if first_colon.is_none() => first_colon = Some(at),
            b'@' => last_at = Some(at),
            b'/' | b'?' | b'#' if last_at.is_some() || first_colon.is_none() => break,
            b' ' | b'\n' | b'\t' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b',' | b';'
            | b')' => break,
            _ => {}
        }
        at += 1;
    }
    let sign = last_at?;
    let password = first_colon
        .filter(|colon| *colon + 1 < sign)
        .map(|colon| (colon + 1, sign))
        .filter(|(from, to)| {
            // `https://host:8080/x@y` has a port.
            !is_placeholder(bytes.get(*from..*to).unwrap_or_default())
                && !bytes
                    .get(*from..*to)
                    .is_some_and(|p| p.contains(&b'/') && p.first().is_some_and(u8::is_ascii_digit))
        });
    Some((password, sign + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_give_the_password_alone() {
        let url = b"postgres://app:s3cr3t/x@db.internal:5432/orders";
        assert_eq!(in_url(url, 8), Some((Some((15, 23)), 24)));
        assert_eq!(in_url(b"https://example.com:8080/a", 5), None);
        assert_eq!(in_url(b"ssh://git@github.com/x", 3), Some((None, 10)));
        assert_eq!(in_url(b"redis://:${PASS}@h", 5), Some((None, 17)));
    }
}
