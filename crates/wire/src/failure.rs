//! How a program failed, as a guest may report it.
//!
//! In: the causes that a guest can know of. Out: the fields of [`FromGuest`](crate::FromGuest).
//! Invariant: no error code is on the wire. What only the gateway may say (that a person
//! denied something, that policy refused a call, how long a run took) has no form here. A
//! guest that reports an error of the gateway names the request that was answered with it,
//! and the gateway looks up its own words.

use crate::codec::{FieldReader, FrameBuilder, WireError};
use crate::fields::{TEXT_LIMIT, clip};

/// Why a program failed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The cause.
    pub cause: Cause,
    /// Line of the program as written, from 1.
    pub line: Option<u32>,
    /// Column of the program as written, from 1.
    pub column: Option<u32>,
}

/// Everything that can be the cause of a failure in a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The program is at fault. Its texts are those of the program or of its engine.
    Program(Complaint),
    /// The engine stopped the program at a limit.
    Limit(EngineLimit),
    /// The program awaits what nothing will ever settle.
    Stuck,
    /// The program did not catch the error that this request was answered with.
    Answered {
        /// The id of the request.
        id: u32,
    },
    /// The engine died or cannot be talked to.
    Engine,
}

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The kind of fault.
    pub fault: Fault,
    /// The fact.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// The kinds of faults of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does not parse.
    Syntax,
    /// It uses a value as what it certainly is not.
    Type,
    /// It threw.
    Threw,
    /// Its output cannot be written as JSON.
    BadOutput,
}

/// The limits that an engine enforces itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineLimit {
    /// Wall time.
    Time,
    /// CPU time.
    Cpu,
    /// Memory of the engine.
    Memory,
    /// Depth of the recursion.
    Stack,
    /// Printed and returned text.
    Output,
    /// Written files.
    Disk,
}

impl Failure {
    /// A failure without a place.
    pub fn new(cause: Cause) -> Self {
        Self { cause, line: None, column: None }
    }

    /// A fault of the program.
    pub fn of(fault: Fault, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(Cause::Program(Complaint { fault, message, hint: None }))
    }

    /// Adds the next step, where the program is at fault.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let Cause::Program(Complaint { hint, .. }) = &mut self.cause {
            *hint = Some(text.into());
        }
        self
    }

    /// What is wrong with the program, if it is at fault.
    pub fn complaint(&self) -> Option<&Complaint> {
        match &self.cause {
            Cause::Program(complaint) => Some(complaint),
            Cause::Limit(_) | Cause::Stuck | Cause::Answered { .. } | Cause::Engine => None,
        }
    }
}

impl From<EngineLimit> for Failure {
    fn from(limit: EngineLimit) -> Self {
        Self::new(Cause::Limit(limit))
    }
}

pub(crate) fn write_failure(writer: FrameBuilder, failure: &Failure) -> FrameBuilder {
    let writer = match &failure.cause {
        Cause::Program(complaint) => write_complaint(writer.u8(1), complaint),
        Cause::Limit(limit) => writer.u8(2).u8(code(&LIMITS, limit)),
        Cause::Answered { id } => writer.u8(3).u32(*id),
        Cause::Engine => writer.u8(4),
        Cause::Stuck => writer.u8(5),
    };
    writer.u32(failure.line.unwrap_or(0)).u32(failure.column.unwrap_or(0))
}

pub(crate) fn read_failure(reader: &mut FieldReader<'_>) -> Result<Failure, WireError> {
    let cause = match reader.u8("cause")? {
        1 => Cause::Program(read_complaint(reader)?),
        2 => Cause::Limit(named(&LIMITS, "limit", reader.u8("limit")?)?),
        3 => Cause::Answered { id: reader.u32("id")? },
        4 => Cause::Engine,
        5 => Cause::Stuck,
        value => return Err(WireError::BadValue { field: "cause", value: u32::from(value) }),
    };
    // Lines and columns start at 1, so 0 is free to mean "unknown".
    let position = |number: u32| (number != 0).then_some(number);
    let (line, column) = (position(reader.u32("line")?), position(reader.u32("column")?));
    Ok(Failure { cause, line, column })
}

const FAULTS: [Fault; 4] = [Fault::Syntax, Fault::Threw, Fault::BadOutput, Fault::Type];

const LIMITS: [EngineLimit; 6] = [
    EngineLimit::Time,
    EngineLimit::Cpu,
    EngineLimit::Memory,
    EngineLimit::Stack,
    EngineLimit::Output,
    EngineLimit::Disk,
];

fn write_complaint(writer: FrameBuilder, complaint: &Complaint) -> FrameBuilder {
    writer
        .u8(code(&FAULTS, &complaint.fault))
        .text(clip(&complaint.message))
        .optional(complaint.hint.as_deref().map(clip))
}

fn read_complaint(reader: &mut FieldReader<'_>) -> Result<Complaint, WireError> {
    Ok(Complaint {
        fault: named(&FAULTS, "fault", reader.u8("fault")?)?,
        message: reader.text("message", TEXT_LIMIT)?,
        hint: reader.optional("hint", TEXT_LIMIT)?,
    })
}

/// Codes are the positions in the list, from 1.
fn code<T: PartialEq>(all: &[T], one: &T) -> u8 {
    let position = all.iter().position(|each| each == one);
    position.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or_default()
}

fn named<T: Copy>(all: &[T], field: &'static str, code: u8) -> Result<T, WireError> {
    let at = usize::from(code).checked_sub(1);
    at.and_then(|at| all.get(at).copied())
        .ok_or(WireError::BadValue { field, value: u32::from(code) })
}
