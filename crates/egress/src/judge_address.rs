//! Decides which addresses programs may reach.
//!
//! In: an address that a permitted host has, or that a URL names. Out: permission, or why it
//! is refused. Pure: no clock, no lookup.
//! Invariant: addresses are judged in every mode, whatever name led to them.

use std::net::IpAddr;

use tidegate_model::Network;

use crate::address_class::{AddressClass, OpenedBy, classify, effective_address};

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRefusal {
    /// It is not public.
    NotPublic(AddressClass),
    /// `deny_addresses` contains it.
    Listed,
}

/// Judges one address.
pub(crate) fn judge_address(network: &Network, address: IpAddr) -> Result<(), AddressRefusal> {
    let end = effective_address(address);
    let denied = &network.deny_addresses;
    if denied.iter().any(|network| network.contains(&address) || network.contains(&end)) {
        return Err(AddressRefusal::Listed);
    }
    let Some(class) = classify(address) else { return Ok(()) };
    let mut naming = network.allow_private.iter().filter(|network| network.contains(&end));
    let opened = match class.opened_by() {
        OpenedBy::Network => naming.next().is_some(),
        OpenedBy::ExactAddress => {
            naming.any(|network| network.prefix_len() == network.max_prefix_len())
        }
        OpenedBy::Never => false,
    };
    if opened { Ok(()) } else { Err(AddressRefusal::NotPublic(class)) }
}
