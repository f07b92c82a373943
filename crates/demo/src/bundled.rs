//! The MCP servers built into the executable: their names, their configuration, and how to
//! serve one of them.

use std::fmt;
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use serde_json::Value;
use tidegate_model::{Secret, ServerSpec, Transport};

use crate::{crm, drive, leads, server, tracker};

/// One of the demo servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum)]
pub enum ServerName {
    /// About thirty text files, one of them a long meeting transcript.
    Drive,
    /// 1,000 sales leads.
    Crm,
    /// 10,000 issues.
    Tracker,
}

impl ServerName {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 3] = [Self::Drive, Self::Crm, Self::Tracker];

    /// The name in the configuration, in imports and on the command line.
    pub fn as_str(self) -> &'static str {
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
pub fn leads_json() -> Vec<Value> {
    leads::leads().iter().map(server::to_json).collect()
}

/// The demo servers as configured servers.
pub fn server_specs() -> anyhow::Result<Vec<ServerSpec>> {
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
pub async fn serve(name: ServerName) -> anyhow::Result<()> {
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
    fn the_command_line_and_the_configuration_use_the_same_server_names() {
        for name in ServerName::ALL {
            assert_eq!(ServerName::from_str(name.as_str(), false), Ok(name));
        }
        assert_eq!(ServerName::value_variants(), ServerName::ALL);
    }
}
