//! Names, ports, methods and addresses: what is allowed, and the same one step
//! outside.

use std::net::IpAddr;

use proptest::prelude::{any, proptest};
use tidegate_model::{Network, NetworkMode, NetworkRule};

use super::{Denial, Refusal, Rules, judge_url};
use crate::address_class::{AddressClass, classify};
use crate::judge_address::AddressRefusal;
use crate::target::TargetProblem;

fn rules(mode: NetworkMode, allow: &[&str], deny: &[&str]) -> Rules {
    let parse = |texts: &[&str]| -> Vec<NetworkRule> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let (allow, deny) = (parse(allow), parse(deny));
    Rules::new(Network { mode, allow, deny, ..Network::default() })
}

fn allowlist(allow: &[&str]) -> Rules {
    rules(NetworkMode::Allowlist, allow, &[])
}

/// The rule that permits the URL, or why it is refused.
fn judged(rules: &Rules, method: &str, url: &str) -> Result<String, Refusal> {
    judge_url(url, method, rules).map(|(_, permitted)| permitted.rule)
}

fn permits(rules: &Rules, url: &str) -> bool {
    judged(rules, "GET", url).is_ok()
}

#[test]
fn without_a_configuration_everything_is_refused() {
    let rules = Rules::new(Network::default());
    for url in ["https://example.org/", "http://127.0.0.1/", "https://1.1.1.1/"] {
        assert_eq!(judged(&rules, "GET", url), Err(Refusal::Denied(Denial::NoNetwork)));
    }
}

#[test]
fn an_empty_allowlist_refuses_everything() {
    let denial = Denial::NotListed { host: "example.org".into() };
    assert_eq!(judged(&allowlist(&[]), "GET", "https://example.org/"), Err(denial.into()));
}

#[test]
fn a_name_is_matched_whole_or_at_the_border_of_a_label() {
    let one = allowlist(&["allowed.test"]);
    for url in ["https://allowed.test/", "http://ALLOWED.test./x", "https://allowed.test:443/"] {
        assert!(permits(&one, url), "{url}");
    }
    for url in [
        "https://sub.allowed.test/",
        "https://allowed.test.evil.test/",
        "https://evilallowed.test/",
        "https://allowed-test/",
        "https://allowed.testing/",
        // Cyrillic letters that look the same.
        "https://аllowed.test/",
        "http://evil.test#@allowed.test/",
        "http://evil.test/?https://allowed.test/",
    ] {
        assert!(!permits(&one, url), "{url}");
    }
    let below = allowlist(&["*.allowed.test"]);
    assert!(permits(&below, "https://a.b.allowed.test/"));
    for url in [
        "https://allowed.test/",
        "https://evilallowed.test/",
        "https://x.test/",
        "https://.allowed.test/",
    ] {
        assert!(!permits(&below, url), "{url}");
    }
}

#[test]
fn a_rule_about_unicode_names_matches_their_punycode() {
    let rules = allowlist(&["münchen.test"]);
    assert!(permits(&rules, "https://xn--mnchen-3ya.test/"));
    assert!(permits(&rules, "https://MÜNCHEN.test/"));
    assert!(!permits(&rules, "https://munchen.test/"));
}

#[test]
fn ports_and_protocols_are_part_of_a_rule() {
    let rules = allowlist(&["a.test", "https://b.test", "c.test:8443", "d.test:*", "e.test:22"]);
    for url in [
        "http://a.test/",
        "https://a.test/",
        "https://b.test/",
        "http://c.test:8443/",
        "https://c.test:8443/",
        "http://d.test:9999/",
        "http://e.test:22/",
    ] {
        assert!(permits(&rules, url), "{url}");
    }
    for url in [
        "http://a.test:443/",
        "https://a.test:80/",
        "http://a.test:22/",
        "http://b.test/",
        "https://b.test:8443/",
        "https://c.test/",
        "http://d.test:22/",
        "http://e.test/",
    ] {
        assert!(!permits(&rules, url), "{url}");
    }
    let denial = Denial::OtherThanListed {
        method: "GET".into(),
        scheme: "http",
        host: "a.test".into(),
        port: 22,
        rule: "a.test".into(),
    };
    assert_eq!(judged(&rules, "GET", "http://a.test:22/"), Err(denial.into()));
}

#[test]
fn methods_are_part_of_a_rule() {
    let rules = allowlist(&["GET,HEAD a.test", "b.test"]);
    assert_eq!(judged(&rules, "GET", "https://a.test/"), Ok("GET,HEAD a.test".into()));
    assert!(judged(&rules, "POST", "https://a.test/").is_err());
    assert!(judged(&rules, "POST", "https://b.test/").is_ok());
    for method in ["CONNECT", "TRACE", "get", "", "GET /x HTTP/1.1", "\u{1b}[2J"] {
        let refused = judged(&rules, method, "https://b.test/");
        assert!(matches!(refused, Err(Refusal::Denied(Denial::UnknownMethod(_)))), "{method}");
    }
}

