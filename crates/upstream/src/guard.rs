//! The process between the gateway and a server's child process.
//!
//! Started as `tidegate guard -- COMMAND ARGS…` with the server's pipes as its
//! own, it starts the command on the same pipes and sees to it that nothing of
//! it outlives the gateway. It does not touch the bytes: it only watches for the
//! far end of standard input to close, which happens when the gateway ends the
//! server and also when the gateway is killed.
//!
//! Why a process: a signal at the parent's death is bound to the parent's
//! thread and reaches one process only, while `npx` and `uvx` start others that
//! start others. The guard adopts every orphan below it and kills them all.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

/// A well-behaved server ends by itself when its input ends.
const GRACE_AFTER_EOF: Duration = Duration::from_secs(2);
/// Then it is asked to, and then it is made to.
const GRACE_AFTER_TERM: Duration = Duration::from_secs(1);

/// Elsewhere a signal that a process ignores unless told otherwise, as that of a
/// child's end is, can be lost between two waits for it.
const LONGEST_SLEEP: Option<u16> = if cfg!(target_os = "linux") { None } else { Some(250) };

/// Exit code for a command that could not be started, as shells use it.
const NOT_STARTED: u8 = 127;

/// Runs a command and returns its exit code once nothing of it is left.
pub fn run(command: &OsString, arguments: &[OsString]) -> ExitCode {
    match guard(command, arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("cannot start `{}`: {error}", command.to_string_lossy());
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn guard(command: &OsString, arguments: &[OsString]) -> io::Result<u8> {
    adopt_orphans()?;
    // A process group of its own, so that the whole group can be asked to end.
    // Started before we block signals for ourselves: the block is inherited, and
    // a server that cannot be told to end can only be killed.
    let mut child = Command::new(command).args(arguments).process_group(0).spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    let woken = signals().and_then(|mut signals| watch(&mut child, &mut signals));
    let status = woken.and_then(|wake| match wake {
        Wake::ChildEnded(status) => Ok(Some(status)),
        Wake::InputEnded => end_gently(&mut child, group, GRACE_AFTER_EOF),
        Wake::Told => end_gently(&mut child, group, Duration::ZERO),
    });
    // Also if nobody could be watched: whoever was started must not be left behind.
    kill_everything_below(group, &mut child);
    Ok(status?.map_or(1, exit_code))
}

enum Wake {
    ChildEnded(ExitStatus),
    InputEnded,
    Told,
}

/// From now on a signal to this process is a byte in this pipe: its number.
fn signals() -> io::Result<PipeReader> {
    let mut awaited = SigSet::empty();
    for signal in [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        awaited.add(signal);
    }
    // The thread that awaits them inherits the block, so none of them goes elsewhere.
    awaited.thread_block()?;
    let (arrived, mut note) = io::pipe()?;
    std::thread::Builder::new().spawn(move || {
        while let Ok(signal) = awaited.wait() {
            let number = u8::try_from(signal as i32).unwrap_or(u8::MAX);
            if note.write_all(&[number]).is_err() {
                return;
            }
        }
    })?;
    Ok(arrived)
}

/// Sleeps until something happens.
fn watch(child: &mut Child, signals: &mut PipeReader) -> io::Result<Wake> {
    let input = std::io::stdin();
    loop {
        // Before sleeping: it may have ended before its signal was blocked.
        if let Some(status) = child.try_wait()? {
            return Ok(Wake::ChildEnded(status));
        }
        let mut descriptors = [
            // No events asked for: only the end of the far side is reported.
            PollFd::new(input.as_fd(), PollFlags::empty()),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut descriptors, PollTimeout::from(LONGEST_SLEEP)) {
            Err(Errno::EINTR) => continue,
            other => other?,
        };
        let [input_ended, signalled] = descriptors.map(|of| of.any() == Some(true));
        let mut told = false;
        if signalled {
            let mut numbers = [0; 64];
            let count = signals.read(&mut numbers)?;
            let told_by = |&number: &u8| i32::from(number) != Signal::SIGCHLD as i32;
            told = numbers[..count].iter().any(told_by);
        }
        if let Some(status) = child.try_wait()? {
            return Ok(Wake::ChildEnded(status));
        }
        reap_orphans(child);
        if told {
            return Ok(Wake::Told);
        }
        if input_ended {
            return Ok(Wake::InputEnded);
        }
    }
}

/// Waits, then asks the group to end, then waits again.
fn end_gently(child: &mut Child, group: Pid, grace: Duration) -> io::Result<Option<ExitStatus>> {
    if let Some(status) = wait_until(child, grace)? {
        return Ok(Some(status));
    }
    let _ = killpg(group, Signal::SIGTERM);
    wait_until(child, GRACE_AFTER_TERM)
}

fn wait_until(child: &mut Child, grace: Duration) -> io::Result<Option<ExitStatus>> {
    let until = Instant::now() + grace;
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= until {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Kills the group and then, since orphans come to us, whoever is our child,
/// until there is nobody left.
fn kill_everything_below(group: Pid, child: &mut Child) {
    let _ = killpg(group, Signal::SIGKILL);
    // It may have left the group.
    let _ = child.kill();
    loop {
        for child in children() {
            let _ = kill(child, Signal::SIGKILL);
        }
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return,
            Ok(nix::sys::wait::WaitStatus::StillAlive) => {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => {}
        }
    }
}

/// Waits for adopted processes that have ended, but not for the child itself:
/// its status belongs to [`Child`].
fn reap_orphans(child: &Child) {
    for orphan in children() {
        if orphan.as_raw() != i32::try_from(child.id()).unwrap_or(-1) {
            let _ = waitpid(orphan, Some(WaitPidFlag::WNOHANG));
        }
    }
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    Ok(nix::sys::prctl::set_child_subreaper(true)?)
}

/// No other system gives orphans to anybody but its first process: what leaves the
/// group there outlives the gateway.
#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn children() -> Vec<Pid> {
    let id = std::process::id();
    let list = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace().filter_map(|id| id.parse().ok()).map(Pid::from_raw).collect()
}

#[cfg(not(target_os = "linux"))]
fn children() -> Vec<Pid> {
    Vec::new()
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
