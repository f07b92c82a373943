//! Calls that only ordinary programs need.

use nix::libc;

use super::{AllowedCall, Condition};

/// Links, timers and priorities.
pub(super) const COMMAND: &[AllowedCall] = &[
    AllowedCall::always(libc::SYS_linkat),
    AllowedCall::always(libc::SYS_symlinkat),
    AllowedCall::always(libc::SYS_setitimer),
    AllowedCall::always(libc::SYS_getitimer),
    // Its own priority only: arguments 0 and 1 mean "a process" and "this one".
    AllowedCall::all(
        libc::SYS_setpriority,
        &[
            Condition::OneOf { argument: 0, values: &[0] },
            Condition::OneOf { argument: 1, values: &[0] },
        ],
    ),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_fork),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_link),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_symlink),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_alarm),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_pause),
];
