//! Limits that the kernel keeps for each process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};
use crate::spec::ProcessLimits;

/// How many more processes and threads a user may have later than at the start of
/// a jail, where the kernel counts all of them. Chosen: a browser that is started
/// meanwhile must not stop an engine, and a bomb ends all the same.
const GROWTH: u64 = 1024;

/// Sets the limits, and reads them back. `others` are the processes and threads
/// that the kernel counts with those of the jail, where it does.
pub(crate) fn limit(limits: &ProcessLimits, others: Option<u64>, findings: &mut Findings) {
    let processes = match others {
        Some(others) => limits.processes.saturating_add(others).saturating_add(GROWTH),
        None => limits.processes,
    };
    let mut wanted = vec![
        // The soft limit names its cause (SIGXCPU); the hard one cannot be ignored.
        (Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds.saturating_add(1)),
        (Resource::Fsize, limits.file_bytes, limits.file_bytes),
        (Resource::Nofile, limits.open_files, limits.open_files),
        (Resource::Nproc, processes, processes),
        // No memory image of a program on disk, none that cannot be swapped out,
        // no queue that outlives it. One byte, not none: with none a handler of
        // the system still gets the image through its pipe (core(5)).
        (Resource::Core, 1, 1),
        (Resource::Memlock, 0, 0),
        (Resource::Msgqueue, 0, 0),
        // Whoever may use real-time order may starve everybody else; desktops
        // hand that out for sound.
        (Resource::Rtprio, 0, 0),
        (Resource::Nice, 0, 0),
    ];
    if let Some(bytes) = limits.address_space {
        wanted.push((Resource::As, bytes, bytes));
    }
    let came = wanted.into_iter().try_for_each(|(resource, soft, hard)| {
        // A limit that is lower already stays: it cannot be raised.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (soft, hard) = (soft.min(most), hard.min(most));
        let limit = Rlimit { current: Some(soft), maximum: Some(hard) };
        let what = format!("{resource:?} cannot be limited");
        setrlimit(resource, limit).map_err(|error| Lack::refused(&what, error, ""))?;
        if getrlimit(resource).maximum == Some(hard) { Ok(()) } else { Err(Lack::leaks(&what)) }
    });
    let came = came.and_then(|()| match others {
        // A control group counts those of the jail alone.
        Some(_) if !findings.holds(Layer::Cgroup) => Err(Lack::partial(
            format!(
                "the kernel counts all processes of the user and allows {processes}; the gateway \
                 counts those of a run and ends it"
            ),
            "allow user namespaces, or run tidegate in a delegated control group",
        )),
        _ => Ok(()),
    });
    findings.note(Layer::ResourceLimits, came);
}
