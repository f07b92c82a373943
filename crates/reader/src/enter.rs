//! The entry point of a reader: confine the process, greet, analyse one program, exit.
//!
//! In: the jail specification and arguments of the command line. Out: an exit code.

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread;

use tidegate_jail::{Confined, Origin, Spec};

use crate::channel::Channel;
use crate::read::{STACK_BYTES, serve};

/// Runs the reader and returns its exit code: zero if a program was analysed. `spec` says how
/// to confine the process, which happens first. With the argument `--zygote` it forks readers
/// and analyses nothing itself.
pub fn enter(spec: &str, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Some(spec) = Spec::from_argument(spec) else { return ExitCode::from(2) };
    let forks = arguments.into_iter().any(|argument| argument == "--zygote");
    let confined = tidegate_jail::enter(spec, Origin::Started);
    // The only working thread: a fork inherits its stack.
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let done = thread.spawn(move || match forks {
        true => fork_readers(confined),
        false => read_one(confined),
    });
    match done.map(thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}

fn read_one(confined: Confined) -> bool {
    // Must run before `seal`, which forbids duplicating descriptors.
    let Ok(channel) = Channel::from_standard_input() else { return false };
    // Both threads exist, and no other will ever be started.
    serve(channel, confined.seal()).is_ok()
}

#[cfg(target_os = "linux")]
fn fork_readers(confined: Confined) -> bool {
    crate::zygote::fork_readers(&confined.seal_reader_zygote()).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn fork_readers(_: Confined) -> bool {
    false
}
