//! One request to a server over Streamable HTTP, with answers of bounded size.
//!
//! In: a message. Out: the server's answer, as rmcp expects it of an HTTP client. rmcp's own
//! one reads a body of any length into memory and parses whatever it costs.
//!
//! Invariant: no more than [`MAX_TEXT_BYTES`] of an answer are in memory as text, and nothing is
//! parsed before its cost is known.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_core::stream::BoxStream;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use crate::large_answers::{MAX_TEXT_BYTES, is_too_costly, parse, too_large};

/// What rmcp keeps of a body that is no answer, for its error.
const ERROR_BYTES: usize = 4096;

type HttpError = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Sends a message and reads what the server answers.
pub(crate) async fn post(
    request: RequestBuilder,
    message: &ClientJsonRpcMessage,
    session: Option<Arc<str>>,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let mut request = request.header(ACCEPT, format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"));
    if let Some(session) = &session {
        request = request.header(HEADER_SESSION_ID, session.as_ref());
    }
    let response = request.json(message).send().await.map_err(StreamableHttpError::Client)?;
    refused_authorization(&response)?;
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && session.is_some() {
        return Err(StreamableHttpError::SessionExpired);
    }
    let content_type = header(&response, CONTENT_TYPE.as_str());
    let is = |kind: &str| content_type.as_ref().is_some_and(|found| found.starts_with(kind));
    if !status.is_success() {
        return failed(response, message, session.is_some(), is(JSON_MIME_TYPE)).await;
    }
    let new_session = header(&response, HEADER_SESSION_ID);
    // Some servers answer so where 202 is asked for.
    let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
    if !is_request && response.content_length() == Some(0) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if is(JSON_MIME_TYPE) {
        let id = request_id(message);
        return match body(response, MAX_TEXT_BYTES).await? {
            Body::Whole(body) => match parse(body).await {
                Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, new_session)),
                Err(_) if !is_request => Ok(StreamableHttpPostResponse::Accepted),
                Err(_) => Err(unexpected("could not parse the answer".to_owned())),
            },
            Body::Start(_) => match id {
                Some(id) => Ok(StreamableHttpPostResponse::Json(too_large(id), new_session)),
                None => Ok(StreamableHttpPostResponse::Accepted),
            },
        };
    }
    if is(EVENT_STREAM_MIME_TYPE) {
        let events = bounded_events(response, request_id(message));
        return Ok(StreamableHttpPostResponse::Sse(events, new_session));
    }
    Err(StreamableHttpError::UnexpectedContentType(content_type))
}

/// Events of a response. One whose message costs too much to be parsed, or that is too long,
/// becomes an error for the request.
fn bounded_events(response: Response, id: Option<RequestId>) -> Events {
    let bytes =
        BoundedEvent { inner: Box::pin(response.bytes_stream()), bytes: 0, line_is_empty: true };
    Box::pin(CostlyEvents { inner: Box::pin(sse_stream::SseStream::from_bytes_stream(bytes)), id })
}

/// Events of a stream that belongs to no request.
pub(crate) fn without_costly(events: Events) -> Events {
    Box::pin(CostlyEvents { inner: events, id: None })
}

/// Ends when one event is longer than [`MAX_TEXT_BYTES`].
struct BoundedEvent<S> {
    inner: Pin<Box<S>>,
    /// Of the current event.
    bytes: usize,
    line_is_empty: bool,
}

/// Why the bytes of a response ended.
#[derive(Debug, thiserror::Error)]
enum EventError {
    #[error("an event is longer than 64 MB")]
    TooLong,
    #[error("the response ended early")]
    Source(#[source] reqwest::Error),
}

impl<B, S> Stream for BoundedEvent<S>
where
    B: AsRef<[u8]>,
    S: Stream<Item = Result<B, reqwest::Error>>,
{
    type Item = Result<B, EventError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.inner.as_mut().poll_next(context));
        let chunk = match next {
            None => return Poll::Ready(None),
            Some(Err(error)) => {
                return Poll::Ready(Some(Err(EventError::Source(error.without_url()))));
            }
            Some(Ok(chunk)) => chunk,
        };
        for byte in chunk.as_ref() {
            self.bytes += 1;
            match byte {
                // An empty line ends an event.
                b'\n' if self.line_is_empty => self.bytes = 0,
                b'\n' => self.line_is_empty = true,
                b'\r' => {}
                _ => self.line_is_empty = false,
            }
        }
        match self.bytes > MAX_TEXT_BYTES {
            true => Poll::Ready(Some(Err(EventError::TooLong))),
            false => Poll::Ready(Some(Ok(chunk))),
        }
    }
}

