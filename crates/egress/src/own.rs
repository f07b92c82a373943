//! The addresses on which the gateway itself listens, which no program may reach.
//!
//! In: listening addresses as they are opened. Out: whether an address with a port is one of
//! them.
//! Invariant: no configuration can open these addresses.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{PoisonError, RwLock};

/// The gateway's listening addresses.
#[derive(Debug, Default)]
pub(crate) struct GatewayAddresses(RwLock<Vec<SocketAddr>>);

impl GatewayAddresses {
    pub(crate) fn add(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(address);
    }

    /// Whether a connection there would reach the gateway. A listener on one local address
    /// counts as a listener on all of them: redirected ports and dual-stack sockets make the
    /// difference unreliable, and no other service has that port.
    pub(crate) fn contain(&self, address: IpAddr, port: u16) -> bool {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        own.iter().any(|own| own.port() == port && (own.ip() == address || is_here(address)))
    }
}

/// Whether the address belongs to this machine: only then can a socket bind to it.
fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::GatewayAddresses;

    #[test]
    fn the_own_port_is_own_on_every_address_of_this_machine() {
        let own = GatewayAddresses::default();
        own.add("0.0.0.0:8080".parse().unwrap());
        own.add("203.0.113.7:9090".parse().unwrap());
        for (address, port) in
            [("127.0.0.1", 8080), ("127.9.9.9", 8080), ("::1", 8080), ("203.0.113.7", 9090)]
        {
            assert!(own.contain(address.parse().unwrap(), port), "{address}:{port}");
        }
        for (address, port) in [("127.0.0.1", 8081), ("203.0.113.8", 8080), ("203.0.113.8", 9090)] {
            assert!(!own.contain(address.parse().unwrap(), port), "{address}:{port}");
        }
    }
}
