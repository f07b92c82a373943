//! MCP clients for the configured servers.
//!
//! The one owner of connections to upstream servers: children over stdio and remote ones over
//! Streamable HTTP, in both protocol eras. Servers are started on first use, restarted with
//! back-off when they die, and ended with the gateway, even if the gateway is killed (see
//! [`guard`]).
//!
//! In: a resolved call. Out: its [`Answer`](tidegate_model::Answer) or an [`UpstreamError`].
//! Nothing here decides whether a call may happen.

mod child;
mod connection;
mod credentials;
mod error;
pub mod guard;
mod http;
mod http_post;
mod large_answers;
mod open;
mod server;
mod stdio;
mod upstreams;

pub use error::UpstreamError;
pub use server::{ServerStatus, VersionedTools};
pub use upstreams::Upstreams;
