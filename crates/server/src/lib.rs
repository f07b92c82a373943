//! The MCP surface: what a client sees of the gateway.
//!
//! Owns the tools of the contract, their texts and their budget, and the stdio
//! transport in both protocol eras. Knows nothing of sandboxes or upstream
//! servers: a request becomes a call of `gateway`, and what it shows becomes MCP.
//! Nothing else is sent: see [`ToolResult`].

mod approver;
mod execute_code;
mod handler;
mod held;
mod stdio;
mod surface;
mod tool_result;

pub use stdio::{ServeError, serve_stdio};
pub use surface::{Surface, definitions, instructions};
pub use tool_result::ToolResult;
