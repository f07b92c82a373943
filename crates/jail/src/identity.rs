//! Who the process is: a user without rights, in a user namespace of its own.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Gid, Uid, getegid, geteuid, getpid, set_dumpable_behavior,
};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use tidegate_model::Layer;

use crate::findings::{Findings, Lack};
use crate::namespaces::{Namespace, unshare};

/// Users from here on belong to nobody: above what systems and container
/// engines hand out, below 2^31, which some file systems do not reach. A jail
/// takes the one of its process number, so that no two jails of a machine
/// share what the kernel counts per user.
const FIRST_USER: u32 = 0x7000_0000;

/// Drops root for a user without rights. Who is not root stays who they are.
pub(crate) fn drop_root(findings: &mut Findings) {
    if !geteuid().is_root() {
        findings.note(Layer::User, Ok(()));
        return;
    }
    let remedy = "run tidegate as an ordinary user, or with CAP_SETUID and CAP_SETGID";
    let dropped = become_user(FIRST_USER + getpid().as_raw_nonzero().get().unsigned_abs());
    let came = dropped.map_err(|error| Lack::refused("root cannot be dropped", error, remedy));
    findings.note(Layer::User, came);
}

fn become_user(number: u32) -> Result<(), Errno> {
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    // Leaving root hides the process from itself: it could not write its maps.
    set_dumpable_behavior(DumpableBehavior::Dumpable)
}

/// How many processes and threads the user has beside those of the jail, where the
/// kernel counts them all together: without a user namespace, and without a user of
/// one's own. None where it does not.
pub(crate) fn counted_with_others(findings: &Findings) -> Option<u64> {
    let user = geteuid().as_raw();
    if findings.holds(Layer::UserNamespace) || user >= FIRST_USER {
        return None;
    }
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let status = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("status")).ok();
    Some(entries.filter_map(status).filter_map(|status| threads_of(&status, user)).sum())
}

/// The threads of a process, from its `/proc/N/status`, if it is one of the user's.
fn threads_of(status: &str, user: u32) -> Option<u64> {
    let value = |name| status.lines().find_map(|line| line.strip_prefix(name));
    let owner: u32 = value("Uid:")?.split_whitespace().next()?.parse().ok()?;
    let threads = value("Threads:")?.trim().parse().ok()?;
    (owner == user).then_some(threads)
}

/// Enters a user namespace in which the process is itself and nobody else is.
/// Inside, it may make the other namespaces; outside it has no right at all.
pub(crate) fn enter_user_namespace(findings: &mut Findings) {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let came = unshare(Namespace::User).and_then(|()| {
        write_maps(user, group).map_err(|error| {
            // Ubuntu lets the namespace be made and then takes its rights away.
            let what = "the user namespace cannot be used";
            let error = Errno::from_io_error(&error).unwrap_or(Errno::PERM);
            Lack::refused(what, error, Namespace::User.remedy())
        })
    });
    findings.note(Layer::UserNamespace, came);
}

fn write_maps(user: u32, group: u32) -> io::Result<()> {
    // Without this the kernel does not let an ordinary user map a group.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}
