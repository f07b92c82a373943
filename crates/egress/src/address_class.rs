//! Classifies addresses that are not public.
//!
//! In: an address. Out: its class, or `None` if it is public. Pure.
//! Invariant: IPv4 inside IPv6 is judged as the IPv4 address that it leads to, or refused.
//!
//! Source: the IANA special-purpose address registries for IPv4 and IPv6, and the
//! documentation of cloud providers for their metadata services. In IPv6 only 2000::/3 is
//! allocated, so everything else is refused without a list.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address that is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// A cloud service that issues credentials.
    Metadata,
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// Between a provider and its customers (100.64.0.0/10).
    Shared,
    /// The local link.
    LinkLocal,
    /// For documentation and benchmarks; not in use.
    Documentation,
    /// Not the address of a host, such as 0.0.0.0.
    Unspecified,
    /// A group of hosts.
    Multicast,
    /// Not allocated.
    Reserved,
    /// Leads to another address through a tunnel.
    Tunnel,
}

impl AddressClass {
    /// For the audit and the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metadata => "metadata address",
            Self::Loopback => "loopback address",
            Self::Private => "private address",
            Self::Shared => "shared address",
            Self::LinkLocal => "link-local address",
            Self::Documentation => "documentation or benchmark address",
            Self::Unspecified => "unspecified address",
            Self::Multicast => "multicast address",
            Self::Reserved => "reserved address",
            Self::Tunnel => "tunnelled address",
        }
    }

    /// Whether a configuration can open it, and how exactly it must name it.
    pub(crate) const fn opened_by(self) -> OpenedBy {
        match self {
            Self::Loopback
            | Self::Private
            | Self::Shared
            | Self::LinkLocal
            | Self::Documentation => OpenedBy::Network,
            // Opening 169.254.0.0/16 must not accidentally expose its credentials.
            Self::Metadata => OpenedBy::ExactAddress,
            Self::Unspecified | Self::Multicast | Self::Reserved | Self::Tunnel => OpenedBy::Never,
        }
    }
}

/// How exactly a configuration must name an address to open it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenedBy {
    Network,
    ExactAddress,
    Never,
}

/// The class of the address, if it is not public.
pub fn classify(address: IpAddr) -> Option<AddressClass> {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

/// The address that a packet finally reaches: IPv4 for mapped and NAT64 addresses.
pub(crate) fn effective_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => embedded_ipv4(v6).map_or(address, IpAddr::V4),
    }
}

/// AWS, Azure (the wire server, which has a public address), Alibaba, Oracle;
/// GCP and others share the first. ECS and EKS issue credentials on the next two.
const METADATA_V4: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// AWS (instances and EKS), GCP.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// First address, prefix length, class.
const SPECIAL_V4: [(Ipv4Addr, u8, AddressClass); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, AddressClass::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressClass::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressClass::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressClass::Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressClass::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressClass::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressClass::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressClass::Documentation),
    // The relays of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressClass::Tunnel),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressClass::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressClass::Documentation),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressClass::Documentation),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressClass::Documentation),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressClass::Multicast),
    // Includes 255.255.255.255, the broadcast address.
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressClass::Reserved),
];

/// The first network that contains the address counts.
const SPECIAL_V6: [(Ipv6Addr, u8, AddressClass); 12] = [
    (Ipv6Addr::UNSPECIFIED, 128, AddressClass::Unspecified),
    (Ipv6Addr::LOCALHOST, 128, AddressClass::Loopback),
    // IPv4-compatible: deprecated.
    (Ipv6Addr::UNSPECIFIED, 96, AddressClass::Tunnel),
    // NAT64 for local use: the position of the IPv4 address is unknown.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, AddressClass::Tunnel),
    // Teredo, and with it all protocol assignments.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, AddressClass::Tunnel),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, AddressClass::Documentation),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, AddressClass::Tunnel),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, AddressClass::Documentation),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, AddressClass::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, AddressClass::LinkLocal),
    // Site-local: deprecated, but still routed where it was set up.
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, AddressClass::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, AddressClass::Multicast),
];

fn classify_v4(address: Ipv4Addr) -> Option<AddressClass> {
    if METADATA_V4.contains(&address) {
        return Some(AddressClass::Metadata);
    }
    let inside = |first: Ipv4Addr, bits: u8| {
        (address.to_bits() ^ first.to_bits()).leading_zeros() >= u32::from(bits)
    };
    let special = SPECIAL_V4.iter().find(|(first, bits, _)| inside(*first, *bits));
    special.map(|(_, _, class)| *class)
}

fn classify_v6(address: Ipv6Addr) -> Option<AddressClass> {
    if let Some(v4) = embedded_ipv4(address) {
        return classify_v4(v4);
    }
    if METADATA_V6.contains(&address) {
        return Some(AddressClass::Metadata);
    }
    let inside = |first: Ipv6Addr, bits: u8| {
        (address.to_bits() ^ first.to_bits()).leading_zeros() >= u32::from(bits)
    };
    let special = SPECIAL_V6.iter().find(|(first, bits, _)| inside(*first, *bits));
    let global = address.segments()[0] & 0xe000 == 0x2000;
    special.map(|(_, _, class)| *class).or((!global).then_some(AddressClass::Reserved))
}

/// The IPv4 address inside a mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96) one.
/// IPv6-only networks reach all of IPv4 through the latter.
fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = Ipv4Addr::from_bits(u32::try_from(address.to_bits() & 0xffff_ffff).ok()?);
    let front = address.to_bits() >> 32;
    (front == 0xffff || front == 0x64_ff9b << 64).then_some(last)
}

#[cfg(test)]
mod tests;
