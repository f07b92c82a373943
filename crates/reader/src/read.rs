//! One program from hello to the answer.

use std::io;

use tidegate_model::{ErrorCode, IsolationReport, Language, Prepared, RunError};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION, PrepareRequest, ToGuest};

use crate::channel::Channel;

/// Says hello with the proof of the confinement, reads the one program that comes, and
/// answers. To be called on a thread with [`STACK_BYTES`] of stack.
pub(crate) fn serve(mut channel: Channel, report: IsolationReport) -> io::Result<()> {
    channel.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report })?;
    let ToGuest::Prepare(program) = channel.receive()? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let answer = FromGuest::Prepared(Box::new(read(&program)));
    match channel.send(&answer) {
        Err(error) if error.kind() == io::ErrorKind::Other => {
            channel.send(&FromGuest::Prepared(Box::new(Err(too_long()))))
        }
        sent => sent,
    }
}

/// The stack that the parsers need: they recurse over the nesting of a program, which
/// they bound. Only touched pages cost memory.
pub(crate) const STACK_BYTES: usize = 64 * 1024 * 1024;

fn read(program: &PrepareRequest) -> Result<Prepared, RunError> {
    match program.language {
        Language::TypeScript => tidegate_typescript::prepare(&program.source),
        // A program that is not understood is run as it is: Python itself says what is
        // wrong with it. Its reading is not complete, which the rules judge.
        Language::Python => Ok(tidegate_python::prepare(&program.source).unwrap_or_default()),
    }
}

/// JavaScript can be longer than the program it is made of, and a frame has an end.
fn too_long() -> RunError {
    RunError::new(ErrorCode::Syntax, "the program is too long")
        .with_hint("programs can be up to 64 MB as JavaScript")
}
