//! Events in a gateway, as plain data to be recorded.
//!
//! Every stage reports what happened as one of these. They hold sizes, outcomes, names
//! and counts, but no argument, result or secret.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::{Connection, DataType, ErrorCode, Isolation, RiskLevel, RunId, SandboxKind, ToolRef};

/// Something that happened, to be recorded.
#[derive(Debug, Clone)]
pub enum Event {
    /// A run has ended, or a direct call, which is a run of its own.
    Run(RunRecord),
    /// A run has passed a stage of the pipeline.
    Stage(StageRecord),
    /// Something is about to be sent that may change something outside.
    Effect(EffectRecord),
    /// A tool call has ended.
    Call(CallRecord),
    /// A program connected to a host, or was refused.
    Connection(Connection),
    /// A host command has ended, or was refused.
    Command(CommandRecord),
    /// A skill was saved, or was not.
    Skill(SkillRecord),
    /// Personal data was found in an answer.
    Seen(SeenRecord),
    /// Tokens were replaced by their values.
    Restores(RestoresRecord),
    /// A person should look at something.
    Alert(AlertRecord),
    /// A person was asked, or has answered.
    Approval(ApprovalRecord),
}

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Succeeded,
    /// It failed with this error.
    Failed(ErrorCode),
}

impl Outcome {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed(_) => "failed",
        }
    }

    /// The error, if it failed.
    pub const fn error_code(self) -> Option<ErrorCode> {
        match self {
            Self::Succeeded => None,
            Self::Failed(code) => Some(code),
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
    /// The program, if there was one.
    pub program: Option<ProgramRecord>,
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
    /// Where the whole output is stored.
    pub handle: Option<String>,
}

/// A stage that a run has passed. A run that a stage refused has no record of that stage, and
/// its error says why.
#[derive(Debug, Clone)]
pub struct StageRecord {
    /// The run.
    pub run_id: RunId,
    /// When.
    pub at: SystemTime,
    /// The stage, and its result.
    pub stage: Stage,
}

/// A stage of a run, and its result.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Stage {
    /// Its turn came.
    Admitted {
        /// The profiles that bound it.
        profiles: Vec<String>,
    },
    /// It was read, checked and judged.
    Judged {
        /// From 0 to 100.
        risk_score: u8,
        /// The same as a word.
        level: RiskLevel,
        /// The rules about programs that it broke, each once, at most [`MAX_RULES`].
        rules: BTreeSet<String>,
        /// The number of tools that it calls, as far as that shows.
        tools: usize,
        /// Whether a person is asked before it runs.
        requires_approval: bool,
    },
    /// It may run.
    Consented {
        /// The sandbox chosen for its risk.
        sandbox: SandboxKind,
    },
    /// A worker has it.
    Started {
        /// What the worker proved of its own isolation.
        isolation: Isolation,
    },
}

/// The most rules that are recorded for a program.
pub const MAX_RULES: usize = 20;

impl Stage {
    /// Its name in the record.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Admitted { .. } => "admitted",
            Self::Judged { .. } => "judged",
            Self::Consented { .. } => "consented",
            Self::Started { .. } => "started",
        }
    }
}

/// The program of a run, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRecord {
    /// Its language.
    pub language: &'static str,
    /// Its fingerprint.
    pub source_sha256: String,
    /// What it is for, in the words of its author. Redacted.
    pub action: Option<String>,
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
    /// Tokens the answer would have cost if the model had called the tool itself.
    /// Estimated as one per four bytes, since counting megabytes exactly would take
    /// longer than the call.
    pub answer_tokens: u64,
}

/// One attempt to run a host command. Holds sizes, but no arguments.
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
    /// How it ended. A command that ran to its end counts as succeeded, whatever its exit
    /// code.
    pub outcome: Outcome,
    /// Its exit status.
    pub exit: ExitStatus,
    /// From decision to end.
    pub duration: Duration,
    /// How much went in and came out.
    pub sizes: CommandSizes,
}

/// The exit status of a command. Both fields are absent if it never ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitStatus {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<String>,
}

/// How much went into a command and came out of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommandSizes {
    /// How many arguments.
    pub arguments: u64,
    /// Their bytes.
    pub argument_bytes: u64,
    /// Bytes of its standard input.
    pub input_bytes: u64,
    /// Bytes that were read from its two outputs.
    pub output_bytes: u64,
}

/// One attempt to save a skill. Holds sizes and a fingerprint, but none of its text.
#[derive(Debug, Clone)]
pub struct SkillRecord {
    /// The run that made it.
    pub run_id: RunId,
    /// When.
    pub saved_at: SystemTime,
    /// The name of the skill as given, truncated and escaped.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether there was a skill of that name before.
    pub replaced: bool,
    /// Language of the code.
    pub language: &'static str,
    /// Bytes of the code.
    pub code_bytes: u64,
    /// Fingerprint of the code, for finding it again.
    pub code_sha256: String,
}

/// Personal data in one answer of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRecord {
    /// When.
    pub at: SystemTime,
    /// The tool that answered.
    pub tool: ToolRef,
    /// The number of values by type.
    pub counts: Vec<(DataType, u32)>,
}

/// The recipient of restored values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Towards {
    /// The model: it read them in an answer.
    Model,
    /// The server with this name: they were in the arguments of a call.
    Server(String),
}

/// As people read it: `model`, or the name of the server.
impl fmt::Display for Towards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model => f.write_str("model"),
            Self::Server(name) => f.write_str(name),
        }
    }
}

/// One restoration of values, for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoresRecord {
    /// When.
    pub at: SystemTime,
    /// The session whose tokens they were.
    pub session: String,
    /// The run that did it.
    pub run_id: RunId,
    /// The recipient.
    pub towards: Towards,
    /// The number of values by type.
    pub counts: Vec<(DataType, u32)>,
}

/// Something that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRecord {
    /// When it was noticed.
    pub at: SystemTime,
    /// The run that caused it.
    pub run_id: RunId,
    /// What it is about, such as `output-volume`.
    pub kind: String,
    /// One line for a person. Sizes, counts and names; never a value.
    pub detail: String,
}

/// Something that is about to be sent and may change something outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectRecord {
    /// When.
    pub at: SystemTime,
    /// The run that sends it.
    pub run_id: RunId,
    /// The tool; without a server for `fetch` and host commands.
    pub tool: ToolRef,
}

/// A step of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRecord {
    /// When.
    pub at: SystemTime,
    /// The approval's id, as people type it.
    pub approval_id: String,
    /// The run that needs it.
    pub run_id: RunId,
    /// `program`, `call` or `restore`.
    pub kind: String,
    /// Hash of exactly what was asked about.
    pub subject_sha256: String,
    /// Hash of the whole text about it, which is stored with the approval.
    pub form_sha256: String,
    /// What happened.
    pub step: ApprovalStep,
}

/// What happened to an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalStep {
    /// A person is asked.
    Asked,
    /// A person approved it, and the run continues.
    Approved {
        /// Who answered: `client`, `cli`, `terminal`. `None` if unknown.
        by: Option<String>,
    },
    /// A person denied it.
    Denied {
        /// Who answered.
        by: Option<String>,
    },
    /// Nobody answered in time.
    Expired,
}

impl ApprovalStep {
    /// The text form.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Approved { .. } => "approved",
            Self::Denied { .. } => "denied",
            Self::Expired => "expired",
        }
    }

    /// Who answered, if somebody did and it is known.
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Approved { by } | Self::Denied { by } => by.as_deref(),
            Self::Asked | Self::Expired => None,
        }
    }
}
