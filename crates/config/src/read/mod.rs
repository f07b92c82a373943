//! Reads a file as typed into `RawConfig`.
//!
//! `source.rs` has the text and its places, `parse_toml.rs` and `parse_json.rs` turn it
//! into the tree of `node.rs`, and `reader.rs` turns the tree into the types of `raw.rs`,
//! one file per section; `value.rs` reads a single value. `policy.rs` reads a policy file
//! in the same way.
//!
//! The types of all values are checked here, and unknown keys are errors; `resolve` checks
//! whether values make sense together.

mod execution;
mod network;
pub(crate) mod node;
pub(crate) mod ownership;
pub(crate) mod parse_json;
pub(crate) mod parse_toml;
mod permissions;
pub(crate) mod policy;
mod privacy;
pub(crate) mod raw;
pub(crate) mod reader;
mod sandbox;
mod server;
mod small_sections;
pub(crate) mod source;
mod value;
