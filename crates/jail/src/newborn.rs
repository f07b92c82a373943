//! A process that was forked from a zygote, before it is confined.
//!
//! In: what the gateway has sent to the zygote. Out: a process as the gateway would
//! have started it: the channel is its standard input, it leads a group of its own,
//! and it is in its control groups. Since the gateway is not its parent, it is told by
//! hand what a parent would know: a handle of the process at first, which can end it
//! and no other, and at its end the code.

#![expect(unsafe_code, reason = "setting the handler of a signal to the default")]

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use nix::unistd::{dup2_stdin, dup2_stdout, write};
use rustix::process::{PidfdFlags, getpid, pidfd_open, setsid};

/// A process that has just been forked.
pub struct Newborn {
    groups: Vec<OwnedFd>,
}

impl Newborn {
    /// Takes its place. `channel` leads to the gateway, `end` as well, and `groups`
    /// are the files to write to in order to join the control groups.
    pub fn new(channel: OwnedFd, end: OwnedFd, groups: Vec<OwnedFd>) -> io::Result<Self> {
        // The zygote does not care for its children; a launcher does.
        // SAFETY: no handler is installed, the default is restored.
        unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) }?;
        setsid()?;
        dup2_stdin(channel)?;
        // Where the launcher looks for it, and nobody else does: see `forget_the_end`.
        dup2_stdout(&end)?;
        let handle = pidfd_open(getpid(), PidfdFlags::empty())?;
        let handles = [handle.as_fd().as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&handles)];
        sendmsg::<()>(end.as_raw_fd(), &[IoSlice::new(&[0])], &rights, MsgFlags::empty(), None)?;
        Ok(Self { groups })
    }

    /// Joins its control groups. Nothing if there are none.
    pub(crate) fn join(self) -> Vec<io::Result<()>> {
        let join = |group| File::from(group).write_all(b"0");
        self.groups.into_iter().map(join).collect()
    }
}

/// Tells the gateway with which code the launcher ends. What it does not hear it
/// will take for a kill.
pub(crate) fn tell_the_end(code: i32) {
    let _ = write(io::stdout(), &code.to_le_bytes());
}

/// For a process that the launcher has forked: standard output becomes what standard
/// error is, which is nothing.
pub(crate) fn forget_the_end() {
    let _ = dup2_stdout(io::stderr());
}
