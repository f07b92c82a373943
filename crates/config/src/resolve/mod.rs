//! Resolves the file as typed into what the program uses: `RawConfig` into `Settings`.
//!
//! `resolver.rs` goes through a file; each section that needs more than a
//! default has a file of its own. Variables are expanded only in `expand.rs`; names, URLs
//! and headers are checked in `check_name.rs` and `check_http.rs`.
//!
//! Settings that would have no effect are errors, since their author relies on them.

mod check_http;
mod check_name;
mod command;
mod expand;
mod network;
mod profile;
pub(crate) mod resolver;
mod server;
