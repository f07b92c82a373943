//! The two processes around the jailed one: the launcher outside of the pid
//! namespace and the first process inside.
//!
//! Neither runs a line of the guest's. What must stay true: when the gateway
//! goes away, or kills the launcher, everything inside ends; and how the jailed
//! process ended can be read from the launcher's exit code.

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

use crate::spec::Scratch;
use crate::words::{Said, tell};

/// Added to the number of a signal that ended a process, as shells do.
const SIGNALLED: i32 = 128;

/// Waits for the first process and ends it if the gateway goes away first.
/// Returns the code to end with.
pub(crate) fn launcher(first: Pid, lifeline: BorrowedFd<'_>) -> i32 {
    let handle = rustix::process::Pid::from_raw(first.as_raw())
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(handle) = &handle {
        let ended = PollFd::new(std::os::fd::AsFd::as_fd(handle), PollFlags::POLLIN);
        // No events asked for: only the end of the other side is told.
        let gateway = PollFd::new(lifeline, PollFlags::empty());
        let mut watched = [ended, gateway];
        while poll(&mut watched, PollTimeout::NONE) == Err(Errno::EINTR) {}
    }
    // Has it ended by itself, then this does nothing: it was not waited for yet,
    // so its number is still its own. Without a handle the worker watches alone.
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

/// Ends this process, and nothing else: it may be a copy of one that has more to do
/// at its end than we know of.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Ends everybody in our group, ourselves included: without a pid namespace there
/// may be some who are not children of the first process any more. Only in a
/// group of our own; whoever started us in theirs would end with it.
fn end_group() {
    if getpgrp() == getpid() {
        let _ = kill(Pid::from_raw(0), Signal::SIGKILL);
    }
}

/// Ends what the jailed process has left behind. In a pid namespace there is
/// nothing: its orphans ended with the first process. Without one they have become
/// our children, since we asked for that, and so are found as such.
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

/// Reaps whatever is left to the first process, and ends with the jailed one.
pub(crate) fn first(jailed: Pid) -> ! {
    leave(wait_for(jailed))
}

/// The same, and tells the host how a command ended: an exit code alone cannot
/// tell `exit 129` from a signal.
pub(crate) fn first_of_command(jailed: Pid, host: BorrowedFd<'_>, scratch: Option<Scratch>) -> ! {
    let ended = wait(jailed);
    let said = match ended {
        Ended::Exited(code) => Said::Exited { code, full_scratch: scratch.and_then(full_bytes) },
        Ended::Signalled(signal) => Said::Signalled(signal),
    };
    if let Ok(host) = host.try_clone_to_owned() {
        // Fails only if the host is gone.
        let _ = tell(&mut UnixStream::from(host), &said);
    }
    leave(code(ended))
}

/// The size of the private `/tmp`, if it is full. Without a private root there is
/// none, and what is at its place is not ours.
fn full_bytes(scratch: Scratch) -> Option<u64> {
    let found = statfs("/tmp").ok()?;
    let block = u64::try_from(found.f_bsize).ok()?;
    let is_ours = found.f_type == TMPFS && found.f_blocks == scratch.bytes.div_ceil(block);
    (is_ours && (found.f_bfree == 0 || found.f_ffree == 0)).then_some(found.f_blocks * block)
}

/// How statfs(2) calls a file system in memory.
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
        Ended::Signalled(signal) => SIGNALLED + signal,
    }
}

/// Waits until `awaited` has ended, reaping others on the way.
fn wait(awaited: Pid) -> Ended {
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == awaited => return Ended::Exited(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == awaited => {
                return Ended::Signalled(signal as i32);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            // No child is left, so the awaited one is not there either.
            Err(_) => return Ended::Signalled(0),
        }
    }
}
