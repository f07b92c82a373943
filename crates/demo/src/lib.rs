//! The demo: three MCP servers built into the executable, and three tasks that are done
//! the classic way and as programs.
//!
//! In: a server's name, or a task and two gateways. Out: a real MCP server on stdin and
//! stdout, or the cost of the task each way. All data comes from a fixed seed: no clock,
//! no disk, no network, so every run on every machine measures the same.
//! Invariant: changes made by a client live in the process of that server only, and end with it.
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
