//! Turns this process into a host command, in a jail of its own.
//!
//! In: a [`Spec`] as an argument, a socket as standard input. The process confines
//! itself, reports over the socket and waits. If the host accepts the report, it sends
//! the command ([`CommandStart`]) together with the three standard descriptors; until then
//! the process does not know the command. If the host closes the socket instead, the process
//! exits.
//!
//! One JSON value per line: the process sends an
//! [`IsolationReport`](tidegate_model::IsolationReport), receives a [`CommandStart`] and sends a
//! [`CommandStatus`]. The init process of the jail (`reaper.rs`) reports how the command ended;
//! it keeps its end of the socket, which the command does not inherit.

#![expect(unsafe_code, reason = "descriptors that result over a socket, and a signal's default")]

use std::ffi::CString;
use std::io::{self, BufRead, BufReader, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, execve};
use tidegate_model::FileIdentity;

use crate::command_protocol::{CommandStart, CommandStatus, send_line};
use crate::spec::Spec;

/// Exit code of a process that did not become its command, the same as in shells.
const NOT_STARTED: u8 = 127;

/// Confines this process and turns it into the command that the host sends. Returns only
/// if that failed.
pub fn become_command(spec: &str) -> ExitCode {
    let Some(spec) = Spec::from_argument(spec) else { return ExitCode::from(2) };
    let report = crate::enter(spec, crate::Origin::Started).seal();
    let Ok(mut host) = host() else { return ExitCode::from(NOT_STARTED) };
    let said = send_line(&mut host, &report).and_then(|()| receive_start(&host));
    if let Ok((go, standard)) = said {
        let said = execute(&go, standard);
        // If this fails, the host is gone and this jail will be killed.
        let _ = send_line(&mut host, &said);
    }
    ExitCode::from(NOT_STARTED)
}

/// The socket to the host, on a descriptor that the command does not inherit.
fn host() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Standard input, output and error of the command.
type Standard = [OwnedFd; 3];

fn receive_start(host: &UnixStream) -> io::Result<(CommandStart, Standard)> {
    let mut first = [0; 4096];
    let (read, descriptors) = receive(host, &mut first)?;
    let standard = Standard::try_from(descriptors).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut line = Vec::from(&first[..read]);
    if line.last() != Some(&b'\n') {
        BufReader::new(host).read_until(b'\n', &mut line)?;
    }
    Ok((serde_json::from_slice(&line)?, standard))
}

fn receive(host: &UnixStream, into: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([i32; 3]);
    let mut parts = [IoSliceMut::new(into)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(host.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let mut received = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = control {
            // SAFETY: the kernel has just created these descriptors; nothing else owns them.
            received
                .extend(descriptors.into_iter().map(|raw| unsafe { OwnedFd::from_raw_fd(raw) }));
        }
    }
    if message.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((message.bytes, received))
}

/// Executes the command. Returns only if that fails, with the reason.
fn execute(go: &CommandStart, standard: Standard) -> CommandStatus {
    // Inside the private root the path is a mount of the file itself, so the file cannot
    // be replaced between this check and the start.
    match std::fs::metadata(&go.path).map(|data| FileIdentity::of(&data)) {
        Ok(found) if found == go.identity => {}
        Ok(_) => return CommandStatus::Changed,
        Err(error) => return CommandStatus::NotStarted(error.raw_os_error().unwrap_or(0)),
    }
    started(go, standard).unwrap_or_else(|error| CommandStatus::NotStarted(error as i32))
}

fn started(go: &CommandStart, [input, output, error]: Standard) -> Result<CommandStatus, Errno> {
    let text = |text: &str| CString::new(text).map_err(|_| Errno::EINVAL);
    let path = text(&go.path.to_string_lossy())?;
    let mut arguments = vec![path.clone()];
    for argument in &go.arguments {
        arguments.push(text(argument)?);
    }
    let variables = go.environment.iter().map(|(name, value)| text(&format!("{name}={value}")));
    let environment = variables.collect::<Result<Vec<_>, _>>()?;
    dup2_stdin(&input)?;
    dup2_stdout(&output)?;
    dup2_stderr(&error)?;
    drop([input, output, error]);
    // Rust ignores this signal, and the command would inherit that setting.
    // SAFETY: no handler is installed; the default is restored.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
    match execve(&path, &arguments, &environment)? {}
}
