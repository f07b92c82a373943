//! The launcher of a jail, seen from the gateway: what can end it and tell its end.
//!
//! Either a child of ours, or a process that a zygote has forked for us. Of the latter
//! we hold a handle, which means this process and no other, also after its end, and a
//! socket on which it says its exit code last.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::process::pidfd_send_signal;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::Child;

use crate::zygote::Zygote;

/// Who leads a jail.
pub(crate) enum Leader {
    Child(Child),
    Born(Born),
}

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
    fn number(&self) -> Option<i32> {
        let file = format!("/proc/self/fdinfo/{}", self.handle.as_raw_fd());
        let text = std::fs::read_to_string(file).ok()?;
        text.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()
    }

    fn has_ended(&self) -> bool {
        let mut watched = [PollFd::new(self.handle.as_fd(), PollFlags::POLLIN)];
        poll(&mut watched, PollTimeout::ZERO).is_ok_and(|ended| ended > 0)
    }

    async fn wait(&mut self) -> ExitStatus {
        let mut code = [0; 4];
        // What could say nothing any more was killed.
        let status = match self.end.read_exact(&mut code).await {
            Ok(_) => (i32::from_le_bytes(code) & 0xff) << 8,
            Err(_) => Signal::SIGKILL as i32,
        };
        ExitStatus::from_raw(status)
    }
}

impl Leader {
    /// Its number on this machine, while it is its own.
    pub(crate) fn number(&self) -> Option<i32> {
        match self {
            Self::Child(child) => child.id().and_then(|id| i32::try_from(id).ok()),
            Self::Born(born) => born.number(),
        }
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        match self {
            Self::Child(child) => matches!(child.try_wait(), Ok(None)),
            Self::Born(born) => !born.has_ended(),
        }
    }

    /// Ends it, and it takes everything else with it.
    pub(crate) fn kill(&mut self) {
        match self {
            // Until it has been waited for, its number cannot be given to another
            // process, so the signal cannot go astray. It leads a group. Fails only if
            // everybody in that is gone already.
            Self::Child(child) => {
                if let Some(number) = child.id().and_then(|id| i32::try_from(id).ok()) {
                    let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
                }
            }
            Self::Born(born) => {
                let signal = rustix::process::Signal::KILL;
                let _ = pidfd_send_signal(&born.handle, signal);
            }
        }
    }

    /// Waits until it has ended.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Child(child) => child.wait().await,
            Self::Born(born) => Ok(born.wait().await),
        }
    }
}
