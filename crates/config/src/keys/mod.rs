//! Declares every key that a configuration can hold, once.
//!
//! One table per section, in a file named after it. The reader takes known keys,
//! spellings and types from these tables, and `reference.rs` renders
//! `docs/configuration.md` from them, so the three cannot disagree. Each table has
//! an enum of ids: a new key does not compile until the reader handles it.
//!
//! Depends on `settings` for the defaults that the page shows, and on nothing that reads.

pub(crate) mod approvals;
pub(crate) mod checks;
pub(crate) mod execution;
pub(crate) mod input;
pub(crate) mod key;
pub(crate) mod limits;
pub(crate) mod network;
pub(crate) mod permissions;
pub(crate) mod policy;
pub(crate) mod privacy;
pub(crate) mod python;
pub(crate) mod reference;
pub(crate) mod sandbox;
pub(crate) mod search;
pub(crate) mod server;
pub(crate) mod top;
