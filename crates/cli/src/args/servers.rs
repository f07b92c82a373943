//! The arguments of `serve`, `servers` and `doctor`.

use clap::{Args, Subcommand, ValueEnum};
use tidegate_model::SessionName;

#[derive(Debug, Args)]
#[command(after_help = "\
Example, in the configuration of an MCP client:
  {\"mcpServers\": {\"tidegate\": {\"command\": \"tidegate\", \"args\": [\"serve\"]}}}")]
pub(crate) struct ServeArgs {
    /// Tools that the client sees
    #[arg(long, value_enum, default_value_t = SurfaceArg::Standard)]
    pub(crate) surface: SurfaceArg,
    /// Session whose tokens of personal data are used [default: one for this process]
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
}

/// Which tools the client sees.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SurfaceArg {
    /// All of tidegate's tools
    Standard,
    /// `execute_code` and `search_tools` only
    Lean,
    /// Every upstream tool as itself, the classic way
    Direct,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate servers list\n  tidegate servers test\n  tidegate servers test git time"
)]
pub(crate) struct ServersArgs {
    #[command(subcommand)]
    pub(crate) command: ServersCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServersCommand {
    /// List the configured servers without starting them
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Start servers and list their tools
    Test {
        /// Servers to test [default: all]
        names: Vec<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate doctor\n  tidegate doctor --fix\n  tidegate doctor --servers --json"
)]
pub(crate) struct DoctorArgs {
    /// Install TypeScript 7, for type checks, with npm if it is missing
    #[arg(long)]
    pub(crate) fix: bool,
    /// Start every configured server as well
    #[arg(long)]
    pub(crate) servers: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
