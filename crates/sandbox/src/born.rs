//! A launcher that a zygote has forked.
//!
//! We hold a handle of it, which means this process and no other, also after its end,
//! and a socket on which it says its exit code last.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use rustix::process::pidfd_send_signal;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use crate::zygote::Zygote;

/// A launcher that a zygote has forked.
pub(crate) struct Born {
    /// Readable when the process has ended.
    handle: OwnedFd,
    /// Its other end is held by the process alone, so it is closed with it.
    end: UnixStream,
    /// With the last who holds it, it ends, and with it all whom it has forked.
    _zygote: Arc<Zygote>,
}

impl Born {
    pub(crate) fn new(handle: OwnedFd, end: UnixStream, zygote: Arc<Zygote>) -> Self {
        Self { handle, end, _zygote: zygote }
    }

    /// Its number on this machine. The kernel says it of a handle.
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
        // What could say nothing any more was killed.
        let status = match self.end.read_exact(&mut code).await {
            Ok(_) => (i32::from_le_bytes(code) & 0xff) << 8,
            Err(_) => Signal::SIGKILL as i32,
        };
        ExitStatus::from_raw(status)
    }

    pub(crate) fn kill(&self) {
        // Fails only if it is gone already.
        let _ = pidfd_send_signal(&self.handle, rustix::process::Signal::KILL);
    }
}
