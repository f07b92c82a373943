//! The MCP servers that the binary carries, and the tasks that show them off.
//!
//! In: a server's name from the command line. Out: a real MCP server on stdin
//! and stdout, with data made from a fixed seed: no clock, no disk, no network, so
//! every run on every machine measures the same.
//! Invariant: changes a client makes live in that process only and end with it.
//!
//! Each server has three parts: `tools/<name>.json` (what it shows to clients, in
//! MCP's own form), `<name>.rs` (what a call does) and the data it holds
//! (`files.rs` and `transcript.rs`, `leads.rs`, `issues.rs`, with their words).

mod calendar;
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

use std::fmt;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use serde_json::Value;
use tidegate_model::{Secret, ServerSpec, Transport};

pub(crate) use page::{CURSOR_ARGUMENT, NEXT_CURSOR};
pub(crate) use tasks::{ClassicStep, TASKS, Task};

/// One of the servers that the binary carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum)]
pub(crate) enum ServerName {
    /// About thirty text files, one of them a long meeting transcript.
    Drive,
    /// 1,000 sales leads.
    Crm,
    /// 10,000 issues.
    Tracker,
}

impl ServerName {
    /// All of them, in the order they are shown.
    pub(crate) const ALL: [Self; 3] = [Self::Drive, Self::Crm, Self::Tracker];

    /// The name in the configuration, in imports and on the command line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::Crm => "crm",
            Self::Tracker => "tracker",
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The leads of the CRM, as it lists them.
pub(crate) fn leads_json() -> Vec<Value> {
    leads::leads().iter().map(server::to_json).collect()
}

/// All of them as configured servers.
pub(crate) fn server_specs() -> anyhow::Result<Vec<ServerSpec>> {
    let executable = std::env::current_exe().context("cannot find the executable of tidegate")?;
    let command = executable.to_str().context("the path of tidegate is not Unicode")?.to_owned();
    let server = |name: ServerName| ServerSpec {
        name: name.to_string(),
        transport: Transport::Stdio {
            command: command.clone(),
            args: vec![Secret::new("demo-server".into()), Secret::new(name.to_string())],
            env: [].into(),
            cwd: None,
        },
        timeout: Duration::from_secs(60),
        connect_timeout: Duration::from_secs(30),
        max_concurrent: 16,
    };
    Ok(ServerName::ALL.into_iter().map(server).collect())
}

/// Serves one demo server on stdin and stdout until the client closes them.
pub(crate) async fn serve(name: ServerName) -> anyhow::Result<()> {
    match name {
        ServerName::Drive => server::run(drive::Drive::new()).await,
        ServerName::Crm => server::run(crm::Crm::new()).await,
        ServerName::Tracker => server::run(tracker::Tracker::new()).await,
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::ServerName;

    #[test]
    fn the_command_line_and_the_configuration_spell_a_server_alike() {
        for name in ServerName::ALL {
            assert_eq!(ServerName::from_str(name.as_str(), false), Ok(name));
        }
        assert_eq!(ServerName::value_variants(), ServerName::ALL);
    }
}
