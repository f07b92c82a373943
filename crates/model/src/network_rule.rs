//! The text of a network rule: `[METHODS ][http[s]://]host[:port]`.
//!
//! In: the text of a configuration. Out: a rule whose host is spelled as the URL parser spells
//! it. Pure.
//! Invariant: the parser that reads the URLs of programs also normalises the names in rules,
//! so that the two cannot disagree on a name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use url::Host;

/// One rule of an allow or deny list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkRule {
    /// As written, for records and errors.
    pub text: String,
    /// Methods in upper case. `None`: the methods of the list.
    pub methods: Option<Vec<String>>,
    /// `None`: both.
    pub scheme: Option<Scheme>,
    /// Which hosts.
    pub host: HostPattern,
    /// Which ports.
    pub port: PortPattern,
}

/// The protocols of `fetch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    /// The port of a URL without an explicit one.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// As in a URL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// The hosts that a rule matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPattern {
    /// Exactly this name.
    Name(String),
    /// Every name below this one, at any depth, but not itself.
    Subdomains(String),
    /// This address, written as such.
    Address(IpAddr),
}

/// The ports that a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortPattern {
    /// An allow rule means the default port of the protocol, a deny rule every port.
    Unspecified,
    /// This one.
    One(u16),
    /// Every port.
    Any,
}

/// Why the text of a rule is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleProblem {
    /// Not a list of methods.
    Methods,
    /// Neither `http` nor `https`.
    Scheme,
    /// Not a port.
    Port,
    /// It contains a path, a query or a user.
    NotAHost,
    /// A `*` that is not the whole first label.
    Wildcard,
    /// Not a name that a URL can have.
    Host,
}

impl RuleProblem {
    /// The next step for the author of the rule.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Methods => {
                "write methods with commas before the host, such as `GET,HEAD api.example.org`; \
                 the methods are GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS"
            }
            Self::Scheme => "programs can use `http://` and `https://`",
            Self::Port => "write a port from 1 to 65535, or `*` for every port",
            Self::NotAHost => {
                "write a host such as `api.example.org`, without user, path and query"
            }
            Self::Wildcard => {
                "write `*.example.org` for all names below `example.org`; to reach every public \
                 host, use `mode = \"denylist\"`"
            }
            Self::Host => {
                "write a host such as `api.example.org`, `*.example.org` or `[2001:db8::1]`"
            }
        }
    }
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Methods => "names a method that programs cannot use",
            Self::Scheme => "names a protocol that programs cannot use",
            Self::Port => "has no valid port",
            Self::NotAHost => "is more than a host and a port",
            Self::Wildcard => "has a `*` that is not the whole first part of the name",
            Self::Host => "has no valid host",
        })
    }
}

impl std::error::Error for RuleProblem {}

impl NetworkRule {
    /// The methods that a program can use. Never `CONNECT`, which is for proxies, nor `TRACE`,
    /// which shows headers that it should not.
    pub const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
}

impl FromStr for NetworkRule {
    type Err = RuleProblem;

    fn from_str(text: &str) -> Result<Self, RuleProblem> {
        let text = text.trim();
        let (methods, rest) = match text.split_once(char::is_whitespace) {
            Some((methods, rest)) => (Some(parse_methods(methods)?), rest.trim_start()),
            None => (None, text),
        };
        let (scheme, rest) = match rest.split_once("://") {
            Some(("http", rest)) => (Some(Scheme::Http), rest),
            Some(("https", rest)) => (Some(Scheme::Https), rest),
            Some(_) => return Err(RuleProblem::Scheme),
            None => (None, rest),
        };
        if rest.contains(|c: char| "/\\@?#%".contains(c) || c.is_whitespace() || c.is_control()) {
            return Err(RuleProblem::NotAHost);
        }
        let (host, port) = split_port(rest)?;
        Ok(Self { text: text.to_owned(), methods, scheme, host: parse_pattern(host)?, port })
    }
}

/// Parses the name of a method.
pub fn parse_method(text: &str) -> Result<String, RuleProblem> {
    let upper = text.to_ascii_uppercase();
    if NetworkRule::METHODS.contains(&upper.as_str()) {
        Ok(upper)
    } else {
        Err(RuleProblem::Methods)
    }
}

fn parse_methods(text: &str) -> Result<Vec<String>, RuleProblem> {
    text.split(',').map(parse_method).collect()
}

fn split_port(text: &str) -> Result<(&str, PortPattern), RuleProblem> {
    // The colons of an IPv6 address are inside its brackets.
    let after_brackets = text.rfind(']').map_or(0, |end| end + 1);
    let Some(colon) = text[after_brackets..].find(':') else {
        return Ok((text, PortPattern::Unspecified));
    };
    let (host, port) = text.split_at(after_brackets + colon);
    let port = match &port[1..] {
        "*" => PortPattern::Any,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => match digits.parse() {
            Ok(0) | Err(_) => return Err(RuleProblem::Port),
            Ok(port) => PortPattern::One(port),
        },
        _ => return Err(RuleProblem::Port),
    };
    Ok((host, port))
}