/// Replaces events that cost too much to be parsed.
struct CostlyEvents {
    inner: Events,
    /// Of the request that gets the error.
    id: Option<RequestId>,
}

impl Stream for CostlyEvents {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let next = ready!(self.inner.as_mut().poll_next(context));
            let is_costly = match &next {
                Some(Ok(event)) => event.data.as_deref().is_some_and(is_too_costly),
                Some(Err(SseError::Body(error))) => {
                    matches!(error.downcast_ref(), Some(EventError::TooLong))
                }
                Some(Err(_)) | None => false,
            };
            if !is_costly {
                return Poll::Ready(next);
            }
            if let Some(id) = self.id.take() {
                let data = serde_json::to_string(&too_large(id)).ok();
                return Poll::Ready(Some(Ok(Sse { data, ..Sse::default() })));
            }
            // A message for nobody is skipped; behind one that is too long there is nothing.
            if next.is_some_and(|next| next.is_err()) {
                return Poll::Ready(None);
            }
        }
    }
}

fn refused_authorization(response: &Response) -> Result<(), HttpError> {
    let Some(challenge) = response.headers().get(WWW_AUTHENTICATE) else { return Ok(()) };
    let challenge = || String::from_utf8_lossy(challenge.as_bytes()).into_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge())))
        }
        StatusCode::FORBIDDEN => Err(StreamableHttpError::InsufficientScope(
            InsufficientScopeError::new(challenge(), None),
        )),
        _ => Ok(()),
    }
}

/// The answer to a request that failed: the JSON-RPC error in it, or its status.
async fn failed(
    response: Response,
    message: &ClientJsonRpcMessage,
    had_session: bool,
    is_json: bool,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let status = response.status();
    let is_late = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let retry_after = header(&response, RETRY_AFTER.as_str());
    let late = HttpStatusError::new(status.as_u16(), retry_after);
    if is_late && (!is_json || status == StatusCode::TOO_MANY_REQUESTS) {
        return Err(late.into());
    }
    let new_session = header(&response, HEADER_SESSION_ID);
    let (Body::Whole(text) | Body::Start(text)) = body(response, ERROR_BYTES).await?;
    let shown = String::from_utf8_lossy(&text).into_owned();
    let is_authorization = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let error = match parse(text).await {
        Ok(JsonRpcMessage::Error(error)) => Some(error),
        _ => None,
    };
    // A server of the older era refuses this request however it likes.
    if let ClientJsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && !had_session
        && status.is_client_error()
        && !is_authorization
    {
        let refused = || format!("server/discover rejected with HTTP {status}: {shown}");
        let error = error.map(|error| error.error);
        let error = error.unwrap_or_else(|| ErrorData::invalid_request(refused(), None));
        let answer = JsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(answer, None));
    }
    match error {
        Some(error) if is_json && !is_authorization => {
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), new_session))
        }
        _ if is_late => Err(late.into()),
        _ => Err(unexpected(format!("HTTP {status}: {shown}"))),
    }
}

enum Body {
    Whole(Vec<u8>),
    /// There is more.
    Start(Vec<u8>),
}

async fn body(mut response: Response, most: usize) -> Result<Body, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(StreamableHttpError::Client)? {
        if body.len() + chunk.len() > most {
            body.extend_from_slice(&chunk[..most - body.len()]);
            return Ok(Body::Start(body));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Body::Whole(body))
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

fn unexpected(reason: String) -> HttpError {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(reason))
}
