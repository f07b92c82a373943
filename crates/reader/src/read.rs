//! Analyses one program, from the greeting to the answer.
//!
//! In: a channel and the proof of confinement. Out: the answer on the channel.

use std::io;

use tidegate_model::{ErrorCode, IsolationReport, Language, RunError};
use tidegate_wire::{Cause, Complaint, Failure, Fault, FromGuest, PROTOCOL_VERSION, ToGuest};

use crate::channel::Channel;

/// Sends the proof of confinement, receives one program and answers with its analysis. Must be
/// called on a thread with [`STACK_BYTES`] of stack.
pub(crate) fn serve(mut channel: Channel, report: IsolationReport) -> io::Result<()> {
    channel.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report })?;
    let ToGuest::Prepare(program) = channel.receive()? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let prepared = match program.language {
        Language::TypeScript => tidegate_typescript::prepare(&program.source).map_err(not_parsed),
        // A program that does not parse runs anyway, and Python reports the error. Its analysis
        // is incomplete, which becomes a finding.
        Language::Python => Ok(tidegate_python::prepare(&program.source).unwrap_or_default()),
    };
    let answer = FromGuest::Prepared(Box::new(prepared));
    match channel.send(&answer) {
        Err(error) if error.kind() == io::ErrorKind::Other => {
            channel.send(&FromGuest::Prepared(Box::new(Err(too_long()))))
        }
        sent => sent,
    }
}

/// The stack that the parsers need: they recurse over the nesting of a program, which they
/// limit. Only touched pages use memory.
pub(crate) const STACK_BYTES: usize = 64 * 1024 * 1024;

fn not_parsed(RunError { code, message, hint, line, column, .. }: RunError) -> Failure {
    let fault = if code == ErrorCode::Type { Fault::Type } else { Fault::Syntax };
    let cause = Cause::Program(Complaint { fault, message, hint });
    Failure { cause, line, column }
}

/// The failure of a program whose JavaScript does not fit into a frame.
fn too_long() -> Failure {
    Failure::of(Fault::Syntax, "the program is too long")
        .with_hint("a program may have at most 64 MB as JavaScript")
}
