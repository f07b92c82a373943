//! Tries every system call by number, to find those that the filter allows.
//!
//! All arguments are -1, which has no effect in any call: there is no such descriptor, address
//! or process.

use nix::errno::Errno;
use nix::libc::{self, c_long};
use serde_json::{Value, json};

use crate::kernel::raw;

/// Above the highest number of current kernels: 6.18 ends at 470.
const END: c_long = 600;

/// Numbers of the second ABI of x86-64 (x32) have this bit.
const X32: c_long = 0x4000_0000;

/// Calls that end the process or the thread, block forever, or return twice.
const NOT_CALLED: &[c_long] = &[
    // `uretprobe` and `uprobe`: the kernel exempts them from every filter, and kills a process
    // that makes these calls outside of its probes.
    #[cfg(target_arch = "x86_64")]
    335,
    #[cfg(target_arch = "x86_64")]
    336,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_rt_sigreturn,
    libc::SYS_clone,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pause,
];

/// The calls that were not refused: their numbers and answers.
pub(crate) fn all() -> Value {
    let passes = |number: &c_long| {
        let returned = raw(*number, &[-1; 6]);
        !(returned == -1 && Errno::last() == Errno::EPERM)
    };
    let ordinary: Vec<c_long> =
        (0..END).filter(|number| !NOT_CALLED.contains(number)).filter(passes).collect();
    let second: Vec<c_long> = (X32..X32 + END).filter(passes).collect();
    json!({"passed": ordinary, "passed_x32": second, "not_called": NOT_CALLED})
}
