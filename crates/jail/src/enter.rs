//! Enters the jail, step by step. See the diagram in `lib.rs`.
//!
//! In: a [`Spec`] and how the process was started. Out: a [`Confined`] process, which is
//! a descendant of the one that called [`enter`].
//! Invariant: the order of the steps. Each one needs a right that a later one gives up.

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

use crate::findings::{Findings, LayerProblem};
use crate::fork_request::ForkRequest;
use crate::forked_process::ForkedProcess;
use crate::root::RootKind;
use crate::spec::{Filter, Spec};
use crate::syscalls::EnforcedLayers;
use crate::{
    filter, forked_process, identity, landlock_rules, namespaces, privileges, proof, reaper,
    resources, root,
};

/// Exit code of a process that could not fork its jailed descendant.
const FORK_FAILED: i32 = 70;

/// How the process to be confined was started.
pub enum Origin<'a> {
    /// The gateway started it, as a guest.
    Started,
    /// The gateway started it, as a Python zygote. It finds this library as
    /// [`ZYGOTE_LIBRARY_PATH`](crate::ZYGOTE_LIBRARY_PATH) in its root.
    Zygote(&'a [u8]),
    /// It was forked from a Python zygote.
    Forked(ForkedProcess),
}

/// A process that has given up everything except system calls.
pub struct Confined {
    spec: Spec,
    root_kind: RootKind,
    findings: Findings,
    /// Other processes and threads of the user, if the kernel counts them with ours.
    others: Option<u64>,
}

/// Confines this process. Must be called first, while the process has one thread and only
/// the standard descriptors and the lifeline are open.
///
/// Returns in a new process inside the jail. The calling process and one more, the
/// launcher and the init process, stay outside and never return from this function.
pub fn enter(spec: Spec, way: Origin<'_>) -> Confined {
    let mut findings = Findings::default();
    let (library, reports_exit) = match way {
        Origin::Started => (None, false),
        Origin::Zygote(library) => (Some(library), false),
        Origin::Forked(_) => (None, true),
    };
    join_control_groups(&spec, way, &mut findings);
    let staged = root::stage(&spec);
    identity::drop_root(&mut findings);
    identity::enter_user_namespace(&mut findings);
    close_others(spec.lifeline, &mut findings);
    // Counting takes time, and a process that cannot start others does not need it.
    let others = (spec.limits.processes > 0).then(|| identity::processes_outside_jail(&findings));
    namespaces::unshare_inner(&mut findings);
    privileges::bound();
    // Without a pid namespace, orphans of the jail become children of the launcher,
    // which kills them. Set this before the first fork, so that it covers all of them.
    let _ = set_child_subreaper(Some(getpid()));
    fork_as(ParentRole::Launcher { reports_exit }, &spec);
    // From here on this is the init process of the pid namespace.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if findings.holds(Layer::PidNamespace) {
        // A signal to its own process group would reach the launcher outside the
        // namespace. Nothing inside may stop the launcher, since it watches the gateway.
        // Without a namespace, the jail is killed by its group, so it must not leave it.
        let _ = setsid();
    }
    root::build(&spec, &staged, library, &mut findings);
    fork_as(ParentRole::Init, &spec);
    // From here on this is the process to be jailed. In a pid namespace it is killed with
    // the init process anyway; this covers a jail without one.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let root_kind = if library.is_some() { RootKind::Zygote } else { RootKind::Guest };
    proof::of_namespaces(&spec, root_kind, &mut findings);
    privileges::give_up(&mut findings);
    // Landlock forbids mounting, which a zygote needs for the jails of its workers.
    if root_kind == RootKind::Guest {
        landlock_rules::restrict(&spec, &mut findings);
        proof::of_files(&mut findings);
    }
    Confined { spec, root_kind, findings, others: others.flatten() }
}

impl Confined {
    /// Gives up system calls in all threads of the process, then attempts what must fail
    /// from now on. No guest code may have run before this.
    pub fn seal(self) -> IsolationReport {
        let Self { spec, root_kind, mut findings, others } = self;
        // Set after our own threads have started. A zygote sets none: its limits would be
        // shared by all processes forked from it, or outlast them.
        if root_kind == RootKind::Guest {
            resources::limit(&spec.limits, others, &mut findings);
        }
        let installed = filter::install(spec.filter, enforced_layers(&findings));
        findings.record(Layer::Seccomp, installed);
        if root_kind == RootKind::Guest {
            proof::of_refusals(&spec, &mut findings);
        }
        findings.into_report()
    }

    /// Gives up all system calls except those for forking. The limits are set later, by
    /// each forked process. There may be a second thread, which must only wait from now on.
    pub fn seal_reader_zygote(self) -> ReaderZygote {
        let Self { spec, mut findings, .. } = self;
        let installed = filter::install(spec.filter, enforced_layers(&findings));
        findings.record(Layer::Seccomp, installed);
        proof::of_refusals(&spec, &mut findings);
        ReaderZygote { findings }
    }
}

