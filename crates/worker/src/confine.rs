//! What the worker gives up before it runs a program.
//!
//! Runs in the child. Everything here only takes away; nothing can be given
//! back. Resource limits are a second wall behind the engine's own limits: they
//! hold when the engine has fallen.

#![expect(unsafe_code, reason = "closing descriptors that no Rust value owns")]

use nix::errno::Errno;
use nix::libc;
use nix::sys::resource::{Resource, setrlimit};
use tidegate_wire::Start;

/// Address space beyond the engine's heap: the executable, its libraries, two
/// stacks and the arena of the TypeScript front end. An idle worker maps
/// 163 MB, most of it never touched; the rest is room.
const ADDRESS_SPACE_BYTES: u64 = 512 * 1024 * 1024;

/// Closes everything but standard input, output and error. The gateway opens
/// all of its own with close-on-exec; whoever started the gateway may not have.
pub(crate) fn drop_inherited_descriptors() -> Result<(), Errno> {
    // SAFETY: called first thing in the process, before any Rust value owns a
    // descriptor above 2. There is no safe call for a range of descriptors.
    let outcome = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    Errno::result(outcome).map(|_| ())
}

/// Sets the resource limits of this run.
pub(crate) fn apply_limits(start: &Start) -> Result<(), Errno> {
    let address_space = start.memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES);
    // Whole seconds is all the kernel offers. The wall clock of the gateway is
    // the exact limit; this one ends a worker whose gateway is gone.
    let cpu_seconds = u64::from(start.time_ms).div_ceil(1000) + 1;
    setrlimit(Resource::RLIMIT_AS, address_space, address_space)?;
    setrlimit(Resource::RLIMIT_CPU, cpu_seconds, cpu_seconds)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    setrlimit(Resource::RLIMIT_NOFILE, 16, 16)?;
    Ok(())
}

/// The most physical memory this process has used.
///
/// Not `getrusage`: its figure survives `exec` and would show the gateway's.
pub(crate) fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: Option<u64> =
        line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.unwrap_or(0) * 1024
}
