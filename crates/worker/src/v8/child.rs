//! The process of an external engine: starts it, limits it, talks to it, kills it.
//!
//! In: an engine and messages for it. Out: its messages, and its standard error at the end.
//! The child gets one end of a socket pair as standard input and output, a pipe as standard
//! error, fixed variables and no other descriptor. It stays in the worker's namespaces and
//! ends with it.
//!
//! Invariant: all limits hold before the first instruction of the engine.

#![expect(unsafe_code, reason = "a system call between fork and exec of the engine")]

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child as Process, Command, Stdio};
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{UsageWho, getrusage};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tidegate_model::Engine;
use tidegate_wire::{FromEngine, HEADER_BYTES, ToEngine, body_length};

use crate::v8::arguments::ExternalEngine;

const NODE: &str = include_str!("node.js");
const DENO: &str = include_str!("deno.js");

const MEGABYTE: u64 = 1024 * 1024;

/// Writable memory that an engine maps beyond the heap of a program: tables, thread stacks,
/// the young generation of its heap. Measured idle: Deno 2.9.6 554 MB, most of it tables that
/// are never touched; Node 20.20.2 and 22.23.3 48 MB. The rest is room for a busy engine.
fn own_bytes(engine: Engine) -> u64 {
    match engine {
        Engine::Deno => 704 * MEGABYTE,
        Engine::Node | Engine::QuickJs => 192 * MEGABYTE,
    }
}

/// Open files. Deno has 14 and Node 22 when idle; their event loops open a few.
const DESCRIPTORS: u64 = 64;

/// Limit of file size. An engine needs no file but tries to write some.
const FILE_BYTES: u64 = MEGABYTE;

/// The most of its standard error that is read.
const MAX_STDERR_BYTES: u64 = 64 * 1024;

/// Bytes per read.
const READ_BYTES: usize = 64 * 1024;

/// A running engine.
pub(crate) struct Child {
    process: Process,
    stream: UnixStream,
    stderr: OwnedFd,
    received: Vec<u8>,
}

/// The result of waiting for a message from the engine.
pub(crate) enum Received {
    Message(FromEngine),
    /// The deadline has passed.
    TimedOut,
    /// The child is gone, or sent an invalid frame.
    Broken,
}

