//! The messages of the gateway to a guest, a reader or a worker.
//!
//! In: a value from the gateway. Out: a frame.
//! The host drives. A reader gets one [`PrepareRequest`]; a worker gets one
//! [`RunRequest`], one reply per call and question, and a clock message whenever the run
//! is paused or resumed.

use tidegate_model::{Executable, Language, NAME_LIMIT, RunError};

use crate::codec::{FieldReader, FrameBuilder, MAX_FRAME_BYTES, WireError};
use crate::fields::{read_error, read_executable, write_error, write_executable};

/// A message from the gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum ToGuest {
    /// Analyse this program. Sent once, to a reader.
    Prepare(PrepareRequest),
    /// Run this program. Sent once, to a worker.
    Run(Box<RunRequest>),
    /// The answer to a call or a question.
    Reply {
        /// The id of the call or question.
        id: u32,
        /// JSON text of the value, or why there is none.
        outcome: Result<String, RunError>,
    },
    /// The clock of the run was paused or resumed.
    Clock {
        /// Time left from now on, in milliseconds; `None` while the run is paused.
        left_ms: Option<u32>,
    },
}

/// A program to analyse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrepareRequest {
    /// The language it is written in.
    pub language: Language,
    /// Source as written.
    pub source: String,
}

/// A program to run, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// Source as written.
    pub source: String,
    /// The JavaScript that the reader compiled from the source; the engine runs it instead.
    pub executable: Option<Executable>,
    /// Time after which the engine interrupts the program, in milliseconds.
    pub time_ms: u32,
    /// CPU time after which the engine interrupts the program, in milliseconds.
    pub cpu_ms: u32,
    /// Heap limit of the engine, in bytes.
    pub memory_bytes: u64,
    /// Limit of printed text plus output, in bytes.
    pub output_bytes: u64,
}

impl ToGuest {
    /// The frame for this message, length prefix included.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Run(run) => {
                let limits = FrameBuilder::new(1)
                    .text(&run.source)
                    .u32(run.time_ms)
                    .u32(run.cpu_ms)
                    .u64(run.memory_bytes)
                    .u64(run.output_bytes);
                write_executable(limits, run.executable.as_ref())
            }
            Self::Reply { id, outcome: Ok(value) } => {
                FrameBuilder::new(2).u32(*id).u8(1).text(value)
            }
            Self::Reply { id, outcome: Err(error) } => {
                write_error(FrameBuilder::new(2).u32(*id).u8(0), error)
            }
            // A run with no time left would end, so zero is free to mean "paused".
            Self::Clock { left_ms } => {
                FrameBuilder::new(3).u32(left_ms.map_or(0, |left| left.max(1)))
            }
            Self::Prepare(prepare) => {
                FrameBuilder::new(4).text(prepare.language.as_str()).text(&prepare.source)
            }
        }
        .finish()
    }

    /// Reads a frame body that the gateway sent.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = FieldReader::new(body);
        let message = match reader.u8("kind")? {
            1 => Self::Run(Box::new(RunRequest {
                source: reader.text("source", MAX_FRAME_BYTES)?,
                time_ms: reader.u32("time")?,
                cpu_ms: reader.u32("cpu")?,
                memory_bytes: reader.u64("memory")?,
                output_bytes: reader.u64("output")?,
                executable: read_executable(&mut reader)?,
            })),
            2 => {
                let id = reader.u32("id")?;
                let outcome = if reader.flag("ok")? {
                    Ok(reader.text("value", MAX_FRAME_BYTES)?)
                } else {
                    Err(read_error(&mut reader)?)
                };
                Self::Reply { id, outcome }
            }
            3 => {
                let left_ms = reader.u32("left")?;
                Self::Clock { left_ms: (left_ms != 0).then_some(left_ms) }
            }
            4 => {
                let language = reader.text("language", NAME_LIMIT)?;
                let language = Language::parse(&language)
                    .ok_or(WireError::BadValue { field: "language", value: 0 })?;
                let source = reader.text("source", MAX_FRAME_BYTES)?;
                Self::Prepare(PrepareRequest { language, source })
            }
            value => return Err(WireError::BadValue { field: "kind", value: u32::from(value) }),
        };
        reader.finish()?;
        Ok(message)
    }
}
