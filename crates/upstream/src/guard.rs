//! The process between the gateway and a server's child process.
//!
//! In: `tidegate guard -- COMMAND ARGS…`, with the server's pipes as its own. It starts the
//! command on the same pipes. Out: the command's exit code.
//!
//! Invariant: no descendant of the command outlives the gateway. The guard does not touch the
//! bytes of MCP; it watches for the far end of standard input to close, which happens when
//! the gateway ends the server and when the gateway is killed.
//!
//! Why a process: a signal at the parent's death is bound to the parent's thread and reaches
//! one process only, while `npx` and `uvx` start processes that start further ones. The guard
//! adopts every orphan below it and kills them all.

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

/// A well-behaved server exits when its input ends.
const GRACE_AFTER_EOF: Duration = Duration::from_secs(2);
/// After that the guard sends SIGTERM, and after this time SIGKILL.
const GRACE_AFTER_TERM: Duration = Duration::from_secs(1);

/// On other systems a signal that is ignored by default, such as SIGCHLD, can be lost between
/// two waits for it.
const LONGEST_POLL_MILLIS: Option<u16> = if cfg!(target_os = "linux") { None } else { Some(250) };

/// The exit code of shells for a command that could not be started.
const EXIT_NOT_STARTED: u8 = 127;

/// Runs a command and returns its exit code once all of its descendants are gone.
pub fn run(command: &OsString, arguments: &[OsString]) -> ExitCode {
    match guard(command, arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("cannot start `{}`: {error}", command.to_string_lossy());
            ExitCode::from(EXIT_NOT_STARTED)
        }
    }
}

fn guard(command: &OsString, arguments: &[OsString]) -> io::Result<u8> {
    adopt_orphans()?;
    // A process group of its own, so that SIGTERM reaches the whole group. Started before
    // the guard blocks signals: children inherit the block, and a server that does not
    // receive SIGTERM can only be killed.
    let mut child = Command::new(command).args(arguments).process_group(0).spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    let woken = signals().and_then(|mut signals| watch(&mut child, &mut signals));
    let status = woken.and_then(|wake| match wake {
        Wake::ChildEnded(status) => Ok(Some(status)),
        Wake::InputEnded => stop_gracefully(&mut child, group, GRACE_AFTER_EOF),
        Wake::Signalled => stop_gracefully(&mut child, group, Duration::ZERO),
    });
    // Even if watching failed: nothing that was started may stay behind.
    kill_descendants(group, &mut child);
    Ok(status?.map_or(1, exit_code))
}

enum Wake {
    ChildEnded(ExitStatus),
    InputEnded,
    Signalled,
}

/// Turns signals to this process into bytes of a pipe: their numbers.
fn signals() -> io::Result<PipeReader> {
    let mut caught = SigSet::empty();
    for signal in [Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        caught.add(signal);
    }
    // The waiting thread inherits the block, so no other thread receives them.
    caught.thread_block()?;
    let (reader, mut writer) = io::pipe()?;
    std::thread::Builder::new().spawn(move || {
        while let Ok(signal) = caught.wait() {
            let number = u8::try_from(signal as i32).unwrap_or(u8::MAX);
            if writer.write_all(&[number]).is_err() {
                return;
            }
        }
    })?;
    Ok(reader)
}

/// Sleeps until something happens.
fn watch(child: &mut Child, signals: &mut PipeReader) -> io::Result<Wake> {
    let input = std::io::stdin();
    loop {
        // Before polling: the child may have ended before its signal was blocked.
        if let Some(status) = child.try_wait()? {
            return Ok(Wake::ChildEnded(status));
        }
        let mut descriptors = [
            // No events requested: poll still reports that the far end closed.
            PollFd::new(input.as_fd(), PollFlags::empty()),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut descriptors, PollTimeout::from(LONGEST_POLL_MILLIS)) {
            Err(Errno::EINTR) => continue,
            other => other?,
        };
        let [input_ended, signalled] = descriptors.map(|of| of.any() == Some(true));
        let mut end_requested = false;
        if signalled {
            let mut numbers = [0; 64];
            let count = signals.read(&mut numbers)?;
            let requests_end = |&number: &u8| i32::from(number) != Signal::SIGCHLD as i32;
            end_requested = numbers[..count].iter().any(requests_end);
        }
        if let Some(status) = child.try_wait()? {
            return Ok(Wake::ChildEnded(status));
        }
        reap_orphans(child);
        if end_requested {
            return Ok(Wake::Signalled);
        }
        if input_ended {
            return Ok(Wake::InputEnded);
        }
    }
}

/// Waits, then sends SIGTERM to the group, then waits again.
fn stop_gracefully(
    child: &mut Child,
    group: Pid,
    grace: Duration,
) -> io::Result<Option<ExitStatus>> {
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

/// Kills the group and then every child of this process, since it adopts orphans, until none
/// is left.
fn kill_descendants(group: Pid, child: &mut Child) {
    let _ = killpg(group, Signal::SIGKILL);
    // The child may have left the group.
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

/// Collects adopted processes that have ended, but not the child: [`Child`] collects its
/// status.
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

/// Other systems give orphans to their first process: a process that leaves the group there
/// outlives the gateway.
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
