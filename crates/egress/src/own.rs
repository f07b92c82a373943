//! Where the gateway itself listens, so that no program reaches it.
//!
//! In: listening addresses as they are opened. Out: whether an address with a
//! port is one of them. No configuration opens these.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{PoisonError, RwLock};

/// The gateway's listening addresses.
#[derive(Debug, Default)]
pub(crate) struct OwnAddresses(RwLock<Vec<SocketAddr>>);

impl OwnAddresses {
    pub(crate) fn add(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(address);
    }

    /// Whether a connection there would end at the gateway. A listener of one
    /// local address is taken for one of all: redirected ports and dual-stack
    /// sockets make the difference unsure, and nothing else has that port.
    pub(crate) fn contain(&self, address: IpAddr, port: u16) -> bool {
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        own.iter().any(|own| own.port() == port && (own.ip() == address || is_here(address)))
    }
}

/// Whether the address is one of this machine: only then can a socket have it.
fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::OwnAddresses;

    #[test]
    fn the_own_port_is_own_on_every_address_of_this_machine() {
        let own = OwnAddresses::default();
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
