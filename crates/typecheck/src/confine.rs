//! What the compiler process may do.
//!
//! In: a command, the folders it may read. Out: a running child.
//! On Linux the kernel keeps it to these folders (Landlock): it can write
//! nothing, read nothing else and open no connection. A kernel without Landlock
//! leaves that to `refuse`. Memory is limited twice: softly by Go's own
//! collector, hard by the kernel, which ends a process that wants more.

use std::io;
use std::path::PathBuf;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Go collects harder from here on. A check of a usual program has 40 MB.
pub(crate) const SOFT_MEMORY: &str = "256MiB";
/// The kernel refuses more; Go then ends with "out of memory". Address space is
/// no measure for Go, which reserves far more than it uses.
#[cfg(target_os = "linux")]
const HARD_MEMORY_BYTES: u64 = 768 * 1024 * 1024;

/// Folders that the child may read; the first kind also holds what it executes.
#[derive(Clone)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Landlock asks"))]
pub(crate) struct Readable {
    pub(crate) programs: Vec<PathBuf>,
    pub(crate) data: Vec<PathBuf>,
}

/// Starts a child that is confined from its first instruction.
pub(crate) async fn spawn(mut command: Command, readable: Readable) -> io::Result<Child> {
    let runtime = Handle::current();
    let (started, child) = oneshot::channel();
    // A thread of its own: confinement holds for the thread that asks for it and
    // for what it starts, and cannot be taken back.
    std::thread::Builder::new().name("confine".to_owned()).spawn(move || {
        let _entered = runtime.enter();
        restrict(&readable);
        // Nobody waits any more if the check was given up; the child then ends
        // with the value.
        let _ = started.send(command.spawn());
    })?;
    let child = child.await.unwrap_or_else(|_| Err(io::Error::other("its thread ended")))?;
    limit(&child)?;
    Ok(child)
}

#[cfg(target_os = "linux")]
fn restrict(readable: &Readable) {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, RestrictionStatus, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, path_beneath_rules,
    };
    let try_it = || -> Result<RestrictionStatus, RulesetError> {
        // Rights that the running kernel does not know are left out.
        let abi = ABI::V5;
        Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .create()?
            .add_rules(path_beneath_rules(&readable.programs, AccessFs::from_read(abi)))?
            .add_rules(path_beneath_rules(&readable.data, AccessFs::ReadFile | AccessFs::ReadDir))?
            .restrict_self()
    };
    match try_it() {
        Ok(status) => tracing::debug!(ruleset = ?status.ruleset, "type checker confined"),
        // The check of the program's text stands alone then.
        Err(error) => tracing::warn!(%error, "type checker not confined by the kernel"),
    }
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Readable) {}

#[cfg(target_os = "linux")]
fn limit(child: &Child) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    // Without a number it has ended already, which its reader will notice.
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
