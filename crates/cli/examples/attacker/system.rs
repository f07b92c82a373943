//! Simulates systems that lack a layer, for one command and its descendants.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::libc;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, setresgid, setresuid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::kernel::raw;

/// Switches from root to a user, then executes the command.
pub(crate) fn run_as(user: u32, command: &[&str]) -> ExitCode {
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    setgroups(&[]).unwrap();
    setresgid(group, group, group).unwrap();
    setresuid(user, user, user).unwrap();
    become_command(command)
}

/// Removes a feature, then executes the command.
pub(crate) fn without(what: &str, command: &[&str]) -> ExitCode {
    match what {
        "landlock" => {
            let calls = [
                libc::SYS_landlock_create_ruleset,
                libc::SYS_landlock_add_rule,
                libc::SYS_landlock_restrict_self,
            ];
            refuse(&calls.map(|call| (call, None)), libc::ENOSYS);
        }
        // The calls that Docker's default profile refuses without capabilities.
        "namespaces" => {
            refuse(&[(libc::SYS_clone3, None)], libc::ENOSYS);
            let new = (libc::CLONE_NEWUSER
                | libc::CLONE_NEWNS
                | libc::CLONE_NEWPID
                | libc::CLONE_NEWNET
                | libc::CLONE_NEWIPC
                | libc::CLONE_NEWUTS
                | libc::CLONE_NEWCGROUP) as u64;
            let calls = [
                (libc::SYS_unshare, None),
                (libc::SYS_setns, None),
                (libc::SYS_mount, None),
                (libc::SYS_umount2, None),
                (libc::SYS_pivot_root, None),
                (libc::SYS_open_tree, None),
                (libc::SYS_move_mount, None),
                (libc::SYS_fsopen, None),
                (libc::SYS_mount_setattr, None),
                (libc::SYS_clone, Some(new)),
            ];
            refuse(&calls, libc::EPERM);
        }
        "seccomp" => refuse(&[(libc::SYS_seccomp, None)], libc::ENOSYS),
        "user_namespaces" => forbid_user_namespaces(),
        other => {
            eprintln!("nobody knows how to do without `{other}`");
            return ExitCode::from(2);
        }
    }
    become_command(command)
}

/// A user namespace in which no further one can be created.
fn forbid_user_namespaces() {
    let (user, group) = (geteuid(), getegid());
    if user.is_root() {
        enter_with_everybody();
    } else {
        assert_eq!(raw(libc::SYS_unshare, &[libc::CLONE_NEWUSER.into()]), 0);
        fs::write("/proc/self/setgroups", "deny").unwrap();
        fs::write("/proc/self/uid_map", format!("{user} {user} 1")).unwrap();
        fs::write("/proc/self/gid_map", format!("{group} {group} 1")).unwrap();
    }
    fs::write("/proc/sys/user/max_user_namespaces", "0").unwrap();
}

/// It maps all users, since root must still be able to switch users. Only a process outside may
/// write such a map.
fn enter_with_everybody() {
    let own = std::process::id();
    let (mut reader, writer) = std::io::pipe().unwrap();
    // SAFETY: there is one thread; the child writes two files and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(writer);
        let _ = std::io::Read::read(&mut reader, &mut [0]);
        for map in ["uid_map", "gid_map"] {
            fs::write(format!("/proc/{own}/{map}"), "0 0 4294967295").unwrap();
        }
        std::process::exit(0);
    }
    assert_eq!(raw(libc::SYS_unshare, &[libc::CLONE_NEWUSER.into()]), 0);
    drop(writer);
    nix::sys::wait::waitpid(nix::unistd::Pid::from_raw(child), None).unwrap();
}

/// Answers these calls with an error; with `Some` bits, only if one of them is set.
fn refuse(calls: &[(i64, Option<u64>)], error: i32) {
    let mut rules = BTreeMap::new();
    for &(call, bits) in calls {
        let each = |bit: u64| {
            let operator = SeccompCmpOp::MaskedEq(bit);
            let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, operator, bit);
            SeccompRule::new(vec![condition.unwrap()]).unwrap()
        };
        let bits = bits
            .into_iter()
            .flat_map(|bits| (0..64).map(|bit| 1 << bit).filter(move |bit| bits & bit != 0));
        rules.insert(call, bits.map(each).collect());
    }
    let refused = SeccompAction::Errno(error.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
}

fn become_command(command: &[&str]) -> ExitCode {
    let error = Command::new(command[0]).args(&command[1..]).exec();
    eprintln!("`{}`: {error}", command[0]);
    ExitCode::from(2)
}
