//! Which system calls each kind of guest is left with. Data, with reasons.
//!
//! What is not here is refused with `EPERM`: no file can be opened, no socket
//! made, no process started or looked at, unless a list says so. Numbers of the
//! second ABI of x86-64 (x32) are in no list and so refused as well; `io_uring`,
//! which would act past every filter, is in none either.

use nix::libc::{self, c_long};

use crate::spec::Filter;

/// One allowed system call.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) number: c_long,
    pub(crate) when: When,
}

/// Under which condition it is allowed.
#[derive(Clone, Copy)]
pub(crate) enum When {
    Always,
    /// All of these hold.
    All(&'static [When]),
    /// These bits of this argument are zero.
    Clear {
        argument: u8,
        bits: u64,
    },
    /// This argument is one of these.
    OneOf {
        argument: u8,
        values: &'static [u64],
    },
    /// This argument is the number of the process that installs the filter.
    OwnProcess {
        argument: u8,
    },
}

impl Call {
    pub(crate) const fn always(number: c_long) -> Self {
        Self { number, when: When::Always }
    }

    const fn clear(number: c_long, argument: u8, bits: u64) -> Self {
        Self { number, when: When::Clear { argument, bits } }
    }

    const fn all(number: c_long, all: &'static [When]) -> Self {
        Self { number, when: When::All(all) }
    }

    const fn one_of(number: c_long, argument: u8, values: &'static [u64]) -> Self {
        Self { number, when: When::OneOf { argument, values } }
    }
}

/// Walls around the process that some calls rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walls {
    /// Other processes cannot be named, and none outlives the first.
    pub(crate) pid_namespace: bool,
    /// Files that were not granted cannot be named.
    pub(crate) private_root: bool,
}

/// The list of a filter, without what only a missing wall would make harmless.
pub(crate) fn of(filter: Filter, walls: Walls) -> Vec<Call> {
    let mut lists = vec![BASE];
    match filter {
        Filter::OwnCode => lists.push(DATA_MEMORY),
        Filter::Forking => lists.extend([DATA_MEMORY, FORKING]),
        Filter::Engine => lists.extend(SHARED),
        Filter::Python => lists.extend([SHARED_BUT_MEMORY, &[LIBRARY_MEMORY, COMMAND]].concat()),
        // All of the above: a filter holds for whoever is forked, too.
        Filter::Zygote => {
            lists.extend([SHARED_BUT_MEMORY, &[LIBRARY_MEMORY, COMMAND, JOBS, JAILING]].concat());
        }
        Filter::Command => lists.extend([SHARED.as_slice(), &[COMMAND]].concat()),
    }
    let runs_others = !matches!(filter, Filter::OwnCode | Filter::Forking);
    if runs_others && walls.pid_namespace {
        lists.push(SIGNALS);
        if filter == Filter::Command {
            lists.push(JOBS);
        }
    }
    if matches!(filter, Filter::Python | Filter::Zygote | Filter::Command) && walls.private_root {
        lists.push(FILE_RIGHTS);
    }
    lists.concat()
}

/// What engines and commands have in common.
const SHARED: [&[Call]; 6] = [CODE_MEMORY, THREADS, FILES, EVENTS, IDENTITY, ENGINE];

/// The same without memory in which code could be made.
const SHARED_BUT_MEMORY: &[&[Call]] = SHARED.split_at(1).1;

const EXECUTABLE: u64 = libc::PROT_EXEC as u64;

