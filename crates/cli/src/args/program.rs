//! The arguments of the commands that take a program: `run` and `check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tidegate_model::{Engine, Language, SandboxKind, SessionName};

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
    /// Resume a run that is waiting for an approval
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<String>,
    /// Language of the program
    #[arg(long, value_enum, conflicts_with = "resume")]
    pub(crate) lang: Option<LangArg>,
    /// Weakest sandbox to run it in; a risky program gets a stronger one
    #[arg(long, value_enum, default_value_t = SandboxArg::Process)]
    pub(crate) sandbox: SandboxArg,
    /// Engine that runs it [default: the configured one]
    #[arg(long, value_enum, conflicts_with = "resume")]
    pub(crate) engine: Option<EngineArg>,
    /// Time limit, such as 5s or 500ms; the configured limit still applies
    #[arg(long, value_parser = parse_duration, conflicts_with = "resume")]
    pub(crate) timeout: Option<Duration>,
    /// Memory limit in MB; the configured limit still applies
    #[arg(long, value_name = "MB", conflicts_with = "resume",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memory_mb: Option<u32>,
    /// Ask for approval in any case
    #[arg(long, conflicts_with = "resume")]
    pub(crate) ask: bool,
    /// What the program is for: a label in the record and in the approval form
    #[arg(long, value_name = "TEXT", conflicts_with = "resume")]
    pub(crate) action: Option<String>,
    /// Profile to apply on top of the configured one; see docs/permissions.md
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Session whose tokens of personal data are used [default: one for this run]
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
    /// Print the answer of `execute_code` as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate check program.ts
  tidegate check --json program.py
  echo 'eval(code)' | tidegate check --lang ts -
  tidegate check --examples               check the examples in your own rules

Exit codes: 0 nothing of high severity, 1 a finding of high severity, a syntax error or a type error,
3 your rules deny the program")]
pub(crate) struct CheckArgs {
    /// The program, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "examples")]
    pub(crate) file: Option<PathBuf>,
    /// Check the examples in the files of `[checks] patterns` instead; see docs/validation.md
    #[arg(long, conflicts_with_all = ["file", "lang"])]
    pub(crate) examples: bool,
    /// Language of the program
    #[arg(long, value_enum)]
    pub(crate) lang: Option<LangArg>,
    /// Profile to apply on top of the configured one; see docs/permissions.md
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Languages of programs.
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

/// Engines of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    /// Built into tidegate
    Quickjs,
    /// Deno 2 or later, installed on this machine
    Deno,
    /// Node 20 or later, installed on this machine
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

/// Sandboxes, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxArg {
    /// Whatever the program's risk requires
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

fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 =
        number.parse().map_err(|_| "write a number and a unit, such as 5s".to_owned())?;
    let millis = match unit.trim() {
        "ms" | "" => Some(number),
        "s" => number.checked_mul(1000),
        "m" => number.checked_mul(60_000),
        _ => return Err("the unit must be ms, s or m".to_owned()),
    };
    match millis {
        Some(millis @ 1..) => Ok(Duration::from_millis(millis)),
        _ => Err("must be at least 1ms and below 2^64 ms".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_duration;

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
