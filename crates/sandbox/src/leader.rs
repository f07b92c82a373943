//! The launcher of a jail, seen from the gateway: what can end it and tell its end.
//!
//! Either a child of ours, or a process that a zygote has forked for us (`born.rs`).

use std::io;
use std::process::ExitStatus;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::Child;

use crate::zygote::Born;

/// Who leads a jail.
pub(crate) enum Leader {
    Child(Child),
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there is no zygote"))]
    Born(Born),
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
            Self::Born(born) => born.kill(),
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