/// What any process of ours needs: the channel, clocks, locks, its own end.
const BASE: &[Call] = &[
    // The channel, already open. Nothing else can be opened to use these on.
    Call::always(libc::SYS_read),
    Call::always(libc::SYS_write),
    // Out-of-band bytes of local sockets have been a way into the kernel before,
    // so flags (argument 3) are few.
    Call::one_of(libc::SYS_recvfrom, 3, &[0]),
    // With an address (argument 4) it could reach other sockets.
    Call::all(
        libc::SYS_sendto,
        &[
            When::OneOf { argument: 4, values: &[0] },
            When::OneOf { argument: 3, values: &[0, libc::MSG_NOSIGNAL as u64] },
        ],
    ),
    Call::always(libc::SYS_ppoll),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_poll),
    Call::always(libc::SYS_close),
    // Locks between the threads that are there. Not those that lend their rank,
    // another old way into the kernel, which no library of ours uses.
    Call::one_of(libc::SYS_futex, 1, FUTEX),
    Call::always(libc::SYS_sched_yield),
    // Memory that holds data.
    Call::always(libc::SYS_munmap),
    Call::always(libc::SYS_mremap),
    Call::always(libc::SYS_brk),
    // Clocks, and waiting.
    Call::always(libc::SYS_clock_gettime),
    Call::always(libc::SYS_clock_getres),
    Call::always(libc::SYS_clock_nanosleep),
    Call::always(libc::SYS_nanosleep),
    Call::always(libc::SYS_gettimeofday),
    // Random numbers.
    Call::always(libc::SYS_getrandom),
    // What the process itself has used, and a lower limit for it (never for
    // another: argument 0 is 0). The hard limit cannot be raised.
    Call::always(libc::SYS_getrusage),
    Call::one_of(libc::SYS_prlimit64, 0, &[0]),
    // Its own number, and ending itself on an abort.
    Call::always(libc::SYS_getpid),
    Call::always(libc::SYS_gettid),
    Call { number: libc::SYS_tgkill, when: When::OwnProcess { argument: 0 } },
    Call::always(libc::SYS_rt_sigaction),
    Call::always(libc::SYS_rt_sigprocmask),
    Call::always(libc::SYS_rt_sigreturn),
    Call::always(libc::SYS_sigaltstack),
    Call::always(libc::SYS_restart_syscall),
    Call::always(libc::SYS_exit),
    Call::always(libc::SYS_exit_group),
];

/// Operations of `futex` and the flag for "this process only".
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

/// Memory that can never be executed: machine code of a guest has no place to be.
/// Not huge pages either, which no limit of memory counts, nor pages shared with
/// strangers because they look alike.
const DATA_MEMORY: &[Call] = &[
    Call::all(
        libc::SYS_mmap,
        &[
            When::Clear { argument: 2, bits: EXECUTABLE },
            When::Clear { argument: 3, bits: libc::MAP_HUGETLB as u64 },
        ],
    ),
    Call::clear(libc::SYS_mprotect, 2, EXECUTABLE),
    Call::one_of(libc::SYS_madvise, 2, ADVICE),
];

/// What allocators say about memory they have done with, or want in large pages.
const ADVICE: &[u64] = &[
    libc::MADV_DONTNEED as u64,
    libc::MADV_FREE as u64,
    libc::MADV_HUGEPAGE as u64,
    libc::MADV_NOHUGEPAGE as u64,
];

/// Memory for engines that compile, and for the loader of shared libraries.
const CODE_MEMORY: &[Call] = &[
    // Huge pages of the machine's pool are counted by no limit of memory.
    Call::clear(libc::SYS_mmap, 3, libc::MAP_HUGETLB as u64),
    Call::always(libc::SYS_mprotect),
    Call::always(libc::SYS_madvise),
    // Chromium's allocator and V8 guard their code pages with keys.
    Call::always(libc::SYS_pkey_alloc),
    Call::always(libc::SYS_pkey_free),
    Call::always(libc::SYS_pkey_mprotect),
    Call::always(libc::SYS_mincore),
    Call::always(libc::SYS_membarrier),
    Call::clear(libc::SYS_memfd_create, 1, libc::MFD_HUGETLB as u64),
];

/// Memory for an interpreter that loads libraries and makes no code itself: what
/// can be executed is a file, and no file that can be written can be executed.
const LIBRARY_MEMORY: &[Call] = &[
    Call::all(
        libc::SYS_mmap,
        &[
            When::Clear { argument: 2, bits: EXECUTABLE },
            When::Clear { argument: 3, bits: libc::MAP_HUGETLB as u64 },
        ],
    ),
    // A file, and not one of no name: those of `memfd_create` could be written.
    Call::all(
        libc::SYS_mmap,
        &[
            When::Clear { argument: 2, bits: WRITABLE },
            When::Clear { argument: 3, bits: (libc::MAP_ANONYMOUS | libc::MAP_HUGETLB) as u64 },
        ],
    ),
    Call::clear(libc::SYS_mprotect, 2, EXECUTABLE),
    Call::always(libc::SYS_madvise),
    Call::always(libc::SYS_mincore),
    Call::always(libc::SYS_membarrier),
];

const WRITABLE: u64 = libc::PROT_WRITE as u64;

/// Every flag of `clone` that makes a namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64
    // CLONE_NEWTIME: shares its bit with the exit signal, and is for `clone3`
    // and `unshare` only.
    ;

