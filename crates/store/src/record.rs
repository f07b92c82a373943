//! What is recorded. No argument, no result and no secret: sizes and outcomes.

mod rows;

use std::time::{Duration, SystemTime};

use tidegate_model::{ErrorCode, RunId, ToolRef};

pub(crate) use rows::{insert_call, insert_command, insert_run, insert_skill};

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Well.
    Succeeded,
    /// With this error.
    Failed(ErrorCode),
}

impl Outcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    pub(crate) fn error_code(self) -> Option<&'static str> {
        match self {
            Self::Succeeded => None,
            Self::Failed(code) => Some(code.as_str()),
        }
    }
}

/// One run, or one direct call, which is a run of its own.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Its name.
    pub id: RunId,
    /// When it started.
    pub started_at: SystemTime,
    /// `execute_code`, `call_tool`, `search_tools`, …
    pub kind: &'static str,
    /// Language of the program, if it was one.
    pub language: Option<&'static str>,
    /// Fingerprint of the program, if it was one.
    pub source_sha256: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// From request to answer.
    pub duration: Duration,
    /// Calls it made.
    pub tool_calls: u32,
    /// Bytes of the whole output, as JSON.
    pub result_bytes: u64,
    /// Tokens of what was sent to the client.
    pub answer_tokens: usize,
    /// Where the whole output is kept.
    pub handle: Option<String>,
}

/// One tool call and the run that made it.
#[derive(Debug, Clone)]
pub struct CallRecord {
    /// The run that made it.
    pub run_id: RunId,
    /// When it started.
    pub started_at: SystemTime,
    /// Which tool.
    pub tool: ToolRef,
    /// How it ended.
    pub outcome: Outcome,
    /// From decision to answer.
    pub duration: Duration,
    /// Bytes of the arguments, as JSON.
    pub argument_bytes: u64,
    /// Bytes of the answer, as JSON.
    pub answer_bytes: u64,
    /// Tokens the answer would have cost the classic way; an estimate of one
    /// per four bytes, since counting megabytes exactly would cost more time
    /// than the call.
    pub answer_tokens: u64,
}

/// One attempt to run a host command. Sizes, and no argument.
#[derive(Debug, Clone)]
pub struct CommandRecord {
    /// The run that made it.
    pub run_id: RunId,
    /// When it started.
    pub started_at: SystemTime,
    /// The name that the program used.
    pub name: String,
    /// The executable, if the command was permitted.
    pub path: Option<String>,
    /// How it ended. A command that ran to its end has succeeded here, whatever
    /// its exit code.
    pub outcome: Outcome,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<String>,
    /// From decision to end.
    pub duration: Duration,
    /// How many arguments.
    pub arguments: u64,
    /// Their bytes.
    pub argument_bytes: u64,
    /// Bytes of its standard input.
    pub input_bytes: u64,
    /// Bytes that were kept of its two outputs.
    pub output_bytes: u64,
}

/// One attempt to save a skill. Sizes and a fingerprint, and nothing of its text.
#[derive(Debug, Clone)]
pub struct SkillRecord {
    /// The run that made it.
    pub run_id: RunId,
    /// When.
    pub saved_at: SystemTime,
    /// The name of the skill, as it was given, cut and escaped.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether there was a skill of that name before.
    pub replaced: bool,
    /// Language of the code.
    pub language: &'static str,
    /// Bytes of the code.
    pub code_bytes: u64,
    /// Fingerprint of the code, to be found again by.
    pub code_sha256: String,
}

/// Sums over all runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Runs in all.
    pub runs: u64,
    /// Runs that failed.
    pub failed_runs: u64,
    /// Calls in all.
    pub calls: u64,
    /// Tokens of all tool answers, had they gone to the client.
    pub call_tokens: u64,
    /// Tokens of what did go to the client.
    pub answer_tokens: u64,
}
