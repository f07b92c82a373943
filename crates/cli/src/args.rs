//! The command line.

pub(crate) mod pii;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tidegate_bench::Suite;
use tidegate_demo::ServerName;
use tidegate_gateway::SessionId;
use tidegate_model::{Engine, Language, Level, SandboxKind};

/// All your MCP servers as one typed code API.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  tidegate demo                           see what it saves, nothing to configure
  tidegate serve                          the MCP server, for your client's configuration
  tidegate servers test                   start every configured server once
  tidegate run program.ts                 run one program as `execute_code` would
  echo 'return 1 + 1' | tidegate run -    the same from standard input
  tidegate search \"read a file\"           find tools over all servers
  tidegate doctor                         what works on this machine, and what to do

Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 refused by policy, 4 a limit was hit,
5 an upstream server failed"
)]
pub(crate) struct Cli {
    /// Configuration file (default: tidegate.toml or .mcp.json here or above, then the user's)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Log more to standard error (-v, -vv, -vvv)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the classic way and the code way side by side, with nothing to configure
    Demo(DemoArgs),
    /// Serve MCP on standard input and output
    Serve(ServeArgs),
    /// Run one program exactly as `execute_code` would
    Run(RunArgs),
    /// What would come of a program, without running it: findings, risk, impact, type errors
    Check(CheckArgs),
    /// Search the tools of all servers
    Search(SearchArgs),
    /// List tools, or show one
    Tools(ToolsArgs),
    /// List the configured servers, or start them to test them
    Servers(ServersArgs),
    /// What the tool definitions cost the classic way, and what tidegate's surface costs
    Tokens(TokensArgs),
    /// Write the typed APIs of all servers as TypeScript and Python files
    Generate(GenerateArgs),
    /// List the saved skills, show one, or remove one
    Skills(SkillsArgs),
    /// What waits for your approval, and your answer
    Approvals(ApprovalsArgs),
    /// Show the rules for calls, or explain one decision
    Policy(PolicyArgs),
    /// Find personal data in a text, or replace it by tokens
    Pii(pii::PiiArgs),
    /// Try everything that tidegate needs, and say what to do about what is missing
    Doctor(DoctorArgs),
    /// Measure this machine
    Bench(BenchArgs),
    /// An MCP server that is slow on purpose
    #[command(hide = true)]
    SlowServer,
    /// One of the demo's own MCP servers
    #[command(hide = true)]
    DemoServer {
        /// Which one
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
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example, in the configuration of an MCP client:
  {\"mcpServers\": {\"tidegate\": {\"command\": \"tidegate\", \"args\": [\"serve\"]}}}")]
pub(crate) struct ServeArgs {
    /// Which tools the client sees
    #[arg(long, value_enum, default_value_t = SurfaceArg::Standard)]
    pub(crate) surface: SurfaceArg,
    /// Whose tokens of personal data are known; without it they are of this process
    #[arg(long, value_name = "NAME", value_parser = parse_session)]
    pub(crate) session: Option<SessionId>,
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
#[command(after_help = "\
Examples:
  tidegate run program.ts
  tidegate run --json --timeout 5s program.ts
  tidegate run --engine deno program.ts
  tidegate run --resume mp1abc2de3fg4
  echo \"return await servers.time.getCurrentTime({timezone: 'UTC'})\" | tidegate run -")]
