//! The kinds of guests that run as processes, and the jail of each.
//!
//! In: the limits of a run and a control group. Out: the description of a jail, arguments
//! for our own executable, and what the guest uses besides the program.
//! Invariant: a guest is granted only the files that its engine needs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tidegate_jail::{Filter, Grant, Link, ProcessLimits, Scratch, Spec};
use tidegate_model::Limits;

use crate::control_group::{CpuAccounting, Group, GroupLimits};
use crate::jailed::{LimitEnforcement, Overhead};
use crate::python::Python;
use crate::zygote::ZygotePool;

/// Address space beyond twice the memory limit; the worker narrows it to its run. See
/// `worker::confine`.
const ADDRESS_SPACE_BYTES: u64 = 512 * 1024 * 1024;

/// Limits of a reader. The longest programs it accepts take 60 MB and a quarter of a
/// second. Chosen with room.
const READER_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
const READER_CPU_TIME: Duration = Duration::from_secs(10);

/// Address space of a reader beyond its memory: the executable, its libraries and two
/// stacks.
const READER_MAPPED_BYTES: u64 = 256 * 1024 * 1024;

/// Memory of a worker beyond the heap of the engine: an idle worker has 7 MB. Chosen with
/// room.
const OVERHEAD_BYTES: u64 = 64 * 1024 * 1024;

/// The same for an external engine: its own code and tables. Less than half of it is
/// resident when Deno or Node is idle. Chosen with room.
const ENGINE_OVERHEAD_BYTES: u64 = 192 * 1024 * 1024;

/// Files and folders that a Python program can create. Chosen.
const SCRATCH_FILES: u32 = 16 * 1024;

/// The launcher, the init process and the two threads of the worker.
const OUR_PROCESSES: u64 = 4;

/// The descriptor of the channel, which is also the lifeline: standard input.
const LIFELINE: i32 = 0;

/// A kind of guest.
pub(crate) enum Guest {
    /// A reader, with the process that readers are forked from.
    Reader(ZygotePool),
    /// A worker with QuickJS, which is part of our own executable.
    QuickJs,
    /// A worker with an external engine, and the files that the engine needs.
    Engine { arguments: Vec<OsString>, program: PathBuf, files: Vec<PathBuf> },
    /// A Python worker, and the process that Python workers are forked from, if allowed.
    Python(Box<Python>, Option<ZygotePool>),
}

/// The limits of a reader, which do not depend on those of a run.
pub(crate) fn reader_limits(limits: &Limits) -> Limits {
    Limits {
        memory_bytes: READER_MEMORY_BYTES,
        cpu: READER_CPU_TIME,
        disk_bytes: 0,
        processes: 0,
        ..*limits
    }
}

impl Guest {
    /// The zygotes that guests are forked from, if forking is allowed.
    pub(crate) fn zygotes(&self) -> Option<&ZygotePool> {
        match self {
            Self::Reader(zygotes) => Some(zygotes),
            Self::Python(_, zygotes) => zygotes.as_ref(),
            Self::QuickJs | Self::Engine { .. } => None,
        }
    }

