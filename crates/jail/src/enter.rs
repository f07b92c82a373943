//! The way in, step by step. See the picture in `lib.rs`.

#![expect(unsafe_code, reason = "forking, and closing descriptors that no Rust value owns")]

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::exit;

use nix::libc;
use nix::unistd::{ForkResult, fork};
use rustix::process::{
    Signal, getpid, set_child_subreaper, set_parent_process_death_signal, setsid,
};
use tidegate_model::{IsolationReport, Layer};

use crate::findings::{Findings, Lack};
use crate::spec::{Filter, Spec};
use crate::syscalls::Walls;
use crate::{files, filter, identity, namespaces, privileges, proof, reaper, resources, root};

/// Exit code of a process that could not even be split in three.
const BROKEN: i32 = 70;

/// A process that has given up everything but system calls.
pub struct Confined {
    spec: Spec,
    findings: Findings,
    /// Processes and threads of the user that the kernel counts with ours.
    others: Option<u64>,
}

/// Confines this process. Must be called first thing, while there is one thread
/// and nothing is open but the standard descriptors and the lifeline.
///
/// Returns in a new process inside the jail. The one that called it, and one
/// more, wait outside and never come back from this function.
pub fn enter(spec: Spec) -> Confined {
    let mut findings = Findings::default();
    close_others(spec.lifeline, &mut findings);
    join_control_groups(&spec, &mut findings);
    let staged = root::stage(&spec);
    identity::drop_root(&mut findings);
    identity::enter_user_namespace(&mut findings);
    // Who can start none need not know.
    let others = (spec.limits.processes > 0).then(|| identity::counted_with_others(&findings));
    namespaces::unshare_inner(&mut findings);
    privileges::bound();
    // Orphans of a jail without a pid namespace come to the launcher, which ends
    // them. Before there is anybody who could have some.
    let _ = set_child_subreaper(Some(getpid()));
    split(Part::Launcher, &spec);
    // From here on in the first process of the pid namespace.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if findings.holds(Layer::PidNamespace) {
        // A signal to the own group goes past the namespace to the launcher, who
        // must not be stopped by anybody inside: it watches the gateway. Without
        // a namespace the group is what the jail is ended by.
        let _ = setsid();
    }
    root::build(&spec, &staged, &mut findings);
    split(Part::First, &spec);
    // And from here on in the one that will be jailed. In a pid namespace it
    // ends with the first process anyway; without one, like this.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    proof::of_namespaces(&spec, &mut findings);
    privileges::give_up(&mut findings);
    files::restrict(&spec, &mut findings);
    proof::of_files(&mut findings);
    Confined { spec, findings, others: others.flatten() }
}

impl Confined {
    /// Gives up system calls, for all threads there are, and tries what must not
    /// be possible any more. Nothing of a guest may have run before this.
    pub fn seal(self) -> IsolationReport {
        let Self { spec, mut findings, others } = self;
        // Last of the limits: threads of ours are started by now.
        resources::limit(&spec.limits, others, &mut findings);
        let walls = Walls {
            pid_namespace: findings.holds(Layer::PidNamespace),
            private_root: findings.holds(Layer::PrivateRoot),
        };
        let installed = filter::install(spec.filter, walls);
        findings.note(Layer::Seccomp, installed);
        proof::of_refusals(&spec, &mut findings);
        findings.into_report()
    }
}

/// Who stays behind when the process is split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Launcher,
    First,
}

/// Forks. The parent becomes what `part` says and does not return; the child
/// goes on.
fn split(part: Part, spec: &Spec) {
    // SAFETY: there is one thread, so the child finds every lock as it should be.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {}
        Ok(ForkResult::Parent { child }) => {
            // Neither needs a right any more.
            privileges::give_up(&mut Findings::default());
            match part {
                Part::Launcher => {
                    // SAFETY: the host opened it for us, and nothing here closes it.
                    let lifeline = unsafe { BorrowedFd::borrow_raw(spec.lifeline) };
                    reaper::launcher(child, lifeline)
                }
                Part::First if spec.filter == Filter::Command => {
                    // The host reads from it how the command ended. Its own
                    // descriptors come later, and only to the command.
                    close_range(1, u32::MAX);
                    reaper::first_of_command(child, std::io::stdin().as_fd(), spec.scratch)
                }
                Part::First => {
                    // With an end of the channel here the gateway would not notice
                    // that the worker has closed its own.
                    close_range(0, u32::MAX);
                    reaper::first(child)
                }
            }
        }
        Err(_) => exit(BROKEN),
    }
}

/// Closes everything but the standard descriptors and the lifeline. The gateway
/// opens all of its own with close-on-exec; whoever started it may not have.
fn close_others(lifeline: i32, findings: &mut Findings) {
    let keep = u32::try_from(lifeline).unwrap_or(0).max(2);
    let mut closed = close_range(keep + 1, u32::MAX);
    if keep > 3 {
        closed &= close_range(3, keep - 1);
    }
    let remedy = "use a kernel from 5.9 on";
    let came = if closed { Ok(()) } else { Err(Lack::unavailable("they stay open", remedy)) };
    findings.note(Layer::Descriptors, came);
}

fn close_range(first: u32, last: u32) -> bool {
    // SAFETY: no Rust value owns one of these descriptors: this is the start of
    // the process, or the rest of its life is to wait. There is no safe call for
    // a range of descriptors.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) == 0 }
}

fn join_control_groups(spec: &Spec, findings: &mut Findings) {
    if spec.control_groups.is_empty() {
        let remedy = "run tidegate as root, or in a delegated control group (`systemd-run --user \
                      --scope -p Delegate=yes tidegate …`)";
        let lack = Lack::unavailable("none can be made by this user here", remedy);
        findings.note(Layer::Cgroup, Err(lack));
        return;
    }
    let joined = spec.control_groups.iter().try_for_each(|file| fs::write(file, "0"));
    let came = joined.map_err(|error| Lack::unavailable(format!("not joined: {error}"), ""));
    findings.note(Layer::Cgroup, came);
}
