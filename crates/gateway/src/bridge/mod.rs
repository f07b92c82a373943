//! The bridge: every call, fetch and command that leaves a run is decided and recorded here.

pub(crate) mod call;
pub(crate) mod commands;
pub(crate) mod direct;
pub(crate) mod fetch;
pub(crate) mod rules_file;
pub(crate) mod skills;
