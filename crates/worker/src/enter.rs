//! The steps of a worker: confine, say hello, run one program, exit.
//!
//! In: the description of a jail, and which engine to use. Out: an exit code.
//! Invariant: the worker exits with the gateway, even while a program is stuck in a native
//! loop: the engine thread does all the work, and the first thread only watches the channel.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tidegate_jail::{Confined, Origin, Spec};
use tidegate_model::IsolationReport;
use tidegate_wire::FromGuest;

use crate::channel::Channel;
use crate::confine;
use crate::host::Host;
use crate::runner::Runner;
use crate::v8::EngineChoice;

/// Stack of the engine thread. QuickJS recurses over the program's nesting and stops
/// at `engine::STACK_BYTES`, far below this. Only touched pages cost memory.
const ENGINE_STACK_BYTES: usize = 8 * 1024 * 1024;

/// Runs the worker and returns its exit code. Zero means that an outcome was sent, whether
/// the program succeeded or not. `spec` describes the jail, which is entered first;
/// `arguments` select the engine.
pub fn enter(spec: &str, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let (Some(spec), Some(choice)) = (Spec::from_argument(spec), EngineChoice::read(arguments))
    else {
        return ExitCode::from(2);
    };
    if let EngineChoice::Python(python) = choice {
        // Returns only if it failed. The gateway notices, since there is no hello.
        let _ = python.enter(spec);
        return ExitCode::from(2);
    }
    let confined = tidegate_jail::enter(spec, Origin::Started);
    let Ok(channel) = Channel::from_standard_input() else {
        return ExitCode::from(2);
    };
    let Ok(watched) = channel.duplicate_descriptor() else {
        return ExitCode::from(2);
    };
    confine::keep_one_heap();
    let engine = thread::Builder::new().stack_size(ENGINE_STACK_BYTES).spawn(move || {
        let sent = serve(channel, confined, &choice);
        // Ends the process from this thread: the first one sleeps in `poll`.
        std::process::exit(i32::from(!sent));
    });
    if engine.is_err() {
        return ExitCode::from(2);
    }
    loop {
        // No events are requested: only closing the other end wakes this up.
        let mut descriptors = [PollFd::new(watched.as_fd(), PollFlags::empty())];
        if poll(&mut descriptors, PollTimeout::NONE).is_ok() {
            return ExitCode::from(3);
        }
    }
}

/// Serves one run. True if its outcome was sent to the gateway.
fn serve(channel: Channel, confined: Confined, choice: &EngineChoice) -> bool {
    let host = Rc::new(Host::new(channel));
    // Before hello, so that the run that gets this worker finds it warm.
    let Ok((mut runner, report)) = start(&host, confined, choice) else { return false };
    let Ok(request) = host.wait_for_run(report) else { return false };
    confine::apply_limits(&request);
    let outcome = runner.run(&host, &request);
    let memory_bytes = runner.end();
    let message = match outcome {
        Ok(output) => FromGuest::Done { output, memory_bytes },
        Err(failure) => {
            FromGuest::Failed { failure, memory_bytes, output_bytes: host.output_wanted() }
        }
    };
    host.send(&message).is_ok()
}

/// Starts the engine and seals the jail.
fn start(
    host: &Rc<Host>,
    confined: Confined,
    choice: &EngineChoice,
) -> io::Result<(Runner, IsolationReport)> {
    match choice {
        // Both threads are running, and no other will be started.
        EngineChoice::QuickJs => {
            let runner = Runner::start(host, choice)?;
            Ok((runner, confined.seal()))
        }
        // Seal first, so that the child starts with no rights.
        EngineChoice::External(_) | EngineChoice::Python(_) => {
            let report = confined.seal();
            Ok((Runner::start(host, choice)?, report))
        }
    }
}
