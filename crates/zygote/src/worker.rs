//! Turns a forked process into a Python worker.
//!
//! In: a request from the gateway. Out: the first frame of the worker, in a process that is
//! inside its own jail.

use std::io;

use tidegate_jail::{ForkRequest, ForkedProcess, Origin, enter};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION};

/// Confines this process, which was just forked. Returns its first frame, in a new process
/// inside the jail.
pub(crate) fn become_worker(order: ForkRequest) -> io::Result<Vec<u8>> {
    let ForkRequest { spec, channel, end, groups } = order;
    let newborn = ForkedProcess::new(&channel, &end, groups)?;
    // Duplicates are in use by now, and all other descriptors will be closed.
    drop((channel, end));
    let report = enter(spec, Origin::Forked(newborn)).seal();
    // The current folder of the zygote does not exist in this jail.
    std::env::set_current_dir(HOME)?;
    FromGuest::Hello { version: PROTOCOL_VERSION, report }.encode().map_err(io::Error::other)
}

/// The folder in which a Python program starts: the only one that it can write to.
const HOME: &str = "/tmp";
