//! Attacks by processes: daemons, fork bombs, and attempts against the other layers when
//! there is no system call filter.

use std::ffi::CStr;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc::{self, c_long};
use serde_json::{Map, Value, json};

use crate::kernel::{at, call, in_child, raw, said};

const HERE: c_long = libc::AT_FDCWD as c_long;

/// Daemonizes in the classic way and exits, or stays and spins. Refused steps are skipped:
/// only what survives counts.
pub(crate) fn leave(attack: &Value) -> Value {
    let mut steps = Map::new();
    steps.insert(
        "outlive".into(),
        call(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG.into(), 0]).into(),
    );
    // SAFETY: the child only makes system calls and spins or sleeps.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        raw(libc::SYS_setsid, &[]);
        raw(libc::SYS_setpgid, &[0, 0]);
        raw(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG.into(), 0]);
        // SAFETY: as above.
        if unsafe { libc::fork() } > 0 {
            // SAFETY: exits the middle process, so that the daemon is an orphan.
            unsafe { libc::_exit(0) };
        }
        ignore_all();
        (0..1024).for_each(|descriptor| drop(call(libc::SYS_close, &[descriptor])));
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    steps.insert("forked".into(), said(forked.into()).into());
    if attack["stay"] == true {
        println!("{}", json!({"steps": steps}));
        if attack["stop"] == true {
            // Everybody in the same group, wherever they are.
            raw(libc::SYS_kill, &[0, libc::SIGSTOP.into()]);
        }
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }
    steps.into()
}

fn ignore_all() {
    for number in 1..32 {
        let Ok(number) = nix::sys::signal::Signal::try_from(number) else { continue };
        // SAFETY: no handler of ours runs.
        let _ = unsafe { nix::sys::signal::signal(number, nix::sys::signal::SigHandler::SigIgn) };
    }
}

/// Forks until the kernel refuses; the children sleep.
pub(crate) fn fork_all() -> Value {
    let mut count = 0;
    while count < 5000 {
        // SAFETY: the child sleeps until it is killed.
        match unsafe { libc::fork() } {
            -1 => return json!({"started": count, "said": format!("{:?}", Errno::last())}),
            0 => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            _ => count += 1,
        }
    }
    json!({"started": count, "said": "ok"})
}

