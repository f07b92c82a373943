//! The errors of a request.
//!
//! In: the cause. Out: a text for the program.
//! Invariant: the text names the host that the program wrote, never an address that a name
//! resolved to.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::request::RequestProblem;
use crate::rules::Denial;
use crate::target::TargetProblem;

/// Why a request has no answer.
#[derive(Debug, Error)]
pub enum EgressError {
    /// The URL cannot be used.
    #[error(transparent)]
    Target(#[from] TargetProblem),
    /// The request contains a part that only the gateway may set.
    #[error(transparent)]
    Request(#[from] RequestProblem),
    /// The rules refuse it.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// The address may not be reached.
    #[error("`{host}` {}", if *.literal { "is not a public address" } else { "resolves to an address that is not public" })]
    NotPublic {
        /// The host.
        host: String,
        /// Whether the host is itself the address.
        literal: bool,
    },
    /// `deny_addresses` has the address.
    #[error("`{host}` has an address that is denied")]
    DeniedAddress {
        /// The host.
        host: String,
    },
    /// The target is the gateway itself.
    #[error("`{host}` leads to the gateway itself")]
    Own {
        /// The host.
        host: String,
    },
    /// A redirect, and the program asked for an error in that case.
    #[error("`{host}` answered with a redirect, and the request has `redirect: \"error\"`")]
    Redirected {
        /// The host.
        host: String,
    },
    /// The target of a redirect is refused, or fails.
    #[error("after a redirect: {cause}")]
    AfterRedirect {
        /// Why.
        cause: Box<EgressError>,
    },
    /// Too many redirects.
    #[error("more than {limit} redirects")]
    Redirects {
        /// The limit.
        limit: u32,
    },
    /// Too many requests within a minute.
    #[error("more than {per_minute} requests to `{bucket}` within a minute")]
    Rate {
        /// The name under which they are counted.
        bucket: String,
        /// The limit.
        per_minute: u32,
        /// The time until the next one is allowed.
        wait: Duration,
    },
    /// The decompressed body is too long.
    #[error("the answer of `{host}` has more than {limit} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The limit.
        limit: u64,
    },
    /// The body is a decompression bomb.
    #[error("the answer of `{host}` decompresses to more than {limit} times its size")]
    Ratio {
        /// The host.
        host: String,
        /// The highest allowed ratio.
        limit: u64,
    },
    /// It took too long.
    #[error("no complete answer from `{host}` within {} ms", limit.as_millis())]
    Time {
        /// The host; empty before it is known.
        host: String,
        /// The time limit.
        limit: Duration,
    },
    /// No such name.
    #[error("the name `{host}` cannot be resolved")]
    Unresolved {
        /// The host.
        host: String,
    },
    /// No connection could be made.
    #[error("no connection to `{host}`: {}", reason(source.kind()))]
    Connect {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The certificate is not valid for the host, or TLS fails otherwise.
    #[error("no TLS connection to `{host}`: {source}")]
    Tls {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The gateway cannot check certificates.
    #[error("certificates cannot be checked on this machine")]
    NoRoots {
        /// Why.
        #[source]
        source: rustls::Error,
    },
    /// The server does not speak HTTP, or stopped in the middle.
    #[error("`{host}` did not give a valid HTTP answer")]
    Protocol {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: hyper::Error,
    },
    /// The body has an encoding that was not requested.
    #[error("the answer of `{host}` has an encoding that was not requested")]
    Encoding {
        /// The host.
        host: String,
    },
    /// The body cannot be decompressed.
    #[error("the answer of `{host}` cannot be decompressed")]
    Corrupt {
        /// The host.
        host: String,
    },
}

/// The category of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressErrorKind {
    /// Refused by a rule, or for its address.
    Denied,
    /// Refused or stopped by a limit.
    Limited,
    /// Permitted, and failed.
    Failed,
}

impl EgressError {
    /// The category of this error.
    pub fn kind(&self) -> EgressErrorKind {
        match self {
            Self::Target(_)
            | Self::Request(_)
            | Self::Denied(_)
            | Self::NotPublic { .. }
            | Self::DeniedAddress { .. }
            | Self::Own { .. } => EgressErrorKind::Denied,
            Self::Redirects { .. }
            | Self::Rate { .. }
            | Self::TooLarge { .. }
            | Self::Ratio { .. }
            | Self::Time { .. } => EgressErrorKind::Limited,
            Self::Redirected { .. }
            | Self::Unresolved { .. }
            | Self::Connect { .. }
            | Self::Tls { .. }
            | Self::NoRoots { .. }
            | Self::Protocol { .. }
            | Self::Encoding { .. }
            | Self::Corrupt { .. } => EgressErrorKind::Failed,
            Self::AfterRedirect { cause } => cause.kind(),
        }
    }
}

/// Why network access could not be set up.
#[derive(Debug, Error)]
pub enum OpenError {
    /// `ca_file` cannot be read.
    #[error("the certificates in `{path}` cannot be read")]
    CaFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rustls::pki_types::pem::Error,
    },
}

/// A system error in words that reveal nothing about the machine.
fn reason(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "refused",
        io::ErrorKind::TimedOut => "no answer",
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => "closed at once",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "unreachable",
        _ => "it failed",
    }
}
