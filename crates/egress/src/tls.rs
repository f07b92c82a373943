//! The trusted certificates: those of the system and those of `ca_file`.
//!
//! In: the path of `ca_file`. Out: a TLS configuration.
//! Invariant: every certificate is verified.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;

use crate::error::OpenError;

/// The TLS configuration. Created on first use: the system roots are read from disk, and most
/// gateways have no network for programs.
#[derive(Default)]
pub(crate) struct Tls {
    extra: Vec<CertificateDer<'static>>,
    config: OnceLock<Result<Arc<ClientConfig>, rustls::Error>>,
}

impl Tls {
    pub(crate) fn open(ca_file: Option<&Path>) -> Result<Self, OpenError> {
        let Some(path) = ca_file else { return Ok(Self::default()) };
        let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
        let extra = read.map_err(|source| OpenError::CaFile { path: path.to_owned(), source })?;
        Ok(Self { extra, config: OnceLock::new() })
    }

    pub(crate) fn config(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        self.config.get_or_init(|| make(&self.extra)).clone()
    }
}

fn make(extra: &[CertificateDer<'static>]) -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(extra.iter().cloned(), Arc::clone(&provider))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        // Called dangerous since it accepts any verifier; this one does verify.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
