//! Decides which hosts programs may reach.
//!
//! In: the configured [`Network`], then a target. Out: permission with the rule that grants
//! it, or a denial with its reason. Pure: no clock, no lookup. The addresses of a permitted
//! host are decided in `judge_address`.
//! Invariant: a name is matched completely or at a label boundary; a target that no rule
//! mentions is denied, except in mode `denylist`.

use std::net::IpAddr;

use thiserror::Error;
use tidegate_model::{HostLists, HostPattern, Network, NetworkMode, NetworkRule, PortPattern};
use url::Host;

use crate::address_class::effective_address;
use crate::judge_address::{AddressRefusal, judge_address};
use crate::target::{Target, TargetProblem};

/// The rules of one configuration.
#[derive(Clone, Debug)]
pub struct Rules(Network);

/// A target that the rules permit. Its addresses are still to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permitted {
    /// The rule that permits it, as configured.
    pub rule: String,
    /// The name under which its requests are counted. All names of a rule share one count;
    /// otherwise a program could use a new name for each request.
    pub bucket: String,
}

/// Why a target is refused before anything is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Denial {
    /// Mode `none`.
    #[error("programs have no network")]
    NoNetwork,
    /// A method that no rule can allow.
    #[error("programs cannot use the method `{0}`")]
    UnknownMethod(String),
    /// A rule of the deny list.
    #[error("`{host}` is denied by the rule `{rule}`")]
    Listed {
        /// The host.
        host: String,
        /// The rule, as configured.
        rule: String,
    },
    /// No rule of the allow list.
    #[error("`{host}` is not in the list of hosts that programs can reach")]
    NotListed {
        /// The host.
        host: String,
    },
    /// The lists of a profile.
    #[error("the profile `{profile}` does not allow `{host}`")]
    Profile {
        /// The profile.
        profile: String,
        /// The host.
        host: String,
    },
    /// Rules mention the host, but not with this protocol, port and method.
    #[error("the rule `{rule}` does not allow `{method} {scheme}://{host}:{port}`")]
    OtherThanListed {
        /// The method.
        method: String,
        /// The protocol.
        scheme: &'static str,
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The first rule that mentions the host.
        rule: String,
    },
    /// Mode `denylist`, and a port that only a rule of `allow` can open.
    #[error("port `{0}` belongs to a protocol other than HTTP")]
    Port(u16),
    /// Mode `denylist`, and a method that is not among `methods`.
    #[error("the method `{0}` is not allowed")]
    Method(String),
}

/// Why the text of a URL is refused before anything is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It is not a valid target.
    #[error(transparent)]
    Target(#[from] TargetProblem),
    /// The rules refuse it.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// It is written as an address, which is refused.
    #[error("the address is refused")]
    Address(AddressRefusal),
}

/// Makes every decision that needs no lookup, from the text alone.
pub fn judge_url(text: &str, method: &str, rules: &Rules) -> Result<(Target, Permitted), Refusal> {
    let target = Target::parse(text)?;
    let permitted = rules.judge(&target, method)?;
    if let Some(address) = target.address() {
        rules.judge_address(address).map_err(Refusal::Address)?;
    }
    Ok((target, permitted))
}

impl Rules {
    /// The rules of a configuration.
    pub fn new(network: Network) -> Self {
        Self(network)
    }

    pub(crate) fn network(&self) -> &Network {
        &self.0
    }

    /// Judges name, port, protocol and method.
    pub fn judge(&self, target: &Target, method: &str) -> Result<Permitted, Denial> {
        let network = &self.0;
        if network.mode == NetworkMode::None {
            return Err(Denial::NoNetwork);
        }
        if !NetworkRule::METHODS.contains(&method) {
            let shown = method.chars().take(20).collect::<String>().escape_debug().to_string();
            return Err(Denial::UnknownMethod(shown));
        }
        let host = target.host_text();
        if let Some(rule) = network.deny.iter().find(|rule| denies(rule, target, method)) {
            return Err(Denial::Listed { host, rule: rule.text.clone() });
        }
        match network.mode {
            NetworkMode::None => Err(Denial::NoNetwork),
            NetworkMode::Allowlist => self.judge_listed(target, method),
            NetworkMode::Denylist if BAD_PORTS.contains(&target.port()) => {
                Err(Denial::Port(target.port()))
            }
            NetworkMode::Denylist if !network.methods.iter().any(|known| known == method) => {
                Err(Denial::Method(method.to_owned()))
            }
            NetworkMode::Denylist => Ok(Permitted { rule: "denylist".into(), bucket: host }),
        }
    }

