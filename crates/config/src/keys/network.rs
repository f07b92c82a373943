//! The keys of `[network]`, which the network of a profile shares.

use tidegate_model::{Network, NetworkMode, NetworkRule};

use crate::keys::key::{Key, Kind, listed, nothing};
use crate::quantity::{show_duration, show_size};

/// Keys of `[network]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkKey {
    Mode,
    Allow,
    Deny,
    Methods,
    AllowPrivate,
    DenyAddresses,
    RatePerMinute,
    MaxBytes,
    Timeout,
    AlertSent,
    AlertReceived,
    CaFile,
}

pub(crate) const NETWORK: &[Key<NetworkKey>] = &[
    Key {
        id: NetworkKey::Mode,
        toml: &["mode"],
        json: &["mode"],
        kind: Kind::Word(&[
            NetworkMode::None.as_str(),
            NetworkMode::Allowlist.as_str(),
            NetworkMode::Denylist.as_str(),
        ]),
        default: default_network_mode,
        doc: "`none`: nothing can be reached. `allowlist`: only what `allow` lists. `denylist`: \
              every public host, except what `deny` lists.",
    },
    Key {
        id: NetworkKey::Allow,
        toml: &["allow"],
        json: &["allow"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Rules such as `api.example.org`, `*.example.org`, `https://example.org:8443` or \
              `GET,HEAD docs.example.org`.",
    },
    Key {
        id: NetworkKey::Deny,
        toml: &["deny"],
        json: &["deny"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Rules for what cannot be reached. They override `allow` and apply to every port \
              unless they name one.",
    },
    Key {
        id: NetworkKey::Methods,
        toml: &["methods"],
        json: &["methods"],
        kind: Kind::TextList,
        default: default_network_methods,
        doc: "Methods for which a rule without methods of its own allows a host.",
    },
    Key {
        id: NetworkKey::AllowPrivate,
        toml: &["allow_private"],
        json: &["allowPrivate"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Non-public addresses and networks that can be reached, such as `10.1.2.0/24`. The \
              rules for names apply as well.",
    },
    Key {
        id: NetworkKey::DenyAddresses,
        toml: &["deny_addresses"],
        json: &["denyAddresses"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Addresses and networks that cannot be reached under any name.",
    },
    Key {
        id: NetworkKey::RatePerMinute,
        toml: &["rate_per_minute"],
        json: &["ratePerMinute"],
        kind: Kind::Count { most: 100_000 },
        default: default_network_rate,
        doc: "Requests of all programs to one domain within any minute.",
    },
    Key {
        id: NetworkKey::MaxBytes,
        toml: &["max_bytes"],
        json: &["maxBytes"],
        kind: Kind::Size { least: 1 },
        default: default_network_bytes,
        doc: "The largest answer, unpacked; up to 40 MB.",
    },
    Key {
        id: NetworkKey::Timeout,
        toml: &["timeout"],
        json: &["timeout"],
        kind: Kind::Duration,
        default: default_network_timeout,
        doc: "The longest a request may take, with its redirects and its body.",
    },
    Key {
        id: NetworkKey::AlertSent,
        toml: &["alert_sent"],
        json: &["alertSent"],
        kind: Kind::Size { least: 1 },
        default: default_network_alert_sent,
        doc: "An alert is written when more than this is sent to one domain within an hour.",
    },
    Key {
        id: NetworkKey::AlertReceived,
        toml: &["alert_received"],
        json: &["alertReceived"],
        kind: Kind::Size { least: 1 },
        default: default_network_alert_received,
        doc: "An alert is written when more than this comes from one domain within an hour.",
    },
    Key {
        id: NetworkKey::CaFile,
        toml: &["ca_file"],
        json: &["caFile"],
        kind: Kind::Text,
        default: nothing,
        doc: "Certificates in PEM form that `https` trusts in addition to those of the system. \
              `~/` at the start is the home folder; a relative path counts from the workspace \
              folder.",
    },
];

fn default_network_mode() -> String {
    format!("`{}`", NetworkMode::default().as_str())
}

fn default_network_methods() -> String {
    listed(&NetworkRule::METHODS)
}

fn default_network_rate() -> String {
    format!("`{}`", Network::default().rate_per_minute)
}

fn default_network_bytes() -> String {
    format!("`{}`", show_size(Network::default().max_bytes))
}

fn default_network_timeout() -> String {
    format!("`{}`", show_duration(Network::default().timeout))
}

fn default_network_alert_sent() -> String {
    format!("`{}`", show_size(Network::default().alert_sent))
}

fn default_network_alert_received() -> String {
    format!("`{}`", show_size(Network::default().alert_received))
}
