//! Every block at its borders, and every form of an IPv4 address, which is classed as
//! the address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::{any, proptest};

use super::{AddressClass, METADATA_V4, METADATA_V6, classify};

fn of(text: &str) -> Option<AddressClass> {
    classify(text.parse().unwrap_or_else(|_| panic!("`{text}` is no address")))
}

#[test]
fn each_block_is_refused_from_its_first_to_its_last_address() {
    use AddressClass::{
        Documentation, LinkLocal, Loopback, Multicast, Private, Reserved, Shared, Tunnel,
        Unspecified,
    };
    // The address before, the first, the last, the one after, and the class. An empty
    // text: nothing to compare.
    let blocks = [
        ("", "0.0.0.0", "0.255.255.255", "1.0.0.0", Unspecified),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", Private),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0", Shared),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", Loopback),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", LinkLocal),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", Private),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", Reserved),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", Documentation),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", Tunnel),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", Private),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", Documentation),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0", Documentation),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", Documentation),
        ("223.255.255.255", "224.0.0.0", "239.255.255.255", "", Multicast),
        ("", "240.0.0.0", "255.255.255.255", "", Reserved),
        ("", "::2", "::ffff:ffff", "", Tunnel),
        ("", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "", Tunnel),
        ("", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", Tunnel),
        ("2001:db7:ffff::", "2001:db8::", "2001:db8:ffff::", "2001:db9::", Documentation),
        ("2001:ffff::", "2002::", "2002:ffff:ffff::", "2003::", Tunnel),
        ("3ffe:ffff::", "3fff::", "3fff:fff:ffff::", "3fff:1000::", Documentation),
        ("", "fc00::", "fdff:ffff::", "", Private),
        ("", "fe80::", "febf:ffff::", "", LinkLocal),
        ("", "fec0::", "feff:ffff::", "", Private),
        ("", "ff00::", "ffff:ffff::", "", Multicast),
        ("", "100::", "1fff:ffff::", "2000::", Reserved),
        ("3fff:f000::", "4000::", "fbff:ffff::", "", Reserved),
    ];
    for (before, first, last, after, class) in blocks {
        for inside in [first, last] {
            assert_eq!(of(inside), Some(class), "{inside}");
        }
        for outside in [before, after].into_iter().filter(|text| !text.is_empty()) {
            assert_eq!(of(outside), None, "{outside}");
        }
    }
    assert_eq!(of("::"), Some(Unspecified));
    assert_eq!(of("::1"), Some(Loopback));
}

#[test]
fn public_addresses_are_public() {
    for text in ["1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450::1"] {
        assert_eq!(of(text), None, "{text}");
    }
    // IPv4 through the NAT64 of a network without IPv4.
    assert_eq!(of("64:ff9b::808:808"), None);
    assert_eq!(of("::ffff:8.8.8.8"), None);
}

#[test]
fn metadata_services_are_known_as_such() {
    let v4 = METADATA_V4.map(IpAddr::V4);
    let v6 = METADATA_V6.map(IpAddr::V6);
    for address in v4.into_iter().chain(v6) {
        assert_eq!(classify(address), Some(AddressClass::Metadata), "{address}");
    }
    assert_eq!(of("::ffff:169.254.169.254"), Some(AddressClass::Metadata));
}

#[test]
fn tunnelled_loopback_is_refused_in_every_form() {
    for text in
        ["::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "2001::7f00:1"]
    {
        assert!(of(text).is_some(), "{text}");
    }
}

proptest! {
    /// For the classes it knows, the standard library is an independent oracle.
    #[test]
    fn what_the_standard_library_calls_special_is_refused(bits in any::<u32>(), low in any::<u128>()) {
        let v4 = Ipv4Addr::from_bits(bits);
        let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_broadcast()
            || v4.is_documentation() || v4.is_multicast() || v4.is_unspecified();
        if special {
            assert!(classify(v4.into()).is_some(), "{v4}");
        }
        let v6 = Ipv6Addr::from_bits(low);
        let special = v6.is_loopback() || v6.is_multicast() || v6.is_unique_local()
            || v6.is_unicast_link_local() || v6.is_unspecified();
        if special {
            assert!(classify(v6.into()).is_some(), "{v6}");
        }
    }

    #[test]
    fn an_embedded_address_is_judged_like_itself(bits in any::<u32>()) {
        let v4 = Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = v4.octets();
        let low = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
        let nat64 = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, low[0], low[1]);
        assert_eq!(classify(v4.to_ipv6_mapped().into()), classify(v4.into()));
        assert_eq!(classify(nat64.into()), classify(v4.into()));
        let six_to_four = Ipv6Addr::new(0x2002, low[0], low[1], 0, 0, 0, 0, 1);
        assert_eq!(classify(six_to_four.into()), Some(AddressClass::Tunnel));
    }
}
