//! Calls of event loops: polling, pipes, timers and local socket pairs.

use nix::libc;

use super::{AllowedCall, Condition};

/// Event loops.
pub(super) const EVENTS: &[AllowedCall] = &[
    AllowedCall::always(libc::SYS_epoll_create1),
    AllowedCall::always(libc::SYS_epoll_ctl),
    AllowedCall::always(libc::SYS_epoll_pwait),
    AllowedCall::always(libc::SYS_epoll_pwait2),
    AllowedCall::always(libc::SYS_eventfd2),
    AllowedCall::always(libc::SYS_pipe2),
    AllowedCall::always(libc::SYS_timerfd_create),
    AllowedCall::always(libc::SYS_timerfd_settime),
    AllowedCall::always(libc::SYS_timerfd_gettime),
    AllowedCall::always(libc::SYS_signalfd4),
    AllowedCall::always(libc::SYS_pselect6),
    // A pair of sockets that reach only each other. No datagram sockets: they can send to
    // any named socket of the host.
    AllowedCall::all(
        libc::SYS_socketpair,
        &[
            Condition::OneOf { argument: 0, values: &[libc::AF_UNIX as u64] },
            Condition::OneOf { argument: 1, values: CONNECTED },
        ],
    ),
    // No out-of-band bytes, as in `base.rs`.
    AllowedCall::clear(libc::SYS_sendmsg, 2, libc::MSG_OOB as u64),
    AllowedCall::clear(libc::SYS_recvmsg, 2, libc::MSG_OOB as u64),
    AllowedCall::always(libc::SYS_shutdown),
    // Not `SO_PEERPIDFD`, a handle of the process that created the socket.
    AllowedCall::all(
        libc::SYS_getsockopt,
        &[
            Condition::OneOf { argument: 1, values: &[libc::SOL_SOCKET as u64] },
            Condition::OneOf { argument: 2, values: SOCKET_OPTIONS },
        ],
    ),
    AllowedCall::always(libc::SYS_getsockname),
    AllowedCall::always(libc::SYS_getpeername),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_epoll_wait),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_epoll_create),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_pipe),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_select),
];

/// Connected socket types, and their flags.
const CONNECTED: &[u64] = {
    const STREAM: u64 = libc::SOCK_STREAM as u64;
    const PACKETS: u64 = libc::SOCK_SEQPACKET as u64;
    const CLOEXEC: u64 = libc::SOCK_CLOEXEC as u64;
    const NONBLOCK: u64 = libc::SOCK_NONBLOCK as u64;
    &[
        STREAM,
        STREAM | CLOEXEC,
        STREAM | NONBLOCK,
        STREAM | CLOEXEC | NONBLOCK,
        PACKETS,
        PACKETS | CLOEXEC,
        PACKETS | NONBLOCK,
        PACKETS | CLOEXEC | NONBLOCK,
    ]
};

/// The socket options that event loops read.
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
