//! The calls of every guest: the channel, clocks, locks, its own exit.

use nix::libc;

use super::{AllowedCall, Condition};

/// The calls that all of our processes need.
pub(super) const BASE: &[AllowedCall] = &[
    // For the channel, which is already open. No other descriptor can be opened.
    AllowedCall::always(libc::SYS_read),
    AllowedCall::always(libc::SYS_write),
    // Out-of-band bytes of local sockets have been a kernel vulnerability before, so few
    // flags (argument 3) are allowed.
    AllowedCall::one_of(libc::SYS_recvfrom, 3, &[0]),
    // No address (argument 4), which could reach other sockets.
    AllowedCall::all(
        libc::SYS_sendto,
        &[
            Condition::OneOf { argument: 4, values: &[0] },
            Condition::OneOf { argument: 3, values: &[0, libc::MSG_NOSIGNAL as u64] },
        ],
    ),
    AllowedCall::always(libc::SYS_ppoll),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_poll),
    AllowedCall::always(libc::SYS_close),
    // Locks between threads. Not the operations with priority inheritance: they were a kernel
    // vulnerability too, and none of our libraries uses them.
    AllowedCall::one_of(libc::SYS_futex, 1, FUTEX),
    AllowedCall::always(libc::SYS_sched_yield),
    // Memory that holds data.
    AllowedCall::always(libc::SYS_munmap),
    AllowedCall::always(libc::SYS_mremap),
    AllowedCall::always(libc::SYS_brk),
    // Clocks, and waiting.
    AllowedCall::always(libc::SYS_clock_gettime),
    AllowedCall::always(libc::SYS_clock_getres),
    AllowedCall::always(libc::SYS_clock_nanosleep),
    AllowedCall::always(libc::SYS_nanosleep),
    AllowedCall::always(libc::SYS_gettimeofday),
    // Random numbers.
    AllowedCall::always(libc::SYS_getrandom),
    // Resource usage of the process itself, and lower limits for it; argument 0 is the
    // process, and 0 means this one. A hard limit cannot be raised.
    AllowedCall::always(libc::SYS_getrusage),
    AllowedCall::one_of(libc::SYS_prlimit64, 0, &[0]),
    // Its own process id, and a signal to itself when it aborts.
    AllowedCall::always(libc::SYS_getpid),
    AllowedCall::always(libc::SYS_gettid),
    AllowedCall { number: libc::SYS_tgkill, when: Condition::OwnProcess { argument: 0 } },
    AllowedCall::always(libc::SYS_rt_sigaction),
    AllowedCall::always(libc::SYS_rt_sigprocmask),
    AllowedCall::always(libc::SYS_rt_sigreturn),
    AllowedCall::always(libc::SYS_sigaltstack),
    AllowedCall::always(libc::SYS_restart_syscall),
    AllowedCall::always(libc::SYS_exit),
    AllowedCall::always(libc::SYS_exit_group),
];

/// The operations of `futex`, with and without the flag for "this process only".
const FUTEX: &[u64] = {
    const PRIVATE: u64 = libc::FUTEX_PRIVATE_FLAG as u64;
    const WAIT: u64 = libc::FUTEX_WAIT as u64;
    const WAKE: u64 = libc::FUTEX_WAKE as u64;
    const REQUEUE: u64 = libc::FUTEX_REQUEUE as u64;
    const CMP_REQUEUE: u64 = libc::FUTEX_CMP_REQUEUE as u64;
    const WAKE_OP: u64 = libc::FUTEX_WAKE_OP as u64;
    const WAIT_BITSET: u64 = libc::FUTEX_WAIT_BITSET as u64;
    const WAKE_BITSET: u64 = libc::FUTEX_WAKE_BITSET as u64;
    const REALTIME: u64 = WAIT_BITSET | libc::FUTEX_CLOCK_REALTIME as u64;
    &[
        WAIT,
        WAKE,
        REQUEUE,
        CMP_REQUEUE,
        WAKE_OP,
        WAIT_BITSET,
        WAKE_BITSET,
        REALTIME,
        WAIT | PRIVATE,
        WAKE | PRIVATE,
        REQUEUE | PRIVATE,
        CMP_REQUEUE | PRIVATE,
        WAKE_OP | PRIVATE,
        WAIT_BITSET | PRIVATE,
        WAKE_BITSET | PRIVATE,
        REALTIME | PRIVATE,
    ]
};
