//! A running jail: its launcher, its control groups and its limits.
//!
//! In: a launcher that was started or forked. Out: whether it runs, what it has used, and
//! how it ended.
//! Invariant: when the value is dropped, everything in the jail is killed, and its control
//! groups are removed.

use std::future::Future;
use std::os::unix::process::ExitStatusExt;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;
use tidegate_model::{ErrorCode, Limits};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use crate::control_group::{Counters, Group};
use crate::driver::{ExitReport, Termination, WorkerHandle};
use crate::launcher::Launcher;
use crate::meter::{LimitWatch, Meter, Usage, WatchLimits};

/// How long a worker may take to exit after it has closed its channel. Chosen: the launcher
/// needs far less to notice the exit and to pass it on.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// The launcher of a jail, and the control groups of everything inside.
pub(crate) struct Jailed {
    /// `None` once it has exited.
    launcher: Option<Launcher>,
    group: Option<Group>,
    meter: Meter,
    enforcement: LimitEnforcement,
}

/// What enforces the limits of a jail on CPU time, memory and processes.
#[derive(Clone, Copy)]
pub(crate) enum LimitEnforcement {
    /// The kernel enforces all of them.
    Kernel,
    /// The gateway enforces those that no control group enforces.
    Gateway(Overhead),
}

/// What a jail uses in addition to the program in it.
#[derive(Clone, Copy)]
pub(crate) struct Overhead {
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
}

impl Jailed {
    pub(crate) fn new(launcher: Launcher, group: Group, enforcement: LimitEnforcement) -> Self {
        let meter = Meter::new(launcher.number().unwrap_or(0), group.counters().clone());
        Self { launcher: Some(launcher), group: Some(group), meter, enforcement }
    }

    fn kill(&mut self) {
        if let Some(launcher) = &mut self.launcher {
            launcher.kill();
        }
    }
}

impl WorkerHandle for Jailed {
    fn is_alive(&mut self) -> bool {
        self.launcher.as_mut().is_some_and(Launcher::is_alive)
    }

    fn watch(&self, limits: &Limits) -> Option<LimitWatch> {
        let LimitEnforcement::Gateway(own) = self.enforcement else { return None };
        let ceilings = WatchLimits {
            cpu: limits.cpu,
            memory_bytes: limits.memory_bytes.saturating_add(own.memory_bytes),
            processes: u64::from(limits.processes).saturating_add(own.processes),
        };
        // A run may have lower limits than the worker was started with.
        if let Some(group) = &self.group {
            group.counters().limit_memory(ceilings.memory_bytes);
            group.counters().limit_processes(ceilings.processes);
        }
        Some(self.meter.watch(ceilings))
    }

    fn usage(&self) -> Usage {
        let usage = self.meter.usage();
        let own = match self.enforcement {
            LimitEnforcement::Kernel => 0,
            LimitEnforcement::Gateway(own) => own.processes,
        };
        let processes = usage.processes.map(|count| count.saturating_sub(own));
        Usage { processes, ..usage }
    }

    fn end(
        mut self: Box<Self>,
        end: Termination,
    ) -> Pin<Box<dyn Future<Output = ExitReport> + Send>> {
        if end == Termination::Kill {
            self.kill();
        }
        Box::pin(async move {
            let Some(launcher) = &mut self.launcher else { return ExitReport::default() };
            // The channel closes a moment before the launcher exits with the cause.
            let status = match timeout(EXIT_TIMEOUT, launcher.wait()).await {
                Ok(status) => status,
                Err(_) => {
                    launcher.kill();
                    launcher.wait().await
                }
            };
            self.launcher = None;
            let counters = self.group.as_ref().map(Group::counters);
            let out_of_memory = counters.is_some_and(Counters::ran_out_of_memory);
            if let Some(group) = self.group.take() {
                tokio::spawn(remove(group));
            }
            match status {
                Ok(status) => {
                    ExitReport { cause: cause(status, out_of_memory), text: describe(status) }
                }
                Err(error) => ExitReport { cause: None, text: error.to_string() },
            }
        })
    }
}

impl Drop for Jailed {
    fn drop(&mut self) {
        self.kill();
        if let Some(mut group) = self.group.take()
            && !group.remove()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(remove(group));
        }
    }
}

/// Removes the groups once the kernel has reaped the processes inside. The next gateway
/// removes those that remain.
async fn remove(mut group: Group) {
    for _ in 0..200 {
        if group.remove() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    tracing::warn!(?group, "could not remove a control group");
}

/// The limit for which the jailed process was killed, if that was the cause.
fn cause(status: ExitStatus, out_of_memory: bool) -> Option<ErrorCode> {
    if out_of_memory {
        return Some(ErrorCode::MemoryLimit);
    }
    match signal_of(status)? {
        Signal::SIGXCPU => Some(ErrorCode::CpuLimit),
        Signal::SIGXFSZ => Some(ErrorCode::DiskLimit),
        _ => None,
    }
}

/// The signal that killed the jailed process. The launcher passes it on in its exit code,
/// as shells do.
fn signal_of(status: ExitStatus) -> Option<Signal> {
    let passed_on = status.code().and_then(|code| code.checked_sub(128)).filter(|&code| code > 0);
    Signal::try_from(status.signal().or(passed_on)?).ok()
}

fn describe(status: ExitStatus) -> String {
    signal_of(status).map_or_else(|| status.to_string(), |signal| signal.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use tidegate_model::ErrorCode;

    use super::{cause, describe};

    #[test]
    fn the_end_of_the_jailed_process_is_read_from_the_launcher() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(cause(exited(0), false), None);
        assert_eq!(cause(exited(128 + 24), false), Some(ErrorCode::CpuLimit));
        assert_eq!(cause(exited(128 + 25), false), Some(ErrorCode::DiskLimit));
        assert_eq!(cause(exited(128 + 9), false), None);
        assert_eq!(cause(exited(128 + 9), true), Some(ErrorCode::MemoryLimit));
        assert_eq!(describe(exited(128 + 11)), "SIGSEGV");
        assert_eq!(describe(ExitStatus::from_raw(9)), "SIGKILL");
        assert_eq!(describe(exited(3)), "exit status: 3");
    }
}
