//! A program to run, and the ways in which a run can fail.
//!
//! Invariant: the texts of a [`RunError`] are bounded in length and have no hidden
//! characters, whoever wrote them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cut::whole_words;
use crate::hidden::visible;
use crate::language::Language;

/// The engine that runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The engine in our own executable: starts at once, without a compiler.
    #[default]
    QuickJs,
    /// Deno, as installed on the machine: slower to start, faster in loops.
    Deno,
    /// Node, as installed on the machine.
    Node,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Self; 3] = [Self::QuickJs, Self::Deno, Self::Node];

    /// The word for it in requests, configurations and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QuickJs => "quickjs",
            Self::Deno => "deno",
            Self::Node => "node",
        }
    }
}

/// A program that a client wants to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Source as written, possibly inside a Markdown fence.
    pub source: String,
    /// Its language.
    pub language: Language,
    /// The engine that it asks for; the configured one if absent.
    pub engine: Option<Engine>,
    /// A shorter time limit than the configured one.
    pub timeout: Option<Duration>,
}

/// The id of one run, unique among all gateways that share a state folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a run failed, worded so that a model can fix its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// Stable code for programs and dashboards.
    pub code: ErrorCode,
    /// The fact, with values in back-ticks and no full stop.
    pub message: String,
    /// Line of the program as written, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the program as written, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RunError {
    /// The most bytes of a message, and of a hint. They go to the model, and servers and
    /// programs can contribute to them.
    pub const TEXT_BYTES: usize = 2500;

    /// An error without a position or a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: clipped(message.into()), line: None, column: None, hint: None }
    }

    /// Adds the next step.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(clipped(hint.into()));
        self
    }

    /// The same error with texts of bounded length and without hidden characters.
    #[must_use]
    pub fn clipped(mut self) -> Self {
        self.message = clipped(self.message);
        self.hint = self.hint.map(clipped);
        self
    }
}

fn clipped(text: String) -> String {
    let mut text = match visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    };
    if text.len() > RunError::TEXT_BYTES {
        text.truncate(whole_words(&text, RunError::TEXT_BYTES).len());
        text.push('…');
    }
    text
}

