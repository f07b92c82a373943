//! The reader's life: confine, say hello, read one program, end.

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread;

use tidegate_jail::{Confined, Origin, Spec};

use crate::channel::Channel;
use crate::read::{STACK_BYTES, serve};

/// Runs the reader and returns its exit code: zero if a program was read. `spec` says
/// how the process is to be confined, which is the first thing that happens. With the
/// argument `--zygote` it reads nothing itself and forks readers.
pub fn enter(spec: &str, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Some(spec) = Spec::from_argument(spec) else { return ExitCode::from(2) };
    let forks = arguments.into_iter().any(|argument| argument == "--zygote");
    let confined = tidegate_jail::enter(spec, Origin::Started);
    // The one thread that does anything: its stack is what a fork inherits.
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
    // Before descriptors cannot be copied any more.
    let Ok(channel) = Channel::from_standard_input() else { return false };
    // Both threads are there, and there will never be another one.
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
