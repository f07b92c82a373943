//! IP addresses.
//!
//! In: the first digit of four groups, or a colon between hexadecimal digits. Out: the range of
//! the address. Rejects versions, times and paths of code.

use std::net::Ipv6Addr;

use crate::byte_class::{LETTER, WORD, byte_at, byte_before, class_at, class_before};

/// The end of four numbers up to 255 with dots between, from `start`. Does not look at the words
/// around it.
pub(crate) fn v4(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut quad = [0_u16; 4];
    for (index, part) in quad.iter_mut().enumerate() {
        if index > 0 {
            if byte_at(bytes, at) != b'.' {
                return None;
            }
            at += 1;
        }
        let begin = at;
        while byte_at(bytes, at).is_ascii_digit() && at - begin < 4 {
            *part = *part * 10 + u16::from(byte_at(bytes, at) - b'0');
            at += 1;
        }
        if at == begin || *part > 255 || (at - begin > 1 && byte_at(bytes, begin) == b'0') {
            return None;
        }
    }
    let next = byte_at(bytes, at);
    if class_at(bytes, at) & WORD != 0
        || (next == b'.' && byte_at(bytes, at + 1).is_ascii_digit())
        || (next == b'-' && class_at(bytes, at + 1) & WORD != 0)
    {
        return None;
    }
    let before = byte_before(bytes, start);
    // `Chrome/120.0.0.0`, `v1.2.3.4`, `lib-1.2.3.4`, `1.2.3.4.5`.
    let named = before == b'/' && start >= 2 && class_at(bytes, start - 2) & LETTER != 0;
    if class_before(bytes, start) & WORD != 0
        || before == b'.'
        || named
        || (before == b'-' && start >= 2 && class_at(bytes, start - 2) & WORD != 0)
    {
        return None;
    }
    let [a, b, ..] = quad;
    if is_special_purpose(a, b) { None } else { Some(at) }
}

/// Whether the first two numbers mark an address that belongs to nobody: this host, this link
/// (including metadata services), masks.
fn is_special_purpose(first: u16, second: u16) -> bool {
    matches!((first, second), (0 | 127, _) | (169, 254) | (255, 255))
}

/// The address around the colon at `at`, or where to continue.
pub(crate) fn v6(text: &str, at: usize) -> Result<(usize, usize), usize> {
    let bytes = text.as_bytes();
    let mut start = at;
    while start > 0 && at - start < 5 && byte_before(bytes, start).is_ascii_hexdigit() {
        start -= 1;
    }
    let mut end = at;
    while matches!(byte_at(bytes, end), b':' | b'.') || byte_at(bytes, end).is_ascii_hexdigit() {
        end += 1;
    }
    let go_on = end.max(at + 1);
    while end > at && byte_before(bytes, end) == b'.' {
        end -= 1;
    }
    if end > at + 2 && byte_before(bytes, end) == b':' && byte_at(bytes, end - 2) != b':' {
        end -= 1;
    }
    let wrong = Err(go_on.min(at + 48));
    if end - start > 45
        || end - start < 6
        || class_before(bytes, start) & WORD != 0
        || class_at(bytes, end) & WORD != 0
    {
        return if end - start > 45 { Err(go_on) } else { Err(at + 1) };
    }
    if matches!(byte_before(bytes, start), b':' | b'.') {
        return wrong;
    }
    let Some(candidate) = text.get(start..end) else { return Err(at + 1) };
    // Excludes times: without `::`, an address has at least six colons.
    let gap = candidate.as_bytes().array_windows().any(|pair| pair == b"::");
    if !gap && candidate.bytes().filter(|byte| *byte == b':').count() < 6 {
        return Err(at + 1);
    }
    let groups = candidate.split(':').filter(|group| !group.is_empty()).count();
    let digits = candidate.bytes().any(|b| b.is_ascii_digit());
    match candidate.parse::<Ipv6Addr>() {
        Ok(address)
            if digits
                && groups >= 2
                && !address.is_loopback()
                && !address.is_unspecified()
                && !is_mapped_special_purpose(address) =>
        {
            Ok((start, end))
        }
        _ => Err(at + 1),
    }
}

fn is_mapped_special_purpose(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some_and(|address| {
        let [a, b, ..] = address.octets();
        is_special_purpose(a.into(), b.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_part_numbers_are_addresses_only_with_clean_borders() {
        assert_eq!(v4(b"10.20.30.40:8080", 0), Some(11));
        assert_eq!(v4(b"10.20.30.40/24", 0), Some(11));
        assert_eq!(v4(b"10.20.30.40.", 0), Some(11));
        for bad in [
            "10.20.30.400",
            "10.20.30",
            "1.2.3.4.5",
            "01.2.3.4",
            "127.0.0.1",
            "169.254.169.254",
            "1.2.3.4-rc1",
            "1.2.3.4a",
        ] {
            assert_eq!(v4(bad.as_bytes(), 0), None, "{bad}");
        }
        assert_eq!(v4(b"Chrome/120.10.1.2", 7), None);
        assert_eq!(v4(b"http://120.10.1.2", 7), Some(17));
    }

    #[test]
    fn long_addresses_are_found_and_paths_and_times_are_not() {
        for good in [
            "2001:db8::8a2e:370:7334",
            "fe80::1ff:fe23:4567:890a",
            "2001:0db8:0000:0000:0000:ff00:0042:8329",
            "::ffff:192.0.2.128",
        ] {
            let at = good.find(':').unwrap();
            assert_eq!(v6(good, at), Ok((0, good.len())), "{good}");
        }
        for bad in [
            "12:34:56",
            "aa:bb:cc:dd:ee:ff",
            "std::vec",
            "ab::cd",
            "::1",
            "a:b",
            "10:11:12 +0000",
            "::ffff:7f00:1",
        ] {
            let at = bad.find(':').unwrap();
            assert!(v6(bad, at).is_err(), "{bad}");
        }
    }
}
