//! Attempts that consist of one system call, each with the requirements of its control.
//!
//! The filter of the engine refuses each of them. Outside of the jail it succeeds, or fails
//! for a reason unrelated to the jail.

use nix::libc::{self, c_long};
use serde_json::{Map, Value, json};

use crate::kernel::{at, call};

/// Which user can show outside of the jail that the attempt is possible.
#[derive(Clone, Copy)]
enum Control {
    Anybody,
    /// The kernel refuses other users.
    Root,
    /// Some kernels are built without it, or have it disabled.
    Kernel,
}
use Control::{Anybody, Kernel, Root};

type Row = (&'static str, Control, c_long, Vec<c_long>);

/// Makes all attempts. Maps a name to the kernel's answer and the requirement of its control.
pub(crate) fn all() -> Map<String, Value> {
    let mut rows = [
        processes(),
        namespaces(),
        kernel(),
        files_read(),
        files_changed(),
        descriptors(),
        sockets(),
        memory(),
        rights(),
        odd(),
    ]
    .concat();
    #[cfg(target_arch = "x86_64")]
    rows.extend(x86());
    make(rows)
}

/// Calls that engines and commands may make, with arguments that they may not use.
pub(crate) fn misuses() -> Map<String, Value> {
    let out_of_band = c_long::from(libc::MSG_OOB);
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_HUGETLB;
    let datagrams = c_long::from(libc::SOCK_DGRAM);
    make(vec![
        (
            "a pair of datagram sockets",
            Anybody,
            libc::SYS_socketpair,
            vec![1, datagrams, 0, room()],
        ),
        ("send out of band", Anybody, libc::SYS_sendmsg, vec![CLOSED, room(), out_of_band]),
        ("receive out of band", Anybody, libc::SYS_recvmsg, vec![CLOSED, room(), out_of_band]),
        (
            "hold the process at the other end",
            Anybody,
            libc::SYS_getsockopt,
            vec![CLOSED, libc::SOL_SOCKET.into(), libc::SO_PEERPIDFD.into(), room(), room()],
        ),
        ("huge pages", Anybody, libc::SYS_mmap, vec![0, 1 << 21, 3, private.into(), -1, 0]),
        (
            "a file of huge pages",
            Anybody,
            libc::SYS_memfd_create,
            vec![at(c"huge"), libc::MFD_HUGETLB.into()],
        ),
    ])
}

fn make(rows: Vec<Row>) -> Map<String, Value> {
    rows.into_iter()
        .map(|(name, control, number, arguments)| {
            let control = match control {
                Anybody => "anybody",
                Root => "root",
                Kernel => "kernel",
            };
            (name.to_owned(), json!({"said": call(number, &arguments), "control": control}))
        })
        .collect()
}

const NOBODY: c_long = i32::MAX as c_long;
/// A descriptor number that is not open.
const CLOSED: c_long = 900;
const HERE: c_long = libc::AT_FDCWD as c_long;

fn own() -> c_long {
    c_long::from(std::process::id())
}

fn parent() -> c_long {
    c_long::from(std::os::unix::process::parent_id())
}

fn vector() -> c_long {
    static BUFFER: [u8; 16] = [0; 16];
    // A `struct iovec`: address and length of a buffer.
    let vector: &'static [usize; 2] = Box::leak(Box::new([BUFFER.as_ptr() as usize, 16]));
    at(vector)
}

fn room() -> c_long {
    at(Box::leak(Box::new([0_u8; 4096])).as_slice())
}

/// A signal as `sigqueue` sends it; it must not claim to come from the kernel.
fn queued() -> c_long {
    at(Box::leak(Box::new([
        0_i32,
        0,
        libc::SI_QUEUE,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ])))
}

fn processes() -> Vec<Row> {
    vec![
        ("signal everybody", Anybody, libc::SYS_kill, vec![-1, 0]),
        ("signal the parent", Root, libc::SYS_kill, vec![parent(), 0]),
        ("signal itself", Anybody, libc::SYS_kill, vec![own(), 0]),
        ("signal the first process", Root, libc::SYS_kill, vec![1, 0]),
        ("signal a thread of another process", Root, libc::SYS_tgkill, vec![parent(), parent(), 0]),
        ("signal any thread", Anybody, libc::SYS_tkill, vec![own(), 0]),
        ("queue a signal", Anybody, libc::SYS_rt_sigqueueinfo, vec![own(), 0, queued()]),
        (
            "queue a signal to a thread",
            Anybody,
            libc::SYS_rt_tgsigqueueinfo,
            vec![own(), own(), 0, queued()],
        ),
        ("hold a process", Anybody, libc::SYS_pidfd_open, vec![own(), 0]),
        ("signal a held process", Anybody, libc::SYS_pidfd_send_signal, vec![CLOSED, 9, 0, 0]),
        ("take a descriptor of a process", Anybody, libc::SYS_pidfd_getfd, vec![CLOSED, 0, 0]),
        (
            "trace a process",
            Anybody,
            libc::SYS_ptrace,
            vec![libc::PTRACE_SEIZE.into(), NOBODY, 0, 0],
        ),
        (
            "read the memory of a process",
            Anybody,
            libc::SYS_process_vm_readv,
            vec![own(), vector(), 1, vector(), 1, 0],
        ),
        (
            "write the memory of a process",
            Anybody,
            libc::SYS_process_vm_writev,
            vec![own(), vector(), 1, vector(), 1, 0],
        ),
        (
            "advise the memory of a process",
            Anybody,
            libc::SYS_process_madvise,
            vec![CLOSED, vector(), 1, 4, 0],
        ),
        ("compare two processes", Kernel, libc::SYS_kcmp, vec![own(), own(), 0, 0, 0]),
        ("run a program", Anybody, libc::SYS_execve, vec![at(c"/is/not/there"), 0, 0]),
        ("run an open program", Anybody, libc::SYS_execveat, vec![CLOSED, at(c""), 0, 0, 0x1000]),
        ("wait for a child", Anybody, libc::SYS_wait4, vec![-1, 0, 1, 0]),
        ("lead a session", Anybody, libc::SYS_getsid, vec![0]),
        ("ask for the parent", Anybody, libc::SYS_getppid, vec![]),
        ("limits of another process", Anybody, libc::SYS_prlimit64, vec![own(), 7, 0, room()]),
    ]
}

fn namespaces() -> Vec<Row> {
    let clone = i64::from(libc::CLONE_NEWUSER);
    vec![
        // With an additional invalid flag, so that the control does not enter one.
        ("leave the user namespace", Anybody, libc::SYS_unshare, vec![clone | 1]),
        ("leave nothing", Anybody, libc::SYS_unshare, vec![0]),
        ("enter a namespace", Anybody, libc::SYS_setns, vec![CLOSED, 0]),
        ("mount", Root, libc::SYS_mount, vec![at(c"tmpfs"), at(c"/mnt"), at(c"tmpfs"), 0, 0]),
        ("unmount", Root, libc::SYS_umount2, vec![at(c"/is/not/there"), 0]),
        (
            "swap the root",
            Root,
            libc::SYS_pivot_root,
            vec![at(c"/is/not/there"), at(c"/is/not/there")],
        ),
        ("change the root", Root, libc::SYS_chroot, vec![at(c"/")]),
        ("open a file system", Root, libc::SYS_fsopen, vec![at(c"tmpfs"), 0]),
        ("set up a file system", Anybody, libc::SYS_fsconfig, vec![CLOSED, 0, 0, 0, 0]),
        ("make a mount", Root, libc::SYS_fsmount, vec![CLOSED, 0, 0]),
        ("pick a mount", Root, libc::SYS_fspick, vec![HERE, at(c"/"), 0]),
        ("copy a mount", Root, libc::SYS_open_tree, vec![HERE, at(c"/"), 1]),
        ("move a mount", Root, libc::SYS_move_mount, vec![CLOSED, at(c""), CLOSED, at(c""), 4]),
        (
            "change a mount",
            Root,
            libc::SYS_mount_setattr,
            vec![CLOSED, at(c""), 0x1000, room(), 32],
        ),
    ]
}

fn kernel() -> Vec<Row> {
    vec![
        ("io_uring", Kernel, libc::SYS_io_uring_setup, vec![1, room()]),
        ("submit to io_uring", Anybody, libc::SYS_io_uring_enter, vec![CLOSED, 1, 0, 0, 0, 0]),
        ("register with io_uring", Anybody, libc::SYS_io_uring_register, vec![CLOSED, 0, 0, 0]),
        ("bpf", Root, libc::SYS_bpf, vec![0, at(&[1_u32, 4, 4, 1]), 16]),
        (
            "measure the kernel",
            Kernel,
            libc::SYS_perf_event_open,
            vec![at(&[1_u32, 112, 0, 0]), 0, -1, -1, 0],
        ),
        ("serve page faults", Kernel, libc::SYS_userfaultfd, vec![1]),
        ("the key ring of the session", Anybody, libc::SYS_keyctl, vec![0, -3, 0]),
        (
            "add a key",
            Anybody,
            libc::SYS_add_key,
            vec![at(c"user"), at(c"attacker"), at(c"x"), 1, -2],
        ),
        ("request a key", Anybody, libc::SYS_request_key, vec![at(c"user"), at(c"attacker"), 0, 0]),
        ("load a module", Root, libc::SYS_init_module, vec![0, 0, at(c"")]),
        ("load a module from a file", Root, libc::SYS_finit_module, vec![CLOSED, at(c""), 0]),
        ("unload a module", Root, libc::SYS_delete_module, vec![at(c"attacker"), 0]),
        ("load a kernel", Root, libc::SYS_kexec_load, vec![0, 99, 0, -1]),
        ("restart the machine", Root, libc::SYS_reboot, vec![0, 0, 0, 0]),
        ("the kernel's log", Kernel, libc::SYS_syslog, vec![10, 0, 0]),
        ("swap", Root, libc::SYS_swapon, vec![at(c"/is/not/there"), 0]),
        ("keep accounts", Kernel, libc::SYS_acct, vec![at(c"/is/not/there")]),
        ("name the host", Root, libc::SYS_sethostname, vec![at(c"x"), -1]),
        ("set the clock", Anybody, libc::SYS_clock_settime, vec![99, 0]),
        ("set the clock in small steps", Anybody, libc::SYS_adjtimex, vec![room()]),
        ("a filter of its own", Anybody, libc::SYS_seccomp, vec![2, 0, at(&[0x7fff_0000_u32])]),
        ("rules of its own", Kernel, libc::SYS_landlock_create_ruleset, vec![0, 0, 1]),
    ]
}

fn files_read() -> Vec<Row> {
    let open = |name, control, path| (name, control, libc::SYS_openat, vec![HERE, at(path), 0]);
    vec![
        open("read a file", Anybody, c"/etc/passwd"),
        open("read the root", Anybody, c"/"),
        open("walk through the own root", Anybody, c"/proc/self/root/etc/passwd"),
        open("walk through the own descriptors", Anybody, c"/proc/self/fd"),
        open("read the environment of the first process", Root, c"/proc/1/environ"),
        open("read the own memory", Anybody, c"/proc/self/mem"),
        open("the memory of the machine", Root, c"/dev/mem"),
        open("virtual machines", Root, c"/dev/kvm"),
        open("control groups", Anybody, c"/sys/fs/cgroup"),
        open("settings of the kernel", Anybody, c"/proc/sys/kernel/core_pattern"),
        (
            "read a file in a third way",
            Anybody,
            libc::SYS_openat2,
            vec![HERE, at(c"/etc/passwd"), at(&[0_u64; 3]), 24],
        ),
        (
            "a handle of a file",
            Anybody,
            libc::SYS_name_to_handle_at,
            vec![HERE, at(c"/etc/passwd"), room(), room(), 0],
        ),
        ("open by handle", Root, libc::SYS_open_by_handle_at, vec![HERE, at(&[0_u32; 8]), 0]),
        (
            "look at a file",
            Anybody,
            libc::SYS_newfstatat,
            vec![HERE, at(c"/etc/passwd"), room(), 0],
        ),
        ("look at a descriptor", Anybody, libc::SYS_fstat, vec![0, room()]),
        (
            "read a link",
            Anybody,
            libc::SYS_readlinkat,
            vec![HERE, at(c"/proc/self/exe"), room(), 4096],
        ),
        ("ask for the folder", Anybody, libc::SYS_getcwd, vec![room(), 4096]),
        ("change the folder", Anybody, libc::SYS_chdir, vec![at(c"/")]),
        ("list a folder", Anybody, libc::SYS_getdents64, vec![CLOSED, room(), 4096]),
        (
            "read attributes",
            Anybody,
            libc::SYS_getxattr,
            vec![at(c"/is/not/there"), at(c"user.x"), room(), 1],
        ),
    ]
}

fn files_changed() -> Vec<Row> {
    vec![
        ("make a folder", Anybody, libc::SYS_mkdirat, vec![HERE, at(c"/"), 0]),
        ("remove a file", Anybody, libc::SYS_unlinkat, vec![HERE, at(c"/is/not/there"), 0]),
        (
            "rename a file",
            Anybody,
            libc::SYS_renameat2,
            vec![HERE, at(c"/is/not/there"), HERE, at(c"/is/not"), 0],
        ),
        (
            "link a file",
            Anybody,
            libc::SYS_linkat,
            vec![HERE, at(c"/is/not/there"), HERE, at(c"/is/not"), 0],
        ),
        (
            "make a link",
            Anybody,
            libc::SYS_symlinkat,
            vec![at(c"/etc"), HERE, at(c"/is/not/there")],
        ),
        (
            "make a device",
            Root,
            libc::SYS_mknodat,
            vec![HERE, at(c"/is/not/there"), 0o60_666, 0x700],
        ),
        ("change rights", Anybody, libc::SYS_fchmodat, vec![HERE, at(c"/is/not/there"), 0o777]),
        (
            "change the owner",
            Anybody,
            libc::SYS_fchownat,
            vec![HERE, at(c"/is/not/there"), 0, 0, 0],
        ),
        ("change times", Anybody, libc::SYS_utimensat, vec![HERE, at(c"/is/not/there"), 0, 0]),
        ("cut a file", Anybody, libc::SYS_truncate, vec![at(c"/is/not/there"), 0]),
        (
            "write attributes",
            Anybody,
            libc::SYS_setxattr,
            vec![at(c"/is/not/there"), at(c"user.x"), at(c"x"), 1, 0],
        ),
    ]
}

fn descriptors() -> Vec<Row> {
    vec![
        ("watch files", Anybody, libc::SYS_inotify_init1, vec![0]),
        ("watch all files", Kernel, libc::SYS_fanotify_init, vec![0, 0]),
        ("a file in memory", Anybody, libc::SYS_memfd_create, vec![at(c"x"), 0]),
        ("a secret file in memory", Kernel, libc::SYS_memfd_secret, vec![0]),
        ("a pipe", Anybody, libc::SYS_pipe2, vec![room(), 0]),
        ("a copy of the channel", Anybody, libc::SYS_dup, vec![0]),
        ("flags of the channel", Anybody, libc::SYS_fcntl, vec![0, libc::F_GETFD.into(), 0]),
        ("splice", Anybody, libc::SYS_splice, vec![CLOSED, 0, CLOSED, 0, 1, 0]),
        ("splice memory", Anybody, libc::SYS_vmsplice, vec![CLOSED, vector(), 1, 0]),
    ]
}

fn sockets() -> Vec<Row> {
    let socket = |name, control, family: i32, kind: i32, protocol: i32| {
        let arguments = [family, kind, protocol].map(c_long::from).to_vec();
        (name, control, libc::SYS_socket, arguments)
    };
    vec![
        socket("TCP", Anybody, libc::AF_INET, libc::SOCK_STREAM, 0),
        socket("TCP over IPv6", Kernel, libc::AF_INET6, libc::SOCK_STREAM, 0),
        socket("UDP and DNS", Anybody, libc::AF_INET, libc::SOCK_DGRAM, 0),
        socket("ICMP", Root, libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        socket("packets", Root, libc::AF_PACKET, libc::SOCK_RAW, 0),
        socket("netlink", Anybody, libc::AF_NETLINK, libc::SOCK_RAW, 0),
        socket("virtual machine sockets", Kernel, libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        socket("local sockets", Anybody, libc::AF_UNIX, libc::SOCK_STREAM, 0),
        socket("ciphers of the kernel", Kernel, libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
        ("a pair of sockets", Anybody, libc::SYS_socketpair, vec![1, 1, 0, room()]),
        ("connect the channel", Anybody, libc::SYS_connect, vec![CLOSED, room(), 16]),
        ("bind the channel", Anybody, libc::SYS_bind, vec![CLOSED, room(), 16]),
        ("accept a connection", Anybody, libc::SYS_accept4, vec![CLOSED, 0, 0, 0]),
        ("send to an address", Anybody, libc::SYS_sendto, vec![CLOSED, room(), 1, 0, room(), 16]),
        (
            "send out of band",
            Anybody,
            libc::SYS_sendto,
            vec![CLOSED, room(), 1, libc::MSG_OOB.into(), 0, 0],
        ),
        (
            "receive out of band",
            Anybody,
            libc::SYS_recvfrom,
            vec![CLOSED, room(), 1, libc::MSG_OOB.into(), 0, 0],
        ),
        ("send descriptors", Anybody, libc::SYS_sendmsg, vec![CLOSED, room(), 0]),
        ("receive descriptors", Anybody, libc::SYS_recvmsg, vec![CLOSED, room(), 0]),
        ("send many messages", Anybody, libc::SYS_sendmmsg, vec![CLOSED, room(), 1, 0]),
        ("shut the channel", Anybody, libc::SYS_shutdown, vec![CLOSED, 2]),
        ("set up the channel", Anybody, libc::SYS_setsockopt, vec![CLOSED, 1, 7, room(), 4]),
        (
            "ask who is at the other end",
            Anybody,
            libc::SYS_getsockopt,
            vec![CLOSED, 1, libc::SO_PEERCRED.into(), room(), room()],
        ),
        ("name of the other end", Anybody, libc::SYS_getpeername, vec![CLOSED, room(), room()]),
    ]
}

fn memory() -> Vec<Row> {
    let map = |name, control, rights: i32, flags: i32| {
        let flags = c_long::from(flags | libc::MAP_ANONYMOUS);
        (name, control, libc::SYS_mmap, vec![0, 4096, rights.into(), flags, -1, 0])
    };
    let executable = libc::PROT_READ | libc::PROT_EXEC;
    vec![
        map("executable memory", Anybody, executable, libc::MAP_PRIVATE),
        map("shared executable memory", Anybody, executable, libc::MAP_SHARED),
        map("huge pages", Anybody, libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_HUGETLB),
        ("make memory executable", Anybody, libc::SYS_mprotect, vec![0, 0, executable.into()]),
        (
            "make memory executable with a key",
            Kernel,
            libc::SYS_pkey_mprotect,
            vec![0, 0, executable.into(), -1],
        ),
        (
            "merge pages with others",
            Anybody,
            libc::SYS_madvise,
            vec![0, 0, libc::MADV_MERGEABLE.into()],
        ),
        ("keep memory from being swapped", Anybody, libc::SYS_mlock, vec![0, 0]),
        ("shared memory of System V", Anybody, libc::SYS_shmget, vec![0, 4096, 0o600]),
        ("messages of System V", Anybody, libc::SYS_msgget, vec![0, 0o600]),
        ("semaphores of System V", Anybody, libc::SYS_semget, vec![0, 1, 0o600]),
        ("a queue of messages", Anybody, libc::SYS_mq_open, vec![at(c"attacker"), 0, 0, 0]),
        ("old addresses, executable", Anybody, libc::SYS_personality, vec![0xffff_ffff]),
    ]
}

fn rights() -> Vec<Row> {
    let own = c_long::from(nix::unistd::geteuid().as_raw());
    vec![
        ("become itself", Anybody, libc::SYS_setuid, vec![own]),
        ("become root", Root, libc::SYS_setuid, vec![0]),
        ("become root for files", Anybody, libc::SYS_setfsuid, vec![0]),
        ("join groups", Root, libc::SYS_setgroups, vec![0, 0]),
        ("ask for rights", Anybody, libc::SYS_capget, vec![at(&[0x2008_0522_u32, 0]), 0]),
        ("take rights", Anybody, libc::SYS_capset, vec![at(&[0x2008_0522_u32, 0]), -1]),
        ("be looked into", Anybody, libc::SYS_prctl, vec![libc::PR_GET_DUMPABLE.into(), 0]),
        (
            "outlive the parent",
            Anybody,
            libc::SYS_prctl,
            vec![libc::PR_GET_PDEATHSIG.into(), room()],
        ),
        ("be more important", Anybody, libc::SYS_setpriority, vec![0, NOBODY, -20]),
        ("run on another processor", Anybody, libc::SYS_sched_setaffinity, vec![NOBODY, 8, room()]),
        ("run before everybody", Anybody, libc::SYS_sched_setscheduler, vec![NOBODY, 1, room()]),
        ("write to disks first", Anybody, libc::SYS_ioprio_set, vec![1, NOBODY, 0]),
        (
            "type for the user",
            Anybody,
            libc::SYS_ioctl,
            vec![CLOSED, libc::TIOCSTI.cast_signed(), at(c"x")],
        ),
        ("more files than allowed", Anybody, libc::SYS_prlimit64, vec![NOBODY, 7, room(), 0]),
    ]
}

fn odd() -> Vec<Row> {
    vec![
        (
            "a lock that lends its rank",
            Anybody,
            libc::SYS_futex,
            vec![0, libc::FUTEX_LOCK_PI.into(), 0, 0, 0, 0],
        ),
        (
            "move waiters to another lock",
            Anybody,
            libc::SYS_futex,
            vec![at(&[0_u32]), libc::FUTEX_WAIT_REQUEUE_PI.into(), 1, 0, 0, 0],
        ),
        ("restartable sequences", Anybody, libc::SYS_rseq, vec![1, 32, 0, 0]),
        ("locks that outlive", Anybody, libc::SYS_get_robust_list, vec![0, room(), room()]),
        ("a timer of the process", Anybody, libc::SYS_timer_create, vec![99, 0, 0]),
        ("an alarm", Anybody, libc::SYS_setitimer, vec![99, 0, 0]),
        ("memory of a processor", Kernel, libc::SYS_set_mempolicy, vec![0, 0, 0]),
        ("move pages", Kernel, libc::SYS_move_pages, vec![0, 0, 0, 0, 0, 0]),
        ("name of the machine", Anybody, libc::SYS_uname, vec![room()]),
        ("load of the machine", Anybody, libc::SYS_sysinfo, vec![room()]),
    ]
}

#[cfg(target_arch = "x86_64")]
fn x86() -> Vec<Row> {
    vec![
        ("read a file in another way", Anybody, libc::SYS_open, vec![at(c"/etc/passwd"), 0]),
        ("make a file", Anybody, libc::SYS_creat, vec![at(c"/is/not/there"), 0]),
        ("ports of the machine", Kernel, libc::SYS_ioperm, vec![0, 0, 1]),
        ("segments of the processor", Kernel, libc::SYS_modify_ldt, vec![0, room(), 16]),
        ("base of the segments", Anybody, libc::SYS_arch_prctl, vec![0x1003, room()]),
    ]
}
