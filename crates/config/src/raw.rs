//! What was typed: types are right, meaning is not checked yet.
//!
//! In: the tree. Out: to `resolve`, which expands variables and checks what
//! belongs together. Texts are secret until it is known that they are not.

use std::time::Duration;

use tidegate_model::{NetworkMode, Secret};

use crate::settings::{Sandbox, TypeCheck};

/// A configuration file as typed.
#[derive(Debug, Default)]
pub(crate) struct RawConfig {
    pub(crate) servers: Vec<RawServer>,
    pub(crate) limits: RawLimits,
    pub(crate) checks: RawChecks,
    pub(crate) sandbox: Sandbox,
    pub(crate) engines: RawEngines,
    pub(crate) network: RawNetwork,
    pub(crate) warnings: Vec<String>,
}

/// Where the engines are, as typed.
#[derive(Debug, Default)]
pub(crate) struct RawEngines {
    pub(crate) deno: Option<Written>,
    pub(crate) node: Option<Written>,
}

/// One server as typed.
#[derive(Debug)]
pub(crate) struct RawServer {
    pub(crate) name: String,
    /// Where its name is written.
    pub(crate) offset: usize,
    pub(crate) command: Option<Written>,
    pub(crate) args: Vec<Written>,
    pub(crate) env: Vec<(String, Written)>,
    pub(crate) cwd: Option<Written>,
    pub(crate) url: Option<Written>,
    pub(crate) headers: Vec<(String, Written)>,
    pub(crate) transport_type: Option<Written>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) max_concurrent: Option<u32>,
    pub(crate) presence: Presence,
}

/// Whether a server is to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Used,
    LeftOut,
}

/// Limits as typed; what is absent has its default.
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

/// Checks as typed; what is absent has its default.
#[derive(Debug, Default)]
pub(crate) struct RawChecks {
    pub(crate) types: Option<TypeCheck>,
    pub(crate) tsc: Option<Written>,
}

/// The network as typed; what is absent has its default.
#[derive(Debug, Default)]
pub(crate) struct RawNetwork {
    pub(crate) mode: Option<NetworkMode>,
    pub(crate) allow: Option<WrittenList>,
    pub(crate) deny: Option<WrittenList>,
    pub(crate) methods: Option<WrittenList>,
    pub(crate) allow_private: Option<WrittenList>,
    pub(crate) deny_addresses: Option<WrittenList>,
    pub(crate) rate_per_minute: Option<u32>,
    /// And where it is written.
    pub(crate) max_bytes: Option<(u64, usize)>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) alert_sent: Option<u64>,
    pub(crate) alert_received: Option<u64>,
    pub(crate) ca_file: Option<Written>,
}

/// A list as typed, be it empty.
#[derive(Debug)]
pub(crate) struct WrittenList {
    pub(crate) items: Vec<Written>,
    /// Where its key is written.
    pub(crate) offset: usize,
}

/// A text as typed, with what an error about it needs.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: Secret<String>,
    /// Where it is written.
    pub(crate) offset: usize,
    /// What it is, such as "`url` in server `git`".
    pub(crate) label: String,
}
