//! Narrows the limits of the worker to those of its run, and measures its memory.
//!
//! In: the limits of a run. Out: limits of this process, at or below those of the jail,
//! which the crate `jail` has set.

use rustix::process::{Resource, Rlimit, setrlimit};
use tidegate_wire::RunRequest;

/// Address space beyond the engine's heap: the executable, its libraries and two
/// stacks. An idle worker maps 163 MB, most of it never touched; the rest is room.
const ADDRESS_SPACE_BYTES: u64 = 512 * 1024 * 1024;

/// Narrows the limits to those of this run. The limits of the jail are the ceiling, so a
/// limit that cannot be set is already lower.
pub(crate) fn apply_limits(request: &RunRequest) {
    let address_space = request.memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES);
    // The kernel counts whole seconds only; the engine enforces the exact limit.
    let cpu_seconds = u64::from(request.cpu_ms).div_ceil(1000) + 1;
    for (resource, most) in [(Resource::As, address_space), (Resource::Cpu, cpu_seconds)] {
        let limit = Rlimit { current: Some(most), maximum: Some(most.saturating_add(1)) };
        let _ = setrlimit(resource, limit);
    }
}

/// Makes all threads allocate from one heap. By default the C library gives the engine
/// thread a heap of its own, which grows page by page, with a system call for each.
#[cfg_attr(
    target_env = "gnu",
    expect(unsafe_code, reason = "a setting of the C library, which has no safe wrapper")
)]
pub(crate) fn keep_one_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes two numbers. There is one thread, and its existing allocations stay
    // valid.
    unsafe {
        nix::libc::mallopt(nix::libc::M_ARENA_MAX, 1);
    }
}

/// Peak physical memory of this process.
pub(crate) fn peak_memory_bytes() -> u64 {
    // Not from `/proc`, which does not exist in the jail. The number covers this process
    // only, since it was forked after the executable was loaded.
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    // In bytes on macOS, in kilobytes everywhere else.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    usage.map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * unit)
}
