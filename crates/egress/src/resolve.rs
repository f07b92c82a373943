//! Resolves a host to checked addresses.
//!
//! In: a permitted [`Target`]. Out: the addresses to dial. The name is resolved once, and
//! only addresses of that answer are dialled.
//! Invariant: one bad address refuses all of them. A name that resolves to a good and a bad
//! address is not trusted.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use url::Host;

use crate::address_class::effective_address;
use crate::error::EgressError;
use crate::judge_address::AddressRefusal;
use crate::own::GatewayAddresses;
use crate::rules::Rules;
use crate::target::Target;

/// The future addresses of a name.
pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves names.
pub trait Resolve: Send + Sync {
    /// The addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a>;
}

/// The resolver of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The checked addresses, or the error and the address that caused it.
pub(crate) async fn checked_addresses(
    target: &Target,
    rules: &Rules,
    own: &GatewayAddresses,
    resolver: &dyn Resolve,
) -> Result<Vec<SocketAddr>, (EgressError, Option<AddressReason>)> {
    let host = target.host_text();
    let found = match target.host() {
        Host::Ipv4(address) => vec![IpAddr::V4(*address)],
        Host::Ipv6(address) => vec![IpAddr::V6(*address)],
        Host::Domain(name) => resolver.resolve(name).await.unwrap_or_default(),
    };
    if found.is_empty() {
        return Err((EgressError::Unresolved { host }, None));
    }
    let literal = target.address().is_some();
    for &address in &found {
        let refused = match rules.judge_address(address) {
            Err(AddressRefusal::NotPublic(class)) => {
                (EgressError::NotPublic { host, literal }, class.as_str())
            }
            Err(AddressRefusal::Listed) => {
                (EgressError::DeniedAddress { host }, "network.deny_addresses")
            }
            Ok(()) if own.contain(effective_address(address), target.port()) => {
                (EgressError::Own { host }, "own address")
            }
            Ok(()) => continue,
        };
        return Err((refused.0, Some(AddressReason { address, reason: refused.1 })));
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, target.port())).collect())
}

/// Why an address was refused. For the audit log only, never for the program.
#[derive(Debug)]
pub(crate) struct AddressReason {
    pub(crate) address: IpAddr,
    pub(crate) reason: &'static str,
}
