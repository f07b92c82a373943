//! The arguments of `tidegate pii`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tidegate_gateway::SessionId;

use super::parse_session;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tidegate pii scan letter.txt
  tidegate pii scan --jsonl documents.jsonl    one line of JSON for each line of the file
  cat answer.json | tidegate pii tokenize -    the text with tokens, whose values are kept
  tidegate pii restore answer.txt              the text with its values again
  tidegate pii report                          what was seen, where it went, and what is kept
  tidegate pii erase --session work            forget the values of a session
  echo 'ann@example.org' | tidegate pii erase --value -")]
pub(crate) struct PiiArgs {
    #[command(subcommand)]
    pub(crate) command: PiiCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PiiCommand {
    /// Where personal data stands, by type
    Scan {
        /// The text; standard input if it is `-` or none is named
        #[arg(default_value = "-")]
        file: PathBuf,
        /// How the text is read
        #[arg(long, value_enum, default_value_t)]
        kind: PiiKind,
        /// One JSON document on standard output
        #[arg(long, conflicts_with = "jsonl")]
        json: bool,
        /// Lines of {"id", "text", "kind"} come in, lines of {"id", "spans"} go out
        #[arg(long)]
        jsonl: bool,
    },
    /// The text with a token in the place of each value; the values are kept encrypted
    Tokenize {
        /// The text; standard input if it is `-` or none is named
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Whose tokens; a new session if none is named
        #[arg(long, value_name = "NAME", value_parser = parse_session)]
        session: Option<SessionId>,
        /// One JSON document on standard output, with counts by type
        #[arg(long)]
        json: bool,
    },
    /// The text with the real value in the place of each token
    Restore {
        /// The text; standard input if it is `-` or none is named
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Whose tokens; the newest session if none is named
        #[arg(long, value_name = "NAME", value_parser = parse_session)]
        session: Option<SessionId>,
        /// One JSON document on standard output, with counts by type
        #[arg(long)]
        json: bool,
    },
    /// What was seen, from which tools, where it was put back, and what is kept; no values
    Report {
        /// One JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Forget values: those of a session, or one value in all sessions
    #[command(group(clap::ArgGroup::new("what").required(true).args(["session", "value"])))]
    Erase {
        /// All values of this session
        #[arg(long, value_name = "NAME", value_parser = parse_session)]
        session: Option<SessionId>,
        /// The value in this file, or `-` for standard input
        #[arg(long, value_name = "FILE")]
        value: Option<PathBuf>,
    },
}

/// How a text is read.
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
