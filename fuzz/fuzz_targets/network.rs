//! URLs as programs write them, and rules as people write them: judging a URL never
//! panics, and no address that is not public gets through unless the user has opened
//! it.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use tidegate_egress::{Rules, classify, judge_url};
use tidegate_model::{Network, NetworkMode, NetworkRule};

fuzz_target!(|data: (&str, &str, u128)| {
    let (url, rule, bits) = data;
    let allow: Vec<NetworkRule> = rule.parse().into_iter().collect();
    let network = Network { mode: NetworkMode::Allowlist, allow, ..Network::default() };
    let rules = Rules::new(network);
    let _ = judge_url(url, "GET", &rules);
    let closed = Rules::new(Network::default());
    assert!(judge_url(url, "GET", &closed).is_err());
    let addresses = [IpAddr::from((bits as u32).to_be_bytes()), IpAddr::from(bits.to_be_bytes())];
    for address in addresses {
        let _ = classify(address);
        let inner = match address {
            IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::from),
            IpAddr::V4(_) => address,
        };
        if inner.is_loopback() || inner.is_unspecified() || inner.is_multicast() {
            assert!(rules.judge_address(address).is_err(), "{address}");
        }
    }
});
