//! Calls of the processes that fork jailed processes.

use nix::libc;

use super::AllowedCall;
use super::processes::NAMESPACES;

/// The calls with which this crate confines a process. They give rights inside a new user
/// namespace and none outside.
pub(super) const JAILING: &[AllowedCall] = &[
    AllowedCall::always(libc::SYS_unshare),
    AllowedCall::always(libc::SYS_mount),
    AllowedCall::always(libc::SYS_umount2),
    AllowedCall::always(libc::SYS_pivot_root),
    AllowedCall::always(libc::SYS_open_tree),
    AllowedCall::always(libc::SYS_move_mount),
    AllowedCall::always(libc::SYS_mount_setattr),
    AllowedCall::always(libc::SYS_openat2),
    AllowedCall::always(libc::SYS_sethostname),
    AllowedCall::always(libc::SYS_capset),
    AllowedCall::one_of(libc::SYS_prctl, 0, JAILING_PRCTL),
    AllowedCall::always(libc::SYS_seccomp),
    AllowedCall::always(libc::SYS_landlock_create_ruleset),
    AllowedCall::always(libc::SYS_landlock_add_rule),
    AllowedCall::always(libc::SYS_landlock_restrict_self),
    AllowedCall::always(libc::SYS_pidfd_open),
    AllowedCall::always(libc::SYS_close_range),
    // Lists the network interfaces, to prove that there are none.
    AllowedCall::one_of(libc::SYS_socket, 0, &[libc::AF_NETLINK as u64]),
    AllowedCall::always(libc::SYS_bind),
    AllowedCall::always(libc::SYS_sendto),
];

/// The calls that fork a process, send its handle to the gateway and give up these rights
/// in the new process. No namespaces and no other executables.
pub(super) const FORKING: &[AllowedCall] = &[
    AllowedCall::clear(libc::SYS_clone, 0, NAMESPACES),
    // Allowed here; the other filter answers it with `ENOSYS`.
    AllowedCall::always(libc::SYS_clone3),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_fork),
    AllowedCall::always(libc::SYS_set_robust_list),
    AllowedCall::always(libc::SYS_rseq),
    AllowedCall::always(libc::SYS_setsid),
    AllowedCall::always(libc::SYS_recvmsg),
    AllowedCall::always(libc::SYS_sendmsg),
    AllowedCall::always(libc::SYS_dup3),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_dup2),
    AllowedCall::one_of(libc::SYS_fcntl, 1, &[libc::F_DUPFD_CLOEXEC as u64, libc::F_GETFD as u64]),
    AllowedCall::always(libc::SYS_pidfd_open),
    AllowedCall::one_of(libc::SYS_prctl, 0, FORKING_PRCTL),
    AllowedCall::always(libc::SYS_seccomp),
];

const FORKING_PRCTL: &[u64] = &[
    libc::PR_SET_PDEATHSIG as u64,
    libc::PR_SET_NO_NEW_PRIVS as u64,
    libc::PR_GET_SECCOMP as u64,
    libc::PR_SET_SECCOMP as u64,
];

const JAILING_PRCTL: &[u64] = &[
    libc::PR_SET_PDEATHSIG as u64,
    libc::PR_SET_CHILD_SUBREAPER as u64,
    libc::PR_CAPBSET_DROP as u64,
    libc::PR_CAP_AMBIENT as u64,
    libc::PR_GET_SECCOMP as u64,
    libc::PR_SET_SECCOMP as u64,
];
