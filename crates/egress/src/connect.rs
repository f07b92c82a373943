//! Connects to a checked address and makes one exchange.
//!
//! In: the checked addresses. Out: the head of the answer, with its body to be read.
//! Invariants: no connection pool, so a connection judged for one request is not used for
//! another; no proxy, since variables such as `HTTPS_PROXY` would send requests to an
//! unchecked address.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HOST, HeaderMap, HeaderValue};
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use tidegate_model::Scheme;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use url::Host;

use crate::counted::{Counted, Counts};
use crate::error::EgressError;
use crate::target::Target;
use crate::tls::Tls;

/// The most addresses of one host that are tried.
const MAX_ATTEMPTS: usize = 4;

/// How long to wait for each address. Chosen: a lost packet is sent again after one and
/// three seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The most headers of an answer, and the most bytes of all of them. Chosen: browsers accept
/// 256 KB.
const MAX_HEADERS: usize = 200;
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Connects to the first address that answers.
pub(crate) async fn dial(
    target: &Target,
    addresses: &[SocketAddr],
) -> Result<(TcpStream, SocketAddr), EgressError> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for &address in addresses.iter().take(MAX_ATTEMPTS) {
        match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok((stream, address)),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(EgressError::Connect { host: target.host_text(), source: last })
}

/// One request and the head of its answer. The connection ends with the value.
pub(crate) struct Exchange {
    pub(crate) response: Response<Incoming>,
    /// The task that transfers the bytes; dropping it stops the transfer.
    pub(crate) driver: JoinSet<()>,
}

/// Sends the request on a connection.
pub(crate) async fn exchange(
    target: &Target,
    stream: TcpStream,
    counts: Arc<Counts>,
    tls: &Tls,
    message: OutgoingRequest,
) -> Result<Exchange, EgressError> {
    let stream = Counted::new(stream, counts);
    match target.scheme() {
        Scheme::Http => send_http1(target, stream, message).await,
        Scheme::Https => {
            let config = tls.config().map_err(|source| EgressError::NoRoots { source })?;
            let failed = |source| EgressError::Tls { host: target.host_text(), source };
            let name = server_name(target).map_err(failed)?;
            let stream = TlsConnector::from(config).connect(name, stream).await.map_err(failed)?;
            match stream.get_ref().1.alpn_protocol() {
                Some(b"h2") => send_http2(target, stream, message).await,
                _ => send_http1(target, stream, message).await,
            }
        }
    }
}

/// The request to send, without the parts that depend on the connection.
pub(crate) struct OutgoingRequest {
    pub(crate) method: http::Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The name for SNI and the certificate: the one that was judged.
fn server_name(target: &Target) -> io::Result<ServerName<'static>> {
    match target.host() {
        Host::Ipv4(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Ipv6(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Domain(name) => ServerName::try_from(name.clone()).map_err(io::Error::other),
    }
}

async fn send_http1(
    target: &Target,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    message: OutgoingRequest,
) -> Result<Exchange, EgressError> {
    let failed = |source| EgressError::Protocol { host: target.host_text(), source };
    let (mut sender, connection) = http1::Builder::new()
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEADER_BYTES)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // The exchange returns the same error.
        let _ = connection.await;
    });
    let mut request = request(message, target.path_and_query().parse().unwrap_or_default());
    if let Ok(host) = HeaderValue::try_from(target.authority()) {
        request.headers_mut().insert(HOST, host);
    }
    let response = sender.send_request(request).await.map_err(failed)?;
    Ok(Exchange { response, driver })
}

async fn send_http2(
    target: &Target,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    message: OutgoingRequest,
) -> Result<Exchange, EgressError> {
    let failed = |source| EgressError::Protocol { host: target.host_text(), source };
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .max_header_list_size(u32::try_from(MAX_HEADER_BYTES).unwrap_or(u32::MAX))
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        let _ = connection.await;
    });
    // The host of an absolute URI is the `:authority`.
    let uri = format!("https://{}{}", target.authority(), target.path_and_query());
    let request = request(message, uri.parse().unwrap_or_default());
    let response = sender.send_request(request).await.map_err(failed)?;
    Ok(Exchange { response, driver })
}

fn request(message: OutgoingRequest, uri: Uri) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(message.body));
    *request.method_mut() = message.method;
    *request.uri_mut() = uri;
    *request.headers_mut() = message.headers;
    request
}