#[test]
fn deny_wins_over_allow_and_names_all_ports() {
    let rules = rules(
        NetworkMode::Allowlist,
        &["*.a.test", "*.a.test:8080"],
        &["x.a.test", "POST y.a.test"],
    );
    assert!(permits(&rules, "https://y.a.test/"));
    let denial = Denial::Listed { host: "x.a.test".into(), rule: "x.a.test".into() };
    for url in ["https://x.a.test/", "http://x.a.test:8080/"] {
        assert_eq!(judged(&rules, "GET", url), Err(denial.clone().into()), "{url}");
    }
    assert!(judged(&rules, "POST", "https://y.a.test/").is_err());
}

#[test]
fn a_denylist_allows_what_is_public_and_not_listed() {
    let rules = rules(NetworkMode::Denylist, &[], &["evil.test", "*.evil.test"]);
    for url in [
        "https://example.org/",
        "http://example.org:8080/",
        "https://1.1.1.1/",
        "https://notevil.test/",
    ] {
        assert_eq!(judged(&rules, "GET", url), Ok("denylist".into()), "{url}");
    }
    for url in ["https://evil.test/", "https://EVIL.test.:99/", "https://a.b.evil.test/"] {
        assert!(!permits(&rules, url), "{url}");
    }
    assert_eq!(judged(&rules, "GET", "http://example.org:22/"), Err(Denial::Port(22).into()));
}

/// Every spelling of a local address as a URL, with the list wide open.
#[test]
fn local_addresses_are_refused_in_every_spelling() {
    let rules = rules(NetworkMode::Denylist, &[], &[]);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "0x7f000001",
        "0",
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "255.255.255.255",
        "0.0.0.0",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[::127.0.0.1]",
        "①②⑦.0.0.1",
    ] {
        let refused = judged(&rules, "GET", &format!("http://{host}/"));
        assert!(matches!(refused, Err(Refusal::Address(_))), "{host}: {refused:?}");
    }
    assert!(permits(&rules, "http://134744072/"), "8.8.8.8 in another spelling is public");
}

#[test]
fn private_networks_are_opened_by_name_only() {
    let open = |networks: &[&str], denied: &[&str]| {
        Rules::new(Network {
            allow_private: networks.iter().map(|text| text.parse().unwrap()).collect(),
            deny_addresses: denied.iter().map(|text| text.parse().unwrap()).collect(),
            ..Network::default()
        })
    };
    let judge = |rules: &Rules, text: &str| rules.judge_address(text.parse().unwrap());
    let not_public = |class| Err(AddressRefusal::NotPublic(class));
    let rules = open(&["10.1.2.0/24", "fd12::/16"], &["10.1.2.99/32", "93.0.0.0/8"]);
    for text in ["10.1.2.3", "::ffff:10.1.2.3", "fd12::1", "8.8.8.8"] {
        assert_eq!(judge(&rules, text), Ok(()), "{text}");
    }
    assert_eq!(judge(&rules, "10.1.3.1"), not_public(AddressClass::Private));
    assert_eq!(judge(&rules, "127.0.0.1"), not_public(AddressClass::Loopback));
    for text in ["10.1.2.99", "::ffff:10.1.2.99", "93.1.1.1", "64:ff9b::5d01:101"] {
        assert_eq!(judge(&rules, text), Err(AddressRefusal::Listed), "{text}");
    }
    // Metadata services must be named by their exact address, and some classes stay
    // closed.
    let wide = open(&["0.0.0.0/0", "::/0"], &[]);
    assert_eq!(judge(&wide, "127.0.0.1"), Ok(()));
    assert_eq!(judge(&wide, "169.254.169.254"), not_public(AddressClass::Metadata));
    assert_eq!(judge(&wide, "0.0.0.0"), not_public(AddressClass::Unspecified));
    assert_eq!(judge(&wide, "224.0.0.1"), not_public(AddressClass::Multicast));
    assert_eq!(judge(&wide, "2002:7f00:1::"), not_public(AddressClass::Tunnel));
    assert_eq!(judge(&open(&["169.254.169.254/32"], &[]), "169.254.169.254"), Ok(()));
}

#[test]
fn what_is_no_target_is_refused_before_any_rule() {
    let rules = rules(NetworkMode::Denylist, &[], &[]);
    let refused = judged(&rules, "GET", "http://a@b.test/");
    assert_eq!(refused, Err(Refusal::Target(TargetProblem::UserInfo)));
}

proptest! {
    #[test]
    fn only_listed_names_pass(url in ".{0,80}") {
        let rules = allowlist(&["a.test"]);
        if let Ok((target, _)) = judge_url(&url, "GET", &rules) {
            assert_eq!(target.host_text(), "a.test");
        }
    }

    #[test]
    fn an_address_without_a_configuration_passes_only_if_public(bits in any::<u128>()) {
        let rules = Rules::new(Network::default());
        let address = IpAddr::V6(bits.into());
        assert_eq!(rules.judge_address(address).is_ok(), classify(address).is_none());
    }
}
