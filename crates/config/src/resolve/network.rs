//! Resolves the network section as typed into the settings of `egress`.
//!
//! Invariant: a list that would have no effect is an error, since its author
//! relies on it.

use std::net::IpAddr;

use tidegate_model::{
    HostLists, Network, NetworkAccess, NetworkMode, NetworkRule, RuleProblem, parse_method,
};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::quantity::show_size;
use crate::read::raw::{RawNetwork, RawProfile, RawText, RawTextList};
use crate::resolve::resolver::Resolver;

/// A response reaches the program as one frame of at most 64 MB, in base64.
const MAX_BYTES: u64 = 40 << 20;

impl Resolver<'_> {
    pub(crate) fn network(&mut self, raw: &RawNetwork) -> Result<Network, ConfigError> {
        let default = Network::default();
        let mode = raw.mode.unwrap_or_default();
        self.check_effect(raw, mode)?;
        let ca_file = raw.ca_file.as_ref().map(|written| self.file_path(written)).transpose()?;
        Ok(Network {
            mode,
            allow: self.items(raw.allow.as_ref(), str::parse::<NetworkRule>)?,
            deny: self.items(raw.deny.as_ref(), str::parse::<NetworkRule>)?,
            methods: match &raw.methods {
                Some(list) => self.items(Some(list), parse_method)?,
                None => default.methods,
            },
            allow_private: self.addresses(raw.allow_private.as_ref())?,
            deny_addresses: self.addresses(raw.deny_addresses.as_ref())?,
            rate_per_minute: raw.rate_per_minute.unwrap_or(default.rate_per_minute),
            max_bytes: self.max_bytes(raw.max_bytes)?.unwrap_or(default.max_bytes),
            timeout: raw.timeout.unwrap_or(default.timeout),
            alert_sent: raw.alert_sent.unwrap_or(default.alert_sent),
            alert_received: raw.alert_received.unwrap_or(default.alert_received),
            // An absolute path replaces the base.
            ca_file: ca_file.map(|path| self.expander.workspace.join(path)),
        })
    }

    fn check_effect(&mut self, raw: &RawNetwork, mode: NetworkMode) -> Result<(), ConfigError> {
        let without_effect = match (&raw.allow, &raw.deny, mode) {
            (Some(list), _, NetworkMode::None) => Some(("allow", list, "allowlist")),
            (Some(list), _, NetworkMode::Denylist) => Some(("allow", list, "allowlist")),
            (None, Some(list), NetworkMode::None) => Some(("deny", list, "denylist")),
            (None, Some(_) | None, _) | (Some(_), _, NetworkMode::Allowlist) => None,
        };
        if let Some((key, list, wanted)) = without_effect {
            let message = format!("`{key}` has no effect in the network mode `{}`", mode.as_str());
            return Err(self
                .error(ConfigErrorKind::BadValue, list.offset, message)
                .with_hint(format!("set `mode` to `{wanted}`, or leave `{key}` out")));
        }
        if mode == NetworkMode::Allowlist
            && raw.allow.as_ref().is_none_or(|list| list.items.is_empty())
        {
            let text =
                "the network mode is `allowlist`, and `allow` is empty: programs can reach nothing";
            self.warnings.push(text.into());
        }
        Ok(())
    }

    /// The lists of hosts of a profile, if it has any of its own.
    pub(super) fn host_lists(
        &self,
        raw: &RawProfile,
        access: NetworkAccess,
    ) -> Result<Option<HostLists>, ConfigError> {
        let (allow, deny) = (raw.network_allow.as_ref(), raw.network_deny.as_ref());
        let Some(first) = allow.or(deny) else { return Ok(None) };
        if access == NetworkAccess::None {
            let message = format!("profile `{}` has no network to narrow", raw.name);
            return Err(self
                .error(ConfigErrorKind::BadValue, first.offset, message)
                .with_hint("leave `network_allow` and `network_deny` out"));
        }
        Ok(Some(HostLists {
            profile: raw.name.clone(),
            allow: match allow {
                Some(list) => Some(self.items(Some(list), str::parse::<NetworkRule>)?),
                None => None,
            },
            deny: self.items(deny, str::parse::<NetworkRule>)?,
        }))
    }

    fn items<T>(
        &self,
        list: Option<&RawTextList>,
        parse: impl Fn(&str) -> Result<T, RuleProblem>,
    ) -> Result<Vec<T>, ConfigError> {
        let item = |written: &RawText| {
            parse(written.text.expose()).map_err(|problem| {
                let message = format!("{} {problem}", written.label);
                self.error(ConfigErrorKind::BadValue, written.offset, message)
                    .with_hint(problem.hint())
            })
        };
        list.into_iter().flat_map(|list| &list.items).map(item).collect()
    }

    fn addresses<T: std::str::FromStr + From<IpAddr>>(
        &self,
        list: Option<&RawTextList>,
    ) -> Result<Vec<T>, ConfigError> {
        let item = |written: &RawText| {
            let text = written.text.expose();
            let address = text.parse::<IpAddr>().ok().map(T::from);
            address.or_else(|| text.parse().ok()).ok_or_else(|| {
                let message = format!("{} is neither an address nor a network", written.label);
                self.error(ConfigErrorKind::BadValue, written.offset, message).with_hint(
                    "write an address such as `10.1.2.3`, or a network such as `10.1.2.0/24`",
                )
            })
        };
        list.into_iter().flat_map(|list| &list.items).map(item).collect()
    }

    fn max_bytes(&self, written: Option<(u64, usize)>) -> Result<Option<u64>, ConfigError> {
        match written {
            Some((bytes, offset)) if bytes > MAX_BYTES => {
                let most = show_size(MAX_BYTES);
                let message = format!("the network's `max_bytes` must be up to {most}");
                Err(self.error(ConfigErrorKind::BadValue, offset, message))
            }
            other => Ok(other.map(|(bytes, _)| bytes)),
        }
    }
}
