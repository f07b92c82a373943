//! The MCP surface: what a client sees of the gateway.
//!
//! Owns the tools of the contract, their texts and their token budget, and the stdio transport
//! in both protocol eras. In: requests of MCP. Out: results built only from what `gateway`
//! shows: see [`ToolResult`]. Knows nothing of sandboxes or upstream servers.

mod approver;
mod execute_code;
mod handler;
mod pending;
mod stdio;
mod surface;
mod tool_result;

pub use stdio::{ServeError, serve_stdio};
pub use surface::{Surface, definitions, instructions};
pub use tool_result::ToolResult;
