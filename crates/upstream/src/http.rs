//! MCP over Streamable HTTP, with errors that do not show the URL.
//!
//! In: the URL of a server and its authorization. Out: a transport for rmcp, and reasons for
//! people when a handshake fails.
//!
//! Invariant: no error and no log line shows the URL, which may carry a key in its query.
//! reqwest names the URL in every error and rmcp logs such errors by itself, so the URL is
//! removed before rmcp sees them.

use std::collections::HashMap;
use std::sync::Arc;

use futures_core::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Url};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::ClientInitializeError;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use crate::credentials::Authorization;
use crate::http_post::{post, without_costly};

/// Redirects followed for one request: `/mcp` to `/mcp/` is usual, more than a few is a loop.
const MAX_REDIRECTS: usize = 5;

/// Headers that the protocol sets by itself.
const RESERVED_HEADERS: [&str; 3] = ["accept", "mcp-session-id", "last-event-id"];

/// The transport to a remote server, or why there is none.
pub(crate) fn http_transport(
    url: &str,
    authorization: &Authorization,
    max_concurrent: usize,
) -> Result<StreamableHttpClientTransport<HttpClient>, &'static str> {
    let mut custom = HashMap::new();
    for (name, value) in authorization.iter() {
        let name = HeaderName::try_from(name);
        let value = HeaderValue::try_from(value.expose().as_str());
        let (Ok(name), Ok(mut value)) = (name, value) else {
            return Err("one of its headers is invalid");
        };
        value.set_sensitive(true);
        custom.insert(name, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_concurrent_requests(max_concurrent)
        .custom_headers(custom);
    Ok(StreamableHttpClientTransport::with_client(HttpClient::new()?, config))
}

/// reqwest's client without URLs in its errors.
#[derive(Clone)]
pub(crate) struct HttpClient(reqwest::Client);

type HttpError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl HttpClient {
    fn new() -> Result<Self, &'static str> {
        // rustls wants one process-wide provider; a second install is harmless.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            // As rmcp does: a reused connection can wait 40 ms for an ACK.
            .pool_max_idle_per_host(0)
            .redirect(redirects())
            .build();
        client.map(Self).map_err(|_| "the HTTP client could not be created")
    }

    fn request(
        &self,
        url: &str,
        token: Option<String>,
        headers: Headers,
    ) -> Result<RequestBuilder, HttpError> {
        let mut request = self.0.post(url);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            if RESERVED_HEADERS.contains(&name.as_str()) {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        Ok(request)
    }
}

/// Follows redirects within the origin only, since they carry our headers, and only those
/// that keep method and body.
fn redirects() -> Policy {
    Policy::custom(|attempt| {
        let keeps_body = matches!(
            attempt.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        let from = attempt.previous().first().map(Url::origin);
        let same_origin = from.is_some_and(|from| from == attempt.url().origin());
        if keeps_body && same_origin && attempt.previous().len() <= MAX_REDIRECTS {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let request = self.request(&uri, auth_header, custom_headers)?;
        post(request, &message, session_id).await.map_err(without_url)
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        // The longest answer is the same whatever the content type.
        let _ = max_sse_event_size;
        self.post_message(uri, message, session_id, auth_header, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), HttpError> {
        let delete = self.0.delete_session(uri, session_id, auth_header, custom_headers);
        delete.await.map_err(without_url)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, HttpError> {
        let get = self.0.get_stream(uri, session_id, last_event_id, auth_header, custom_headers);
        get.await.map(without_costly).map_err(without_url)
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<Events, HttpError> {
        let get = self.0.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            max_sse_event_size,
        );
        get.await.map(without_costly).map_err(without_url)
    }
}

fn without_url(error: HttpError) -> HttpError {
    match error {
        StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
        other => other,
    }
}

/// Whether the server refused the authorization of a handshake (401).
pub(crate) fn is_unauthorized(error: &ClientInitializeError) -> bool {
    error.is_authorization_required() || error.to_string().contains("401")
}

/// Why a handshake failed, with the next step for the operator.
pub(crate) fn http_reason(error: &ClientInitializeError) -> String {
    if error.is_authorization_required() {
        return "it asks for authorization; check the headers in the configuration".to_owned();
    }
    let text = error.to_string();
    let lower = text.to_lowercase();
    if lower.contains("401") || lower.contains("403") || lower.contains("unauthorized") {
        "it refused the credentials; check the headers in the configuration".to_owned()
    } else if lower.contains("connect") || lower.contains("error sending request") {
        "it cannot be reached; check the URL and that the server is running".to_owned()
    } else {
        "its answer to the handshake was not understood; check that the URL is an MCP endpoint"
            .to_owned()
    }
}
