//! From what was typed to what the program uses: `RawConfig` to `Settings`.
//!
//! `resolver.rs` is the way through a file, with one file per section that needs more
//! than a default. Variables are expanded in `expand.rs` and nowhere else; names, URLs
//! and headers are checked in `check_name.rs` and `check_http.rs`.
//!
//! Settings that would have no effect are errors: whoever wrote them relies on them.

mod check_http;
mod check_name;
mod command;
mod expand;
mod network;
mod profile;
pub(crate) mod resolver;
mod server;
