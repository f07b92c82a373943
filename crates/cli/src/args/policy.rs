//! The arguments of the commands about decisions: `policy` and `approvals`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tidegate_model::RiskLevel;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate approvals list
  tidegate approvals show 1a2b3c4
  tidegate approvals approve 1a2b3c4
  tidegate approvals approve --session 1a2b3c4
  tidegate approvals deny 1a2b3c4
  tidegate approvals setup                 set the passphrase that approving asks for
  tidegate approvals setup --no-client-forms   and let nothing else approve
  sudo tidegate approvals setup --system   the same, in a file that only root can replace")]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List pending approvals
    List {
        /// Include answered and expired ones
        #[arg(long)]
        all: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show all of what would happen, and why it needs approval
    Show {
        /// Id, as shown by `list`
        id: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Set the passphrase of the person who approves, or change it
    Setup {
        /// Keep its key in /etc/tidegate, for all users: only root can replace it there
        #[arg(long)]
        system: bool,
        /// Replies to forms of clients approve nothing: an agent can be its own client
        #[arg(long)]
        no_client_forms: bool,
        /// They approve, without the passphrase: undoes `--no-client-forms`
        #[arg(long, conflicts_with = "no_client_forms")]
        client_forms: bool,
    },
    /// Approve exactly this, once, with the passphrase
    Approve {
        /// Id, as shown by `list`
        id: String,
        /// Approve exactly this for the rest of the client's session
        #[arg(long)]
        session: bool,
        /// With --session: approve every call of the same tools, whatever its arguments
        #[arg(long, requires = "session")]
        all_calls: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Deny it
    Deny {
        /// Id, as shown by `list`
        id: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate policy show
  tidegate policy test files__delete_file --arguments '{\"path\": \"/tmp/a\"}'
  tidegate policy test github__merge_pull_request --profile read_only --risk high")]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show the rules in force, and the defaults where none matches
    Show {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Explain the decision on one call, step by step, without making the call
    Test(PolicyTestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyTestArgs {
    /// Tool, such as git__git_log
    pub(crate) call: String,
    /// Arguments of the call, a JSON object; without them, the strictest possible decision is
    /// shown
    #[arg(long, value_name = "JSON")]
    pub(crate) arguments: Option<String>,
    /// Profile to apply on top of the configured one
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Risk of the program
    #[arg(long, value_enum)]
    pub(crate) risk: Option<LevelArg>,
    /// Use these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Levels of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// A score of 0 to 24
    Low,
    /// 25 to 49
    Medium,
    /// 50 to 74
    High,
    /// 75 and above
    Critical,
}

impl LevelArg {
    pub(crate) fn level(self) -> RiskLevel {
        match self {
            Self::Low => RiskLevel::Low,
            Self::Medium => RiskLevel::Medium,
            Self::High => RiskLevel::High,
            Self::Critical => RiskLevel::Critical,
        }
    }
}
