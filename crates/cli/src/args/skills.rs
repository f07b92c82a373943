//! The arguments of `tidegate skills`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate skills list\n  tidegate skills show mcp-progressive-discovery\n  tidegate skills remove count-words"
)]
pub(crate) struct SkillsArgs {
    #[command(subcommand)]
    pub(crate) command: SkillsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List all skills, including damaged ones
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show the text and the code of one skill
    Show {
        /// Skill, such as count-words
        name: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Remove a saved skill
    Remove {
        /// Skill, such as count-words
        name: String,
    },
}
