//! Why there is no answer.
//!
//! The text is for programs: it names the host that the program wrote, never an
//! address that a name led to.

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
    /// The URL is none that can be used.
    #[error(transparent)]
    Target(#[from] TargetProblem),
    /// The request has something that only the gateway may say.
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
    /// A redirect where the program wants none.
    #[error("`{host}` answers with a redirect, and the request says `redirect: \"error\"`")]
    Redirected {
        /// The host.
        host: String,
    },
    /// What a redirect led to is refused, or fails.
    #[error("after a redirect: {cause}")]
    AfterRedirect {
        /// Why.
        cause: Box<EgressError>,
    },
    /// Redirects without end.
    #[error("more than {limit} redirects")]
    Redirects {
        /// How many there may be.
        limit: u32,
    },
    /// Too many requests within a minute.
    #[error("more than {per_minute} requests to `{bucket}` within a minute")]
    Rate {
        /// The name they are counted under.
        bucket: String,
        /// How many there may be.
        per_minute: u32,
        /// When the next one is possible.
        wait: Duration,
    },
    /// The body is too long, unpacked.
    #[error("the answer of `{host}` has more than {limit} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// How many there may be.
        limit: u64,
    },
    /// The body is a bomb.
    #[error("the answer of `{host}` unpacks to more than {limit} times its size")]
    Ratio {
        /// The host.
        host: String,
        /// How many times are bearable.
        limit: u64,
    },
    /// It took too long.
    #[error("no complete answer of `{host}` within {} ms", limit.as_millis())]
    Time {
        /// The host; empty before it is known.
        host: String,
        /// How long it may take.
        limit: Duration,
    },
    /// No such name.
    #[error("the name `{host}` cannot be resolved")]
    Unresolved {
        /// The host.
        host: String,
    },
    /// Nobody answers there.
    #[error("no connection to `{host}`: {}", reason(source.kind()))]
    Connect {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Not who it should be, or TLS fails otherwise.
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
    /// The other side does not speak HTTP, or stopped in the middle.
    #[error("`{host}` gives no valid HTTP answer")]
    Protocol {
        /// The host.
        host: String,
        /// Why.
        #[source]
        source: hyper::Error,
    },
    /// The body is packed in a way that was not asked for.
    #[error("the answer of `{host}` has an encoding that was not asked for")]
    Encoding {
        /// The host.
        host: String,
    },
    /// The body cannot be unpacked.
    #[error("the answer of `{host}` cannot be unpacked")]
    Corrupt {
        /// The host.
        host: String,
    },
}

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Refused by a rule, or for its address.
    Denied,
    /// Refused or ended by a limit.
    Limited,
    /// Permitted, and failed.
    Failed,
}

impl EgressError {
    /// What kind of error it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Target(_)
            | Self::Request(_)
            | Self::Denied(_)
            | Self::NotPublic { .. }
            | Self::DeniedAddress { .. }
            | Self::Own { .. } => Kind::Denied,
            Self::Redirects { .. }
            | Self::Rate { .. }
            | Self::TooLarge { .. }
            | Self::Ratio { .. }
            | Self::Time { .. } => Kind::Limited,
            Self::Redirected { .. }
            | Self::Unresolved { .. }
            | Self::Connect { .. }
            | Self::Tls { .. }
            | Self::NoRoots { .. }
            | Self::Protocol { .. }
            | Self::Encoding { .. }
            | Self::Corrupt { .. } => Kind::Failed,
            Self::AfterRedirect { cause } => cause.kind(),
        }
    }
}

/// Why there is no egress at all.
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

/// An error of the system without what it may tell of the machine.
fn reason(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "refused",
        io::ErrorKind::TimedOut => "no answer",
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => "closed at once",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "unreachable",
        _ => "it failed",
    }
}
