//! Reads `[network]`.

use tidegate_model::NetworkMode;

use crate::error::ConfigError;
use crate::keys::network::{NETWORK, NetworkKey};
use crate::read::node::Entry;
use crate::read::raw::{RawNetwork, RawTextList};
use crate::read::reader::{Reader, Unknown};

impl<'a> Reader<'a> {
    pub(super) fn network(&mut self, entries: &'a [Entry], scope: &str) -> Result<(), ConfigError> {
        let mut network = RawNetwork::default();
        for (key, entry) in self.known(NETWORK, entries, scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, scope);
            let list = || -> Result<_, ConfigError> {
                let (items, offset) = (reading.text_list()?, entry.key_span.start);
                Ok(Some(RawTextList { items, offset }))
            };
            match key.id {
                NetworkKey::Mode => {
                    let modes = NetworkMode::ALL.map(|mode| (mode.as_str(), mode));
                    network.mode = Some(reading.one_of(&modes)?);
                }
                NetworkKey::Allow => network.allow = list()?,
                NetworkKey::Deny => network.deny = list()?,
                NetworkKey::Methods => network.methods = list()?,
                NetworkKey::AllowPrivate => network.allow_private = list()?,
                NetworkKey::DenyAddresses => network.deny_addresses = list()?,
                NetworkKey::RatePerMinute => network.rate_per_minute = Some(reading.count()?),
                NetworkKey::MaxBytes => {
                    network.max_bytes = Some((reading.size()?, entry.node.span.start));
                }
                NetworkKey::Timeout => network.timeout = Some(self.duration(&reading)?),
                NetworkKey::AlertSent => network.alert_sent = Some(reading.size()?),
                NetworkKey::AlertReceived => network.alert_received = Some(reading.size()?),
                NetworkKey::CaFile => network.ca_file = Some(reading.text()?),
            }
        }
        self.raw.network = network;
        Ok(())
    }
}
