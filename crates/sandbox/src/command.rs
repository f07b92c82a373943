//! Runs one host command in a jail of its own.
//!
//! In: a [`CommandJob`] that policy has permitted. Out: how it ended and the
//! first bytes of what it wrote. The process confines itself, reports, and is
//! told what to become only if the report is good enough (`jail::command`).
//! Memory stays flat whatever it writes; when the future is dropped, or the time
//! is over, everything in the jail is killed.

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

use crate::control_group::{ControlGroups, CpuTime, Group, GroupLimits};
use crate::driver::{End, Life};
use crate::loader::needed_files;
use crate::meter::Usage;
use crate::process::{Jailed, Kept, Launch, Own};

/// Memory of the launcher and the first process of the jail. Chosen with room:
/// they share nearly all of theirs with the executable.
const OVERHEAD_BYTES: u64 = 16 * 1024 * 1024;

/// The launcher and the first process.
const OUR_PROCESSES: u64 = 2;

/// Open files of a command. Chosen: enough for ordinary tools.
const OPEN_FILES: u64 = 256;

/// Files in the private `/tmp`. Chosen.
const SCRATCH_FILES: u32 = 4096;

/// The longest line that the jail says. Its report has about 3 kB.
const LINE_BYTES: u64 = 64 * 1024;

/// Bytes read at once.
const PIECE_BYTES: usize = 16 * 1024;

/// How long output may still come after the end. Only without a pid namespace
/// can somebody be left to write it.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// Harmless devices that programs expect.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];

/// One command to run.
#[derive(Debug)]
pub struct CommandJob {
    /// The executable, without any link in its path.
    pub path: PathBuf,
    /// The file that it must be.
    pub identity: FileIdentity,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// What it can read besides what it needs to start.
    pub read: Vec<PathBuf>,
    /// What it can read and write.
    pub write: Vec<PathBuf>,
    /// Its standard input.
    pub input: String,
    /// What it may use; `output_bytes` is for each of its two outputs.
    pub limits: Limits,
}

/// How a command ended.
#[derive(Debug)]
pub struct CommandEnd {
    /// Its exit code, or the signal that ended it.
    pub exit: Exit,
    /// The first bytes of its standard output.
    pub output: Vec<u8>,
    /// The first bytes of its standard error.
    pub error: Vec<u8>,
    /// Whether there was more of either.
    pub truncated: bool,
    /// Limits that it hit and that did not end it.
    pub hits: Vec<Hit>,
}

/// A limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Which one.
    pub limit: LimitName,
    /// How much was used of it, in its own unit, if that was measured.
    pub used: Option<u64>,
}

/// An exit code or a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
}