/// Threads and processes, counted by the control group and by `RLIMIT_NPROC`.
const THREADS: &[Call] = &[
    Call::clear(libc::SYS_clone, 0, NAMESPACES),
    // Allowed here, answered with `ENOSYS` by the other filter.
    Call::always(libc::SYS_clone3),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_vfork),
    Call::always(libc::SYS_execve),
    Call::always(libc::SYS_wait4),
    Call::always(libc::SYS_waitid),
    Call::always(libc::SYS_set_tid_address),
    Call::always(libc::SYS_set_robust_list),
    Call::always(libc::SYS_rseq),
    Call::always(libc::SYS_sched_getaffinity),
    Call::always(libc::SYS_sched_getparam),
    Call::always(libc::SYS_sched_getscheduler),
    // Its own order only (argument 0).
    Call::one_of(libc::SYS_sched_setscheduler, 0, &[0]),
    Call::always(libc::SYS_sched_get_priority_max),
    Call::always(libc::SYS_sched_get_priority_min),
    Call::always(libc::SYS_getcpu),
    Call::one_of(libc::SYS_prctl, 0, PRCTL),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_arch_prctl),
];

/// Names of threads and of memory, reading one's own state.
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

/// Files of the private root; which ones there are is not decided here.
const FILES: &[Call] = &[
    // Files are made without the bits that lend their owner's rights, see
    // `LENDING`; without these flags there is no mode to look at.
    Call::clear(libc::SYS_openat, 2, MAKING),
    Call::clear(libc::SYS_openat, 3, LENDING),
    Call::always(libc::SYS_pread64),
    Call::always(libc::SYS_pwrite64),
    Call::always(libc::SYS_readv),
    Call::always(libc::SYS_writev),
    Call::always(libc::SYS_preadv),
    Call::always(libc::SYS_pwritev),
    Call::always(libc::SYS_lseek),
    Call::always(libc::SYS_fstat),
    Call::always(libc::SYS_newfstatat),
    Call::always(libc::SYS_statx),
    Call::always(libc::SYS_statfs),
    Call::always(libc::SYS_fstatfs),
    Call::always(libc::SYS_getdents64),
    Call::always(libc::SYS_readlinkat),
    Call::always(libc::SYS_faccessat),
    Call::always(libc::SYS_faccessat2),
    Call::always(libc::SYS_getcwd),
    Call::always(libc::SYS_chdir),
    Call::always(libc::SYS_fchdir),
    // Not `F_SETOWN` and `F_SETSIG`, with which the kernel signals anybody.
    Call::one_of(libc::SYS_fcntl, 1, FCNTL),
    Call::always(libc::SYS_dup),
    Call::always(libc::SYS_dup3),
    Call::always(libc::SYS_ftruncate),
    Call::always(libc::SYS_fallocate),
    Call::always(libc::SYS_fadvise64),
    Call::always(libc::SYS_fsync),
    Call::always(libc::SYS_fdatasync),
    Call::always(libc::SYS_mkdirat),
    Call::always(libc::SYS_unlinkat),
    Call::always(libc::SYS_renameat),
    Call::always(libc::SYS_renameat2),
    Call::always(libc::SYS_umask),
    Call::always(libc::SYS_flock),
    Call::always(libc::SYS_copy_file_range),
    Call::always(libc::SYS_sendfile),
    // Terminals and non-blocking mode; not `TIOCSTI`, which types for the user.
    Call::one_of(libc::SYS_ioctl, 1, IOCTL),
    #[cfg(target_arch = "x86_64")]
    Call::clear(libc::SYS_open, 1, MAKING),
    #[cfg(target_arch = "x86_64")]
    Call::clear(libc::SYS_open, 2, LENDING),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_stat),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_lstat),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_access),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_readlink),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_dup2),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_mkdir),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_rmdir),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_unlink),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_rename),
];

/// With which `open` makes a file. `O_TMPFILE` without the bit of `O_DIRECTORY`
/// that it contains.
const MAKING: u64 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u64;

/// The bits that make whoever starts a file act as its owner or group. In the jail
/// they mean nothing; on the host, to which a granted folder belongs, another
/// user could become this one by a file that a guest has left there.
const LENDING: u64 = (libc::S_ISUID | libc::S_ISGID) as u64;

