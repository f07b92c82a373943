//! TLS with certificates made here: the server that answers is the one that was judged.

use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::NamedTempFile;
use tidegate_model::{Network, Verdict};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::support::{Answers, Bench, network};
use crate::error::EgressError;

/// What the server saw of a connection: SNI, protocol, Host or `:authority`.
type Seen = Arc<Mutex<Vec<(Option<String>, hyper::Version, String)>>>;

struct TlsServer {
    port: u16,
    authority: NamedTempFile,
    seen: Seen,
}

impl TlsServer {
    /// With a certificate for a name, offering these protocols.
    async fn start(name: &str, protocols: &[&str]) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.to_owned()])
            .unwrap()
            .signed_by(&key, &issuer)
            .unwrap();
        let authority = NamedTempFile::new().unwrap();
        std::fs::write(authority.path(), issuer.pem()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Seen::default();
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config)), Arc::clone(&seen)));
        Self { port, authority, seen }
    }

    fn network(&self, host: &str) -> Network {
        let rule = format!("{host}:{}", self.port);
        Network { ca_file: Some(self.authority.path().to_owned()), ..network(&[&rule]) }
    }

    fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/x", self.port)
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, seen: Seen) {
    while let Ok((stream, _)) = listener.accept().await {
        let Ok(stream) = acceptor.accept(stream).await else { continue };
        let name = stream.get_ref().1.server_name().map(str::to_owned);
        let seen = Arc::clone(&seen);
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let header =
                request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
            let authority = request.uri().authority().map(ToString::to_string).or(header);
            let entry = (name.clone(), request.version(), authority.unwrap_or_default());
            seen.lock().unwrap().push(entry);
            async {
                Ok::<_, hyper::Error>(hyper::Response::new(Full::new(Bytes::from_static(
                    b"secure",
                ))))
            }
        });
        let io = TokioIo::new(stream);
        let is_http2 = io.inner().get_ref().1.alpn_protocol() == Some(b"h2");
        tokio::spawn(async move {
            if is_http2 {
                let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(io, service)
                    .await;
            } else {
                let _ =
                    hyper::server::conn::http1::Builder::new().serve_connection(io, service).await;
            }
        });
    }
}

#[tokio::test]
async fn sni_host_and_authority_are_the_name_that_was_judged() {
    for (protocols, version) in [
        (&["h2", "http/1.1"][..], hyper::Version::HTTP_2),
        (&["http/1.1"][..], hyper::Version::HTTP_11),
        (&[][..], hyper::Version::HTTP_11),
    ] {
        let server = TlsServer::start("a.test", protocols).await;
        let bench = Bench::new(server.network("a.test"), Answers::all("127.0.0.1"));
        let response = bench.get(&server.url("A.TEST.")).await.unwrap();
        assert_eq!((response.status, response.body), (200, b"secure".to_vec()));
        let expected = (Some("a.test".to_owned()), version, format!("a.test:{}", server.port));
        assert_eq!(*server.seen.lock().unwrap(), [expected]);
        let [record] = bench.records().try_into().unwrap();
        assert!(record.bytes_received > 500, "with the handshake: {}", record.bytes_received);
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let server = TlsServer::start("b.test", &["h2"]).await;
    let bench = Bench::new(server.network("a.test"), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test")).await.unwrap_err();
    assert!(matches!(error, EgressError::Tls { .. }), "{error}");
    assert_eq!(*server.seen.lock().unwrap(), []);
    assert_eq!(bench.records().pop().unwrap().verdict, Verdict::Failed);
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let [server, other] =
        [TlsServer::start("a.test", &["h2"]).await, TlsServer::start("a.test", &["h2"]).await];
    let settings =
        Network { ca_file: Some(other.authority.path().to_owned()), ..server.network("a.test") };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test")).await.unwrap_err();
    assert!(matches!(error, EgressError::Tls { .. }), "{error}");
}

#[tokio::test]
async fn plain_http_to_a_tls_port_is_a_failure() {
    let server = TlsServer::start("a.test", &["h2"]).await;
    let bench = Bench::new(server.network("a.test"), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test").replace("https", "http")).await.unwrap_err();
    assert!(matches!(error, EgressError::Protocol { .. }), "{error}");
}