    /// The first argument of our executable.
    pub(crate) fn role(&self) -> &'static str {
        match self {
            Self::Reader(_) => "reader",
            Self::QuickJs | Self::Engine { .. } | Self::Python(..) => "worker",
        }
    }

    /// The arguments after the description of the jail.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        match self {
            Self::Reader(_) | Self::QuickJs => Vec::new(),
            Self::Engine { arguments, .. } => arguments.clone(),
            Self::Python(python, _) => python.worker_arguments(),
        }
    }

    /// The scripts that a worker is sent before anything else.
    pub(crate) fn scripts(&self) -> &[u8] {
        match self {
            Self::Reader(_) | Self::QuickJs | Self::Engine { .. } => &[],
            Self::Python(python, _) => &python.scripts,
        }
    }

    /// What enforces the limits of this guest.
    pub(crate) fn enforcement(&self) -> LimitEnforcement {
        match self {
            // A single process that cannot start another: its own limits are those of the
            // run.
            Self::Reader(_) | Self::QuickJs => LimitEnforcement::Kernel,
            Self::Engine { .. } | Self::Python(..) => {
                let memory_bytes = self.overhead_bytes();
                LimitEnforcement::Gateway(Overhead { memory_bytes, processes: OUR_PROCESSES })
            }
        }
    }

    /// The limits of the control groups of one guest.
    pub(crate) fn group_limits(&self, limits: &Limits) -> GroupLimits {
        GroupLimits {
            memory_bytes: limits.memory_bytes.saturating_add(self.overhead_bytes()),
            processes: all_processes(limits),
            cpu: match self {
                Self::Reader(_) | Self::QuickJs => CpuAccounting::SingleProcess,
                Self::Engine { .. } | Self::Python(..) => CpuAccounting::WholeGroup,
            },
        }
    }

    /// Memory beyond the limit of the program: what the engine itself needs.
    fn overhead_bytes(&self) -> u64 {
        match self {
            Self::Reader(_) | Self::QuickJs | Self::Python(..) => OVERHEAD_BYTES,
            Self::Engine { .. } => ENGINE_OVERHEAD_BYTES,
        }
    }

    /// The jail of one guest.
    pub(crate) fn spec(&self, limits: &Limits, group: &Group) -> Spec {
        match self {
            // No control group limits its memory, so the address space must.
            Self::Reader(_) => {
                let bytes = limits.memory_bytes.saturating_add(READER_MAPPED_BYTES);
                own_code_spec(limits, group, bytes)
            }
            Self::QuickJs => own_code_spec(limits, group, worker_address_space(limits)),
            Self::Engine { program, files, .. } => engine_spec(program, files, limits, group),
            Self::Python(python, _) => python_spec(python, limits, group),
        }
    }
}

/// The jail of a guest that is our own executable: no file, no thread, no process.
fn own_code_spec(limits: &Limits, group: &Group, address_space: u64) -> Spec {
    Spec {
        filter: Filter::OwnCode,
        grants: Vec::new(),
        links: Vec::new(),
        hidden: Vec::new(),
        scratch: None,
        limits: ProcessLimits {
            address_space: Some(address_space),
            cpu_seconds: cpu_seconds(limits),
            // It cannot open a file in the first place.
            file_bytes: 0,
            open_files: 16,
            // It has already started all of its threads.
            processes: 0,
        },
        control_groups: group.joining_files(),
        lifeline: LIFELINE,
    }
}

fn engine_spec(program: &Path, files: &[PathBuf], limits: &Limits, group: &Group) -> Spec {
    Spec {
        filter: Filter::Engine,
        grants: files.iter().map(|path| Grant::read(path)).collect(),
        // Deno looks for its own executable there, and exits if there is none.
        links: vec![Link { path: "/proc/self/exe".into(), target: program.to_owned() }],
        hidden: Vec::new(),
        scratch: None,
        limits: ProcessLimits {
            // V8 reserves far more than it uses; the worker limits the data of its child
            // instead.
            address_space: None,
            cpu_seconds: cpu_seconds(limits),
            file_bytes: limits.disk_bytes,
            open_files: 256,
            processes: group.processes_of_the_user(all_processes(limits)),
        },
        control_groups: group.joining_files(),
        lifeline: LIFELINE,
    }
}

fn python_spec(python: &Python, limits: &Limits, group: &Group) -> Spec {
    Spec {
        filter: Filter::Python,
        grants: python.grants(),
        links: python.links(),
        hidden: python.hidden.clone(),
        scratch: Some(Scratch { bytes: limits.disk_bytes, files: SCRATCH_FILES }),
        limits: ProcessLimits {
            // Threads reserve far more than they use. The worker, which knows its run,
            // limits the memory that holds data.
            address_space: Some(worker_address_space(limits)),
            cpu_seconds: cpu_seconds(limits),
            file_bytes: limits.disk_bytes,
            open_files: 256,
            processes: group.processes_of_the_user(all_processes(limits)),
        },
        control_groups: group.joining_files(),
        lifeline: LIFELINE,
    }
}

fn worker_address_space(limits: &Limits) -> u64 {
    limits.memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES)
}

/// Above the run's limit, which the engine or the gateway enforces exactly.
fn cpu_seconds(limits: &Limits) -> u64 {
    limits.cpu.as_secs().saturating_add(2)
}

fn all_processes(limits: &Limits) -> u64 {
    u64::from(limits.processes) + OUR_PROCESSES
}
