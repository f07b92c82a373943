//! A program's `fetch`: decided, made and recorded outside of the sandbox.
//!
//! In and out: JSON text, with bodies in base64. The error for a refusal names the key of
//! the configuration that decides it, but no address of the gateway's own network.

use std::error::Error as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use tidegate_egress::{
    Denial, EgressError, EgressErrorKind, Redirect, Request, RequestProblem, Response,
    TargetProblem,
};
use tidegate_model::{Connection, ErrorCode, Event, Language, RunError};

use super::Bridge;
use crate::bridge::call::Caller;
use crate::privacy::{Origin, Unscanned};

/// The request that the worker sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchRequest {
    url: String,
    method: String,
    headers: Vec<(String, String)>,
    /// In base64.
    body: Option<String>,
    redirect: RedirectMode,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RedirectMode {
    Follow,
    Manual,
    Error,
}

/// The response that the worker gets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FetchResponse<'a> {
    url: &'a str,
    redirected: bool,
    status: u16,
    status_text: &'a str,
    headers: &'a [(String, String)],
    /// In base64.
    body: String,
}

impl Bridge {
    /// Makes a request of a program. `request` and the answer are JSON text.
    pub(crate) async fn fetch(
        &self,
        caller: &Caller<'_>,
        request: &str,
    ) -> Result<Unscanned<Result<String, RunError>>, RunError> {
        let run = caller.run;
        let request = read(request)?;
        let principal = &caller.person.context().principal;
        let record = |mut connection: Connection| {
            // A program may have built the host from somebody's name.
            let mut leaving = self.privacy.leaving(principal);
            connection.host = leaving.redact(Origin::OwnWords, &connection.host).into_string();
            self.recorder.tell(principal, Event::Connection(connection));
        };
        self.recorder.ready(principal).await;
        let answer =
            self.egress.fetch(run, request, &caller.permissions.host_lists(), &record).await;
        let answer = answer.map_err(|error| {
            if error.kind() == EgressErrorKind::Failed {
                let cause = error.source().map(ToString::to_string);
                tracing::info!(%run, %error, cause, "fetch failed");
            }
            explain(&error, caller.language)
        })?;
        Ok(Unscanned::new(answer).map(write))
    }
}

fn read(text: &str) -> Result<Request, RunError> {
    // Only a program that writes to the wire itself can send another form.
    let wrong = || RunError::new(ErrorCode::FetchFailed, "the request is malformed");
    let asked: FetchRequest = serde_json::from_str(text).map_err(|_| wrong())?;
    let body = asked.body.map(|body| BASE64.decode(body)).transpose().map_err(|_| wrong())?;
    let redirect = match asked.redirect {
        RedirectMode::Follow => Redirect::Follow,
        RedirectMode::Manual => Redirect::Manual,
        RedirectMode::Error => Redirect::Error,
    };
    Ok(Request { url: asked.url, method: asked.method, headers: asked.headers, body, redirect })
}

fn write(response: Response) -> Result<String, RunError> {
    let body = BASE64.encode(&response.body);
    // Many answers can be under way at once: one copy less of each.
    drop(response.body);
    let answered = FetchResponse {
        url: &response.url,
        redirected: response.redirected,
        status: response.status,
        status_text: response.status_text,
        headers: &response.headers,
        body,
    };
    serde_json::to_string(&answered)
        .map_err(|_| RunError::new(ErrorCode::Internal, "the answer could not be written"))
}

fn explain(error: &EgressError, language: Language) -> RunError {
    let code = match error.kind() {
        EgressErrorKind::Denied => ErrorCode::FetchDenied,
        EgressErrorKind::Limited => ErrorCode::FetchLimit,
        EgressErrorKind::Failed => ErrorCode::FetchFailed,
    };
    RunError::new(code, error.to_string()).with_hint(hint(error, language))
}

