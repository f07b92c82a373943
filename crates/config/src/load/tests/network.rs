//! The network section: what it means, and which errors it gives, with place and hint.

use std::time::Duration;

use tidegate_model::{Network, NetworkMode};

use super::{json, toml, toml_error};

#[test]
fn without_a_section_there_is_no_network() {
    assert_eq!(toml("").network, Network::default());
    assert_eq!(toml("[network]").network.mode, NetworkMode::None);
}

#[test]
fn every_key_is_read_in_both_files() {
    let expected = Network {
        mode: NetworkMode::Allowlist,
        allow: vec!["GET a.test".parse().unwrap(), "*.b.test:8443".parse().unwrap()],
        deny: vec!["x.b.test".parse().unwrap()],
        methods: vec!["GET".into(), "POST".into()],
        allow_private: vec!["10.1.2.0/24".parse().unwrap(), "127.0.0.1/32".parse().unwrap()],
        deny_addresses: vec!["2001:db8::/32".parse().unwrap()],
        rate_per_minute: 7,
        max_bytes: 1024,
        timeout: Duration::from_secs(5),
        alert_sent: 10 << 20,
        alert_received: 1 << 30,
        ca_file: Some("/p/own.pem".into()),
    };
    let text = "[network]\nmode = 'allowlist'\nallow = ['GET a.test', '*.b.test:8443']\ndeny = ['x.b.test']\n\
        methods = ['get', 'POST']\nallow_private = ['10.1.2.0/24', '127.0.0.1']\n\
        deny_addresses = ['2001:db8::/32']\nrate_per_minute = 7\nmax_bytes = '1KB'\ntimeout = '5s'\n\
        alert_sent = '10MB'\nalert_received = '1GB'\nca_file = 'own.pem'";
    assert_eq!(toml(text).network, expected);
    let text = r#"{"mcpServers": {}, "mcpCodeExecution": {"network": {
        "mode": "allowlist", "allow": ["GET a.test", "*.b.test:8443"], "deny": ["x.b.test"],
        "methods": ["get", "POST"], "allowPrivate": ["10.1.2.0/24", "127.0.0.1"],
        "denyAddresses": ["2001:db8::/32"], "ratePerMinute": 7, "maxBytes": "1KB", "timeout": "5s",
        "alertSent": "10MB", "alertReceived": "1GB", "caFile": "own.pem"}}}"#;
    assert_eq!(json(text).network, expected);
}

#[test]
fn an_empty_allowlist_allows_nothing_and_says_so() {
    for text in ["[network]\nmode = 'allowlist'", "[network]\nmode = 'allowlist'\nallow = []"] {
        let settings = toml(text);
        assert_eq!(settings.network.allow, []);
        let warning =
            "the network mode is `allowlist`, and `allow` is empty: programs can reach nothing";
        assert_eq!(settings.warnings, [warning]);
    }
}

#[test]
fn a_malformed_list_is_an_error_with_place_and_remedy() {
    let with = |rule: &str| format!("[network]\nmode = 'allowlist'\nallow = ['a.test', {rule}]");
    for (rule, error) in [
        (
            "'*'",
            "error[config.bad_value]: `allow[1]` in `network` has a `*` that is not the whole first part of the name\n  \
             at tidegate.toml:3:20\n\
             hint: write `*.example.org` for all names below `example.org`; to reach every public host, use `mode = \"denylist\"`",
        ),
        (
            "'https://a.test/path'",
            "error[config.bad_value]: `allow[1]` in `network` is more than a host and a port\n  \
             at tidegate.toml:3:20\n\
             hint: write a host such as `api.example.org`, without user, path and query",
        ),
        (
            "7",
            "error[config.wrong_type]: `allow[1]` in `network` expects text, got a number\n  \
             at tidegate.toml:3:20\n\
             hint: write it in quotes",
        ),
    ] {
        assert_eq!(toml_error(&with(rule)), error);
    }
    assert_eq!(
        toml_error("[network]\nmode = 'allowlist'\nallow = 'a.test'"),
        "error[config.wrong_type]: `allow` in `network` expects a list of text, got text\n  \
         at tidegate.toml:3:9"
    );
    assert_eq!(
        toml_error("[network]\nallow_private = ['10.1.2.0/33']"),
        "error[config.bad_value]: `allow_private[0]` in `network` is neither an address nor a network\n  \
         at tidegate.toml:2:18\n\
         hint: write an address such as `10.1.2.3`, or a network such as `10.1.2.0/24`"
    );
}

#[test]
fn a_list_without_effect_is_an_error() {
    assert_eq!(
        toml_error("[network]\nallow = ['a.test']"),
        "error[config.bad_value]: `allow` has no effect in the network mode `none`\n  \
         at tidegate.toml:2:1\n\
         hint: set `mode` to `allowlist`, or leave `allow` out"
    );
    assert_eq!(
        toml_error("[network]\nmode = 'denylist'\nallow = ['a.test']"),
        "error[config.bad_value]: `allow` has no effect in the network mode `denylist`\n  \
         at tidegate.toml:3:1\n\
         hint: set `mode` to `allowlist`, or leave `allow` out"
    );
    assert_eq!(
        toml_error("[network]\nmode = 'alowlist'"),
        "error[config.bad_value]: `mode` in `network` is none of `none`, `allowlist`, `denylist`\n  \
         at tidegate.toml:2:8\n\
         hint: did you mean `allowlist`?"
    );
    assert_eq!(
        toml_error("[network]\nmax_bytes = '41MB'"),
        "error[config.bad_value]: the network's `max_bytes` must be up to 40MB\n  \
         at tidegate.toml:2:13"
    );
}
