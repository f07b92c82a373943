//! The arguments of the commands about tools: `search`, `tools`, `tokens` and `generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate search \"commit changes to a repository\"
  tidegate search --detail full git_log
  tidegate search --catalog tools/ --json \"send an email\"
  tidegate search --read-only --server github \"who reviews this\"
  tidegate search --catalog tools.jsonl --queries queries.jsonl")]
pub(crate) struct SearchArgs {
    /// Task in your own words, or a name
    #[arg(required_unless_present = "queries")]
    pub(crate) query: Option<String>,
    /// How much to show of each tool
    #[arg(long, value_enum, default_value_t = DetailArg::Description)]
    pub(crate) detail: DetailArg,
    /// Maximum number of tools
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Only tools of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only tools of servers in this folder of the catalog
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// Only tools that declare that they change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Maximum length of the answer, in tokens [default: 800]
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Search these definitions instead of the configured servers: a folder of *.json files, one
    /// such file, or a .jsonl file
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// Answer many queries, one JSON line each: a file with lines of {"qid", "query"}
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    pub(crate) queries: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// How much to show of a tool.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DetailArg {
    /// Its name only
    Name,
    /// Its name and one line
    Description,
    /// Its typed definition
    Full,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate tools list\n  tidegate tools list --server git\n  tidegate tools show git__git_log\n  tidegate tools list --catalog templates/mcp-tools"
)]
pub(crate) struct ToolsArgs {
    /// Use these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: ToolsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List all known tools
    List {
        /// Only tools of this server
        #[arg(long)]
        server: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show how tools differ from their accepted definitions, and accept the current ones with
    /// the approver's passphrase
    Accept {
        /// Server, or one of its tools such as git__git_log
        name: String,
        /// Has no effect: the passphrase is always asked for
        #[arg(long, hide = true)]
        yes: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show the definition of one tool
    Show {
        /// Tool, such as git__git_log
        name: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate tokens\n  tidegate tokens --catalog tools/ --json")]
pub(crate) struct TokensArgs {
    /// Count these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate generate --out api                       of the configured servers
  tidegate generate --out api --lang py             Python only
  tidegate generate --out api --catalog tools/      of tool lists in files

A second run rewrites only what has changed; tidegate-manifest.json holds the hash of each file.")]
pub(crate) struct GenerateArgs {
    /// Folder for `servers/…`; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Languages to generate
    #[arg(long, value_enum, default_value_t = GenerateLang::All)]
    pub(crate) lang: GenerateLang,
    /// Use these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Languages of the typed APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateLang {
    /// TypeScript
    Ts,
    /// Python
    Py,
    /// Both
    All,
}
