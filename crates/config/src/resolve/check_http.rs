//! Checks URLs and headers of requests.
//!
//! Pure. Problems never quote the text: a URL may contain a key, and
//! a header usually does.

/// Why a text is not the URL of a server, as the rest of a sentence "`url` ...".
pub(crate) fn url_problem(url: &str) -> Option<&'static str> {
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some("has a space or a control character");
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return Some("is not an `http` or `https` URL");
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Some("is not an `http` or `https` URL");
    }
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    // User and password may contain an `@`; the host comes last.
    let host_and_port = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = split_port(host_and_port);
    if host.is_empty() {
        return Some("has no host");
    }
    // An empty port, as in `http://host:/`, is the default one.
    if !port.is_empty()
        && (!port.bytes().all(|b| b.is_ascii_digit()) || port.parse::<u16>().is_err())
    {
        return Some("has a port that is not a number up to 65535");
    }
    None
}

/// Host and port. An IPv6 address is in brackets and has colons itself.
fn split_port(host_and_port: &str) -> (&str, &str) {
    if let Some(inside) = host_and_port.strip_prefix('[') {
        return match inside.split_once(']') {
            Some((host, "")) => (host, ""),
            // Anything else after the bracket makes the port invalid.
            Some((host, after)) => (host, after.strip_prefix(':').unwrap_or("x")),
            None => ("", ""),
        };
    }
    host_and_port.split_once(':').unwrap_or((host_and_port, ""))
}

/// Whether a text is a valid header name: a token of RFC 9110, section 5.6.2.
pub(crate) fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Whether a text is a valid header value. A line end would let it add further
/// headers; beyond ASCII, servers do not agree on the meaning.
pub(crate) fn is_header_value(value: &str) -> bool {
    value.bytes().all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::{is_header_name, is_header_value, url_problem};

    #[test]
    fn urls_with_a_host_are_good() {
        for url in [
            "http://localhost",
            "HTTPS://mcp.example.com:8443/mcp?key=a#b",
            "https://ann:p@ss@example.com/",
            "http://[::1]:3000/mcp",
            "http://127.0.0.1:/mcp",
        ] {
            assert_eq!(url_problem(url), None, "{url}");
        }
    }

    #[test]
    fn other_urls_are_not() {
        for (url, expected) in [
            ("", "is not an `http` or `https` URL"),
            ("mcp.example.com/mcp", "is not an `http` or `https` URL"),
            ("file:///etc/passwd", "is not an `http` or `https` URL"),
            ("ws://example.com", "is not an `http` or `https` URL"),
            ("https:///mcp", "has no host"),
            ("https://ann@/mcp", "has no host"),
            ("https://:80/mcp", "has no host"),
            ("http://[::1", "has no host"),
            ("http://host:99999/", "has a port that is not a number up to 65535"),
            ("http://host:+80/", "has a port that is not a number up to 65535"),
            ("http://[::1]80/", "has a port that is not a number up to 65535"),
            ("http://exa mple.com/", "has a space or a control character"),
            ("http://example.com/\r\nHost: x", "has a space or a control character"),
        ] {
            assert_eq!(url_problem(url), Some(expected), "{url}");
        }
    }

    #[test]
    fn a_header_cannot_write_another_header() {
        assert!(is_header_name("X-Api_Key"));
        assert!(!is_header_name(""));
        assert!(!is_header_name("X Key"));
        assert!(!is_header_name("X-Key:"));
        assert!(is_header_value("Bearer abc\t!~"));
        assert!(is_header_value(""));
        assert!(!is_header_value("a\r\nHost: x"));
        assert!(!is_header_value("caf\u{e9}"));
    }
}