impl Child {
    /// Starts the engine. It then waits for our script.
    pub(crate) fn start(external: &ExternalEngine) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let (stderr, child_stderr) = io::pipe()?;
        let output = theirs.try_clone()?;
        let mut command = Command::new(&external.program);
        match external.engine {
            Engine::Deno => deno(&mut command, external),
            Engine::Node | Engine::QuickJs => node(&mut command, external),
        }
        let data = own_bytes(external.engine).saturating_add(external.memory_bytes);
        // SAFETY: system calls and nothing else between fork and exec.
        unsafe {
            command.pre_exec(move || Ok(confine(data)?));
        }
        let process = command
            .env_clear()
            // Paths that cannot be written: neither engine needs a home, both look for one,
            // and Deno's cache there would outlive the run.
            .env("HOME", "/nonexistent")
            .env("DENO_DIR", "/dev/null/deno")
            // Otherwise OpenSSL looks for a configuration, and Node exits if it cannot read
            // one.
            .env("OPENSSL_CONF", "")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .env("NO_COLOR", "1")
            // The same as QuickJS, which finds no time zones in the jail.
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(output)))
            .stderr(Stdio::from(child_stderr))
            .spawn()?;
        Ok(Self { process, stream: ours, stderr: stderr.into(), received: Vec::new() })
    }

    /// Sends a message to the engine.
    pub(crate) fn send(&mut self, message: &ToEngine) -> io::Result<()> {
        self.stream.write_all(&message.encode().map_err(io::Error::other)?)
    }

    /// Waits for the engine's next message, until `deadline` if there is one.
    pub(crate) fn receive(&mut self, deadline: Option<Instant>) -> Received {
        loop {
            match self.take_buffered() {
                Ok(Some(message)) => return Received::Message(message),
                Ok(None) => {}
                Err(_) => return Received::Broken,
            }
            match self.readable_until(deadline) {
                Ok(true) => {}
                Ok(false) => return Received::TimedOut,
                Err(_) => return Received::Broken,
            }
            if !matches!(self.fill(), Ok(1..)) {
                return Received::Broken;
            }
        }
    }

    fn readable_until(&self, deadline: Option<Instant>) -> io::Result<bool> {
        loop {
            let timeout = match deadline {
                None => PollTimeout::NONE,
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let millis = left.as_micros().div_ceil(1000).min(60_000);
                    PollTimeout::try_from(u32::try_from(millis).unwrap_or(60_000))
                        .unwrap_or(PollTimeout::MAX)
                }
            };
            let mut descriptors = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
            if poll(&mut descriptors, timeout)? > 0 {
                return Ok(true);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
        }
    }

    fn take_buffered(&mut self) -> io::Result<Option<FromEngine>> {
        let Some(header) = self.received.first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let end = HEADER_BYTES + body_length(*header).map_err(io::Error::other)?;
        let Some(body) = self.received.get(HEADER_BYTES..end) else { return Ok(None) };
        let message = FromEngine::decode(body).map_err(io::Error::other)?;
        self.received.drain(..end);
        Ok(Some(message))
    }

    fn fill(&mut self) -> io::Result<usize> {
        let filled = self.received.len();
        self.received.resize(filled + READ_BYTES, 0);
        let count = self.stream.read(&mut self.received[filled..]);
        self.received.truncate(filled + count.as_ref().copied().unwrap_or(0));
        count
    }

    /// Kills and reaps the child. Returns what it wrote to standard error.
    pub(crate) fn end(&mut self) -> String {
        match self.process.kill() {
            Ok(()) => {
                let _ = self.process.wait();
            }
            // Without a pid namespace no process in the jail may send signals. The launcher
            // kills the child once this process has exited.
            Err(_) => {
                let _ = self.process.try_wait();
            }
        }
        let mut stderr = Vec::new();
        let mut piece = [0; 4096];
        // Without waiting: a process that the child left behind may keep the pipe open.
        while (stderr.len() as u64) < MAX_STDERR_BYTES {
            let mut descriptors = [PollFd::new(self.stderr.as_fd(), PollFlags::POLLIN)];
            if !matches!(poll(&mut descriptors, PollTimeout::ZERO), Ok(1..)) {
                break;
            }
            match nix::unistd::read(&self.stderr, &mut piece) {
                Ok(0) | Err(_) => break,
                Ok(count) => stderr.extend_from_slice(&piece[..count]),
            }
        }
        String::from_utf8_lossy(&stderr).into_owned()
    }
}

/// Sets the child's own limits before it executes the engine, in addition to those of the
/// jail, which it inherits.
fn confine(data_bytes: u64) -> Result<(), Errno> {
    let limits = [
        (Resource::Data, data_bytes),
        (Resource::Fsize, FILE_BYTES),
        (Resource::Nofile, DESCRIPTORS),
    ];
    limits.into_iter().try_for_each(|(resource, most)| {
        let most = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    })
}

/// Peak physical memory of a child of this process. Known after it was reaped.
pub(crate) fn peak_memory_bytes() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map(|usage| usage.max_rss());
    u64::try_from(usage.unwrap_or(0)).unwrap_or(0) * 1024
}

/// Deno without any permission and without any way to load modules.
fn deno(command: &mut Command, external: &ExternalEngine) {
    let megabytes = external.memory_bytes.div_ceil(MEGABYTE);
    command
        .args(["run", "--quiet", "--no-prompt", "--no-remote", "--no-npm", "--no-config"])
        .args(["--no-lock", "--cached-only", "--no-code-cache"])
        .arg(format!("--v8-flags=--max-old-space-size={megabytes}"))
        .arg(format!("data:text/javascript,{}", utf8_percent_encode(DENO, NON_ALPHANUMERIC)));
}

/// Node with its permission model, which is documented not to be a security boundary. It
/// costs nothing and refuses files, processes and threads.
fn node(command: &mut Command, external: &ExternalEngine) {
    let megabytes = external.memory_bytes.div_ceil(MEGABYTE);
    let permission = if external.major < 24 { "--experimental-permission" } else { "--permission" };
    command.args([permission, "--no-warnings"]);
    command.arg(format!("--max-old-space-size={megabytes}"));
    if external.major == 20 {
        // What api.js needs for exact integers; later versions have it on.
        command.arg("--harmony-json-parse-with-source");
    }
    command.args(["-e", NODE]);
}