/// Prints the form that models and people read.
impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code.as_str(), self.message)?;
        if let Some(line) = self.line {
            write!(f, "\n  at line {line}")?;
            if let Some(column) = self.column {
                write!(f, ", column {column}")?;
            }
            f.write_str(" of your program")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Stable error codes. `area.what`, so that a prefix groups them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl ErrorCode {
            /// The text form, as in answers and logs.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The code with this text form.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

// A macro, because each code and its text would otherwise be in four lists.
error_codes! {
    /// The program does not parse.
    Syntax = "program.syntax",
    /// A type error, found before the program ran.
    Type = "program.type",
    /// The program threw.
    Thrown = "program.threw",
    /// The program waits for something that can never happen.
    Stuck = "program.stuck",
    /// The output cannot be written as JSON.
    BadOutput = "program.bad_output",
    /// No such server.
    UnknownServer = "call.unknown_server",
    /// No such tool.
    UnknownTool = "call.unknown_tool",
    /// The arguments do not match the tool's schema.
    BadArgument = "call.bad_argument",
    /// The tool answered with an error.
    ToolFailed = "call.tool_failed",
    /// Policy refused the call.
    Denied = "call.denied",
    /// The tool has changed since it was accepted, and such tools may not be called.
    Quarantined = "call.quarantined",
    /// A person denied it, or nobody could be asked.
    ApprovalDenied = "approval.denied",
    /// A person was asked and has not answered yet.
    ApprovalPending = "approval.pending",
    /// There is no run to resume: it was resumed before, has ended, or is too old.
    NotParked = "approval.no_such_run",
    /// A resumed run did not repeat the calls that it had made before.
    Diverged = "approval.diverged",
    /// A file in the program's view does not exist or may not be accessed.
    File = "file.refused",
    /// A token of personal data that is unknown in this session.
    UnknownToken = "privacy.unknown_token",
    /// Personal data that its recipient may not receive.
    RecipientDenied = "privacy.not_allowed",
    /// An answer with more personal data than is looked at.
    TooMuchPersonalData = "privacy.too_much",
    /// The server could not be started or reached.
    UpstreamUnavailable = "upstream.unavailable",
    /// The server died while it worked on the call.
    UpstreamDied = "upstream.died",
    /// The server did not answer in time.
    UpstreamTimeout = "upstream.timeout",
    /// The server sent something that is not MCP.
    UpstreamProtocol = "upstream.protocol",
    /// The server's answer was too large, alone or together with others.
    UpstreamTooLarge = "upstream.too_large",
    /// The run took too long.
    TimeLimit = "limit.time",
    /// The run used too much CPU time.
    CpuLimit = "limit.cpu",
    /// The run used too much memory.
    MemoryLimit = "limit.memory",
    /// The run recursed too deeply.
    StackLimit = "limit.stack",
    /// The run printed or returned too much.
    OutputLimit = "limit.output",
    /// The run made too many calls.
    CallLimit = "limit.tool_calls",
    /// The run wrote too much to its files.
    DiskLimit = "limit.disk",
    /// The run started too many processes or threads.
    ProcessLimit = "limit.processes",
    /// No network rule allows the connection.
    FetchDenied = "fetch.denied",
    /// An allowed connection failed.
    FetchFailed = "fetch.failed",
    /// An allowed connection exceeded a limit of size or rate.
    FetchLimit = "fetch.limit",
    /// The host command is not allowed.
    CommandDenied = "command.denied",
    /// An allowed host command could not be run.
    CommandFailed = "command.failed",
    /// The host command took too long.
    CommandTime = "command.time",
    /// The host command used too much CPU time.
    CommandCpu = "command.cpu",
    /// The host command used too much memory.
    CommandMemory = "command.memory",
    /// The host command wrote too much.
    CommandDisk = "command.disk",
    /// The host command started too many processes or threads.
    CommandProcesses = "command.processes",
    /// The machine cannot isolate programs as the configuration demands.
    Isolation = "sandbox.isolation",
    /// Too many runs are under way or waiting.
    Busy = "sandbox.busy",
    /// The requested engine is not installed on this machine.
    EngineMissing = "sandbox.no_engine",
    /// The requested engine is not allowed.
    EngineDenied = "sandbox.engine_denied",
    /// The client cancelled the run.
    Cancelled = "run.cancelled",
    /// The worker process died or violated the protocol.
    WorkerDied = "worker.died",
    /// Something in the gateway failed; search the log for the run id.
    Internal = "gateway.internal",
}

impl ErrorCode {
    /// The exit code of `tidegate run` for a run that ended this way.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Denied
            | Self::Quarantined
            | Self::FetchDenied
            | Self::CommandDenied
            | Self::Isolation
            | Self::ApprovalDenied
            | Self::ApprovalPending
            | Self::RecipientDenied
            | Self::EngineDenied => 3,
            Self::TimeLimit
            | Self::CpuLimit
            | Self::DiskLimit
            | Self::ProcessLimit
            | Self::FetchLimit
            | Self::CommandTime
            | Self::CommandCpu
            | Self::CommandMemory
            | Self::CommandDisk
            | Self::CommandProcesses
            | Self::Busy
            | Self::MemoryLimit
            | Self::StackLimit
            | Self::OutputLimit
            | Self::CallLimit
            | Self::TooMuchPersonalData => 4,
            Self::UpstreamUnavailable
            | Self::UpstreamDied
            | Self::UpstreamTimeout
            | Self::UpstreamProtocol
            | Self::UpstreamTooLarge => 5,
            Self::Syntax
            | Self::Type
            | Self::Thrown
            | Self::Stuck
            | Self::BadOutput
            | Self::UnknownServer
            | Self::UnknownTool
            | Self::BadArgument
            | Self::ToolFailed
            | Self::File
            | Self::NotParked
            | Self::Diverged
            | Self::UnknownToken
            | Self::Cancelled
            | Self::WorkerDied
            | Self::FetchFailed
            | Self::CommandFailed
            | Self::EngineMissing
            | Self::Internal => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorCode, RunError};

    #[test]
    fn an_error_reads_as_fact_position_and_next_step() {
        let error = RunError {
            code: ErrorCode::BadArgument,
            message: "`issues.create` expects `labels` to be an array, got string".into(),
            line: Some(7),
            column: Some(3),
            hint: Some("write `labels: [\"bug\"]`".into()),
        };
        assert_eq!(
            error.to_string(),
            "error[call.bad_argument]: `issues.create` expects `labels` to be an array, got string\n  \
             at line 7, column 3 of your program\n\
             hint: write `labels: [\"bug\"]`"
        );
    }

    #[test]
    fn every_code_survives_its_text_form() {
        for code in [ErrorCode::Syntax, ErrorCode::TimeLimit, ErrorCode::Internal] {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
        }
        assert_eq!(ErrorCode::parse("nope"), None);
    }
}
