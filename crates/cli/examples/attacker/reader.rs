//! A compromised reader, which behaves like the real one until the program arrives.
//!
//! A program with `"reader": true` attacks here; its outcome is passed on as the code for the
//! worker, which reports it. All other programs attack in the worker.

use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{ForkResult, fork};
use serde_json::{Value, json};
use tidegate_jail::{Confined, Origin, Spec, receive_fork_request};
use tidegate_model::reading::Reading;
use tidegate_model::{Executable, IsolationReport, Prepared};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION, ToGuest};

use crate::attack::carry_out;
use crate::worker::Wire;

/// As in `crates/reader/src/read.rs`.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// How a reader was started.
#[derive(Clone, Copy)]
pub(crate) enum ReaderStart {
    Started,
    Forked,
}

pub(crate) fn enter(spec: &str, start: ReaderStart) -> ExitCode {
    let confined = tidegate_jail::enter(Spec::from_argument(spec).unwrap(), Origin::Started);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let reading = thread.spawn(move || match start {
        ReaderStart::Started => {
            let wire = channel();
            serve(wire, confined.seal(), start);
        }
        ReaderStart::Forked => fork_readers(confined),
    });
    reading.unwrap().join().unwrap();
    ExitCode::SUCCESS
}

fn fork_readers(confined: Confined) {
    let jail = confined.seal_reader_zygote();
    // SAFETY: no handler is installed.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) }.unwrap();
    let orders = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap());
    (&orders).write_all(&[1]).unwrap();
    while let Some(order) = receive_fork_request(&orders) {
        // SAFETY: the other thread waits for this one.
        if let Ok(ForkResult::Child) = unsafe { fork() } {
            drop(orders);
            let forked = jail.forked(order).unwrap();
            let wire = channel();
            serve(wire, forked.seal(), ReaderStart::Forked);
            // SAFETY: takes a number and does not return.
            unsafe { nix::libc::_exit(0) }
        }
    }
}

fn channel() -> Wire {
    Wire(UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap()))
}

fn serve(mut wire: Wire, report: IsolationReport, start: ReaderStart) {
    wire.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report });
    let ToGuest::Prepare(program) = wire.receive() else { return };
    let attack: Value = serde_json::from_str(&program.source).unwrap_or_else(|_| json!({}));
    let outcome = match attack["reader"] == true {
        true => carry_out(&attack),
        false => Value::Null,
    };
    let forked = matches!(start, ReaderStart::Forked);
    let code = json!({"forked": forked, "outcome": outcome}).to_string();
    let executable = Some(Executable { code, line_map: Vec::new() });
    let reading = Reading { complete: true, ..Reading::default() };
    wire.send(&FromGuest::Prepared(Box::new(Ok(Prepared {
        executable,
        reading,
        ..Prepared::default()
    }))));
}
