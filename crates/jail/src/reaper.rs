//! The two processes around the jailed one: the launcher outside of the pid namespace and
//! the init process inside.
//!
//! In: the process id to wait for. Out: an exit code.
//! Neither runs any guest code. Invariants: when the gateway goes away, or kills the
//! launcher, everything inside is killed; the launcher's exit code tells how the jailed
//! process ended.

#![expect(unsafe_code, reason = "ending without what C would do at the end")]

use std::fs;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, getpid};
use rustix::fs::{FsWord, statfs};
use rustix::process::{PidfdFlags, pidfd_open};

use crate::command_protocol::{CommandStatus, send_line};
use crate::spec::Scratch;

/// Added to the number of a signal that killed a process, as shells do.
const SIGNAL_EXIT_BASE: i32 = 128;

/// Waits for the init process, and kills it if the gateway goes away first. Returns the
/// exit code of the launcher.
pub(crate) fn launcher(first: Pid, lifeline: BorrowedFd<'_>) -> i32 {
    let handle = rustix::process::Pid::from_raw(first.as_raw())
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(handle) = &handle {
        let ended = PollFd::new(std::os::fd::AsFd::as_fd(handle), PollFlags::POLLIN);
        // No events are requested: `poll` always reports that the other end was closed.
        let gateway = PollFd::new(lifeline, PollFlags::empty());
        let mut watched = [ended, gateway];
        while poll(&mut watched, PollTimeout::NONE) == Err(Errno::EINTR) {}
    }
    // If the init process has ended by itself, this does nothing: it has not been waited for
    // yet, so its process id cannot be reused. Without a handle only the worker watches the
    // gateway.
    let gone = |watched: Option<PollFlags>| watched.is_some_and(|events| !events.is_empty());
    let mut gateway = [PollFd::new(lifeline, PollFlags::empty())];
    if poll(&mut gateway, PollTimeout::ZERO).is_ok() && gone(gateway[0].revents()) {
        let _ = kill(first, Signal::SIGKILL);
        end_group();
    }
    let code = wait_for(first);
    end_orphans();
    code
}

/// Exits this process without running exit handlers: it may be a fork of a process, such
/// as Python, that registered some.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Kills all processes of our group, including this one: without a pid namespace some of
/// them may no longer be descendants of the init process. Only if the group is our own;
/// otherwise this would also kill the process that started us.
fn end_group() {
    if getpgrp() == getpid() {
        let _ = kill(Pid::from_raw(0), Signal::SIGKILL);
    }
}

/// Kills the processes that the jailed one left behind. In a pid namespace there are none:
/// the kernel killed them with the init process. Without one they have become our
/// children, since the launcher is a subreaper.
fn end_orphans() {
    let list = format!("/proc/self/task/{}/children", getpid());
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => {}
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => return,
        }
        let Ok(children) = fs::read_to_string(&list) else { return end_group() };
        for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
            let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
        }
        let _ = waitpid(None, None);
    }
}

/// Reaps all children of the init process, and exits when the jailed process ends.
pub(crate) fn init(jailed: Pid) -> ! {
    leave(wait_for(jailed))
}

/// Like [`init`], but also tells the host how a command ended: an exit code alone does
/// not distinguish `exit 129` from a signal.
pub(crate) fn init_of_command(jailed: Pid, host: BorrowedFd<'_>, scratch: Option<Scratch>) -> ! {
    let ended = wait(jailed);
    let said = match ended {
        Ended::Exited(code) => {
            CommandStatus::Exited { code, full_scratch: scratch.and_then(full_bytes) }
        }
        Ended::Signalled(signal) => CommandStatus::Signalled(signal),
    };
    if let Ok(host) = host.try_clone_to_owned() {
        // Fails only if the host is gone.
        let _ = send_line(&mut UnixStream::from(host), &said);
    }
    leave(code(ended))
}

/// The size of the private `/tmp`, if it is full. Without a private root, `/tmp` belongs to
/// the host and does not count.
fn full_bytes(scratch: Scratch) -> Option<u64> {
    let found = statfs("/tmp").ok()?;
    let block = u64::try_from(found.f_bsize).ok()?;
    let is_ours = found.f_type == TMPFS && found.f_blocks == scratch.bytes.div_ceil(block);
    (is_ours && (found.f_bfree == 0 || found.f_ffree == 0)).then_some(found.f_blocks * block)
}

/// The type of a file system in memory, from statfs(2).
const TMPFS: FsWord = 0x0102_1994;

fn wait_for(awaited: Pid) -> i32 {
    code(wait(awaited))
}

#[derive(Clone, Copy)]
enum Ended {
    Exited(i32),
    Signalled(i32),
}

fn code(ended: Ended) -> i32 {
    match ended {
        Ended::Exited(code) => code,
        Ended::Signalled(signal) => SIGNAL_EXIT_BASE + signal,
    }
}

/// Waits until `awaited` has ended, reaping other children in the meantime.
fn wait(awaited: Pid) -> Ended {
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == awaited => return Ended::Exited(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == awaited => {
                return Ended::Signalled(signal as i32);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            // There are no children left, so the awaited one is gone too.
            Err(_) => return Ended::Signalled(0),
        }
    }
}