impl Exit {
    /// The name of the signal, if one ended it.
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

/// Why a command was not run, or not to its end.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The executable, or something that it needs, cannot be found or read.
    #[error("the executable cannot be used")]
    Executable(#[source] io::Error),
    /// The executable is not the file any more that the configuration pinned.
    #[error("the executable has changed since the configuration was read")]
    Changed,
    /// A granted path is gone, or leads over a link that was not there when the
    /// configuration was read.
    #[error("`{}` is not what was granted any more", _0.display())]
    Grant(PathBuf),
    /// The kernel did not start it.
    #[error("the executable was not started")]
    NotStarted(#[source] io::Error),
    /// The jail could not be started, or broke.
    #[error("the jail failed")]
    Jail(#[source] io::Error),
    /// The jail does not hold as well as the configuration demands.
    #[error("the jail is not good enough: `{wanted}` is wanted, it has `{}`", report.level())]
    Isolation {
        /// The least that is accepted.
        wanted: Isolation,
        /// What it reported.
        report: IsolationReport,
    },
    /// It was ended for one of its limits.
    #[error("the command hit its limit `{}`", _0.limit.as_str())]
    Limit(Hit),
}

/// Runs commands, each in a jail of its own.
pub struct CommandRunner {
    executable: PathBuf,
    least: Isolation,
    changeable: Vec<PathBuf>,
    groups: ControlGroups,
}

impl CommandRunner {
    /// `executable` is started with `jail` and the description of a jail. No
    /// command is run in one that reports less than `least`. `changeable` is
    /// what commands can write: none of them starts with anything from there.
    pub fn new(executable: PathBuf, least: Isolation, changeable: Vec<PathBuf>) -> Self {
        Self { executable, least, changeable, groups: ControlGroups::probe() }
    }

    /// Runs a command and waits for its end.
    pub async fn run(&self, job: CommandJob) -> Result<CommandEnd, CommandError> {
        let (started, time) = (Instant::now(), job.limits.time);
        timeout(time, self.run_to_end(job)).await.unwrap_or_else(|_| {
            let used = u64::try_from(started.elapsed().as_millis()).ok();
            Err(CommandError::Limit(Hit { limit: LimitName::Time, used }))
        })
    }

    async fn run_to_end(&self, job: CommandJob) -> Result<CommandEnd, CommandError> {
        still_as_configured(&job)?;
        let needed = needed_files(&job.path, &self.changeable).await;
        let needed = needed.map_err(CommandError::Executable)?;
        let group = self.groups.make(&GroupLimits {
            memory_bytes: job.limits.memory_bytes.saturating_add(OVERHEAD_BYTES),
            processes: u64::from(job.limits.processes) + OUR_PROCESSES,
            cpu: CpuTime::OfAll,
        });
        let spec = spec(&job, needed, &group);
        let (jailed, host) = self.start(&spec, group).map_err(CommandError::Jail)?;
        let mut host = BufReader::new(host);
        let report = hear(&mut host).await.map_err(CommandError::Jail)?;
        self.accept(report)?;
        let watch = jailed.watch(&job.limits);
        let ends = go(host.get_mut(), &job).await.map_err(CommandError::Jail)?;
        let (limits, input) = (job.limits, job.input);
        let lived = live(&mut host, ends, input, limits.output_bytes);
        let passed = async {
            match watch {
                Some(watch) => watch.await,
                None => std::future::pending().await,
            }
        };
        let lived = tokio::select! {
            lived = lived => Ok(lived),
            limit = passed => Err(limit),
        };
        let usage = jailed.usage();
        let end = if lived.is_ok() { End::ByItself } else { End::Now };
        let ending = Box::new(jailed).end(end).await;
        let hit = |limit| CommandError::Limit(Hit { limit, used: usage.of(limit, &limits) });
        let (said, output, error) = lived.map_err(hit)?;
        if ending.cause == Some(ErrorCode::MemoryLimit) {
            return Err(hit(LimitName::Memory));
        }
        let said = said.map_err(CommandError::Jail)?;
        let exit = exit(&said, &usage, &limits)?;
        let truncated = output.truncated() || error.truncated();
        let hits = hits(&said, exit, &usage, &limits, [&output, &error]);
        Ok(CommandEnd { exit, output: output.kept, error: error.kept, truncated, hits })
    }

    fn start(&self, spec: &Spec, group: Group) -> io::Result<(Jailed, UnixStream)> {
        let own = Own { memory_bytes: OVERHEAD_BYTES, processes: OUR_PROCESSES };
        let (executable, role, arguments) = (self.executable.as_path(), "jail", &[]);
        Launch { executable, role, spec, arguments }.start(group, Kept::ByUs(own))
    }

    fn accept(&self, report: IsolationReport) -> Result<(), CommandError> {
        if report.level() >= self.least {
            return Ok(());
        }
        Err(CommandError::Isolation { wanted: self.least, report })
    }
}

/// Refuses a job of which a file was exchanged. The jail does the same, and there
/// nobody can do it in between; this comes before the executable is looked into,
/// and says which path it is.
fn still_as_configured(job: &CommandJob) -> Result<(), CommandError> {
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
    // Configured paths have no link in them; those of libraries and devices may.
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
            // Some runtimes reserve far more than they use: what is used is
            // counted instead, by the control group or by us.
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

/// Reads one line of the jail.
async fn hear<T: serde::de::DeserializeOwned>(host: &mut BufReader<UnixStream>) -> io::Result<T> {
    let mut line = Vec::new();
    host.take(LINE_BYTES).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

/// Our ends of a command's standard descriptors.
type Ends = (pipe::Sender, pipe::Receiver, pipe::Receiver);

/// Tells the jailed process what to become, with its standard descriptors.
async fn go(host: &mut UnixStream, job: &CommandJob) -> io::Result<Ends> {
    let go = CommandStart {
        path: job.path.clone(),
        identity: job.identity,
        arguments: job.arguments.clone(),
        environment: job.environment.clone(),
    };
    let mut line = serde_json::to_vec(&go)?;
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

/// How a command's life ended, and what it wrote.
type Lived = (io::Result<CommandStatus>, Captured, Captured);

/// Feeds a command and reads from it until it has ended.
async fn live(
    host: &mut BufReader<UnixStream>,
    (input, output, error): Ends,
    text: String,
    most: u64,
) -> Lived {
    let (mut kept_output, mut kept_error) = (Captured::default(), Captured::default());
    let said = {
        let said = hear(host);
        let flow = async {
            tokio::join!(
                capture(output, most, &mut kept_output),
                capture(error, most, &mut kept_error),
                feed(input, text),
            )
        };
        tokio::pin!(said, flow);
        tokio::select! {
            said = &mut said => {
                let _ = timeout(LAST_OUTPUT, flow).await;
                said
            }
            _ = &mut flow => said.await,
        }
    };
    (said, kept_output, kept_error)
}

/// Writes a command's input. It need not read it.
async fn feed(mut input: pipe::Sender, text: String) {
    let _ = input.write_all(text.as_bytes()).await;
}

#[derive(Default)]
struct Captured {
    kept: Vec<u8>,
    /// Bytes that were written in all.
    written: u64,
}

impl Captured {
    fn truncated(&self) -> bool {
        self.written > self.kept.len() as u64
    }
}

/// Reads to the end and keeps the first `most` bytes. The rest is read as well:
/// a full pipe would stop the command in the middle of its work.
async fn capture(mut output: impl AsyncRead + Unpin, most: u64, captured: &mut Captured) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut piece = [0; PIECE_BYTES];
    while let Ok(read @ 1..) = output.read(&mut piece).await {
        let room = most - captured.kept.len();
        captured.written += read as u64;
        captured.kept.extend_from_slice(&piece[..read.min(room)]);
    }
}

fn exit(said: &CommandStatus, usage: &Usage, limits: &Limits) -> Result<Exit, CommandError> {
    let hit = |limit| CommandError::Limit(Hit { limit, used: usage.of(limit, limits) });
    let signal = match said {
        CommandStatus::Exited { code, .. } => return Ok(Exit::Code(*code)),
        CommandStatus::Signalled(signal) => *signal,
        CommandStatus::Changed => return Err(CommandError::Changed),
        CommandStatus::NotStarted(code) => {
            return Err(CommandError::NotStarted(io::Error::from_raw_os_error(*code)));
        }
    };
    match Signal::try_from(signal) {
        Ok(Signal::SIGXCPU) => Err(hit(LimitName::Cpu)),
        // Who does not listen to that one is killed a second later.
        Ok(Signal::SIGKILL) if usage.cpu > Some(limits.cpu) => Err(hit(LimitName::Cpu)),
        Ok(Signal::SIGXFSZ) => {
            // A file of this size was to become larger.
            let used = Some(limits.disk_bytes);
            Err(CommandError::Limit(Hit { limit: LimitName::Disk, used }))
        }
        _ => Ok(Exit::Signal(signal)),
    }
}

/// What stood in the way of a command that went on all the same. Full files and
/// refused processes are told only of one that failed: others did without.
fn hits(
    said: &CommandStatus,
    exit: Exit,
    usage: &Usage,
    limits: &Limits,
    outputs: [&Captured; 2],
) -> Vec<Hit> {
    let mut hits = Vec::new();
    let longest = outputs.into_iter().filter(|output| output.truncated());
    if let Some(used) = longest.map(|output| output.written).max() {
        hits.push(Hit { limit: LimitName::Output, used: Some(used) });
    }
    if exit == Exit::Code(0) {
        return hits;
    }
    if let CommandStatus::Exited { full_scratch: Some(bytes), .. } = said {
        hits.push(Hit { limit: LimitName::Disk, used: Some(*bytes) });
    }
    if usage.ran_out_of_processes(limits) {
        let used = usage.of(LimitName::Processes, limits);
        hits.push(Hit { limit: LimitName::Processes, used });
    }
    hits
}
