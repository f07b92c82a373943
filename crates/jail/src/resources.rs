//! Sets the limits that the kernel enforces for each process.
//!
//! In: [`ProcessLimits`]. Out: limits that were set and read back, or a finding.
//! Invariant: a limit is never raised.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};
use crate::spec::ProcessLimits;

/// How many processes and threads the user may add after the start of a jail, where the
/// kernel counts those outside the jail too. Chosen: a browser started in the meantime
/// must not stop an engine, and a fork bomb is still stopped.
const USER_PROCESS_MARGIN: u64 = 1024;

/// Sets the limits and reads them back. `others` is the number of processes and threads
/// outside the jail, if the kernel counts them with those inside.
pub(crate) fn limit(limits: &ProcessLimits, others: Option<u64>, findings: &mut Findings) {
    let processes = match others {
        Some(others) => limits.processes.saturating_add(others).saturating_add(USER_PROCESS_MARGIN),
        None => limits.processes,
    };
    let mut wanted = vec![
        // The soft limit sends SIGXCPU, which names the cause; the hard one kills.
        (Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds.saturating_add(1)),
        (Resource::Fsize, limits.file_bytes, limits.file_bytes),
        (Resource::Nofile, limits.open_files, limits.open_files),
        (Resource::Nproc, processes, processes),
        // No core dump, no locked memory, no message queue that outlives the process. One
        // byte instead of zero for core dumps: with zero, a handler of the system still
        // gets the dump through its pipe (core(5)).
        (Resource::Core, 1, 1),
        (Resource::Memlock, 0, 0),
        (Resource::Msgqueue, 0, 0),
        // A process with real-time priority could starve all others; desktops grant it
        // for audio.
        (Resource::Rtprio, 0, 0),
        (Resource::Nice, 0, 0),
    ];
    if let Some(bytes) = limits.address_space {
        wanted.push((Resource::As, bytes, bytes));
    }
    let result = wanted.into_iter().try_for_each(|(resource, soft, hard)| {
        // A limit that is already lower stays: it cannot be raised.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (soft, hard) = (soft.min(most), hard.min(most));
        let limit = Rlimit { current: Some(soft), maximum: Some(hard) };
        let what = format!("{resource:?} cannot be limited");
        setrlimit(resource, limit).map_err(|error| LayerProblem::refused(&what, error, ""))?;
        if getrlimit(resource).maximum == Some(hard) {
            Ok(())
        } else {
            Err(LayerProblem::leaks(&what))
        }
    });
    let result = result.and_then(|()| match others {
        // A control group counts only the processes of the jail.
        Some(_) if !findings.holds(Layer::Cgroup) => Err(LayerProblem::partial(
            format!(
                "the kernel counts all processes of the user and allows `{processes}`; the gateway \
                 counts those of a run and stops it"
            ),
            "allow user namespaces, or run tidegate in a delegated control group",
        )),
        _ => Ok(()),
    });
    findings.record(Layer::ResourceLimits, result);
}
