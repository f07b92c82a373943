//! Turns a redirect into the next request, as in the fetch standard.
//!
//! In: one hop and its answer. Out: the next hop, which is judged like the first, or `None`.
//! Invariant: credentials are not sent to another origin.

use http::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, COOKIE,
    HeaderMap, LOCATION,
};
use http::{Response, StatusCode};
use hyper::body::Bytes;

use crate::target::{Target, TargetProblem};

/// The most redirects that are followed. Browsers follow 20; more than a few is a loop.
pub(crate) const MAX_REDIRECTS: u32 = 10;

/// One request of a chain.
#[derive(Clone, Debug)]
pub(crate) struct Hop {
    /// The target, or why the text is not a valid one.
    pub(crate) target: Result<Target, TargetProblem>,
    pub(crate) method: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Hop {
    /// The request that this answer asks for, if it is a redirect.
    pub(crate) fn after<B>(&self, here: &Target, response: &Response<B>) -> Option<Self> {
        let location = response.headers().get(LOCATION)?;
        let changes_method = match response.status() {
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == "POST",
            StatusCode::SEE_OTHER => self.method != "GET" && self.method != "HEAD",
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => false,
            _ => return None,
        };
        // Bytes beyond ASCII are Latin-1 in headers; the parser encodes them.
        let location: String = location.as_bytes().iter().copied().map(char::from).collect();
        let mut next = Self { target: here.join(&location), ..self.clone() };
        if changes_method {
            next.method = "GET".into();
            next.body = Bytes::new();
            for name in [CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE] {
                next.headers.remove(name);
            }
        }
        if next.target.as_ref().is_ok_and(|target| !target.same_origin(here)) {
            for name in [AUTHORIZATION, COOKIE] {
                next.headers.remove(name);
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use http::Response;
    use http::header::{HeaderMap, HeaderValue};
    use hyper::body::Bytes;

    use super::Hop;
    use crate::target::Target;

    fn after(
        method: &str,
        status: u16,
        location: &str,
    ) -> Option<(String, String, Vec<String>, usize)> {
        let here = Target::parse("https://a.test/x").unwrap();
        let mut headers = HeaderMap::new();
        for name in ["authorization", "cookie", "content-type", "x-own"] {
            headers.insert(name, HeaderValue::from_static("v"));
        }
        let (method, body) = (method.to_owned(), Bytes::from_static(b"body"));
        let hop = Hop { target: Ok(here.clone()), method, headers, body };
        let response =
            Response::builder().status(status).header("location", location).body(()).unwrap();
        let next = hop.after(&here, &response)?;
        let mut names: Vec<_> = next.headers.keys().map(ToString::to_string).collect();
        names.sort();
        Some((next.method, next.target.unwrap().as_str().to_owned(), names, next.body.len()))
    }

    #[test]
    fn method_body_and_credentials_change_as_the_standard_says() {
        let all = ["authorization", "content-type", "cookie", "x-own"].map(String::from).to_vec();
        let no_type = vec!["authorization".to_owned(), "cookie".into(), "x-own".into()];
        let here = "https://a.test/y".to_owned();
        for (method, status, then, names, body) in [
            ("POST", 301, "GET", &no_type, 0),
            ("POST", 302, "GET", &no_type, 0),
            ("POST", 303, "GET", &no_type, 0),
            ("PUT", 301, "PUT", &all, 4),
            ("PUT", 303, "GET", &no_type, 0),
            ("HEAD", 303, "HEAD", &all, 4),
            ("POST", 307, "POST", &all, 4),
            ("POST", 308, "POST", &all, 4),
        ] {
            let expected = (then.to_owned(), here.clone(), names.clone(), body);
            assert_eq!(after(method, status, "/y"), Some(expected), "{method} {status}");
        }
        for elsewhere in ["https://b.test/y", "http://a.test/y", "https://a.test:444/y"] {
            let names = vec!["content-type".to_owned(), "x-own".into()];
            let expected = ("POST".to_owned(), elsewhere.to_owned(), names, 4);
            assert_eq!(after("POST", 307, elsewhere), Some(expected));
        }
        for status in [200, 300, 304, 404] {
            assert_eq!(after("GET", status, "/y"), None, "{status}");
        }
    }
}
