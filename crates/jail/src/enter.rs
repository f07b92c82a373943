//! The way in, step by step. See the picture in `lib.rs`.

#![expect(unsafe_code, reason = "forking, and closing descriptors that no Rust value owns")]

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::libc;
use nix::unistd::{ForkResult, fork};
use rustix::process::{
    Signal, getpid, set_child_subreaper, set_parent_process_death_signal, setsid,
};
use tidegate_model::{IsolationReport, Layer};

use crate::findings::{Findings, Lack};
use crate::newborn::Newborn;
use crate::order::Order;
use crate::spec::{Filter, Spec};
use crate::syscalls::Walls;
use crate::{
    files, filter, identity, namespaces, newborn, privileges, proof, reaper, resources, root,
};

/// Exit code of a process that could not even be split in three.
const BROKEN: i32 = 70;

/// How a process came to be one that is to be confined.
pub enum Way<'a> {
    /// The gateway has started it for this.
    Started,
    /// The same, to become a process that workers are forked from. It finds this
    /// library as [`LIBRARY`](crate::LIBRARY) in its root.
    Zygote(&'a [u8]),
    /// It was forked from such a process.
    Born(Newborn),
}

/// A process that has given up everything but system calls.
pub struct Confined {
    spec: Spec,
    makes_jails: bool,
    findings: Findings,
    /// Processes and threads of the user that the kernel counts with ours.
    others: Option<u64>,
}

/// Confines this process. Must be called first thing, while there is one thread
/// and nothing is open but the standard descriptors and the lifeline.
///
/// Returns in a new process inside the jail. The one that called it, and one
/// more, wait outside and never come back from this function.
pub fn enter(spec: Spec, way: Way<'_>) -> Confined {
    let mut findings = Findings::default();
    let (library, tells_its_end) = match way {
        Way::Started => (None, false),
        Way::Zygote(library) => (Some(library), false),
        Way::Born(_) => (None, true),
    };
    join_control_groups(&spec, way, &mut findings);
    let staged = root::stage(&spec);
    identity::drop_root(&mut findings);
    identity::enter_user_namespace(&mut findings);
    close_others(spec.lifeline, &mut findings);
    // Who can start none need not know.
    let others = (spec.limits.processes > 0).then(|| identity::counted_with_others(&findings));
    namespaces::unshare_inner(&mut findings);
    privileges::bound();
    // Orphans of a jail without a pid namespace come to the launcher, which ends
    // them. Before there is anybody who could have some.
    let _ = set_child_subreaper(Some(getpid()));
    split(Part::Launcher { tells_its_end }, &spec);
    // From here on in the first process of the pid namespace.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if findings.holds(Layer::PidNamespace) {
        // A signal to the own group goes past the namespace to the launcher, who
        // must not be stopped by anybody inside: it watches the gateway. Without
        // a namespace the group is what the jail is ended by.
        let _ = setsid();
    }
    root::build(&spec, &staged, library, &mut findings);
    split(Part::First, &spec);
    // And from here on in the one that will be jailed. In a pid namespace it
    // ends with the first process anyway; without one, like this.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let makes_jails = library.is_some();
    proof::of_namespaces(&spec, makes_jails, &mut findings);
    privileges::give_up(&mut findings);
    // Under Landlock nobody can mount, so whoever makes jails must do without.
    if !makes_jails {
        files::restrict(&spec, &mut findings);
        proof::of_files(&mut findings);
    }
    Confined { spec, makes_jails, findings, others: others.flatten() }
}

impl Confined {
    /// Gives up system calls, for all threads there are, and tries what must not
    /// be possible any more. Nothing of a guest may have run before this.
    pub fn seal(self) -> IsolationReport {
        let Self { spec, makes_jails, mut findings, others } = self;
        // Last of the limits: threads of ours are started by now. Those of a zygote
        // would hold for all that are forked from it, together or for ever.
        if !makes_jails {
            resources::limit(&spec.limits, others, &mut findings);
        }
        let installed = filter::install(spec.filter, walls(&findings));
        findings.note(Layer::Seccomp, installed);
        if !makes_jails {
            proof::of_refusals(&spec, &mut findings);
        }
        findings.into_report()
    }