fn parse_pattern(text: &str) -> Result<HostPattern, RuleProblem> {
    let (below, name) = match text.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, text),
    };
    if name.contains('*') {
        return Err(RuleProblem::Wildcard);
    }
    match (parse_host(name).ok_or(RuleProblem::Host)?, below) {
        (Host::Domain(name), true) => Ok(HostPattern::Subdomains(name)),
        (Host::Domain(name), false) => Ok(HostPattern::Name(name)),
        (Host::Ipv4(_) | Host::Ipv6(_), true) => Err(RuleProblem::Wildcard),
        (Host::Ipv4(address), false) => Ok(HostPattern::Address(address.into())),
        (Host::Ipv6(address), false) => Ok(HostPattern::Address(address.into())),
    }
}

/// Parses a host as in a URL: lower case, Punycode, numbers as addresses. One dot at the end of
/// a name is dropped.
pub fn parse_host(text: &str) -> Option<Host<String>> {
    normal_host(Host::parse(text).ok()?)
}

/// The canonical spelling of a host that the URL parser has read.
pub fn normal_host(host: Host<String>) -> Option<Host<String>> {
    let Host::Domain(mut name) = host else {
        return Some(host);
    };
    if name.ends_with('.') {
        name.pop();
    }
    // A DNS name has at most 253 bytes. Labels cannot be empty.
    let possible = name.len() <= 253 && name.split('.').all(|label| !label.is_empty());
    possible.then_some(Host::Domain(name))
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, NetworkRule, PortPattern, RuleProblem, Scheme};

    fn parts(text: &str) -> (Option<Vec<String>>, Option<Scheme>, HostPattern, PortPattern) {
        let rule: NetworkRule = text.parse().unwrap();
        assert_eq!(rule.text, text);
        (rule.methods, rule.scheme, rule.host, rule.port)
    }

    fn name(text: &str) -> HostPattern {
        HostPattern::Name(text.into())
    }

    #[test]
    fn a_rule_has_methods_protocol_host_and_port() {
        let unspecified = PortPattern::Unspecified;
        assert_eq!(parts("example.org"), (None, None, name("example.org"), unspecified));
        assert_eq!(
            parts("GET,head https://api.example.org:8443"),
            (
                Some(vec!["GET".into(), "HEAD".into()]),
                Some(Scheme::Https),
                name("api.example.org"),
                PortPattern::One(8443)
            )
        );
        let below = HostPattern::Subdomains("example.org".into());
        assert_eq!(parts("http://*.example.org:*").2, below);
        assert_eq!(parts("[::1]:80").2, HostPattern::Address("::1".parse().unwrap()));
        assert_eq!(parts("[::1]").3, unspecified);
    }

    #[test]
    fn names_are_spelled_as_urls_spell_them() {
        for (text, normal) in [
            ("EXAMPLE.org", "example.org"),
            ("example.org.", "example.org"),
            ("münchen.example", "xn--mnchen-3ya.example"),
            ("ｅxample.org", "example.org"),
        ] {
            assert_eq!(parts(text).2, name(normal), "{text}");
        }
        // Numbers in every spelling are addresses.
        for text in ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1"] {
            assert_eq!(parts(text).2, HostPattern::Address("127.0.0.1".parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_invalid_rule_is_refused_with_its_problem() {
        for (text, problem) in [
            ("", RuleProblem::Host),
            (".", RuleProblem::Host),
            ("a..b", RuleProblem::Host),
            ("*", RuleProblem::Wildcard),
            ("*.", RuleProblem::Host),
            ("*.*.org", RuleProblem::Wildcard),
            ("*example.org", RuleProblem::Wildcard),
            ("*.127.0.0.1", RuleProblem::Wildcard),
            ("ftp://example.org", RuleProblem::Scheme),
            ("HTTPS://example.org", RuleProblem::Scheme),
            ("example.org/path", RuleProblem::NotAHost),
            ("user@example.org", RuleProblem::NotAHost),
            ("example.org:0", RuleProblem::Port),
            ("example.org:65536", RuleProblem::Port),
            ("example.org:+80", RuleProblem::Port),
            ("example.org:", RuleProblem::Port),
            ("::1", RuleProblem::Port),
            ("CONNECT example.org", RuleProblem::Methods),
            ("GET, POST example.org", RuleProblem::Methods),
            ("GET a b", RuleProblem::NotAHost),
        ] {
            assert_eq!(text.parse::<NetworkRule>().unwrap_err(), problem, "{text}");
        }
    }
}
