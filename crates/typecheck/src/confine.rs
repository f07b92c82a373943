//! Confines the compiler process.
//!
//! In: a command, and the folders that it may read. Out: a running child.
//! On Linux, Landlock restricts it to these folders: it can write nothing, read nothing else
//! and open no connection. Without Landlock the compiler is not started, unless the operator
//! accepted programs without isolation. Memory has two limits: a soft one for Go's garbage
//! collector, and a hard one that the kernel enforces.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use tidegate_model::Isolation;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Above this, Go collects garbage more often. A check of a typical program uses 40 MB.
pub(crate) const SOFT_MEMORY: &str = "256MiB";
/// The kernel refuses more, and Go then exits with "out of memory". A limit on address space
/// would not work for Go, which reserves far more than it uses.
#[cfg(target_os = "linux")]
const HARD_MEMORY_BYTES: u64 = 768 * 1024 * 1024;

/// The folders that the child may read. It may also execute files in `programs`.
#[derive(Clone)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Landlock asks"))]
pub(crate) struct Readable {
    pub(crate) programs: Vec<PathBuf>,
    pub(crate) data: Vec<PathBuf>,
}

/// What to do if the kernel cannot confine the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Do not start it.
    Required,
    /// Run it unconfined; only `unchecked` keeps its input harmless.
    IfPossible,
}

impl From<Isolation> for Confinement {
    /// What `sandbox.min_isolation` requires of the compiler. Only `any` allows it to run
    /// unconfined: then programs may run unconfined too, and they can do more than the
    /// compiler that reads them.
    fn from(least: Isolation) -> Self {
        match least {
            Isolation::Any => Self::IfPossible,
            Isolation::Reduced | Isolation::Strict => Self::Required,
        }
    }
}

/// Why a child was not started.
#[derive(Debug, Error)]
pub(crate) enum SpawnError {
    #[error(transparent)]
    Unconfined(#[from] Unconfined),
    #[error(transparent)]
    Start(#[from] io::Error),
}

/// Why the kernel does not confine the compiler.
#[derive(Debug, Error)]
pub enum Unconfined {
    /// Landlock is not built in, switched off or filtered; or this is not Linux.
    #[error("this kernel does not offer Landlock")]
    NotOffered,
    /// Landlock is available but did not accept the rules.
    #[cfg(target_os = "linux")]
    #[error("Landlock did not accept the rules")]
    Failed(#[from] landlock::RulesetError),
}

/// Starts a child that is confined from its first instruction.
pub(crate) async fn spawn(
    mut command: Command,
    readable: Readable,
    confinement: Confinement,
) -> Result<Child, SpawnError> {
    let runtime = Handle::current();
    let (started, child) = oneshot::channel();
    // In a thread of its own: confinement applies to the calling thread and everything it
    // starts, and cannot be undone.
    std::thread::Builder::new().name("confine".to_owned()).spawn(move || {
        let _entered = runtime.enter();
        let result = match restrict(&readable) {
            Err(unconfined) if confinement == Confinement::Required => Err(unconfined.into()),
            restricted => {
                if let Err(error) = restricted {
                    tracing::warn!(%error, "the type checker runs unconfined");
                }
                command.spawn().map_err(SpawnError::from)
            }
        };
        // Fails only if the check was cancelled; dropping the value then kills the child.
        let _ = started.send(result);
    })?;
    let child = child.await.map_err(|_| io::Error::other("its thread ended"))??;
    limit(&child)?;
    Ok(child)
}

#[cfg(target_os = "linux")]
fn restrict(readable: &Readable) -> Result<(), Unconfined> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };
    // Rights that the running kernel does not support are omitted.
    let abi = ABI::V5;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .create()?
        .add_rules(path_beneath_rules(&readable.programs, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(&readable.data, AccessFs::ReadFile | AccessFs::ReadDir))?
        .restrict_self()?;
    match status.ruleset {
        // Partial is enough: files are covered since version 1, TCP since version 4.
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(Unconfined::NotOffered),
    }
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Readable) -> Result<(), Unconfined> {
    Err(Unconfined::NotOffered)
}

#[cfg(target_os = "linux")]
fn limit(child: &Child) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    // Without a process id it has already exited, which its reader will notice.
    let Some(pid) = pid else { return Ok(()) };
    let limits = [(Resource::Data, HARD_MEMORY_BYTES), (Resource::Core, 0), (Resource::Fsize, 0)];
    for (resource, most) in limits {
        prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit(_: &Child) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::collections::BTreeMap;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    use tokio::process::Command;

    use super::{Confinement, Readable, SpawnError, Unconfined, spawn};

    /// `landlock_create_ruleset`, the same on all systems.
    const CREATE_RULESET: i64 = 444;
    /// The error of a kernel that does not have a system call.
    const ENOSYS: u32 = 38;

    /// Whether a child starts on a kernel without Landlock.
    fn start_without_landlock(confinement: Confinement) -> Result<(), SpawnError> {
        // Threads inherit the filter, so it is set on one that ends with the test.
        let thread = std::thread::spawn(move || {
            let filter = SeccompFilter::new(
                BTreeMap::from([(CREATE_RULESET, Vec::new())]),
                SeccompAction::Allow,
                SeccompAction::Errno(ENOSYS),
                std::env::consts::ARCH.try_into().unwrap(),
            );
            let filter: BpfProgram = filter.unwrap().try_into().unwrap();
            seccompiler::apply_filter(&filter).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let readable = Readable { programs: Vec::new(), data: Vec::new() };
                let mut command = Command::new("true");
                command.kill_on_drop(true);
                spawn(command, readable, confinement).await.map(drop)
            })
        });
        thread.join().unwrap()
    }

    #[test]
    fn a_compiler_that_the_kernel_does_not_confine_is_not_started() {
        let refused = start_without_landlock(Confinement::Required);
        assert!(matches!(refused, Err(SpawnError::Unconfined(Unconfined::NotOffered))));
        start_without_landlock(Confinement::IfPossible).unwrap();
    }
}
