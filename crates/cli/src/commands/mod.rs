//! The commands, one file each.

pub(crate) mod accept;
pub(crate) mod approvals;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod pii;
pub(crate) mod policy;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod skills;
pub(crate) mod tokens;
pub(crate) mod tools;