pub(crate) struct RunArgs {
    /// The program, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) file: Option<PathBuf>,
    /// Go on with a run that waits for an approval
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<String>,
    /// Language of the program
    #[arg(long, value_enum, conflicts_with = "resume")]
    pub(crate) lang: Option<LangArg>,
    /// Where to run it at least; a risky program gets a stronger sandbox than asked for
    #[arg(long, value_enum, default_value_t = SandboxArg::Process)]
    pub(crate) sandbox: SandboxArg,
    /// What runs it; the configured engine if none is named
    #[arg(long, value_enum, conflicts_with = "resume")]
    pub(crate) engine: Option<EngineArg>,
    /// A shorter time limit than the configured one, such as 5s or 500ms
    #[arg(long, value_parser = parse_duration, conflicts_with = "resume")]
    pub(crate) timeout: Option<std::time::Duration>,
    /// A narrower profile than the configured one; see docs/permissions.md
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Whose tokens of personal data are known; without it they are of this run
    #[arg(long, value_name = "NAME", value_parser = parse_session)]
    pub(crate) session: Option<SessionId>,
    /// The answer of `execute_code` as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate check program.ts
  tidegate check --json program.py
  echo 'eval(code)' | tidegate check --lang ts -
  tidegate check --examples               the examples in your own rules about programs

Exit codes: 0 nothing of high severity, 1 something, or it does not parse or fit its types,
3 the rules say that it must not run")]
pub(crate) struct CheckArgs {
    /// The program, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "examples")]
    pub(crate) file: Option<PathBuf>,
    /// Try the examples in the files of `[checks] patterns` instead; see docs/validation.md
    #[arg(long, conflicts_with_all = ["file", "lang"])]
    pub(crate) examples: bool,
    /// Language of the program
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LangArg>,
    /// A narrower profile than the configured one; see docs/permissions.md
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Languages. Others are named in an error of `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LangArg {
    /// TypeScript or JavaScript
    Ts,
    /// Python
    Py,
}

impl LangArg {
    pub(crate) fn language(self) -> Language {
        match self {
            Self::Ts => Language::TypeScript,
            Self::Py => Language::Python,
        }
    }
}

/// Engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// The one inside tidegate
    Quickjs,
    /// Deno 2 or later, as found on this machine
    Deno,
    /// Node 20 or later, as found on this machine
    Node,
}

impl EngineArg {
    pub(crate) fn engine(self) -> Engine {
        match self {
            Self::Quickjs => Engine::QuickJs,
            Self::Deno => Engine::Deno,
            Self::Node => Engine::Node,
        }
    }
}

/// Sandboxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxArg {
    /// What the program's risk needs
    Process,
    /// A worker process with the profile `strict`
    Strict,
    /// A container
    Docker,
    /// A virtual machine
    Vm,
}

impl SandboxArg {
    pub(crate) fn kind(self) -> SandboxKind {
        match self {
            Self::Process => SandboxKind::Process,
            Self::Strict => SandboxKind::Strict,
            Self::Docker => SandboxKind::Docker,
            Self::Vm => SandboxKind::Vm,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate search \"commit changes to a repository\"
  tidegate search --detail full git_log
  tidegate search --catalog tools/ --json \"send an email\"
  tidegate search --read-only --server github \"who reviews this\"
  tidegate search --catalog tools.jsonl --queries queries.jsonl")]
pub(crate) struct SearchArgs {
    /// A task in your own words, or a name
    #[arg(required_unless_present = "queries")]
    pub(crate) query: Option<String>,
    /// How much to tell about each tool
    #[arg(long, value_enum, default_value_t = DetailArg::Description)]
    pub(crate) detail: DetailArg,
    /// How many tools at most
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) limit: u16,
    /// Only tools of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only tools of servers in this folder of the catalog
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// Only tools that say that they change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The longest answer, in tokens [default: 800]
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Search these definitions instead of the configured servers: a folder with *.json files, one such
    /// file, or a .jsonl file
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// Answer many queries: lines of {"qid", "query"}; one JSON line each
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    pub(crate) queries: Option<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// How much to tell about a tool.
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
    /// Take these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: ToolsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// All known tools
    List {
        /// Only those of this server
        #[arg(long)]
        server: Option<String>,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Shows how tools differ from what was accepted, and accepts them as they are now
    Accept {
        /// A server, or one of its tools such as git__git_log
        name: String,
        /// Without asking
        #[arg(long)]
        yes: bool,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// The definition of one tool
    Show {
        /// Such as git__git_log
        name: String,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
}

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
    /// All skills, and what is damaged among them
    List {
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// The text and the code of one skill
    Show {
        /// Such as count-words
        name: String,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Remove a saved skill
    Remove {
        /// Such as count-words
        name: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate approvals list
  tidegate approvals show 1a2b3c4
  tidegate approvals approve 1a2b3c4
  tidegate approvals approve --session 1a2b3c4
  tidegate approvals deny 1a2b3c4")]
pub(crate) struct ApprovalsArgs {
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// What waits for an answer
    List {
        /// Also what was answered or has expired
        #[arg(long)]
        all: bool,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// What exactly would happen, and why it is asked
    Show {
        /// As `list` shows it
        id: String,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Say yes, once and to exactly this
    Approve {
        /// As `list` shows it
        id: String,
        /// Also to all further calls of the same tools in the client's session
        #[arg(long)]
        session: bool,
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Say no
    Deny {
        /// As `list` shows it
        id: String,
        /// One JSON document on standard output
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
    /// The rules in force, and what holds where none matches
    Show {
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Explain the decision on one call, step by step, without making it
    Test(PolicyTestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyTestArgs {
    /// Such as git__git_log
    pub(crate) call: String,
    /// Its arguments, an object in JSON; without, the sternest word that could come
    #[arg(long, value_name = "JSON")]
    pub(crate) arguments: Option<String>,
    /// A narrower profile than the configured one
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// How risky the program is
    #[arg(long, value_enum)]
    pub(crate) risk: Option<LevelArg>,
    /// Take these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// One JSON document on standard output
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
    pub(crate) fn level(self) -> Level {
        match self {
            Self::Low => Level::Low,
            Self::Medium => Level::Medium,
            Self::High => Level::High,
            Self::Critical => Level::Critical,
        }
    }
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
    /// The configured servers, without starting them
    List {
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Start servers and list their tools
    Test {
        /// Which; all if none is named
        names: Vec<String>,
        /// One JSON document on standard output
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
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate generate --out api                       of the configured servers
  tidegate generate --out api --lang py             Python only
  tidegate generate --out api --catalog tools/      of tool lists in files

Running it again rewrites only what has changed; tidegate-manifest.json has the hash of each file.")]
pub(crate) struct GenerateArgs {
    /// Folder for `servers/…`; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Which languages
    #[arg(long, value_enum, default_value_t = GenerateLang::All)]
    pub(crate) lang: GenerateLang,
    /// Take these definitions instead of the configured servers (see `tidegate search --help`)
    #[arg(long, value_name = "PATH")]
    pub(crate) catalog: Option<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tidegate doctor\n  tidegate doctor --fix\n  tidegate doctor --servers --json"
)]
pub(crate) struct DoctorArgs {
    /// Install what is missing: TypeScript 7, for type checks, with npm
    #[arg(long)]
    pub(crate) fix: bool,
    /// Also start every configured server
    #[arg(long)]
    pub(crate) servers: bool,
    /// One JSON document on standard output
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tidegate bench\n  tidegate bench echo --json")]
pub(crate) struct BenchArgs {
    /// One suite; all if none is named
    #[arg(value_enum)]
    pub(crate) suite: Option<Suite>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_duration(text: &str) -> Result<std::time::Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 =
        number.parse().map_err(|_| "write a number and a unit, such as 5s".to_owned())?;
    let millis = match unit.trim() {
        "ms" | "" => Some(number),
        "s" => number.checked_mul(1000),
        "m" => number.checked_mul(60_000),
        _ => return Err("the unit is ms, s or m".to_owned()),
    };
    match millis {
        Some(millis @ 1..) => Ok(std::time::Duration::from_millis(millis)),
        _ => Err("must be more than nothing and less than for ever".to_owned()),
    }
}

/// The name of a session: short, and nothing that means something elsewhere.
fn parse_session(text: &str) -> Result<SessionId, String> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    if (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        return Ok(SessionId(text.into()));
    }
    Err("a name has 1 to 64 letters, digits, `.`, `_` and `-`".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, parse_duration};

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn durations_take_the_usual_units() {
        let millis = |text: &str| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("1500"), Ok(1500));
        assert_eq!(millis("5s"), Ok(5000));
        assert_eq!(millis("2m"), Ok(120_000));
        assert!(millis("0s").is_err());
        assert!(millis("5 parsecs").is_err());
    }
}
