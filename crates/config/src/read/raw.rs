//! The configuration as typed: types are checked, meaning is not checked yet.
//!
//! In: the tree. Out: to `resolve`, which expands variables and checks settings
//! against each other. Texts are secret until they are known not to be.

use std::collections::BTreeMap;
use std::time::Duration;

use tidegate_model::{
    EffectCeiling, LimitName, NetworkAccess, NetworkMode, OnChange, Scope, Secret,
};

use crate::settings::checks::TypeCheck;
use crate::settings::privacy::Privacy;
use crate::settings::risk::RiskTable;
use crate::settings::sandbox::Sandbox;
use crate::settings::{Approvals, Input, Search};

/// A configuration file as typed.
#[derive(Debug, Default)]
pub(crate) struct RawConfig {
    pub(crate) servers: Vec<RawServer>,
    pub(crate) limits: RawLimits,
    pub(crate) checks: RawChecks,
    pub(crate) sandbox: Sandbox,
    pub(crate) engines: RawEngines,
    pub(crate) python: RawPython,
    pub(crate) search: Search,
    pub(crate) approvals: Approvals,
    pub(crate) risk: RiskTable,
    pub(crate) privacy: Privacy,
    pub(crate) catalogs: Vec<RawText>,
    pub(crate) network: RawNetwork,
    pub(crate) permissions: RawPermissions,
    pub(crate) policy_file: Option<RawText>,
    pub(crate) input: Input,
    pub(crate) warnings: Vec<String>,
}

/// Paths of the engines, as typed.
#[derive(Debug, Default)]
pub(crate) struct RawEngines {
    /// The offset of the list of allowed engines.
    pub(crate) offset: usize,
    pub(crate) deno: Option<RawText>,
    pub(crate) node: Option<RawText>,
}

/// Paths of Python and its packages, as typed.
#[derive(Debug, Default)]
pub(crate) struct RawPython {
    pub(crate) path: Option<RawText>,
    pub(crate) packages: Option<RawText>,
}

/// One server as typed.
#[derive(Debug)]
pub(crate) struct RawServer {
    pub(crate) name: String,
    /// Where its name is written.
    pub(crate) offset: usize,
    pub(crate) command: Option<RawText>,
    pub(crate) args: Vec<RawText>,
    pub(crate) env: Vec<(String, RawText)>,
    pub(crate) cwd: Option<RawText>,
    pub(crate) url: Option<RawText>,
    pub(crate) headers: Vec<(String, RawText)>,
    pub(crate) transport_type: Option<RawText>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) max_concurrent: Option<u32>,
    pub(crate) presence: Presence,
}

/// Whether a server is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Used,
    LeftOut,
}

/// Limits as typed; an absent one has its default.
#[derive(Debug, Default)]
pub(crate) struct RawLimits {
    pub(crate) time: Option<Duration>,
    pub(crate) cpu: Option<Duration>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) disk_bytes: Option<u64>,
    pub(crate) output_bytes: Option<u64>,
    pub(crate) tool_calls: Option<u32>,
    pub(crate) parallel_calls: Option<u32>,
    pub(crate) processes: Option<u32>,
}

/// Checks as typed; an absent one has its default.
#[derive(Debug, Default)]
pub(crate) struct RawChecks {
    pub(crate) types: Option<TypeCheck>,
    pub(crate) tsc: Option<RawText>,
    pub(crate) python: Option<RawText>,
    pub(crate) patterns: Vec<RawText>,
}

/// The network as typed; an absent key has its default.
#[derive(Debug, Default)]
pub(crate) struct RawNetwork {
    pub(crate) mode: Option<NetworkMode>,
    pub(crate) allow: Option<RawTextList>,
    pub(crate) deny: Option<RawTextList>,
    pub(crate) methods: Option<RawTextList>,
    pub(crate) allow_private: Option<RawTextList>,
    pub(crate) deny_addresses: Option<RawTextList>,
    pub(crate) rate_per_minute: Option<u32>,
    /// With its offset.
    pub(crate) max_bytes: Option<(u64, usize)>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) alert_sent: Option<u64>,
    pub(crate) alert_received: Option<u64>,
    pub(crate) ca_file: Option<RawText>,
}

/// A list as typed, which may be empty.
#[derive(Debug)]
pub(crate) struct RawTextList {
    pub(crate) items: Vec<RawText>,
    /// Where its key is written.
    pub(crate) offset: usize,
}

/// Profiles, commands and `[tools]`, as typed.
#[derive(Debug, Default)]
pub(crate) struct RawPermissions {
    pub(crate) profile: Option<RawText>,
    pub(crate) profiles: Vec<RawProfile>,
    pub(crate) read_only: Vec<RawText>,
    pub(crate) additive: Vec<RawText>,
    pub(crate) destructive: Vec<RawText>,
    pub(crate) on_change: OnChange,
    pub(crate) commands: Vec<RawCommand>,
}

/// A profile as typed; an absent key is inherited from the one that it extends.
#[derive(Debug, Default)]
pub(crate) struct RawProfile {
    pub(crate) name: String,
    /// Where its name is written.
    pub(crate) offset: usize,
    pub(crate) extends: Option<RawText>,
    pub(crate) tools: Option<Placed<EffectCeiling>>,
    pub(crate) allow: Option<Placed<Vec<RawText>>>,
    pub(crate) deny: Vec<RawText>,
    pub(crate) read: Option<Placed<Vec<Scope>>>,
    pub(crate) write: Option<Placed<Vec<Scope>>>,
    pub(crate) network: Option<Placed<NetworkAccess>>,
    pub(crate) network_allow: Option<RawTextList>,
    pub(crate) network_deny: Option<RawTextList>,
    pub(crate) approval_required: Option<Placed<bool>>,
    pub(crate) commands: Option<Placed<Vec<RawText>>>,
    pub(crate) limits: BTreeMap<LimitName, Placed<u64>>,
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) offset: usize,
    /// The name for errors, such as "`tools` in profile `mine`".
    pub(crate) label: String,
}

/// A command as typed.
#[derive(Debug, Default)]
pub(crate) struct RawCommand {
    pub(crate) name: String,
    /// Where its name is written.
    pub(crate) offset: usize,
    pub(crate) path: Option<RawText>,
    pub(crate) args: Vec<RawText>,
    pub(crate) rest: Option<RawText>,
    pub(crate) read: Vec<RawText>,
    pub(crate) write: Vec<RawText>,
    pub(crate) env: Vec<(String, RawText)>,
    pub(crate) time: Option<Duration>,
    pub(crate) output_bytes: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
}

/// A text as typed, with what is needed to report an error about it.
#[derive(Debug)]
pub(crate) struct RawText {
    pub(crate) text: Secret<String>,
    /// Where it is written.
    pub(crate) offset: usize,
    /// The name for errors, such as "`url` in server `git`".
    pub(crate) label: String,
}
