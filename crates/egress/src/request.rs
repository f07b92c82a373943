//! A request as a program wrote it, and the checks of its headers.
//!
//! In: method, headers and body of a program. Out: the headers to send, or an error.
//! Invariant: only the gateway sets headers that frame a message or name its target. A
//! program that could set them could show one host to the rules and another to the server.

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;

/// The most headers of a request. Chosen: far beyond what programs use.
const MAX_HEADERS: usize = 100;

/// The most bytes of all headers. Chosen: servers accept 8 to 16 KB.
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// A request of a program.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The URL as written.
    pub url: String,
    /// The method as written.
    pub method: String,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// What to do with a redirect.
    pub redirect: Redirect,
}

/// What to do with a redirect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirect {
    /// Request the new location.
    #[default]
    Follow,
    /// Return it to the program.
    Manual,
    /// Fail.
    Error,
}

/// Why a request is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestProblem {
    /// A header that only the gateway sets.
    #[error("the header `{0}` is set by the gateway")]
    Reserved(String),
    /// Not a valid header.
    #[error("the header `{}` has a name or value that cannot be sent", .0.escape_debug())]
    BadHeader(String),
    /// Too many, or too long.
    #[error("the request has more than 100 headers, or more than 32768 bytes of them")]
    Headers,
    /// A body with a method that cannot have one.
    #[error("a request with method `{0}` cannot have a body")]
    Body(String),
}

impl Request {
    /// The headers that may be sent, or why the request is not valid.
    pub(crate) fn checked_headers(&self) -> Result<HeaderMap, RequestProblem> {
        let bytes: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if self.headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
            return Err(RequestProblem::Headers);
        }
        let method = self.method.to_ascii_uppercase();
        if self.body.is_some() && matches!(method.as_str(), "GET" | "HEAD") {
            return Err(RequestProblem::Body(method));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let shown = || name.chars().take(60).collect::<String>();
            let known = HeaderName::try_from(name.as_str());
            let known = known.map_err(|_| RequestProblem::BadHeader(shown()))?;
            if is_reserved(&known) {
                return Err(RequestProblem::Reserved(shown()));
            }
            let value = HeaderValue::try_from(value.as_str());
            let value = value.map_err(|_| RequestProblem::BadHeader(shown()))?;
            // The gateway sets it, since it decompresses. Programs written for Node often
            // set it, so it is ignored, not refused.
            if known != ACCEPT_ENCODING {
                headers.append(known, value);
            }
        }
        Ok(headers)
    }
}

fn is_reserved(name: &HeaderName) -> bool {
    const RESERVED: [&str; 12] = [
        "connection",
        "content-length",
        "expect",
        "forwarded",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
    ];
    RESERVED.contains(&name.as_str()) || name.as_str().starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use super::{Request, RequestProblem};

    fn with(headers: &[(&str, &str)]) -> Request {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Request { method: "POST".into(), headers: headers.collect(), ..Request::default() }
    }

    #[test]
    fn headers_that_frame_or_aim_are_the_gateways() {
        for name in [
            "Host",
            "HOST",
            "Connection",
            "Transfer-Encoding",
            "Content-Length",
            "Proxy-Authorization",
            "Proxy-Connection",
            "Upgrade",
            "TE",
            "Trailer",
            "Keep-Alive",
            "Expect",
            "Via",
        ] {
            let problem = with(&[(name, "x")]).checked_headers().unwrap_err();
            assert_eq!(problem, RequestProblem::Reserved(name.into()));
        }
        for (name, value) in [
            ("a b", "x"),
            ("", "x"),
            (":authority", "x"),
            ("x\r\nhost", "x"),
            ("a", "x\r\nb: c"),
            ("a", "\0"),
        ] {
            let problem = with(&[(name, value)]).checked_headers().unwrap_err();
            assert_eq!(problem, RequestProblem::BadHeader(name.into()));
        }
    }

    #[test]
    fn other_headers_pass_in_number_and_order() {
        let headers =
            with(&[("X-A", "1"), ("x-a", "2"), ("Authorization", "k"), ("Accept-Encoding", "br")]);
        let headers = headers.checked_headers().unwrap();
        let shown: Vec<_> =
            headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(shown, [("x-a", "1"), ("x-a", "2"), ("authorization", "k")]);
    }

    #[test]
    fn too_many_headers_and_bodies_out_of_place_are_refused() {
        assert_eq!(
            with(&[("a", "b"); 101]).checked_headers().unwrap_err(),
            RequestProblem::Headers
        );
        assert!(with(&[("a", "b"); 100]).checked_headers().is_ok());
        let long = "x".repeat(32 * 1024);
        assert_eq!(with(&[("a", &long)]).checked_headers().unwrap_err(), RequestProblem::Headers);
        let body = Request { method: "get".into(), body: Some(vec![1]), ..Request::default() };
        assert_eq!(body.checked_headers().unwrap_err(), RequestProblem::Body("GET".into()));
    }
}