/// What to do next, or what to ask for if somebody else has to do it.
fn hint(error: &EgressError, language: Language) -> String {
    match error {
        EgressError::Target(TargetProblem::OddCharacter) => {
            let with = match language {
                Language::TypeScript => "encodeURIComponent",
                Language::Python => "urllib.parse.quote",
            };
            format!("percent-encode it, for example with `{with}`")
        }
        EgressError::Target(TargetProblem::UserInfo) => {
            "send credentials in an `Authorization` header".into()
        }
        EgressError::Target(_) => "write a whole URL, such as `https://example.org/path`".into(),
        EgressError::Request(RequestProblem::Body(_)) => "use `POST` to send a body".into(),
        EgressError::Request(_) => "leave it out".into(),
        EgressError::Denied(denial) => denial_hint(denial),
        EgressError::NotPublic { .. } => {
            in_network("`allow_private` can open a private network, such as `[\"10.1.2.0/24\"]`")
        }
        EgressError::DeniedAddress { .. } => in_network("`deny_addresses` has it"),
        EgressError::Own { .. } => "call a tool of a server instead".into(),
        EgressError::Redirected { .. } => {
            let sign = match language {
                Language::TypeScript => ": ",
                Language::Python => "=",
            };
            format!("use `redirect{sign}\"follow\"` or `\"manual\"`")
        }
        EgressError::AfterRedirect { cause } => hint(cause, language),
        EgressError::Redirects { .. } => "ask for the last URL directly".into(),
        EgressError::Rate { wait, .. } => {
            let seconds = wait.as_secs() + 1;
            format!("wait {seconds} s, or {}", in_network("raise `rate_per_minute`"))
        }
        EgressError::TooLarge { .. } => {
            format!("ask for less at a time, or {}", in_network("raise `max_bytes`"))
        }
        EgressError::Ratio { .. } => "ask for less at a time".into(),
        EgressError::Time { .. } => {
            format!("ask for less at a time, or {}", in_network("raise `timeout`"))
        }
        EgressError::Unresolved { .. } => "check the name".into(),
        EgressError::Tls { .. } => {
            in_network("`ca_file` can name the certificates of an authority of your own")
        }
        EgressError::NoRoots { .. } => {
            in_network("install the certificates of the system, or name some in `ca_file`")
        }
        EgressError::Connect { .. }
        | EgressError::Protocol { .. }
        | EgressError::Encoding { .. }
        | EgressError::Corrupt { .. } => "try again, or another host".into(),
    }
}

fn denial_hint(denial: &Denial) -> String {
    let tool = "call a tool of a server instead";
    match denial {
        Denial::NoNetwork => {
            format!("{tool}; {}", in_network("`mode` and `allow` say what programs can reach"))
        }
        Denial::NotListed { host } => {
            format!("{tool}; {}", in_network(&format!("`allow` has to list `{host}`")))
        }
        Denial::Listed { .. } => format!("{tool}; {}", in_network("`deny` lists it")),
        Denial::Profile { profile, .. } => {
            format!("{tool}; `network_allow` or `network_deny` of profile `{profile}` decides")
        }
        Denial::OtherThanListed { method, scheme, host, port, .. } => {
            in_network(&format!("`allow` has to list `{method} {scheme}://{host}:{port}`"))
        }
        Denial::Port(_) => in_network("only a rule of `allow` that names the port opens it"),
        Denial::Method(_) => in_network("`methods` has to list it"),
        Denial::UnknownMethod(_) => "use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS".into(),
    }
}

fn in_network(what: &str) -> String {
    format!("{what} (`[network]` in tidegate.toml)")
}

#[cfg(test)]
mod tests {
    use tidegate_egress::Redirect;

    use super::read;

    #[test]
    fn a_request_is_read_whole_or_not_at_all() {
        let text = r#"{"url": "http://a/", "method": "POST", "headers": [["a", "b"]],
            "body": "aGk=", "redirect": "manual"}"#;
        let request = read(text).unwrap();
        assert_eq!(request.headers, [("a".to_owned(), "b".to_owned())]);
        assert_eq!((request.body, request.redirect), (Some(b"hi".to_vec()), Redirect::Manual));
        for wrong in [
            "",
            "{}",
            "[]",
            &text.replace("aGk=", "*"),
            &text.replace("manual", "x"),
            &text.replace("\"url\"", "\"more\": 1, \"url\""),
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