const IOCTL: &[u64] =
    &[libc::TCGETS, libc::TIOCGWINSZ, libc::FIONBIO, libc::FIOCLEX, libc::FIONCLEX, libc::FIONREAD];

const FCNTL: &[u64] = &[
    libc::F_DUPFD as u64,
    libc::F_DUPFD_CLOEXEC as u64,
    libc::F_GETFD as u64,
    libc::F_SETFD as u64,
    libc::F_GETFL as u64,
    libc::F_SETFL as u64,
    libc::F_GETLK as u64,
    libc::F_SETLK as u64,
    libc::F_SETLKW as u64,
    libc::F_OFD_GETLK as u64,
    libc::F_OFD_SETLK as u64,
    libc::F_OFD_SETLKW as u64,
    libc::F_GETPIPE_SZ as u64,
    libc::F_ADD_SEALS as u64,
    libc::F_GET_SEALS as u64,
];

/// Event loops.
const EVENTS: &[Call] = &[
    Call::always(libc::SYS_epoll_create1),
    Call::always(libc::SYS_epoll_ctl),
    Call::always(libc::SYS_epoll_pwait),
    Call::always(libc::SYS_epoll_pwait2),
    Call::always(libc::SYS_eventfd2),
    Call::always(libc::SYS_pipe2),
    Call::always(libc::SYS_timerfd_create),
    Call::always(libc::SYS_timerfd_settime),
    Call::always(libc::SYS_timerfd_gettime),
    Call::always(libc::SYS_signalfd4),
    Call::always(libc::SYS_pselect6),
    // A pair of sockets that reach nothing but each other. Not datagrams: those of
    // one end can be addressed to any socket of the host that has a name.
    Call::all(
        libc::SYS_socketpair,
        &[
            When::OneOf { argument: 0, values: &[libc::AF_UNIX as u64] },
            When::OneOf { argument: 1, values: CONNECTED },
        ],
    ),
    // Not out-of-band bytes, as above.
    Call::clear(libc::SYS_sendmsg, 2, libc::MSG_OOB as u64),
    Call::clear(libc::SYS_recvmsg, 2, libc::MSG_OOB as u64),
    Call::always(libc::SYS_shutdown),
    // Not `SO_PEERPIDFD`, a handle of whoever made the socket.
    Call::all(
        libc::SYS_getsockopt,
        &[
            When::OneOf { argument: 1, values: &[libc::SOL_SOCKET as u64] },
            When::OneOf { argument: 2, values: SOCKET_OPTIONS },
        ],
    ),
    Call::always(libc::SYS_getsockname),
    Call::always(libc::SYS_getpeername),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_epoll_wait),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_epoll_create),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_pipe),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_select),
];

/// Types of sockets that speak with their other end only, and their flags.
const CONNECTED: &[u64] = {
    const STREAM: u64 = libc::SOCK_STREAM as u64;
    const PACKETS: u64 = libc::SOCK_SEQPACKET as u64;
    const CLOSING: u64 = libc::SOCK_CLOEXEC as u64;
    const PROMPT: u64 = libc::SOCK_NONBLOCK as u64;
    &[
        STREAM,
        STREAM | CLOSING,
        STREAM | PROMPT,
        STREAM | CLOSING | PROMPT,
        PACKETS,
        PACKETS | CLOSING,
        PACKETS | PROMPT,
        PACKETS | CLOSING | PROMPT,
    ]
};

/// What event loops ask of a socket.
const SOCKET_OPTIONS: &[u64] = &[
    libc::SO_TYPE as u64,
    libc::SO_ERROR as u64,
    libc::SO_SNDBUF as u64,
    libc::SO_RCVBUF as u64,
    libc::SO_ACCEPTCONN as u64,
    libc::SO_PEERCRED as u64,
    libc::SO_PROTOCOL as u64,
    libc::SO_DOMAIN as u64,
];

/// Who and where one is; nothing here changes it.
const IDENTITY: &[Call] = &[
    Call::always(libc::SYS_getuid),
    Call::always(libc::SYS_geteuid),
    Call::always(libc::SYS_getgid),
    Call::always(libc::SYS_getegid),
    Call::always(libc::SYS_getgroups),
    Call::always(libc::SYS_getresuid),
    Call::always(libc::SYS_getresgid),
    Call::always(libc::SYS_getppid),
    Call::always(libc::SYS_getpgid),
    Call::always(libc::SYS_getsid),
    Call::always(libc::SYS_uname),
    Call::always(libc::SYS_sysinfo),
    Call::always(libc::SYS_times),
    Call::always(libc::SYS_capget),
    Call::always(libc::SYS_getpriority),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_getpgrp),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_getrlimit),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_time),
];

