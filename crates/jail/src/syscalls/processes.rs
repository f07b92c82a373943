//! Calls for threads, processes, signals and the identity of the process itself.

use nix::libc;

use super::AllowedCall;

/// Every flag of `clone` that creates a namespace.
pub(super) const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64
    // Not CLONE_NEWTIME: it shares its bit with the exit signal and is valid for `clone3`
    // and `unshare` only.
    ;

/// Threads and processes, counted by the control group and by `RLIMIT_NPROC`.
pub(super) const THREADS: &[AllowedCall] = &[
    AllowedCall::clear(libc::SYS_clone, 0, NAMESPACES),
    // Allowed here; the other filter answers it with `ENOSYS`.
    AllowedCall::always(libc::SYS_clone3),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_vfork),
    AllowedCall::always(libc::SYS_execve),
    AllowedCall::always(libc::SYS_wait4),
    AllowedCall::always(libc::SYS_waitid),
    AllowedCall::always(libc::SYS_set_tid_address),
    AllowedCall::always(libc::SYS_set_robust_list),
    AllowedCall::always(libc::SYS_rseq),
    AllowedCall::always(libc::SYS_sched_getaffinity),
    AllowedCall::always(libc::SYS_sched_getparam),
    AllowedCall::always(libc::SYS_sched_getscheduler),
    // Its own scheduling only (argument 0).
    AllowedCall::one_of(libc::SYS_sched_setscheduler, 0, &[0]),
    AllowedCall::always(libc::SYS_sched_get_priority_max),
    AllowedCall::always(libc::SYS_sched_get_priority_min),
    AllowedCall::always(libc::SYS_getcpu),
    AllowedCall::one_of(libc::SYS_prctl, 0, PRCTL),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_arch_prctl),
];

/// Names of threads and memory, and reading its own state.
const PRCTL: &[u64] = &[
    libc::PR_SET_NAME as u64,
    libc::PR_GET_NAME as u64,
    libc::PR_SET_VMA as u64,
    libc::PR_GET_DUMPABLE as u64,
    libc::PR_SET_DUMPABLE as u64,
    libc::PR_GET_NO_NEW_PRIVS as u64,
    libc::PR_SET_NO_NEW_PRIVS as u64,
    libc::PR_CAPBSET_READ as u64,
];

/// Reading its own identity; nothing here changes it.
pub(super) const IDENTITY: &[AllowedCall] = &[
    AllowedCall::always(libc::SYS_getuid),
    AllowedCall::always(libc::SYS_geteuid),
    AllowedCall::always(libc::SYS_getgid),
    AllowedCall::always(libc::SYS_getegid),
    AllowedCall::always(libc::SYS_getgroups),
    AllowedCall::always(libc::SYS_getresuid),
    AllowedCall::always(libc::SYS_getresgid),
    AllowedCall::always(libc::SYS_getppid),
    AllowedCall::always(libc::SYS_getpgid),
    AllowedCall::always(libc::SYS_getsid),
    AllowedCall::always(libc::SYS_uname),
    AllowedCall::always(libc::SYS_sysinfo),
    AllowedCall::always(libc::SYS_times),
    AllowedCall::always(libc::SYS_capget),
    AllowedCall::always(libc::SYS_getpriority),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_getpgrp),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_getrlimit),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_time),
];

/// Waiting for signals.
pub(super) const ENGINE: &[AllowedCall] =
    &[AllowedCall::always(libc::SYS_rt_sigtimedwait), AllowedCall::always(libc::SYS_rt_sigsuspend)];

/// Signals to any process id, which is harmless only in a pid namespace. Not every kernel
/// with Landlock restricts signals.
pub(super) const SIGNALS: &[AllowedCall] =
    &[AllowedCall::always(libc::SYS_tgkill), AllowedCall::always(libc::SYS_kill)];

/// Job control of shells. Without a pid namespace, the jail is killed by its process
/// group, so no process may leave the group.
pub(super) const JOBS: &[AllowedCall] =
    &[AllowedCall::always(libc::SYS_setpgid), AllowedCall::always(libc::SYS_setsid)];
