//! A program to run, and the ways in which a run can fail.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cut::whole_words;
use crate::hidden::visible;
use crate::language::Language;

/// What runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The engine inside our own executable: starts at once, no compiler.
    #[default]
    QuickJs,
    /// Deno as found on the machine: slower to start, faster loops.
    Deno,
    /// Node as found on the machine.
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

/// What a client asks to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Source as written, possibly inside a Markdown fence.
    pub source: String,
    /// Its language.
    pub language: Language,
    /// What it asks to be run by; the configured engine if it does not.
    pub engine: Option<Engine>,
    /// A shorter time limit than the configured one.
    pub timeout: Option<Duration>,
}

/// The name of one run, unique over all gateways of a state folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a run failed, told so that a model can change its program.
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
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl RunError {
    /// What a message and a hint may have in bytes. Servers and programs have a
    /// say in them, and they go to the model.
    pub const TEXT_BYTES: usize = 2500;

    /// An error without a place or a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: clipped(message.into()), line: None, column: None, hint: None }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(clipped(hint.into()));
        self
    }

    /// The same error with texts of bearable length in which nothing is hidden, whoever
    /// wrote them.
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

/// Prints as the model and people read it.
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

// A macro, because each code and its text would otherwise stand in four lists.
error_codes! {
    /// The program does not parse.
    Syntax = "program.syntax",
    /// The program uses a value as what it is not; found before it ran.
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
    /// The arguments do not fit the tool's schema.
    BadArgument = "call.bad_argument",
    /// The tool answered with an error.
    ToolFailed = "call.tool_failed",
    /// Policy refused the call.
    Denied = "call.denied",
    /// The tool is not as it was accepted, and such tools are not called.
    Quarantined = "call.quarantined",
    /// A person was asked and said no, or nobody could be asked.
    ApprovalDenied = "approval.denied",
    /// A person was asked and has not answered yet.
    ApprovalPending = "approval.pending",
    /// What was to go on is not there: gone on before, ended, or too old.
    NotParked = "approval.no_such_run",
    /// A run that went on did not make the calls that it had made before.
    Diverged = "approval.diverged",
    /// A file of the program's view does not exist or may not be touched.
    File = "file.refused",
    /// A token of personal data that this session has not given.
    UnknownToken = "privacy.unknown_token",
    /// Personal data that may not go where it was to go.
    NotForThem = "privacy.not_allowed",
    /// The server could not be started or reached.
    UpstreamUnavailable = "upstream.unavailable",
    /// The server died while it worked on the call.
    UpstreamDied = "upstream.died",
    /// The server did not answer in time.
    UpstreamTimeout = "upstream.timeout",
    /// The server answered with something that is not MCP.
    UpstreamProtocol = "upstream.protocol",
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
    /// A connection that no network rule allows.
    FetchDenied = "fetch.denied",
    /// A permitted connection that failed.
    FetchFailed = "fetch.failed",
    /// A permitted connection that brought too much, or came too often.
    FetchLimit = "fetch.limit",
    /// A host command that is not allowed.
    CommandDenied = "command.denied",
    /// An allowed host command that could not be run.
    CommandFailed = "command.failed",
    /// A host command that took too long.
    CommandTime = "command.time",
    /// A host command that used too much CPU time.
    CommandCpu = "command.cpu",
    /// A host command that used too much memory.
    CommandMemory = "command.memory",
    /// A host command that wrote too much.
    CommandDisk = "command.disk",
    /// A host command that started too many processes or threads.
    CommandProcesses = "command.processes",
    /// The machine cannot confine programs as the configuration demands.
    Isolation = "sandbox.isolation",
    /// Too many runs are under way or waiting.
    Busy = "sandbox.busy",
    /// The engine that was asked for is not on this machine.
    EngineMissing = "sandbox.no_engine",
    /// The engine that was asked for is not one that may be used.
    EngineDenied = "sandbox.engine_denied",
    /// The client cancelled the run.
    Cancelled = "run.cancelled",
    /// The worker process died or broke the protocol.
    WorkerDied = "worker.died",
    /// Something in the gateway failed; the run id finds it in the log.
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
            | Self::NotForThem
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
            | Self::CallLimit => 4,
            Self::UpstreamUnavailable
            | Self::UpstreamDied
            | Self::UpstreamTimeout
            | Self::UpstreamProtocol => 5,
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
    fn an_error_reads_as_fact_place_and_remedy() {
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
