//! The demo: three MCP servers that the executable carries, and three tasks done both
//! ways, the classic one and as programs.
//!
//! In: a server's name, or a task and two gateways. Out: a real MCP server on stdin and
//! stdout, or what the task cost each way. All data is made from a fixed seed: no clock,
//! no disk, no network, so every run on every machine measures the same.
//! Invariant: changes a client makes live in that server's process only and end with it.
//!
//! Each server has three parts: `tools/<name>.json` (what it shows to clients, in
//! MCP's own form), `<name>.rs` (what a call does) and the data it holds
//! (`files.rs` and `transcript.rs`, `leads.rs`, `issues.rs`, with their words).

mod bundled;
mod calendar;
mod compare;
mod crm;
mod drive;
mod files;
mod issue_words;
mod issues;
mod lead_words;
mod leads;
mod page;
mod random;
mod server;
mod tasks;
mod tracker;
mod transcript;
mod transcript_lines;

pub use bundled::{ServerName, leads_json, serve, server_specs};
pub use compare::{Comparison, TaskCost};
pub use tasks::{TASKS, Task};