/// Machine code in memory that was written as data.
pub(crate) fn shellcode() -> String {
    let rights = c_long::from(libc::PROT_READ | libc::PROT_WRITE);
    let flags = c_long::from(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let place = raw(libc::SYS_mmap, &[0, 4096, rights, flags, -1, 0]);
    if place == -1 {
        return said(place);
    }
    let code = place as *mut u8;
    #[cfg(target_arch = "x86_64")]
    let bytes = [0xb8_u8, 42, 0, 0, 0, 0xc3]; // mov eax, 42; ret
    #[cfg(target_arch = "aarch64")]
    let bytes = [0x40_u8, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6]; // mov w0, 42; ret
    // SAFETY: inside the page that was just made.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), code, bytes.len()) };
    let executable = c_long::from(libc::PROT_READ | libc::PROT_EXEC);
    let made = raw(libc::SYS_mprotect, &[place, 4096, executable]);
    if made == -1 {
        return said(made);
    }
    // SAFETY: the page holds a function of this type and is executable.
    let function: extern "C" fn() -> i32 = unsafe { std::mem::transmute(code) };
    format!("ran: {}", function())
}

/// What the process sees of itself and of the system, read directly from the kernel.
pub(crate) fn who() -> Value {
    let environment: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    json!({
        "pid": std::process::id(),
        "parent": std::os::unix::process::parent_id(),
        "uid": nix::unistd::geteuid().as_raw(),
        "environment": environment,
        "arguments": std::env::args().count(),
        "interfaces": nix::net::if_::if_nameindex().map_or(0, |all| all.iter().count()),
        "folders": open_folders(),
    })
}

/// Descriptors of folders: from there every file below could be opened, whatever the root
/// directory is.
fn open_folders() -> Vec<c_long> {
    let listed = |descriptor: &c_long| {
        let end = raw(libc::SYS_getdents64, &[*descriptor, buffer(), 4096]);
        end >= 0
    };
    (0..1024).filter(listed).collect()
}

/// Tries every system call that creates a namespace. All new processes but the last exit at
/// once.
pub(crate) fn namespaces() -> Value {
    let wanted = c_long::from(libc::CLONE_NEWUSER);
    let end = c_long::from(libc::SIGCHLD);
    // `struct clone_args` of the first version: flags, then the signal of its end.
    let arguments = [wanted.unsigned_abs(), 0, 0, 0, end.unsigned_abs(), 0, 0, 0];
    json!({
        "clone": forked(|| raw(libc::SYS_clone, &[wanted | end, 0, 0, 0, 0])),
        "clone3": forked(|| raw(libc::SYS_clone3, &[at(&arguments), 64])),
        "unshare": call(libc::SYS_unshare, &[wanted]),
    })
}

fn forked(fork: impl Fn() -> c_long) -> String {
    match fork() {
        // SAFETY: ends the child at once.
        0 => unsafe { libc::_exit(0) },
        child => {
            let answer = said(child);
            raw(libc::SYS_wait4, &[child, 0, 0, 0]);
            answer
        }
    }
}

/// Attempts that must fail even without a system call filter. `pid`, `socket`, `file` and
/// `port` name a process, an abstract socket, a file and a port of the host.
pub(crate) fn walls(attack: &Value) -> Value {
    let text = |key: &str| std::ffi::CString::new(attack[key].as_str().unwrap_or("/x")).unwrap();
    let number = |key: &str| attack[key].as_i64().unwrap_or(1);
    let file = text("file");
    let mut said = Map::new();
    let mut note = |name: &str, what: String| drop(said.insert(name.to_owned(), what.into()));
    note("read a file", open(&file, libc::O_RDONLY));
    note("write a file", open(&file, libc::O_WRONLY));
    note("look at a file", call(libc::SYS_newfstatat, &[HERE, at(file.as_c_str()), buffer(), 0]));
    note(
        "change the rights of a file",
        call(libc::SYS_fchmodat, &[HERE, at(file.as_c_str()), 0o666]),
    );
    note(
        "change the times of a file",
        call(libc::SYS_utimensat, &[HERE, at(file.as_c_str()), 0, 0]),
    );
    note("a process table", open(c"/proc", libc::O_RDONLY));
    note("settings of the kernel", open(c"/proc/sys/kernel/core_pattern", libc::O_WRONLY));
    note("keys of the kernel", open(c"/proc/sysrq-trigger", libc::O_WRONLY));
    note("environment of the first process", open(c"/proc/1/environ", libc::O_RDONLY));
    let environment = format!("/proc/{}/environ", number("pid"));
    let environment = std::ffi::CString::new(environment).unwrap();
    note("environment of a process of the host", open(&environment, libc::O_RDONLY));
    note("the way through the own root", open(c"/proc/self/root/etc/passwd", libc::O_RDONLY));
    note("control groups", open(c"/sys/fs/cgroup", libc::O_RDONLY));
    note("devices", open(c"/dev/null", libc::O_RDONLY));
    note("signal a process of the host", call(libc::SYS_kill, &[number("pid"), 0]));
    note("signal a thread of the host", call(libc::SYS_tgkill, &[number("pid"), number("pid"), 0]));
    note("hold a process of the host", call(libc::SYS_pidfd_open, &[number("pid"), 0]));
    note(
        "limits of a process of the host",
        call(libc::SYS_prlimit64, &[number("pid"), 7, 0, buffer()]),
    );
    note("rank of a process of the host", call(libc::SYS_setpriority, &[0, number("pid"), 19]));
    note(
        "order of a process of the host",
        call(libc::SYS_sched_setscheduler, &[number("pid"), 3, buffer()]),
    );
    note("read a process of the host", read_process(number("pid"), number("address")));
    // In a child, which releases it at its exit.
    note(
        "trace a process of the host",
        in_child(|| call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE.into(), number("pid"), 0, 0])),
    );
    note("signal through a descriptor", signal_through_descriptor(number("pid")));
    note("abstract socket of the host", connect_local(attack["socket"].as_str().unwrap_or("x")));
    note("a port of the host", connect_port(number("port")));
    note(
        "mount",
        in_child(|| call(libc::SYS_mount, &[at(c"tmpfs"), at(c"/"), at(c"tmpfs"), 0, 0])),
    );
    note(
        "a user namespace and mount",
        in_child(|| {
            let entered =
                raw(libc::SYS_unshare, &[i64::from(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)]);
            if entered == -1 {
                return crate::kernel::said(entered);
            }
            call(libc::SYS_mount, &[at(c"tmpfs"), at(c"/"), at(c"tmpfs"), 0, 0])
        }),
    );
    note("make a device", make_device());
    note("change the root", in_child(|| call(libc::SYS_chroot, &[at(c"/")])));
    note("become root", in_child(|| call(libc::SYS_setuid, &[0])));
    note("name the host", in_child(|| call(libc::SYS_sethostname, &[at(c"attacker"), 8])));
    note(
        "open by handle",
        call(libc::SYS_open_by_handle_at, &[HERE, at(&[8_u32, 1, 2, 0, 0, 0]), 0]),
    );
    said.into()
}

