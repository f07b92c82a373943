//! Email addresses.
//!
//! In: the offset of an `@`. Out: the range of the address around it, if it is one.
//! `git@host:path`, `pkg@1.2.3`, `icon@2x.png` and `@handle` are not.

use crate::byte_class::{
    CLASS, DIGIT, HIGH, LETTER, LOCAL, WORD, byte_at, byte_before, class_at, class_before, run_end,
};

/// File extensions that follow an `@` in names of images and modules.
const NO_DOMAINS: &[&[u8]] = &[
    b"png", b"jpg", b"jpeg", b"gif", b"svg", b"webp", b"css", b"js", b"ts", b"tsx", b"jsx",
    b"json", b"html", b"yml", b"yaml", b"mjs", b"local",
];

/// The address around the `@` at `at`; `width` is 3 for `%40`.
pub(crate) fn around(text: &str, at: usize, width: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let end = domain_end(bytes, at + width)?;
    let start = local_start(text, at)?;
    let local = bytes.get(start..at)?;
    // `git@host:path` names a repository.
    if local == b"git"
        || (byte_at(bytes, end) == b':'
            && class_at(bytes, end + 1) & (LETTER | LOCAL) != 0
            && byte_before(bytes, start) != b':')
    {
        return None;
    }
    Some((start, end))
}

fn local_start(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut start = at;
    // 64 bytes is the limit of RFC 5321.
    while start > 0 && at - start <= 64 {
        let before = byte_before(bytes, start);
        let class = CLASS[usize::from(before)];
        // Nearly all bytes of an address take this branch.
        if class & WORD != 0 {
            start -= 1;
            continue;
        }
        let inside = class & (WORD | LOCAL) != 0
            && !(before == b'%' && bytes.get(start..start + 2) == Some(b"3D"));
        // `O'Brien@…`: only between letters.
        let quote = before == b'\''
            && class_at(bytes, start) & LETTER != 0
            && start >= 2
            && class_at(bytes, start - 2) & LETTER != 0;
        if !inside && !quote {
            break;
        }
        start -= 1;
    }
    while start < at && (class_at(bytes, start) & WORD == 0 || !text.is_char_boundary(start)) {
        start += 1;
    }
    // Latin punctuation ends in bytes that look like letters.
    if start > 0
        && class_at(bytes, start) & HIGH != 0
        && matches!(byte_before(bytes, start), 0xC2 | 0xE2)
    {
        return None;
    }
    let last = byte_before(bytes, at);
    (start < at
        && at - start <= 64
        && last != b'.'
        && class_before(bytes, at) & (WORD | LOCAL) != 0)
        .then_some(start)
}

fn domain_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut label = from;
    let mut dots = 0;
    let mut end = from;
    loop {
        let mut stop = label;
        while class_at(bytes, stop) & (LETTER | DIGIT) != 0
            || (byte_at(bytes, stop) == b'-' && stop > label)
        {
            stop += 1;
            if stop - from > 255 {
                return None;
            }
        }
        while stop > label && byte_before(bytes, stop) == b'-' {
            stop -= 1;
        }
        if stop == label {
            break;
        }
        end = stop;
        if byte_at(bytes, stop) != b'.' {
            break;
        }
        dots += 1;
        label = stop + 1;
    }
    let mut last = end;
    while last > from && byte_before(bytes, last) != b'.' {
        last -= 1;
    }
    let top = bytes.get(last..end)?;
    let words = top.len() >= 2
        && top.len() <= 24
        && top.iter().all(|b| CLASS[usize::from(*b)] & LETTER != 0);
    let encoded = top.starts_with(b"xn--");
    if dots == 0
        || last == from
        || !(words || encoded)
        || NO_DOMAINS.iter().any(|no| top.eq_ignore_ascii_case(no))
    {
        return None;
    }
    // Nothing is read twice: the scan continues after the address.
    Some(if class_at(bytes, end) & WORD == 0 { end } else { run_end(bytes, end, WORD) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Option<&str> {
        let at = text.find('@').unwrap();
        around(text, at, 1).map(|(start, end)| &text[start..end])
    }

    #[test]
    fn addresses_are_found_with_their_borders() {
        for (text, expected) in [
            ("user=a.b+c@ex-ample.co.uk session", "a.b+c@ex-ample.co.uk"),
            ("<o'neil@mail.example.org>", "o'neil@mail.example.org"),
            ("mailto:x_y@host.museum?subject=1", "x_y@host.museum"),
            ("write to jane@example.com.", "jane@example.com"),
            ("(jürgen@müller.de)", "jürgen@müller.de"),
            ("'a@b.io'", "a@b.io"),
            ("jane@example.com: hello", "jane@example.com"),
        ] {
            assert_eq!(find(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn things_with_an_at_sign_are_no_addresses() {
        for text in [
            "git@github.com:a/b.git",
            "lodash@4.17.21",
            "icon@2x.png",
            "ping @here: x",
            "@scope/pkg",
            "a @ b.com",
            "deploy@host",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
