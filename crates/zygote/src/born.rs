//! The new process becomes a worker.

use std::io;

use tidegate_jail::{ForkRequest, ForkedProcess, Origin, enter};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION};

/// Confines this process, which was just forked. Returns its first frame, in a process
/// inside the jail.
pub(crate) fn be_born(order: ForkRequest) -> io::Result<Vec<u8>> {
    let ForkRequest { spec, channel, end, groups } = order;
    let newborn = ForkedProcess::new(&channel, &end, groups)?;
    // They have other numbers by now, and whatever else is open will be closed.
    drop((channel, end));
    let report = enter(spec, Origin::Forked(newborn)).seal();
    // The folder of the zygote is not there any more.
    std::env::set_current_dir(HOME)?;
    FromGuest::Hello { version: PROTOCOL_VERSION, report }.encode().map_err(io::Error::other)
}

/// Where a program in Python starts: the one folder that it can write.
const HOME: &str = "/tmp";
