//! The MCP surface over stdio.
