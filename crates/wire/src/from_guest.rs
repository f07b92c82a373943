//! The messages of a guest, a reader or a worker, to the gateway.
//!
//! In: a frame body from a hostile process. Out: a [`FromGuest`].
//! A reader sends hello and then one [`FromGuest::Prepared`]. A worker sends hello, then
//! any number of calls, questions and log lines, then exactly one done or failed. The
//! guest chooses the ids; the gateway only echoes them.
//! Invariant: a frame is accepted only if every byte of it was understood.

use tidegate_model::{IsolationReport, NAME_LIMIT, Prepared};

use crate::codec::{FieldReader, FrameBuilder, MAX_FRAME_BYTES, WireError};
use crate::failure::{Failure, read_failure, write_failure};
use crate::fields::{read_executable, read_report, write_executable, write_report};
use crate::question::Question;

/// Longest JSON text that a reader may send about a program. It can contain the whole
/// text of the program.
pub const READING_LIMIT: usize = 1024 * 1024;

/// A message from a guest. A reader sends [`FromGuest::Hello`] and
/// [`FromGuest::Prepared`]; a worker sends everything except the latter.
#[derive(Debug, Clone, PartialEq)]
pub enum FromGuest {
    /// The guest is ready.
    Hello {
        /// The protocol version it speaks.
        version: u32,
        /// Which isolation layers hold, as the guest found by trying to break out. It has
        /// not seen a program yet, so this comes from our own code.
        report: IsolationReport,
    },
    /// What the reader found in the program, or why the program cannot run.
    Prepared(Box<Result<Prepared, Failure>>),
    /// The program calls a tool.
    Call {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// `server__tool`, in any spelling that resolves.
        name: String,
        /// JSON text of the arguments.
        arguments: String,
        /// Whether the program wants the unchanged MCP result.
        raw: bool,
    },
    /// The program makes a network request.
    Fetch {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// JSON text: url, method, headers, body.
        request: String,
    },
    /// The program runs a host command.
    Command {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// Its name in the configuration.
        name: String,
        /// JSON text: arguments and input.
        request: String,
    },
    /// The program asks the gateway a question that is not a tool call.
    Ask {
        /// Chosen by the guest, echoed in the reply.
        id: u32,
        /// The question.
        question: Question,
        /// A server name, a path or JSON text, depending on the question.
        body: String,
    },
    /// The program printed something.
    Log {
        /// The level it was printed at.
        level: LogLevel,
        /// The text, possibly several lines.
        text: String,
    },
    /// The program succeeded.
    Done {
        /// JSON text of its output, if it had any.
        output: Option<String>,
        /// Peak memory of the worker in bytes, as reported by the worker.
        memory_bytes: u64,
    },
    /// The program failed.
    Failed {
        /// Why, and where.
        failure: Failure,
        /// Peak memory of the worker in bytes, as reported by the worker.
        memory_bytes: u64,
        /// Total bytes the program tried to print and return, if that exceeded the limit:
        /// rejected output never reaches the host. Zero otherwise.
        output_bytes: u64,
    },
}

/// The level of printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// `console.debug`, `log`, `info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
}

impl FromGuest {
    /// The frame for this message, length prefix included.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Hello { version, report } => {
                write_report(FrameBuilder::new(1).u32(*version), report)
            }
            Self::Call { id, name, arguments, raw } => {
                FrameBuilder::new(2).u32(*id).text(name).text(arguments).u8(u8::from(*raw))
            }
            Self::Ask { id, question, body } => {
                FrameBuilder::new(3).u32(*id).u8(question.code()).text(body)
            }
            Self::Log { level, text } => FrameBuilder::new(4).u8(level.code()).text(text),
            Self::Done { output, memory_bytes } => {
                FrameBuilder::new(5).optional(output.as_deref()).u64(*memory_bytes)
            }
            Self::Failed { failure, memory_bytes, output_bytes } => {
                write_failure(FrameBuilder::new(6), failure).u64(*memory_bytes).u64(*output_bytes)
            }
            Self::Fetch { id, request } => FrameBuilder::new(7).u32(*id).text(request),
            Self::Command { id, name, request } => {
                FrameBuilder::new(8).u32(*id).text(name).text(request)
            }
            Self::Prepared(outcome) => match &**outcome {
                Ok(prepared) => {
                    let json = prepared.clone().to_json(READING_LIMIT);
                    write_executable(
                        FrameBuilder::new(9).u8(1).text(&json),
                        prepared.executable.as_ref(),
                    )
                }
                Err(failure) => write_failure(FrameBuilder::new(9).u8(0), failure),
            },
        }
        .finish()
    }

    /// Reads and checks a frame body that a guest sent.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = FieldReader::new(body);
        let message = match reader.u8("kind")? {
            1 => Self::Hello { version: reader.u32("version")?, report: read_report(&mut reader)? },
            2 => Self::Call {
                id: reader.u32("id")?,
                name: reader.text("name", NAME_LIMIT)?,
                arguments: reader.text("arguments", MAX_FRAME_BYTES)?,
                raw: reader.flag("raw")?,
            },
            3 => {
                let id = reader.u32("id")?;
                let question = Question::from_code(reader.u8("question")?)?;
                let body = reader.text("body", question.body_limit())?;
                Self::Ask { id, question, body }
            }
            4 => Self::Log {
                level: LogLevel::from_code(reader.u8("level")?)?,
                text: reader.text("text", MAX_FRAME_BYTES)?,
            },
            5 => Self::Done {
                output: reader.optional("output", MAX_FRAME_BYTES)?,
                memory_bytes: reader.u64("memory")?,
            },
            6 => Self::Failed {
                failure: read_failure(&mut reader)?,
                memory_bytes: reader.u64("memory")?,
                output_bytes: reader.u64("output")?,
            },
            7 => Self::Fetch {
                id: reader.u32("id")?,
                request: reader.text("request", MAX_FRAME_BYTES)?,
            },
            8 => Self::Command {
                id: reader.u32("id")?,
                name: reader.text("name", NAME_LIMIT)?,
                request: reader.text("request", MAX_FRAME_BYTES)?,
            },
            9 => Self::Prepared(Box::new(match reader.flag("ok")? {
                true => Ok(read_prepared(&mut reader)?),
                false => Err(read_failure(&mut reader)?),
            })),
            value => return Err(WireError::BadValue { field: "kind", value: u32::from(value) }),
        };
        reader.finish()?;
        Ok(message)
    }
}

fn read_prepared(reader: &mut FieldReader<'_>) -> Result<Prepared, WireError> {
    let json = reader.text("reading", READING_LIMIT)?;
    let prepared: Prepared = serde_json::from_str(&json)
        .map_err(|_| WireError::BadValue { field: "reading", value: 0 })?;
    let executable = read_executable(reader)?;
    Ok(Prepared { reading: prepared.reading.bounded(), executable, ..prepared })
}

impl LogLevel {
    fn code(self) -> u8 {
        match self {
            Self::Info => 1,
            Self::Warn => 2,
            Self::Error => 3,
        }
    }

    fn from_code(code: u8) -> Result<Self, WireError> {
        [Self::Info, Self::Warn, Self::Error]
            .into_iter()
            .find(|level| level.code() == code)
            .ok_or(WireError::BadValue { field: "level", value: u32::from(code) })
    }
}
