//! Runs one host command in a jail of its own.
//!
//! In: a [`CommandJob`] that policy has permitted. Out: how it ended and the first bytes of
//! its output. The process confines itself and reports; it gets the command only if the
//! report is good enough (`jail::command`).
//! Invariants: memory use does not depend on how much the command writes. When the future
//! is dropped, or the time is over, everything in the jail is killed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IoSlice, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use thiserror::Error;
use tidegate_jail::{
    Access, CommandStart, CommandStatus, Filter, Grant, LinkPolicy, ProcessLimits, Scratch, Spec,
};
use tidegate_model::{ErrorCode, FileIdentity, Isolation, IsolationReport, LimitName, Limits};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::time::timeout;

use crate::control_group::{ControlGroups, CpuAccounting, Group, GroupLimits};
use crate::driver::{Termination, WorkerHandle};
use crate::jailed::{Jailed, LimitEnforcement, Overhead};
use crate::launch::Launch;
use crate::loader::needed_files;
use crate::meter::Usage;

/// Memory of the launcher and the init process of the jail. Chosen with room: they share
/// nearly all of it with the executable.
const OVERHEAD_BYTES: u64 = 16 * 1024 * 1024;

/// The launcher and the init process.
const OUR_PROCESSES: u64 = 2;

/// Limit of open files. Chosen: enough for ordinary tools.
const OPEN_FILES: u64 = 256;

/// Files in the private `/tmp`. Chosen.
const SCRATCH_FILES: u32 = 4096;

/// The longest line accepted from the jail. Its report takes about 3 kB.
const LINE_BYTES: u64 = 64 * 1024;

/// Bytes per read.
const READ_BYTES: usize = 16 * 1024;

/// How long to read output after the command has ended. Only without a pid namespace can
/// a process be left behind that still writes.
const LATE_OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);

/// Harmless devices that programs expect.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];

/// One command to run.
#[derive(Debug)]
pub struct CommandJob {
    /// The executable, without symbolic links in its path.
    pub path: PathBuf,
    /// The identity that the file must have.
    pub identity: FileIdentity,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its complete environment.
    pub environment: BTreeMap<String, String>,
    /// Paths it can read, besides those it needs to start.
    pub read: Vec<PathBuf>,
    /// Paths it can read and write.
    pub write: Vec<PathBuf>,
    /// Its standard input.
    pub input: String,
    /// Its limits; `output_bytes` applies to each of its two outputs.
    pub limits: Limits,
}

/// How a command ended.
#[derive(Debug)]
pub struct CommandOutcome {
    /// Its exit code, or the signal that killed it.
    pub exit: CommandExit,
    /// The first bytes of its standard output.
    pub output: Vec<u8>,
    /// The first bytes of its standard error.
    pub error: Vec<u8>,
    /// Whether either output was longer.
    pub truncated: bool,
    /// Limits that it hit without being killed.
    pub hits: Vec<LimitHit>,
}

/// A limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitHit {
    /// The limit.
    pub limit: LimitName,
    /// How much of it was used, in its unit, if that was measured.
    pub used: Option<u64>,
}

/// An exit code or a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandExit {
    /// It exited with this code.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
}

impl CommandExit {
    /// The name of the signal that killed it, if one did.
    pub fn signal_name(self) -> Option<String> {
        match self {
            Self::Code(_) => None,
            Self::Signal(number) => Some(
                Signal::try_from(number)
                    .map_or_else(|_| number.to_string(), |signal| signal.as_str().to_owned()),
            ),
        }
    }
}

