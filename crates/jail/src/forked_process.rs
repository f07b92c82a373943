//! A process that was forked from a zygote, before it is confined.
//!
//! In: the descriptors of a [`ForkRequest`](crate::ForkRequest). Out: a process that looks
//! as if the gateway had started it: the channel is its standard input, it leads a process
//! group of its own, and it is in its control groups. The gateway is not its parent, so
//! the process itself sends what a parent would get: a pidfd at the start and its exit code
//! at the end.

#![expect(unsafe_code, reason = "setting the handler of a signal to the default")]

use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use nix::unistd::{dup2_stdin, dup2_stdout, write};
use rustix::process::{PidfdFlags, getpid, pidfd_open, setsid};

/// A process that was just forked from a zygote.
pub struct ForkedProcess {
    groups: Vec<OwnedFd>,
}

impl ForkedProcess {
    /// Sets up the process. `channel` and `end` lead to the gateway; `groups` are the files
    /// to write to in order to join the control groups.
    pub fn new(channel: &OwnedFd, end: &OwnedFd, groups: Vec<OwnedFd>) -> io::Result<Self> {
        // The zygote ignores SIGCHLD; a launcher must wait for its children.
        // SAFETY: no handler is installed; the default is restored.
        unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) }?;
        setsid()?;
        dup2_stdin(channel)?;
        // The launcher reports its exit on standard output; its children lose this
        // descriptor in `detach_from_exit_channel`.
        dup2_stdout(end)?;
        let handle = pidfd_open(getpid(), PidfdFlags::empty())?;
        let handles = [handle.as_fd().as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&handles)];
        sendmsg::<()>(end.as_raw_fd(), &[IoSlice::new(&[0])], &rights, MsgFlags::empty(), None)?;
        Ok(Self { groups })
    }

    /// Joins its control groups. The result is empty if there are none.
    pub(crate) fn join(self) -> Vec<io::Result<()>> {
        let join = |group| File::from(group).write_all(b"0");
        self.groups.into_iter().map(join).collect()
    }
}

/// Sends the exit code of the launcher to the gateway, which treats silence as a kill.
pub(crate) fn report_exit_code(code: i32) {
    let _ = write(io::stdout(), &code.to_le_bytes());
}

/// For a child of the launcher: replaces standard output with standard error, which leads
/// nowhere.
pub(crate) fn detach_from_exit_channel() {
    let _ = dup2_stdout(io::stderr());
}