/// A confined process that readers are forked from. Each of them gives up the rest.
pub struct ReaderZygote {
    findings: Findings,
}

impl ReaderZygote {
    /// Sets up a process that was just forked from this one, inside the same jail, as the
    /// gateway requested. Its channel is standard input from here on.
    pub fn forked(&self, request: ForkRequest) -> io::Result<ForkedReader> {
        let ForkRequest { spec, channel, end, groups } = request;
        // It stays in the control groups of the process it was forked from.
        drop(groups);
        ForkedProcess::new(&channel, &end, Vec::new())?;
        // In a pid namespace it is killed with the init process; this covers a jail
        // without one.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        Ok(ForkedReader { spec, findings: self.findings.clone() })
    }
}

/// A reader that was forked from a confined process.
pub struct ForkedReader {
    spec: Spec,
    findings: Findings,
}

impl ForkedReader {
    /// Sets the limits and gives up forking. No guest code may have run before this.
    pub fn seal(self) -> IsolationReport {
        let Self { spec, mut findings } = self;
        resources::limit(&spec.limits, None, &mut findings);
        let installed = filter::install(spec.filter, enforced_layers(&findings));
        findings.record(Layer::Seccomp, installed);
        proof::of_refusals(&spec, &mut findings);
        findings.into_report()
    }
}

fn enforced_layers(findings: &Findings) -> EnforcedLayers {
    EnforcedLayers {
        pid_namespace: findings.holds(Layer::PidNamespace),
        private_root: findings.holds(Layer::PrivateRoot),
    }
}

/// What the parent becomes after a fork.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParentRole {
    Launcher {
        /// Whether it reports its exit code itself, since the gateway is not its parent.
        reports_exit: bool,
    },
    Init,
}

/// Forks. The parent becomes `part` and never returns; the child returns.
fn fork_as(part: ParentRole, spec: &Spec) {
    // SAFETY: there is one thread, so no other thread holds a lock at the fork.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {
            if part == (ParentRole::Launcher { reports_exit: true }) {
                // Only the launcher reports the exit code.
                forked_process::detach_from_exit_channel();
            }
        }
        Ok(ForkResult::Parent { child }) => {
            // Neither parent needs any rights from here on.
            privileges::give_up(&mut Findings::default());
            match part {
                ParentRole::Launcher { reports_exit } => {
                    // SAFETY: the host opened it for us, and nothing here closes it.
                    let lifeline = unsafe { BorrowedFd::borrow_raw(spec.lifeline) };
                    let code = reaper::launcher(child, lifeline);
                    if reports_exit {
                        forked_process::report_exit_code(code);
                    }
                    reaper::leave(code)
                }
                ParentRole::Init if spec.filter == Filter::Command => {
                    // Standard input stays open: it carries the report of how the command
                    // ended. The descriptors of the command itself arrive later.
                    close_range(1, u32::MAX);
                    reaper::init_of_command(child, std::io::stdin().as_fd(), spec.scratch)
                }
                ParentRole::Init => {
                    // If this process kept an end of the channel open, the gateway would
                    // not notice that the worker has closed its own.
                    close_range(0, u32::MAX);
                    reaper::init(child)
                }
            }
        }
        Err(_) => reaper::leave(FORK_FAILED),
    }
}

/// Closes everything except the standard descriptors and the lifeline. The gateway opens
/// its own descriptors with close-on-exec, but the process that started it may not have.
fn close_others(lifeline: i32, findings: &mut Findings) {
    let keep = u32::try_from(lifeline).unwrap_or(0).max(2);
    let mut closed = close_range(keep + 1, u32::MAX);
    if keep > 3 {
        closed &= close_range(3, keep - 1);
    }
    let remedy = "use a kernel from 5.9 on";
    let result =
        if closed { Ok(()) } else { Err(LayerProblem::unavailable("they stay open", remedy)) };
    findings.record(Layer::Descriptors, result);
}

fn close_range(first: u32, last: u32) -> bool {
    // SAFETY: no Rust value owns one of these descriptors: the process has just started,
    // or it will only wait from now on. There is no safe call for a range of descriptors.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) == 0 }
}

fn join_control_groups(spec: &Spec, way: Origin<'_>, findings: &mut Findings) {
    let joined: Vec<io::Result<()>> = match way {
        Origin::Forked(forked_process) => forked_process.join(),
        Origin::Started | Origin::Zygote(_) => {
            spec.control_groups.iter().map(|file| fs::write(file, "0")).collect()
        }
    };
    if joined.is_empty() {
        let remedy = "run tidegate as root, or in a delegated control group (`systemd-run --user \
                      --scope -p Delegate=yes tidegate …`)";
        let lack = LayerProblem::unavailable("none can be made by this user here", remedy);
        findings.record(Layer::Cgroup, Err(lack));
        return;
    }
    let joined = joined.into_iter().collect::<io::Result<()>>();
    let result =
        joined.map_err(|error| LayerProblem::unavailable(format!("not joined: {error}"), ""));
    findings.record(Layer::Cgroup, result);
}