/// Waiting for signals.
const ENGINE: &[Call] =
    &[Call::always(libc::SYS_rt_sigtimedwait), Call::always(libc::SYS_rt_sigsuspend)];

/// Signals to whatever can be named, which is harmless in a pid namespace only.
/// Not every kernel that has Landlock bounds them by it.
const SIGNALS: &[Call] = &[Call::always(libc::SYS_tgkill), Call::always(libc::SYS_kill)];

/// Jobs as shells have them. Without a pid namespace the group of processes is
/// what a jail is ended by, and nobody may leave it.
const JOBS: &[Call] = &[Call::always(libc::SYS_setpgid), Call::always(libc::SYS_setsid)];

/// Rights and times of files, which Landlock does not bound: where files are not
/// mounted read-only, whoever may read one could change them.
const FILE_RIGHTS: &[Call] = &[
    Call::clear(libc::SYS_fchmod, 1, LENDING),
    Call::clear(libc::SYS_fchmodat, 2, LENDING),
    Call::always(libc::SYS_utimensat),
    #[cfg(target_arch = "x86_64")]
    Call::clear(libc::SYS_chmod, 1, LENDING),
];

/// What it takes to confine a process: the calls of this crate. They give rights in a
/// new user namespace, and none outside of it.
const JAILING: &[Call] = &[
    Call::always(libc::SYS_unshare),
    Call::always(libc::SYS_mount),
    Call::always(libc::SYS_umount2),
    Call::always(libc::SYS_pivot_root),
    Call::always(libc::SYS_open_tree),
    Call::always(libc::SYS_move_mount),
    Call::always(libc::SYS_mount_setattr),
    Call::always(libc::SYS_openat2),
    Call::always(libc::SYS_sethostname),
    Call::always(libc::SYS_capset),
    Call::one_of(libc::SYS_prctl, 0, JAILING_PRCTL),
    Call::always(libc::SYS_seccomp),
    Call::always(libc::SYS_landlock_create_ruleset),
    Call::always(libc::SYS_landlock_add_rule),
    Call::always(libc::SYS_landlock_restrict_self),
    Call::always(libc::SYS_pidfd_open),
    Call::always(libc::SYS_close_range),
    // Lists the interfaces of the network, to prove that there are none.
    Call::one_of(libc::SYS_socket, 0, &[libc::AF_NETLINK as u64]),
    Call::always(libc::SYS_bind),
    Call::always(libc::SYS_sendto),
];

/// What it takes to fork, to hand the gateway a handle of the new process, and to give
/// up all of this in there. No namespace, no other executable.
const FORKING: &[Call] = &[
    Call::clear(libc::SYS_clone, 0, NAMESPACES),
    // Allowed here, answered with `ENOSYS` by the other filter.
    Call::always(libc::SYS_clone3),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_fork),
    Call::always(libc::SYS_set_robust_list),
    Call::always(libc::SYS_rseq),
    Call::always(libc::SYS_setsid),
    Call::always(libc::SYS_recvmsg),
    Call::always(libc::SYS_sendmsg),
    Call::always(libc::SYS_dup3),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_dup2),
    Call::one_of(libc::SYS_fcntl, 1, &[libc::F_DUPFD_CLOEXEC as u64, libc::F_GETFD as u64]),
    Call::always(libc::SYS_pidfd_open),
    Call::one_of(libc::SYS_prctl, 0, FORKING_PRCTL),
    Call::always(libc::SYS_seccomp),
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

/// What ordinary programs do besides.
const COMMAND: &[Call] = &[
    Call::always(libc::SYS_linkat),
    Call::always(libc::SYS_symlinkat),
    Call::always(libc::SYS_setitimer),
    Call::always(libc::SYS_getitimer),
    // Its own rank only: arguments 0 and 1 are "a process" and "this one".
    Call::all(
        libc::SYS_setpriority,
        &[When::OneOf { argument: 0, values: &[0] }, When::OneOf { argument: 1, values: &[0] }],
    ),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_fork),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_link),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_symlink),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_alarm),
    #[cfg(target_arch = "x86_64")]
    Call::always(libc::SYS_pause),
];
