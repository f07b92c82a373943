//! Parses the text of a URL into the target that is judged and dialled.
//!
//! In: text of a program, or of a `Location` header. Out: a [`Target`]. Pure.
//! Invariant: the text is parsed once, by the WHATWG parser; the host in the target is the
//! one that is judged, looked up, sent as SNI and sent as `Host`. Text that other parsers
//! read differently (user, backslash, tab) is refused.

use std::net::IpAddr;

use thiserror::Error;
use tidegate_model::{Scheme, normal_host};
use url::{Host, Url};

/// The longest text of a URL. Chosen: servers accept about 8 KB.
const MAX_URL_BYTES: usize = 16 * 1024;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
    scheme: Scheme,
    host: Host<String>,
    port: u16,
}

/// Why a text is not a valid target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TargetProblem {
    /// Too long.
    #[error("the URL is longer than 16384 bytes")]
    TooLong,
    /// A character that parsers interpret differently.
    #[error("the URL has a backslash, a tab, a line end or another control character")]
    OddCharacter,
    /// Not an absolute URL.
    #[error("the URL cannot be parsed")]
    Unreadable,
    /// Neither `http` nor `https`.
    #[error("the URL is neither `http` nor `https`")]
    Scheme,
    /// A user name or a password.
    #[error("the URL has a user name or a password")]
    UserInfo,
    /// A host that is neither a name nor an address.
    #[error("the URL has no valid host")]
    Host,
    /// Port 0.
    #[error("the URL has port 0")]
    Port,
}

impl Target {
    /// Reads an absolute URL.
    pub fn parse(text: &str) -> Result<Self, TargetProblem> {
        check_text(text)?;
        Self::from_url(Url::parse(text).map_err(|_| TargetProblem::Unreadable)?)
    }

    /// Reads a `Location` header of this target's answer.
    pub fn join(&self, location: &str) -> Result<Self, TargetProblem> {
        check_text(location)?;
        let mut url = self.url.join(location).map_err(|_| TargetProblem::Unreadable)?;
        // As in browsers, the fragment is kept unless there is a new one.
        if url.fragment().is_none() {
            url.set_fragment(self.url.fragment());
        }
        Self::from_url(url)
    }

    fn from_url(mut url: Url) -> Result<Self, TargetProblem> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(TargetProblem::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetProblem::UserInfo);
        }
        let host = url.host().ok_or(TargetProblem::Host)?.to_owned();
        let host = normal_host(host).ok_or(TargetProblem::Host)?;
        // So that the URL is shown and sent with the same spelling.
        url.set_host(Some(&host.to_string())).map_err(|_| TargetProblem::Host)?;
        let port = url.port().unwrap_or(scheme.default_port());
        if port == 0 {
            return Err(TargetProblem::Port);
        }
        Ok(Self { url, scheme, host, port })
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host: a name in lower case and Punycode, or an address.
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// The host as text, an IPv6 address in brackets.
    pub fn host_text(&self) -> String {
        self.host.to_string()
    }

    /// The address, if the host is one.
    pub fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// The port that is dialled.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The whole URL.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The value of the `Host` header.
    pub(crate) fn authority(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        }
    }

    /// The target in the request line.
    pub(crate) fn path_and_query(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// Whether both have the same origin, so that credentials for one may go to the other.
    pub(crate) fn same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }
}

fn check_text(text: &str) -> Result<(), TargetProblem> {
    if text.len() > MAX_URL_BYTES {
        return Err(TargetProblem::TooLong);
    }
    // The parser would drop tabs and line ends, and take a backslash for a slash.
    if text.contains(|c: char| c.is_control() || c == '\\') {
        return Err(TargetProblem::OddCharacter);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Target, TargetProblem};

    fn shown(text: &str) -> Result<(String, u16), TargetProblem> {
        Target::parse(text).map(|target| (target.host_text(), target.port()))
    }

    #[test]
    fn a_url_is_read_once_and_has_one_spelling() {
        for (text, host, port) in [
            ("http://example.org", "example.org", 80),
            ("HTTPS://EXAMPLE.org./x", "example.org", 443),
            ("https://exämple.org:8443/", "xn--exmple-cua.org", 8443),
            ("http://evil.test#@allowed.test/", "evil.test", 80),
            ("http://evil.test?@allowed.test/", "evil.test", 80),
            ("http:evil.test", "evil.test", 80),
            ("http://2130706433/", "127.0.0.1", 80),
            ("http://0x7f.1/", "127.0.0.1", 80),
            ("http://0177.0.0.1/", "127.0.0.1", 80),
            ("http://127.1/", "127.0.0.1", 80),
            ("http://[::ffff:127.0.0.1]:81/", "[::ffff:7f00:1]", 81),
            ("http://①②⑦.0.0.1/", "127.0.0.1", 80),
        ] {
            assert_eq!(shown(text), Ok((host.into(), port)), "{text}");
        }
    }

    #[test]
    fn what_parsers_read_differently_is_refused() {
        for (text, problem) in [
            ("http://allowed.test@evil.test/", TargetProblem::UserInfo),
            ("http://:x@evil.test/", TargetProblem::UserInfo),
            ("http://allowed.test\\@evil.test/", TargetProblem::OddCharacter),
            ("http:\\\\evil.test", TargetProblem::OddCharacter),
            ("http://evil\t.test/", TargetProblem::OddCharacter),
            ("http://evil.test/\r\nHost: x", TargetProblem::OddCharacter),
            ("ht\ntp://evil.test/", TargetProblem::OddCharacter),
            ("http://evil.test/\0", TargetProblem::OddCharacter),
            ("file:///etc/passwd", TargetProblem::Scheme),
            ("gopher://evil.test/", TargetProblem::Scheme),
            ("data:text/plain,x", TargetProblem::Scheme),
            ("http://example.org:0/", TargetProblem::Port),
            ("http://example.org:65536/", TargetProblem::Unreadable),
            ("http://exa mple.org/", TargetProblem::Unreadable),
            ("http://a..b/", TargetProblem::Host),
            ("http://example.org../", TargetProblem::Host),
            ("/relative", TargetProblem::Unreadable),
            ("", TargetProblem::Unreadable),
        ] {
            assert_eq!(shown(text), Err(problem), "{text:?}");
        }
        let long = format!("http://example.org/{}", "x".repeat(16 * 1024));
        assert_eq!(shown(&long), Err(TargetProblem::TooLong));
    }

    #[test]
    fn a_location_is_read_from_where_it_came() {
        let base = Target::parse("https://a.test:8443/x/y?q#f").unwrap();
        for (location, whole) in [
            ("z", "https://a.test:8443/x/z#f"),
            ("//b.test/z#g", "https://b.test/z#g"),
            ("?r", "https://a.test:8443/x/y?r#f"),
        ] {
            assert_eq!(base.join(location).unwrap().as_str(), whole);
        }
        assert_eq!(base.join("file:///etc/passwd"), Err(TargetProblem::Scheme));
        assert_eq!(base.join("\\\\evil.test"), Err(TargetProblem::OddCharacter));
        let host = base.join("//b.test").unwrap();
        assert!(!base.same_origin(&host));
        assert!(base.same_origin(&base.join("/other").unwrap()));
        assert!(!base.same_origin(&base.join("https://a.test/").unwrap()));
    }
}
