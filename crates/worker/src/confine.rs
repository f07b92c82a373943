//! What the worker gives up when it knows its run, and what it used.
//!
//! The jail around it is in the crate `jail`; this narrows its limits to those
//! of the run.

use rustix::process::{Resource, Rlimit, setrlimit};
use tidegate_wire::RunRequest;

/// Address space beyond the engine's heap: the executable, its libraries and two
/// stacks. An idle worker maps 163 MB, most of it never touched; the rest is room.
const ADDRESS_SPACE_BYTES: u64 = 512 * 1024 * 1024;

/// Narrows the limits to those of this run. Those of the jail are the ceiling,
/// so a limit that cannot be set is one that is lower already.
pub(crate) fn apply_limits(request: &RunRequest) {
    let address_space = request.memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES);
    // Whole seconds is all the kernel offers; the engine itself is exact.
    let cpu_seconds = u64::from(request.cpu_ms).div_ceil(1000) + 1;
    for (resource, most) in [(Resource::As, address_space), (Resource::Cpu, cpu_seconds)] {
        let limit = Rlimit { current: Some(most), maximum: Some(most.saturating_add(1)) };
        let _ = setrlimit(resource, limit);
    }
}

/// Makes all threads take memory from one heap. The C library would give the
/// engine's thread one of its own, which grows by single pages, with a system
/// call for each.
#[cfg_attr(
    target_env = "gnu",
    expect(unsafe_code, reason = "a setting of the C library, which has no safe wrapper")
)]
pub(crate) fn keep_one_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes two numbers. There is one thread, and what it has allocated
    // stays where it is.
    unsafe {
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, 1);
    }
}

/// The most physical memory this process has used.
pub(crate) fn peak_memory_bytes() -> u64 {
    // Not `/proc`, which is not there. The figure is that of this process alone:
    // it was forked after the executable was loaded.
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    // In bytes there, in kilobytes everywhere else.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    usage.map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * unit)
}