/// Why a command was not run, or was killed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The executable, or a file that it needs, cannot be found or read.
    #[error("the executable cannot be used")]
    Executable(#[source] io::Error),
    /// The executable is no longer the file that the configuration pinned.
    #[error("the executable has changed since the configuration was read")]
    Changed,
    /// A granted path is gone, or contains a symbolic link that did not exist when the
    /// configuration was read.
    #[error("`{}` has changed since it was granted", _0.display())]
    Grant(PathBuf),
    /// The kernel did not start it.
    #[error("the executable could not be started")]
    NotStarted(#[source] io::Error),
    /// The jail could not be started, or broke.
    #[error("the jail failed")]
    Jail(#[source] io::Error),
    /// The jail is weaker than the configuration requires.
    #[error("the jail is not isolated enough: `{wanted}` is required, it has `{}`", report.level())]
    Isolation {
        /// The required level.
        wanted: Isolation,
        /// The layers that it reported.
        report: IsolationReport,
    },
    /// It was killed because it exceeded one of its limits.
    #[error("the command hit its limit `{}`", _0.limit.as_str())]
    Limit(LimitHit),
}

/// Runs commands, each in a jail of its own.
pub struct CommandRunner {
    executable: PathBuf,
    least: Isolation,
    changeable: Vec<PathBuf>,
    groups: ControlGroups,
}

impl CommandRunner {
    /// Starts `executable` with `jail` and the description of a jail. A jail that reports
    /// less isolation than `least` gets no command. `changeable` are the paths that commands
    /// can write: a command that needs a file from there to start is refused.
    pub fn new(executable: PathBuf, least: Isolation, changeable: Vec<PathBuf>) -> Self {
        Self { executable, least, changeable, groups: ControlGroups::probe() }
    }

    /// Runs a command and waits for its end.
    pub async fn run(&self, job: CommandJob) -> Result<CommandOutcome, CommandError> {
        let (started, time) = (Instant::now(), job.limits.time);
        timeout(time, self.run_to_end(job)).await.unwrap_or_else(|_| {
            let used = u64::try_from(started.elapsed().as_millis()).ok();
            Err(CommandError::Limit(LimitHit { limit: LimitName::Time, used }))
        })
    }

    async fn run_to_end(&self, job: CommandJob) -> Result<CommandOutcome, CommandError> {
        check_unchanged(&job)?;
        let needed = needed_files(&job.path, &self.changeable).await;
        let needed = needed.map_err(CommandError::Executable)?;
        let group = self.groups.make(&GroupLimits {
            memory_bytes: job.limits.memory_bytes.saturating_add(OVERHEAD_BYTES),
            processes: u64::from(job.limits.processes) + OUR_PROCESSES,
            cpu: CpuAccounting::WholeGroup,
        });
        let spec = spec(&job, needed, &group);
        let (jailed, host) = self.start(&spec, group).map_err(CommandError::Jail)?;
        let mut host = BufReader::new(host);
        let report = receive_line(&mut host).await.map_err(CommandError::Jail)?;
        self.accept(report)?;
        let watch = jailed.watch(&job.limits);
        let ends = send_start(host.get_mut(), &job).await.map_err(CommandError::Jail)?;
        let (limits, input) = (job.limits, job.input);
        let finished = run_streams(&mut host, ends, input, limits.output_bytes);
        let passed = async {
            match watch {
                Some(watch) => watch.await,
                None => std::future::pending().await,
            }
        };
        let finished = tokio::select! {
            finished = finished => Ok(finished),
            limit = passed => Err(limit),
        };
        let usage = jailed.usage();
        let end = if finished.is_ok() { Termination::AwaitExit } else { Termination::Kill };
        let ending = Box::new(jailed).end(end).await;
        let hit = |limit| CommandError::Limit(LimitHit { limit, used: usage.of(limit, &limits) });
        let (status, output, error) = finished.map_err(hit)?;
        if ending.cause == Some(ErrorCode::MemoryLimit) {
            return Err(hit(LimitName::Memory));
        }
        let status = status.map_err(CommandError::Jail)?;
        let exit = exit(&status, &usage, &limits)?;
        let truncated = output.truncated() || error.truncated();
        let hits = hits(&status, exit, &usage, &limits, [&output, &error]);
        Ok(CommandOutcome { exit, output: output.kept, error: error.kept, truncated, hits })
    }

    fn start(&self, spec: &Spec, group: Group) -> io::Result<(Jailed, UnixStream)> {
        let overhead = Overhead { memory_bytes: OVERHEAD_BYTES, processes: OUR_PROCESSES };
        let (executable, role, arguments) = (self.executable.as_path(), "jail", &[]);
        Launch { executable, role, spec, arguments }
            .start(group, LimitEnforcement::Gateway(overhead))
    }

    fn accept(&self, report: IsolationReport) -> Result<(), CommandError> {
        if report.level() >= self.least {
            return Ok(());
        }
        Err(CommandError::Isolation { wanted: self.least, report })
    }
}

/// Refuses a job if one of its files was replaced. The jail checks this again, without a
/// race; this check runs before the executable is inspected, and names the path.
fn check_unchanged(job: &CommandJob) -> Result<(), CommandError> {
    let found = fs::metadata(&job.path).map_err(CommandError::Executable)?;
    if FileIdentity::of(&found) != job.identity {
        return Err(CommandError::Changed);
    }
    let same = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|found| found == **path);
    match job.read.iter().chain(&job.write).find(|path| !same(path)) {
        Some(path) => Err(CommandError::Grant(path.clone())),
        None => Ok(()),
    }
}

fn spec(job: &CommandJob, needed: Vec<PathBuf>, group: &Group) -> Spec {
    let grant = |access, links| move |path: PathBuf| Grant { path, access, links };
    // Configured paths contain no symbolic links; paths of libraries and devices may.
    let configured = [&job.path].into_iter().chain(&job.read).cloned();
    let devices = DEVICES.map(PathBuf::from).into_iter();
    let grants = (needed.into_iter().map(grant(Access::Read, LinkPolicy::Followed)))
        .chain(configured.map(grant(Access::Read, LinkPolicy::Refused)))
        .chain(devices.map(grant(Access::Device, LinkPolicy::Followed)))
        .chain(job.write.iter().cloned().map(grant(Access::Write, LinkPolicy::Refused)));
    let limits = &job.limits;
    Spec {
        filter: Filter::Command,
        grants: grants.collect(),
        links: Vec::new(),
        hidden: Vec::new(),
        scratch: Some(Scratch { bytes: limits.disk_bytes, files: SCRATCH_FILES }),
        limits: ProcessLimits {
            // Some runtimes reserve far more than they use. Used memory is counted instead,
            // by the control group or by the gateway.
            address_space: None,
            cpu_seconds: limits.cpu.as_secs().saturating_add(1),
            file_bytes: limits.disk_bytes,
            open_files: OPEN_FILES,
            processes: group.processes_of_the_user(u64::from(limits.processes) + OUR_PROCESSES),
        },
        control_groups: group.joining_files(),
        lifeline: 0,
    }
}

/// Reads one line from the jail.
async fn receive_line<T: serde::de::DeserializeOwned>(
    host: &mut BufReader<UnixStream>,
) -> io::Result<T> {
    let mut line = Vec::new();
    host.take(LINE_BYTES).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

/// Our ends of a command's standard descriptors.
type Ends = (pipe::Sender, pipe::Receiver, pipe::Receiver);

/// Sends the command and its standard descriptors to the jailed process.
async fn send_start(host: &mut UnixStream, job: &CommandJob) -> io::Result<Ends> {
    let send_start = CommandStart {
        path: job.path.clone(),
        identity: job.identity,
        arguments: job.arguments.clone(),
        environment: job.environment.clone(),
    };
    let mut line = serde_json::to_vec(&send_start)?;
    line.push(b'\n');
    let (their_input, input) = io::pipe()?;
    let (output, their_output) = io::pipe()?;
    let (error, their_error) = io::pipe()?;
    let descriptors = [their_input.as_raw_fd(), their_output.as_raw_fd(), their_error.as_raw_fd()];
    let sent = loop {
        host.writable().await?;
        let sent = host.try_io(Interest::WRITABLE, || {
            let parts = [IoSlice::new(&line)];
            let control = [ControlMessage::ScmRights(&descriptors)];
            let flags = MsgFlags::empty();
            Ok(sendmsg::<()>(host.as_raw_fd(), &parts, &control, flags, None)?)
        });
        match sent {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => break other?,
        }
    };
    host.write_all(&line[sent..]).await?;
    Ok((sender(input)?, receiver(output)?, receiver(error)?))
}

fn sender(end: PipeWriter) -> io::Result<pipe::Sender> {
    pipe::Sender::from_owned_fd(OwnedFd::from(end))
}

fn receiver(end: PipeReader) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd(OwnedFd::from(end))
}

/// How a command ended, and its two outputs.
type Finished = (io::Result<CommandStatus>, Captured, Captured);

/// Writes the input of a command and reads its output until it has ended.
async fn run_streams(
    host: &mut BufReader<UnixStream>,
    (input, output, error): Ends,
    text: String,
    most: u64,
) -> Finished {
    let (mut kept_output, mut kept_error) = (Captured::default(), Captured::default());
    let status = {
        let status = receive_line(host);
        let flow = async {
            tokio::join!(
                capture(output, most, &mut kept_output),
                capture(error, most, &mut kept_error),
                feed(input, text),
            )
        };
        tokio::pin!(status, flow);
        tokio::select! {
            status = &mut status => {
                let _ = timeout(LATE_OUTPUT_TIMEOUT, flow).await;
                status
            }
            _ = &mut flow => status.await,
        }
    };
    (status, kept_output, kept_error)
}

/// Writes the input of a command. Errors are ignored: the command need not read it.
async fn feed(mut input: pipe::Sender, text: String) {
    let _ = input.write_all(text.as_bytes()).await;
}

#[derive(Default)]
struct Captured {
    kept: Vec<u8>,
    /// Total bytes that the command wrote.
    written: u64,
}

impl Captured {
    fn truncated(&self) -> bool {
        self.written > self.kept.len() as u64
    }
}

/// Reads to the end and keeps the first `most` bytes. The rest is read too, since a full
/// pipe would block the command.
async fn capture(mut output: impl AsyncRead + Unpin, most: u64, captured: &mut Captured) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut piece = [0; READ_BYTES];
    while let Ok(read @ 1..) = output.read(&mut piece).await {
        let room = most - captured.kept.len();
        captured.written += read as u64;
        captured.kept.extend_from_slice(&piece[..read.min(room)]);
    }
}

