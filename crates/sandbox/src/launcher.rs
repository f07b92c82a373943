//! The launcher of a jail, as the gateway sees it.
//!
//! In: a child of ours, or a process that a zygote forked (`forked_launcher.rs`). Out: its
//! process id, its exit status, and a way to kill it.
//! Invariant: a signal reaches this jail and no other process.

use std::io;
use std::process::ExitStatus;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::Child;

#[cfg(target_os = "linux")]
use crate::forked_launcher::ForkedLauncher;

/// The outermost process of a jail.
pub(crate) enum Launcher {
    Child(Child),
    #[cfg(target_os = "linux")]
    Forked(ForkedLauncher),
}

impl Launcher {
    /// Its process id on the host, as long as the id cannot belong to another process.
    pub(crate) fn number(&self) -> Option<i32> {
        match self {
            Self::Child(child) => child.id().and_then(|id| i32::try_from(id).ok()),
            #[cfg(target_os = "linux")]
            Self::Forked(forked) => forked.number(),
        }
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        match self {
            Self::Child(child) => matches!(child.try_wait(), Ok(None)),
            #[cfg(target_os = "linux")]
            Self::Forked(forked) => !forked.has_ended(),
        }
    }

    /// Kills it, and with it everything in the jail.
    pub(crate) fn kill(&mut self) {
        match self {
            // Until it has been waited for, its process id cannot be reused, so the signal
            // cannot hit another process. It leads a process group. Fails only if the
            // whole group has already exited.
            Self::Child(child) => {
                if let Some(number) = child.id().and_then(|id| i32::try_from(id).ok()) {
                    let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
                }
            }
            #[cfg(target_os = "linux")]
            Self::Forked(forked) => forked.kill(),
        }
    }

    /// Waits until it has exited.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Child(child) => child.wait().await,
            #[cfg(target_os = "linux")]
            Self::Forked(forked) => Ok(forked.wait().await),
        }
    }
}
