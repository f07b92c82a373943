//! Attempts what each layer must prevent. A layer counts only if the attempt failed.
//!
//! In: the findings so far. Out: the same, with each layer that leaks marked as such.
//! Invariant: an attempt changes nothing, even if it succeeds.

#![expect(unsafe_code, reason = "system calls that have no safe wrapper, or none that may fail")]

use std::fs;
use std::io;
use std::path::Path;

use nix::errno::Errno;
use nix::libc::{self, c_long};
use nix::net::if_::if_nameindex;
use nix::unistd::{getpid, getppid};
use rustix::fs::{StatVfsMountFlags, statvfs};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};
use crate::root::{RootKind, ZYGOTE_ROOT_ENTRIES};
use crate::spec::{Filter, Spec};

/// A process id that no kernel assigns: the maximum is 2^22.
const NO_SUCH_PROCESS: i32 = i32::MAX;

/// Tests the namespaces from inside, before files and system calls are given up.
pub(crate) fn of_namespaces(spec: &Spec, root_kind: RootKind, findings: &mut Findings) {
    check(findings, Layer::Descriptors, "using a descriptor of the host", || {
        let others = (3..64).filter(|&descriptor| descriptor != spec.lifeline);
        let get_flags = c_long::from(libc::F_GETFD);
        let mut others = others.map(|descriptor| [c_long::from(descriptor), get_flags, 0]);
        others.all(|arguments| fails_with(libc::SYS_fcntl, arguments, &[Errno::EBADF]))
    });
    check(findings, Layer::PidNamespace, "having a process id of the host", || {
        getppid().as_raw() == 1 && getpid().as_raw() < 10
    });
    check(findings, Layer::NetNamespace, "seeing a network interface of the host", only_loopback);
    check(findings, Layer::PrivateRoot, "seeing a file that was not granted", || {
        is_private(spec, root_kind) && is_read_only()
    });
}

/// Tests the innermost layers. After this the process is ready.
pub(crate) fn of_refusals(spec: &Spec, findings: &mut Findings) {
    let filter = spec.filter;
    let refused = |number, arguments| fails_with(number, arguments, &[Errno::EPERM]);
    check(findings, Layer::Seccomp, "a forbidden system call", || {
        let internet = c_long::from(libc::AF_INET);
        let stream = c_long::from(libc::SOCK_STREAM);
        // Without the filter, each of these would succeed or fail with another error.
        cannot_open(spec)
            && refused(libc::SYS_unshare, [0, 0, 0])
            && refused(libc::SYS_socket, [internet, stream, 0])
            && refused(libc::SYS_ptrace, [libc::PTRACE_SEIZE.into(), NO_SUCH_PROCESS.into(), 0])
            && (filter != Filter::OwnCode
                || refused(libc::SYS_kill, [NO_SUCH_PROCESS.into(), 0, 0]))
    });
}

/// Tests Landlock. Must run before system calls are given up: the filter would refuse
/// the same call and prove nothing about Landlock.
pub(crate) fn of_files(findings: &mut Findings) {
    let denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    // The root itself is never granted; without Landlock it can be listed.
    let holds = || fs::read_dir("/").err().is_some_and(denied);
    check(findings, Layer::Landlock, "listing a folder that was not granted", holds);
}

fn check(findings: &mut Findings, layer: Layer, what: &str, holds: impl FnOnce() -> bool) {
    if findings.holds(layer) && !holds() {
        findings.record(layer, Err(LayerProblem::leaks(what)));
    }
}

fn only_loopback() -> bool {
    if_nameindex().is_ok_and(|all| all.iter().all(|each| each.name().to_bytes() == b"lo"))
}

/// Whether the root contains only the first folder of each grant and `tmp`, and for a
/// zygote also what it needs to build jails.
fn is_private(spec: &Spec, root_kind: RootKind) -> bool {
    let granted = |name: &std::ffi::OsStr| {
        let scratch = spec.scratch.is_some() && name == "tmp";
        let first_of =
            |path: &Path| path.components().nth(1).is_some_and(|one| one.as_os_str() == name);
        let own = root_kind == RootKind::Zygote
            && ZYGOTE_ROOT_ENTRIES.contains(&name.to_str().unwrap_or_default());
        scratch
            || own
            || spec.grants.iter().any(|grant| first_of(&grant.path))
            || spec.links.iter().any(|link| first_of(&link.path))
    };
    let Ok(entries) = fs::read_dir("/") else { return false };
    entries.flatten().all(|entry| granted(&entry.file_name()))
}

fn is_read_only() -> bool {
    statvfs("/").is_ok_and(|root| root.f_flag.contains(StatVfsMountFlags::RDONLY))
        && fs::create_dir("/made").is_err()
}

/// Whether a file of the host cannot be opened, whichever layer prevents it.
fn cannot_open(spec: &Spec) -> bool {
    let file = Path::new("/etc/passwd");
    let refused = |error: io::Error| error.raw_os_error() == Some(libc::EPERM);
    match fs::File::open(file) {
        // It may have been granted to a command.
        Ok(_) => spec.grants.iter().any(|grant| file.starts_with(&grant.path)),
        // Our own code needs no files, so the filter itself must refuse.
        Err(error) => spec.filter != Filter::OwnCode || refused(error),
    }
}

/// Makes a system call that must fail with one of the given errors.
fn fails_with(number: c_long, [a, b, c]: [c_long; 3], expected: &[Errno]) -> bool {
    // SAFETY: none of the calls above takes a pointer or changes anything that Rust
    // relies on, even if it succeeds.
    let outcome = unsafe { libc::syscall(number, a, b, c) };
    outcome == -1 && expected.contains(&Errno::last())
}
