//! The system calls that each kind of guest may make, as data with reasons.
//!
//! In: a [`Filter`] and the layers that hold. Out: a list of calls with conditions.
//! Invariant: a call that is not listed fails with `EPERM`: no file can be opened, no
//! socket created, no process started or inspected, unless a list allows it. The second
//! ABI of x86-64 (x32) is in no list. Neither is `io_uring`, which would bypass every
//! filter.

use nix::libc::c_long;

use crate::spec::Filter;

mod base;
mod commands;
mod events;
mod files;
mod jails;
mod memory;
mod processes;

use self::base::BASE;
use self::commands::COMMAND;
use self::events::EVENTS;
use self::files::{FILE_RIGHTS, FILES};
use self::jails::{FORKING, JAILING};
use self::memory::{CODE_MEMORY, DATA_MEMORY, LIBRARY_MEMORY};
use self::processes::{ENGINE, IDENTITY, JOBS, SIGNALS, THREADS};

/// One allowed system call.
#[derive(Clone, Copy)]
pub(crate) struct AllowedCall {
    pub(crate) number: c_long,
    pub(crate) when: Condition,
}

/// The condition under which a call is allowed.
#[derive(Clone, Copy)]
pub(crate) enum Condition {
    Always,
    /// All of these must hold.
    All(&'static [Condition]),
    /// These bits of this argument must be zero.
    Clear {
        argument: u8,
        bits: u64,
    },
    /// This argument must be one of these.
    OneOf {
        argument: u8,
        values: &'static [u64],
    },
    /// This argument must be the process id of the process that installs the filter.
    OwnProcess {
        argument: u8,
    },
}

impl AllowedCall {
    pub(crate) const fn always(number: c_long) -> Self {
        Self { number, when: Condition::Always }
    }

    pub(crate) const fn clear(number: c_long, argument: u8, bits: u64) -> Self {
        Self { number, when: Condition::Clear { argument, bits } }
    }

    pub(crate) const fn all(number: c_long, all: &'static [Condition]) -> Self {
        Self { number, when: Condition::All(all) }
    }

    pub(crate) const fn one_of(number: c_long, argument: u8, values: &'static [u64]) -> Self {
        Self { number, when: Condition::OneOf { argument, values } }
    }
}

/// Layers around the process that some calls rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnforcedLayers {
    /// Processes outside have no id here, and none outlives the init process.
    pub(crate) pid_namespace: bool,
    /// Files that were not granted have no path here.
    pub(crate) private_root: bool,
}

/// The calls of a filter, without those that are harmful if a layer is missing.
pub(crate) fn allowed_calls(filter: Filter, enforced_layers: EnforcedLayers) -> Vec<AllowedCall> {
    let mut lists = vec![BASE];
    match filter {
        Filter::OwnCode => lists.push(DATA_MEMORY),
        Filter::ReaderZygote => lists.extend([DATA_MEMORY, FORKING]),
        Filter::Engine => lists.extend(SHARED),
        Filter::Python => lists.extend([SHARED_BUT_MEMORY, &[LIBRARY_MEMORY, COMMAND]].concat()),
        // All calls of its workers, since a forked process inherits the filter.
        Filter::PythonZygote => {
            lists.extend([SHARED_BUT_MEMORY, &[LIBRARY_MEMORY, COMMAND, JOBS, JAILING]].concat());
        }
        Filter::Command => lists.extend([SHARED.as_slice(), &[COMMAND]].concat()),
    }
    let runs_others = !matches!(filter, Filter::OwnCode | Filter::ReaderZygote);
    if runs_others && enforced_layers.pid_namespace {
        lists.push(SIGNALS);
        if filter == Filter::Command {
            lists.push(JOBS);
        }
    }
    if matches!(filter, Filter::Python | Filter::PythonZygote | Filter::Command)
        && enforced_layers.private_root
    {
        lists.push(FILE_RIGHTS);
    }
    lists.concat()
}

/// The calls that engines and commands have in common.
const SHARED: [&[AllowedCall]; 6] = [CODE_MEMORY, THREADS, FILES, EVENTS, IDENTITY, ENGINE];

/// The same without memory for generated code.
const SHARED_BUT_MEMORY: &[&[AllowedCall]] = SHARED.split_at(1).1;