    /// Gives up system calls but those for forking. The limits are those of the
    /// processes that are forked, and set there. There may be a second thread, which
    /// must wait from now on.
    pub fn seal_forking(self) -> Forking {
        let Self { spec, mut findings, .. } = self;
        let installed = filter::install(spec.filter, walls(&findings));
        findings.note(Layer::Seccomp, installed);
        proof::of_refusals(&spec, &mut findings);
        Forking { findings }
    }
}

/// A confined process that forks others, each of which gives up the rest.
pub struct Forking {
    findings: Findings,
}

impl Forking {
    /// To be called in a process that was just forked from this one: it takes the place
    /// that the gateway has ordered, within the same walls. Its channel is standard
    /// input from here on.
    pub fn forked(&self, order: Order) -> io::Result<Forked> {
        let Order { spec, channel, end, groups } = order;
        // The jail around is that of the process it was forked from.
        drop(groups);
        Newborn::new(&channel, &end, Vec::new())?;
        // In a pid namespace it ends with the first process anyway; without, like this.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        Ok(Forked { spec, findings: self.findings.clone() })
    }
}

/// A process that was forked from a confined one.
pub struct Forked {
    spec: Spec,
    findings: Findings,
}

impl Forked {
    /// Gives up the rest: its limits are set, and forking goes. Nothing of a guest may
    /// have run before this.
    pub fn seal(self) -> IsolationReport {
        let Self { spec, mut findings } = self;
        resources::limit(&spec.limits, None, &mut findings);
        let installed = filter::install(spec.filter, walls(&findings));
        findings.note(Layer::Seccomp, installed);
        proof::of_refusals(&spec, &mut findings);
        findings.into_report()
    }
}

fn walls(findings: &Findings) -> Walls {
    Walls {
        pid_namespace: findings.holds(Layer::PidNamespace),
        private_root: findings.holds(Layer::PrivateRoot),
    }
}

/// Who stays behind when the process is split.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Launcher {
        /// Whether the gateway is not its parent and has to be told.
        tells_its_end: bool,
    },
    First,
}

/// Forks. The parent becomes what `part` says and does not return; the child
/// goes on.
fn split(part: Part, spec: &Spec) {
    // SAFETY: there is one thread, so the child finds every lock as it should be.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {
            if part == (Part::Launcher { tells_its_end: true }) {
                // Only the launcher tells how things ended.
                newborn::forget_the_end();
            }
        }
        Ok(ForkResult::Parent { child }) => {
            // Neither needs a right any more.
            privileges::give_up(&mut Findings::default());
            match part {
                Part::Launcher { tells_its_end } => {
                    // SAFETY: the host opened it for us, and nothing here closes it.
                    let lifeline = unsafe { BorrowedFd::borrow_raw(spec.lifeline) };
                    let code = reaper::launcher(child, lifeline);
                    if tells_its_end {
                        newborn::tell_the_end(code);
                    }
                    reaper::leave(code)
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
        Err(_) => reaper::leave(BROKEN),
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

fn join_control_groups(spec: &Spec, way: Way<'_>, findings: &mut Findings) {
    let joined: Vec<io::Result<()>> = match way {
        Way::Born(newborn) => newborn.join(),
        Way::Started | Way::Zygote(_) => {
            spec.control_groups.iter().map(|file| fs::write(file, "0")).collect()
        }
    };
    if joined.is_empty() {
        let remedy = "run tidegate as root, or in a delegated control group (`systemd-run --user \
                      --scope -p Delegate=yes tidegate …`)";
        let lack = Lack::unavailable("none can be made by this user here", remedy);
        findings.note(Layer::Cgroup, Err(lack));
        return;
    }
    let joined = joined.into_iter().collect::<io::Result<()>>();
    let came = joined.map_err(|error| Lack::unavailable(format!("not joined: {error}"), ""));
    findings.note(Layer::Cgroup, came);
}