/// Succeeds outside of the jail, without a lasting effect.
fn make_device() -> String {
    let path = std::ffi::CString::new(format!("/tmp/device-{}", std::process::id())).unwrap();
    let made = call(libc::SYS_mknodat, &[HERE, at(path.as_c_str()), 0o60_600, 0x700]);
    raw(libc::SYS_unlinkat, &[HERE, at(path.as_c_str()), 0]);
    made
}

fn buffer() -> c_long {
    at(Box::leak(Box::new([0_u8; 4096])).as_slice())
}

fn open(path: &CStr, how: i32) -> String {
    call(libc::SYS_openat, &[HERE, at(path), how.into(), 0])
}

fn read_process(pid: c_long, address: c_long) -> String {
    let mut room = [0_u8; 8];
    let (here, there) = ([room.as_mut_ptr() as usize, 8], [address as usize, 8]);
    call(libc::SYS_process_vm_readv, &[pid, at(&here), 1, at(&there), 1, 0])
}

/// Makes the kernel send a signal to the owner of a pipe. Signal 0 cannot be sent this way;
/// setting an unrelated process as the owner must fail.
fn signal_through_descriptor(pid: c_long) -> String {
    let mut pipe = [0_i32; 2];
    let made = raw(libc::SYS_pipe2, &[std::ptr::from_mut(&mut pipe) as c_long, 0]);
    if made == -1 {
        return said(made);
    }
    call(libc::SYS_fcntl, &[pipe[0].into(), libc::F_SETOWN.into(), pid])
}

fn connect_local(name: &str) -> String {
    let socket = raw(libc::SYS_socket, &[libc::AF_UNIX.into(), libc::SOCK_STREAM.into(), 0]);
    if socket == -1 {
        return said(socket);
    }
    let mut address = vec![1_u8, 0, 0];
    address.extend(name.as_bytes());
    call(libc::SYS_connect, &[socket, at(address.as_slice()), address.len() as c_long])
}

fn connect_port(port: c_long) -> String {
    let socket = raw(libc::SYS_socket, &[libc::AF_INET.into(), libc::SOCK_STREAM.into(), 0]);
    if socket == -1 {
        return said(socket);
    }
    let port = u16::try_from(port).unwrap_or(1).to_be_bytes();
    let address = [2, 0, port[0], port[1], 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0_u8];
    call(libc::SYS_connect, &[socket, at(address.as_slice()), 16])
}
