//! The user of the process: unprivileged, in a user namespace of its own.
//!
//! In: the user that started the process. Out: a user that owns nothing else, or a finding
//! that says why not.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Gid, Uid, getegid, geteuid, getpid, set_dumpable_behavior,
};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use tidegate_model::Layer;

use crate::findings::{Findings, LayerProblem};
use crate::namespaces::{Namespace, unshare};

/// User ids from here on are unused: above those that systems and container engines
/// assign, below 2^31, which some file systems do not support. A jail adds its process id,
/// so that no two jails on a machine share the kernel's per-user counters.
const FIRST_USER: u32 = 0x7000_0000;

/// Switches from root to an unprivileged user. Any other user is kept.
pub(crate) fn drop_root(findings: &mut Findings) {
    if !geteuid().is_root() {
        findings.record(Layer::User, Ok(()));
        return;
    }
    let remedy = "run tidegate as an ordinary user, or with CAP_SETUID and CAP_SETGID";
    let dropped = become_user(FIRST_USER + getpid().as_raw_nonzero().get().unsigned_abs());
    let result =
        dropped.map_err(|error| LayerProblem::refused("root cannot be dropped", error, remedy));
    findings.record(Layer::User, result);
}

fn become_user(number: u32) -> Result<(), Errno> {
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    // Leaving root makes a process undumpable, and then it cannot write its own maps.
    set_dumpable_behavior(DumpableBehavior::Dumpable)
}

/// How many processes and threads the user has outside the jail, if the kernel counts
/// them together with those of the jail. `None` if it does not: in a user namespace of its
/// own, or as a user of its own.
pub(crate) fn processes_outside_jail(findings: &Findings) -> Option<u64> {
    let user = geteuid().as_raw();
    if findings.holds(Layer::UserNamespace) || user >= FIRST_USER {
        return None;
    }
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let status = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("status")).ok();
    Some(entries.filter_map(status).filter_map(|status| threads_of(&status, user)).sum())
}

/// The threads of a process, from its `/proc/N/status`, if the user owns it.
fn threads_of(status: &str, user: u32) -> Option<u64> {
    let value = |name| status.lines().find_map(|line| line.strip_prefix(name));
    let owner: u32 = value("Uid:")?.split_whitespace().next()?.parse().ok()?;
    let threads = value("Threads:")?.trim().parse().ok()?;
    (owner == user).then_some(threads)
}

/// Enters a user namespace that maps this user and no other. Inside, the process may
/// create the other namespaces; outside it gains no rights.
pub(crate) fn enter_user_namespace(findings: &mut Findings) {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let result = unshare(Namespace::User).and_then(|()| {
        write_maps(user, group).map_err(|error| {
            // Ubuntu allows creating the namespace and then denies all rights in it.
            let what = "the user namespace cannot be used";
            let error = Errno::from_io_error(&error).unwrap_or(Errno::PERM);
            LayerProblem::refused(what, error, Namespace::User.remedy())
        })
    });
    findings.record(Layer::UserNamespace, result);
}

fn write_maps(user: u32, group: u32) -> io::Result<()> {
    // Without this the kernel does not let an ordinary user map a group.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
