//! What programs may reach on the network, and what is recorded about it.
//!
//! Plain data: `config` reads it, `egress` enforces it, `store` keeps the
//! [`Connection`]s.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ipnet::IpNet;

use crate::network_rule::NetworkRule;
use crate::run::RunId;

/// What programs may reach on the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Which list decides.
    pub mode: NetworkMode,
    /// What programs may reach, in mode `allowlist`.
    pub allow: Vec<NetworkRule>,
    /// What programs may not reach. Takes precedence over everything that allows it.
    pub deny: Vec<NetworkRule>,
    /// Methods that a rule without methods of its own allows. Upper case.
    pub methods: Vec<String>,
    /// Non-public addresses that may be reached.
    pub allow_private: Vec<IpNet>,
    /// Addresses that may not be reached, in addition to those that never may.
    pub deny_addresses: Vec<IpNet>,
    /// The most requests to one domain within any minute.
    pub rate_per_minute: u32,
    /// The most bytes of one response, decompressed.
    pub max_bytes: u64,
    /// From the request to the last byte, redirects included.
    pub timeout: Duration,
    /// Bytes sent to one domain within an hour that raise an alert.
    pub alert_sent: u64,
    /// Bytes received from one domain within an hour that raise an alert.
    pub alert_received: u64,
    /// Certificates in PEM form to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            mode: NetworkMode::None,
            allow: Vec::new(),
            deny: Vec::new(),
            methods: NetworkRule::METHODS.map(str::to_owned).to_vec(),
            allow_private: Vec::new(),
            deny_addresses: Vec::new(),
            rate_per_minute: 100,
            max_bytes: 10 << 20,
            timeout: Duration::from_secs(30),
            // Chosen: an API call sends kilobytes, and a page is a few megabytes.
            alert_sent: 5 << 20,
            alert_received: 200 << 20,
            ca_file: None,
        }
    }
}

/// Which list decides what programs may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkMode {
    /// Nothing can be reached.
    #[default]
    None,
    /// Only what is listed can be reached.
    Allowlist,
    /// Every public address can be reached, except what is listed.
    Denylist,
}

impl NetworkMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::None, Self::Allowlist, Self::Denylist];

    /// The word for it in a configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allowlist => "allowlist",
            Self::Denylist => "denylist",
        }
    }
}

/// One connection attempt: one hop of one `fetch`. It has no path and no query, since
/// these carry keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The run that asked for it.
    pub run: RunId,
    /// When it was asked for.
    pub started_at: SystemTime,
    /// From start to end, however it ended.
    pub duration: Duration,
    /// `GET` and so on.
    pub method: String,
    /// The host that the rules were applied to; empty if the URL could not be parsed.
    pub host: String,
    /// The port; 0 if the URL could not be parsed.
    pub port: u16,
    /// The address that was connected to, or that caused the refusal.
    pub address: Option<IpAddr>,
    /// The outcome.
    pub verdict: Verdict,
    /// The rule that decided, as configured, or another reason.
    pub rule: String,
    /// Bytes sent on the connection, those of TLS included.
    pub bytes_sent: u64,
    /// Bytes received on the connection, those of TLS included.
    pub bytes_received: u64,
    /// Status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it needs a person's attention.
    pub alert: Option<Alert>,
}

/// The outcome of a connection attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Permitted and answered.
    Allowed,
    /// Refused by a rule or because of its address.
    Denied,
    /// Refused or ended by a limit.
    Limited,
    /// Permitted, but failed.
    Failed,
    /// Permitted, but the run ended before there was an answer.
    CutOff,
}

impl Verdict {
    /// The word for it in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Limited => "limited",
            Self::Failed => "failed",
            Self::CutOff => "cut_off",
        }
    }
}

/// Why a connection needs a person's attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alert {
    /// The target is on the deny list, or its address is not public.
    DeniedTarget,
    /// More was sent to the domain, or received from it, than is usual.
    Volume,
}

impl Alert {
    /// The word for it in the database and the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DeniedTarget => "denied_target",
            Self::Volume => "volume",
        }
    }
}
