//! A launcher that a zygote has forked.
//!
//! In: a pidfd, which identifies this process even after its exit, and a socket on which
//! the process sends its exit code last. Out: what a parent process would know.
//! Invariant: the zygote lives at least as long as the processes forked from it.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use rustix::process::pidfd_send_signal;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

/// A launcher that a zygote has forked.
pub(crate) struct ForkedLauncher {
    /// A pidfd: readable when the process has exited.
    handle: OwnedFd,
    /// Only the process holds the other end, so it is closed when the process exits.
    exit_channel: UnixStream,
    /// Keeps the zygote alive: it is killed when its last holder is dropped, together with
    /// all processes forked from it.
    _zygote: Arc<dyn Send + Sync>,
}

impl ForkedLauncher {
    pub(crate) fn new(
        handle: OwnedFd,
        exit_channel: UnixStream,
        zygote: Arc<dyn Send + Sync>,
    ) -> Self {
        Self { handle, exit_channel, _zygote: zygote }
    }

    /// Its process id on the host, which the kernel shows for a pidfd.
    pub(crate) fn number(&self) -> Option<i32> {
        let file = format!("/proc/self/fdinfo/{}", self.handle.as_raw_fd());
        let text = std::fs::read_to_string(file).ok()?;
        text.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()
    }

    pub(crate) fn has_ended(&self) -> bool {
        let mut watched = [PollFd::new(self.handle.as_fd(), PollFlags::POLLIN)];
        poll(&mut watched, PollTimeout::ZERO).is_ok_and(|ended| ended > 0)
    }

    pub(crate) async fn wait(&mut self) -> ExitStatus {
        let mut code = [0; 4];
        // A process that sent nothing was killed.
        let status = match self.exit_channel.read_exact(&mut code).await {
            Ok(_) => (i32::from_le_bytes(code) & 0xff) << 8,
            Err(_) => Signal::SIGKILL as i32,
        };
        ExitStatus::from_raw(status)
    }

    pub(crate) fn kill(&self) {
        // Fails only if it has already exited.
        let _ = pidfd_send_signal(&self.handle, rustix::process::Signal::KILL);
    }
}