fn exit(
    status: &CommandStatus,
    usage: &Usage,
    limits: &Limits,
) -> Result<CommandExit, CommandError> {
    let hit = |limit| CommandError::Limit(LimitHit { limit, used: usage.of(limit, limits) });
    let signal = match status {
        CommandStatus::Exited { code, .. } => return Ok(CommandExit::Code(*code)),
        CommandStatus::Signalled(signal) => *signal,
        CommandStatus::Changed => return Err(CommandError::Changed),
        CommandStatus::NotStarted(code) => {
            return Err(CommandError::NotStarted(io::Error::from_raw_os_error(*code)));
        }
    };
    match Signal::try_from(signal) {
        Ok(Signal::SIGXCPU) => Err(hit(LimitName::Cpu)),
        // A process that ignores SIGXCPU is killed a second later.
        Ok(Signal::SIGKILL) if usage.cpu > Some(limits.cpu) => Err(hit(LimitName::Cpu)),
        Ok(Signal::SIGXFSZ) => {
            // A file of this size was about to grow.
            let used = Some(limits.disk_bytes);
            Err(CommandError::Limit(LimitHit { limit: LimitName::Disk, used }))
        }
        _ => Ok(CommandExit::Signal(signal)),
    }
}

/// The limits that a command hit without being killed. A full `/tmp` and refused processes
/// are reported only if the command failed; otherwise it did not need them.
fn hits(
    status: &CommandStatus,
    exit: CommandExit,
    usage: &Usage,
    limits: &Limits,
    outputs: [&Captured; 2],
) -> Vec<LimitHit> {
    let mut hits = Vec::new();
    let longest = outputs.into_iter().filter(|output| output.truncated());
    if let Some(used) = longest.map(|output| output.written).max() {
        hits.push(LimitHit { limit: LimitName::Output, used: Some(used) });
    }
    if exit == CommandExit::Code(0) {
        return hits;
    }
    if let CommandStatus::Exited { full_scratch: Some(bytes), .. } = status {
        hits.push(LimitHit { limit: LimitName::Disk, used: Some(*bytes) });
    }
    if usage.ran_out_of_processes(limits) {
        let used = usage.of(LimitName::Processes, limits);
        hits.push(LimitHit { limit: LimitName::Processes, used });
    }
    hits
}
