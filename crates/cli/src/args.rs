//! The command line: the commands here, their arguments in one file for each group.
//!
//! In: the command line as typed. Out: values that need no further check of their form.

pub(crate) mod pii;
mod policy;
mod program;
mod servers;
mod skills;
mod tools;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use tidegate_bench::Suite;
use tidegate_demo::ServerName;

pub(crate) use policy::{
    ApprovalsArgs, ApprovalsCommand, LevelArg, PolicyArgs, PolicyCommand, PolicyTestArgs,
};
pub(crate) use program::{CheckArgs, EngineArg, LangArg, RunArgs};
pub(crate) use servers::{DoctorArgs, ServeArgs, ServersArgs, ServersCommand, SurfaceArg};
pub(crate) use skills::{SkillsArgs, SkillsCommand};
pub(crate) use tools::{
    DetailArg, GenerateArgs, GenerateLang, SearchArgs, TokensArgs, ToolsArgs, ToolsCommand,
};

/// All your MCP servers as one typed code API
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  tidegate demo                           see what it saves; needs no configuration
  tidegate serve                          the MCP server, for your client's configuration
  tidegate servers test                   start every configured server once
  tidegate run program.ts                 run one program as `execute_code` would
  echo 'return 1 + 1' | tidegate run -    the same from standard input
  tidegate search \"read a file\"           find tools over all servers
  tidegate doctor                         check this machine, with fixes for what is missing

Exit codes: 0 success, 1 failure, 2 usage or configuration error, 3 denied by policy, 4 limit exceeded,
5 upstream server failed"
)]
pub(crate) struct Cli {
    /// Configuration file [default: tidegate.toml or .mcp.json in this folder or above, then the
    /// user's]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Log more to standard error (-v, -vv, -vvv)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare the classic way with programs on three tasks; needs no configuration
    Demo(DemoArgs),
    /// Serve MCP on standard input and output
    Serve(ServeArgs),
    /// Run one program exactly as `execute_code` would
    Run(RunArgs),
    /// Show what a program would do, without running it: findings, risk, impact, type errors
    Check(CheckArgs),
    /// Search the tools of all servers
    Search(SearchArgs),
    /// List tools, or show one
    Tools(ToolsArgs),
    /// List the configured servers, or start them to test them
    Servers(ServersArgs),
    /// Count what tool definitions cost the classic way, and what tidegate's surface costs
    Tokens(TokensArgs),
    /// Write the typed APIs of all servers as TypeScript and Python files
    Generate(GenerateArgs),
    /// List the saved skills, show one, or remove one
    Skills(SkillsArgs),
    /// List pending approvals, and approve or deny them
    Approvals(ApprovalsArgs),
    /// Show the rules for calls, or explain one decision
    Policy(PolicyArgs),
    /// Find personal data in a text, or replace it with tokens
    Pii(pii::PiiArgs),
    /// Check everything that tidegate needs, and say how to fix what is missing
    Doctor(DoctorArgs),
    /// Run the benchmarks on this machine
    Bench(BenchArgs),
    /// An MCP server that is slow on purpose
    #[command(hide = true)]
    SlowServer,
    /// One of the demo's own MCP servers
    #[command(hide = true)]
    DemoServer {
        /// Server to run
        name: ServerName,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate demo\n  tidegate demo --lang py\n  tidegate demo --json | jq .saved_percent"
)]
pub(crate) struct DemoArgs {
    /// Language of the programs
    #[arg(long, value_enum, default_value_t = LangArg::Ts)]
    pub(crate) lang: LangArg,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate bench\n  tidegate bench echo --json")]
pub(crate) struct BenchArgs {
    /// Suite to run [default: all]
    #[arg(value_enum)]
    pub(crate) suite: Option<Suite>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
