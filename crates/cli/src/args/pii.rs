//! The arguments of `tidegate pii`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tidegate_model::SessionName;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate pii scan letter.txt
  tidegate pii scan --jsonl documents.jsonl    one JSON line for each line of the file
  cat answer.json | tidegate pii tokenize -    replace values with tokens, and keep the values
  tidegate pii restore answer.txt              replace tokens with their values
  tidegate pii report                          what was seen, where it was restored, and what is kept
  tidegate pii erase --session work            erase the values of a session
  echo 'ann@example.org' | tidegate pii erase --value -")]
pub(crate) struct PiiArgs {
    #[command(subcommand)]
    pub(crate) command: PiiCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PiiCommand {
    /// Find personal data, by type
    Scan {
        /// File to read, or `-` for standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// How to read the text
        #[arg(long, value_enum, default_value_t)]
        kind: PiiKind,
        /// Print one JSON document
        #[arg(long, conflicts_with = "jsonl")]
        json: bool,
        /// Read lines of {"id", "text", "kind"}, and print lines of {"id", "spans"}
        #[arg(long)]
        jsonl: bool,
    },
    /// Replace each value with a token, and keep the values encrypted
    Tokenize {
        /// File to read, or `-` for standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Session of the tokens [default: a new one]
        #[arg(long, value_name = "NAME")]
        session: Option<SessionName>,
        /// Print one JSON document, with counts by type
        #[arg(long)]
        json: bool,
    },
    /// Replace each token with its value
    Restore {
        /// File to read, or `-` for standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Session of the tokens [default: the one that has them]
        #[arg(long, value_name = "NAME")]
        session: Option<SessionName>,
        /// Print one JSON document, with counts by type
        #[arg(long)]
        json: bool,
    },
    /// Show what was seen, from which tools, where it was restored and what is kept; no values
    Report {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Erase values: all of one session, or one value in all sessions
    #[command(group(clap::ArgGroup::new("what").required(true).args(["session", "value"])))]
    Erase {
        /// All values of this session
        #[arg(long, value_name = "NAME")]
        session: Option<SessionName>,
        /// File with the value, or `-` for standard input
        #[arg(long, value_name = "FILE")]
        value: Option<PathBuf>,
    },
}

/// How to read a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PiiKind {
    /// As JSON if it is JSON
    #[default]
    Auto,
    /// As text
    Text,
    /// As JSON
    Json,
}

impl PiiKind {
    pub(crate) fn text_kind(self) -> tidegate_model::TextKind {
        match self {
            Self::Auto => tidegate_model::TextKind::Auto,
            Self::Text => tidegate_model::TextKind::Text,
            Self::Json => tidegate_model::TextKind::Json,
        }
    }
}