    fn judge_listed(&self, target: &Target, method: &str) -> Result<Permitted, Denial> {
        let host = target.host_text();
        let mut of_host = self.0.allow.iter().filter(|rule| is_about(&rule.host, target.host()));
        let allows = |rule: &&NetworkRule| allows(rule, target, method, &self.0.methods);
        if let Some(rule) = of_host.clone().find(allows) {
            let bucket = match &rule.host {
                HostPattern::Subdomains(name) => format!("*.{name}"),
                HostPattern::Name(_) | HostPattern::Address(_) => host,
            };
            return Ok(Permitted { rule: rule.text.clone(), bucket });
        }
        Err(match of_host.next() {
            None => Denial::NotListed { host },
            Some(rule) => Denial::OtherThanListed {
                method: method.to_owned(),
                scheme: target.scheme().as_str(),
                host,
                port: target.port(),
                rule: rule.text.clone(),
            },
        })
    }

    /// Judges a target that the rules permit by the lists of a profile, which can only refuse.
    pub(crate) fn judge_lists(
        &self,
        lists: &HostLists,
        target: &Target,
        method: &str,
    ) -> Result<(), Denial> {
        let is_allowed = lists.allow.as_ref().is_none_or(|rules| {
            let mut of_host = rules.iter().filter(|rule| is_about(&rule.host, target.host()));
            of_host.any(|rule| allows(rule, target, method, &self.0.methods))
        });
        if is_allowed && !lists.deny.iter().any(|rule| denies(rule, target, method)) {
            return Ok(());
        }
        let (profile, host) = (lists.profile.clone(), target.host_text());
        Err(Denial::Profile { profile, host })
    }

    /// Judges one address, whatever name led to it.
    pub fn judge_address(&self, address: IpAddr) -> Result<(), AddressRefusal> {
        judge_address(&self.0, address)
    }
}

fn allows(rule: &NetworkRule, target: &Target, method: &str, methods: &[String]) -> bool {
    let port = match rule.port {
        PortPattern::Unspecified => target.port() == target.scheme().default_port(),
        PortPattern::One(port) => target.port() == port,
        // A rule must name one of these ports explicitly.
        PortPattern::Any => !BAD_PORTS.contains(&target.port()),
    };
    let methods = rule.methods.as_deref().unwrap_or(methods);
    port && is_of_scheme(rule, target) && methods.iter().any(|known| known == method)
}

fn denies(rule: &NetworkRule, target: &Target, method: &str) -> bool {
    let port = match rule.port {
        PortPattern::Unspecified | PortPattern::Any => true,
        PortPattern::One(port) => target.port() == port,
    };
    let named = rule.methods.as_ref();
    let method = named.is_none_or(|methods| methods.iter().any(|known| known == method));
    port && method && is_of_scheme(rule, target) && is_about(&rule.host, target.host())
}

fn is_of_scheme(rule: &NetworkRule, target: &Target) -> bool {
    rule.scheme.is_none_or(|scheme| scheme == target.scheme())
}

fn is_about(pattern: &HostPattern, host: &Host<String>) -> bool {
    match (pattern, host) {
        (HostPattern::Name(name), Host::Domain(host)) => name == host,
        (HostPattern::Subdomains(name), Host::Domain(host)) => {
            host.strip_suffix(name.as_str()).is_some_and(|front| front.ends_with('.'))
        }
        (HostPattern::Address(address), Host::Ipv4(host)) => {
            effective_address(*address) == IpAddr::V4(*host)
        }
        (HostPattern::Address(address), Host::Ipv6(host)) => {
            effective_address(*address) == effective_address(IpAddr::V6(*host))
        }
        (HostPattern::Name(_) | HostPattern::Subdomains(_), Host::Ipv4(_) | Host::Ipv6(_))
        | (HostPattern::Address(_), Host::Domain(_)) => false,
    }
}

/// Ports of other protocols, whose servers could misinterpret HTTP.
/// Source: "port blocking" in the fetch standard.
const BAD_PORTS: [u16; 82] = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
];

#[cfg(test)]
mod tests;
