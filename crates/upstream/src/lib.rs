//! MCP clients for the configured servers.
