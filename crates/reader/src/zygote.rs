//! The process from which readers are forked.
//!
//! In: requests from the gateway on standard input. Out: for each request a new process in the
//! same jail, which gives up forking and everything but its channel before it says hello.
//! Invariant: the zygote never sees a program.

#![expect(unsafe_code, reason = "forking, and ending a process without its parent's cleanup")]

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{ForkResult, fork};
use tidegate_jail::{ForkRequest, ReaderZygote, receive_fork_request};

use crate::channel::Channel;
use crate::read::serve;

/// Signals to the gateway that it may send requests.
const READY: &[u8] = &[1];

/// Forks a reader for each request, until the gateway closes the channel.
pub(crate) fn fork_readers(jail: &ReaderZygote) -> io::Result<()> {
    // Nobody waits for the children.
    // SAFETY: no handler is installed.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) }?;
    let orders = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    (&orders).write_all(READY)?;
    while let Some(order) = receive_fork_request(&orders) {
        // SAFETY: the other thread of this process waits for this one and holds no lock; the C
        // library keeps its own locks consistent across a fork.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => {
                drop(orders);
                let read = be_reader(jail, order);
                // Skip the cleanup that belongs to the parent.
                // SAFETY: takes a number and does not return.
                unsafe { nix::libc::_exit(i32::from(read.is_err())) }
            }
            // Without a child its socket ends are closed, which tells the gateway.
            Ok(ForkResult::Parent { .. }) | Err(_) => {}
        }
    }
    Ok(())
}

fn be_reader(jail: &ReaderZygote, order: ForkRequest) -> io::Result<()> {
    let forked = jail.forked(order)?;
    // Must run before `seal`, which forbids duplicating descriptors.
    let channel = Channel::from_standard_input()?;
    serve(channel, forked.seal())
}
