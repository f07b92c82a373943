//! Guests as processes: our own executable, started again in a jail, as a reader or as a
//! worker.
//!
//! The child gets one end of a socket pair as standard input and nothing else:
//! no environment, no other descriptor, a process group of its own, and the
//! description of its jail as an argument. It confines itself before it says
//! hello (crate `jail`) and reports what holds; whoever reports too little is
//! not used. The host keeps the one thing it can rely on, which is to kill.

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use tidegate_jail::{Filter, Grant, Link, ProcessLimits, Scratch, Spec};
use tidegate_model::{ErrorCode, Isolation, Limits};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use crate::control_group::{ControlGroups, Counters, CpuTime, Group, GroupLimits};
use crate::driver::{Driver, End, Ending, HELLO_TIMEOUT, Life, SandboxError, Worker};
use crate::engine::ExternalEngine;
use crate::leader::Leader;
use crate::loader::needed_files;
use crate::meter::{Ceilings, Meter, Usage, Watch};
use crate::python::Python;
use crate::stream;
use crate::zygote::{Start, Zygotes};

/// Address space beyond twice the memory limit; the worker narrows it to its
/// run. See `worker::confine`.
const ADDRESS_SPACE_BYTES: u64 = 512 * 1024 * 1024;

/// What a reader may use. The longest programs that are read take 60 MB and a quarter of
/// a second. Chosen with room.
const READER_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
const READER_CPU_TIME: Duration = Duration::from_secs(10);

/// Address space of a reader beyond that: the executable, its libraries and two stacks.
const READER_MAPPED_BYTES: u64 = 256 * 1024 * 1024;

/// Memory of a worker beyond the engine's heap: an idle worker has 7 MB, the
/// front end needs some for a large program. Chosen with room.
const OVERHEAD_BYTES: u64 = 64 * 1024 * 1024;

/// The same for an engine of the machine: its own code and tables. Idle, Deno
/// and Node have less than half of it resident. Chosen with room.
const ENGINE_OVERHEAD_BYTES: u64 = 192 * 1024 * 1024;

/// Files and folders that a program in Python can make. Chosen.
const SCRATCH_FILES: u32 = 16 * 1024;

/// How long a worker whose channel is closed may take to be gone. Chosen: the
/// launcher needs far less to notice and to pass it on.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Starts workers as child processes.
pub struct ProcessDriver {
    executable: PathBuf,
    limits: Limits,
    least: Isolation,
    groups: ControlGroups,
    inside: Inside,
}

/// What runs in the jail besides our own executable.
enum Inside {
    /// Nothing: the parsers are in it. And the process that readers are forked from.
    Reader(Zygotes),
    /// Nothing: the engine is in it.
    QuickJs,
    /// An engine of the machine, with the files it needs.
    Engine { arguments: Vec<OsString>, program: PathBuf, files: Vec<PathBuf> },
    /// The Python of the machine, and who is forked for its programs.
    Python(Box<Python>, Option<Zygotes>),
}

impl ProcessDriver {
    /// `executable` is started with `worker` and the description of its jail.
    /// No run gets more than `limits`; no worker is used that reports less than
    /// `least`.
    pub fn new(executable: PathBuf, limits: Limits, least: Isolation) -> Self {
        let (groups, inside) = (ControlGroups::probe(), Inside::QuickJs);
        Self { executable, limits, least, groups, inside }
    }

    /// Starts readers instead, which read a program and do not run it.
    pub fn reading(self) -> Self {
        let limits = Limits {
            memory_bytes: READER_MEMORY_BYTES,
            cpu: READER_CPU_TIME,
            disk_bytes: 0,
            processes: 0,
            ..self.limits
        };
        Self { limits, inside: Inside::Reader(Zygotes::default()), ..self }
    }

    /// The same for programs that are run by an engine of the machine.
    pub async fn with_engine(self, engine: &ExternalEngine) -> io::Result<Self> {
        let program = engine.program.clone();
        let mut files = needed_files(&program, &[]).await?;
        files.push(program.clone());
        let arguments = engine.worker_arguments(self.limits.memory_bytes);
        Ok(Self { inside: Inside::Engine { arguments, program, files }, ..self })
    }

    /// The same for programs in Python, whose processes may be forked from one that
    /// has it started already.
    pub fn with_python(self, python: Python, fork: bool) -> Self {
        let zygotes = fork.then(Zygotes::default);
        Self { inside: Inside::Python(Box::new(python), zygotes), ..self }
    }

    async fn spawn(&self) -> Result<Worker, SandboxError> {
        if let Some(worker) = self.fork().await {
            return Ok(worker);
        }
        let group = self.group();
        let (spec, arguments) = (self.spec(&group), self.inside.arguments());
        let (jailed, mut channel) = (self.launch(&spec, &arguments))
            .start(group, self.inside.kept())
            .map_err(SandboxError::Start)?;
        tell(&mut channel, self.inside.scripts()).await;
        let worker = greet(jailed, channel).await?;
        if worker.report.level() < self.least {
            let Worker { report, life, .. } = worker;
            life.end(End::Now).await;
            return Err(SandboxError::Isolation { wanted: self.least, report });
        }
        if let Some(zygotes) = self.inside.zygotes() {
            zygotes.must_hold_like(worker.report.level());
        }
        Ok(worker)
    }

    /// A worker that was forked, if there is one to fork from. It is kept in as well as
    /// one that was started, or not used.
    async fn fork(&self) -> Option<Worker> {
        let zygotes = self.inside.zygotes()?;
        let (zygote, least) = zygotes.one(|| {
            let (spec, arguments) = (self.spec(&Group::none()), self.inside.arguments());
            let launch = self.launch(&spec, &arguments);
            match &self.inside {
                Inside::Reader(_) => Start::readers(&launch),
                _ => Start::python(&launch, self.inside.scripts()),
            }
        })?;
        // A group per reader would cost more than the fork.
        let group = match &self.inside {
            Inside::Reader(_) => Group::none(),
            _ => self.group(),
        };
        let spec = self.spec(&group);
        let (leader, channel) = match zygote.fork(&spec).await {
            Ok(forked) => forked,
            Err(error) => {
                zygotes.give_up(&zygote, &error);
                return None;
            }
        };
        let worker = greet(Jailed::new(leader, group, self.inside.kept()), channel).await;
        let error = match worker {
            Ok(worker) if worker.report.level() >= least => return Some(worker),
            Ok(Worker { report, life, .. }) => {
                life.end(End::Now).await;
                SandboxError::Isolation { wanted: least, report }
            }
            Err(error) => error,
        };
        zygotes.give_up(&zygote, &error);
        None
    }

    /// The control groups of one worker.
    fn group(&self) -> Group {
        self.groups.make(&GroupLimits {
            memory_bytes: self.limits.memory_bytes.saturating_add(self.inside.overhead_bytes()),
            processes: u64::from(self.limits.processes) + OUR_PROCESSES,
            cpu: self.inside.cpu_time(),
        })
    }

    fn launch<'a>(&'a self, spec: &'a Spec, arguments: &'a [OsString]) -> Launch<'a> {
        let role = match &self.inside {
            Inside::Reader(_) => "reader",
            _ => "worker",
        };
        Launch { executable: &self.executable, role, spec, arguments }
    }

    fn spec(&self, group: &Group) -> Spec {
        let control_groups = group.joining_files();
        let memory_bytes = self.limits.memory_bytes;
        let cpu_seconds = self.limits.cpu.as_secs().saturating_add(2);
        // Standard input: the channel itself.
        let lifeline = 0;
        match &self.inside {
            Inside::Reader(_) | Inside::QuickJs => Spec {
                filter: Filter::OwnCode,
                grants: Vec::new(),
                links: Vec::new(),
                hidden: Vec::new(),
                scratch: None,
                limits: ProcessLimits {
                    address_space: Some(match &self.inside {
                        // No group limits it, so this must.
                        Inside::Reader(_) => memory_bytes.saturating_add(READER_MAPPED_BYTES),
                        _ => memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES),
                    }),
                    cpu_seconds,
                    // It cannot open a file to begin with.
                    file_bytes: 0,
                    open_files: 16,
                    // It has all the threads it will ever have.
                    processes: 0,
                },
                control_groups,
                lifeline,
            },
            Inside::Engine { program, files, .. } => Spec {
                filter: Filter::Engine,
                grants: files.iter().map(|path| Grant::read(path)).collect(),
                // Deno looks for itself there, and ends if it finds nothing.
                links: vec![Link { path: "/proc/self/exe".into(), target: program.clone() }],
                hidden: Vec::new(),
                scratch: None,
                limits: ProcessLimits {
                    // V8 reserves far more than it uses; the worker limits the
                    // data of its child instead.
                    address_space: None,
                    cpu_seconds,
                    file_bytes: self.limits.disk_bytes,
                    open_files: 256,
                    processes: group
                        .processes_of_the_user(u64::from(self.limits.processes) + OUR_PROCESSES),
                },
                control_groups,
                lifeline,
            },
            Inside::Python(python, _) => Spec {
                filter: Filter::Python,
                grants: python.grants(),
                links: python.links(),
                hidden: python.hidden.clone(),
                scratch: Some(Scratch { bytes: self.limits.disk_bytes, files: SCRATCH_FILES }),
                limits: ProcessLimits {
                    // Threads reserve far more than they use; what holds data is
                    // limited by the worker itself, which knows its run.
                    address_space: Some(
                        memory_bytes.saturating_mul(2).saturating_add(ADDRESS_SPACE_BYTES),
                    ),
                    cpu_seconds,
                    file_bytes: self.limits.disk_bytes,
                    open_files: 256,
                    processes: group
                        .processes_of_the_user(u64::from(self.limits.processes) + OUR_PROCESSES),
                },
                control_groups,
                lifeline,
            },
        }
    }
}

impl Inside {
    /// What guests are forked from, if they may be.
    fn zygotes(&self) -> Option<&Zygotes> {
        match self {
            Self::Reader(zygotes) => Some(zygotes),
            Self::Python(_, zygotes) => zygotes.as_ref(),
            Self::QuickJs | Self::Engine { .. } => None,
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        match self {
            Self::Reader(_) | Self::QuickJs => Vec::new(),
            Self::Engine { arguments, .. } => arguments.clone(),
            Self::Python(python, _) => python.worker_arguments(),
        }
    }

    /// What a worker is told before anything else.
    fn scripts(&self) -> &[u8] {
        match self {
            Self::Reader(_) | Self::QuickJs | Self::Engine { .. } => &[],
            Self::Python(python, _) => &python.scripts,
        }
    }

    fn cpu_time(&self) -> CpuTime {
        match self {
            Self::Reader(_) | Self::QuickJs => CpuTime::OfOneProcess,
            Self::Engine { .. } | Self::Python(..) => CpuTime::OfAll,
        }
    }

    fn kept(&self) -> Kept {
        match self {
            // One process that can start none: its own limits are those of the run.
            Self::Reader(_) | Self::QuickJs => Kept::ByTheKernel,
            Self::Engine { .. } | Self::Python(..) => {
                let memory_bytes = self.overhead_bytes();
                Kept::ByUs(Own { memory_bytes, processes: OUR_PROCESSES })
            }
        }
    }

    /// Memory beyond the limit of the program: what the engine itself needs.
    fn overhead_bytes(&self) -> u64 {
        match self {
            Self::Reader(_) | Self::QuickJs | Self::Python(..) => OVERHEAD_BYTES,
            Self::Engine { .. } => ENGINE_OVERHEAD_BYTES,
        }
    }
}

/// Sends a worker its scripts. One that does not take them will not say hello either.
pub(crate) async fn tell(channel: &mut UnixStream, scripts: &[u8]) {
    let _ = timeout(HELLO_TIMEOUT, channel.write_all(scripts)).await;
}

async fn greet(jailed: Jailed, channel: UnixStream) -> Result<Worker, SandboxError> {
    let (read, write) = stream::split(channel).map_err(SandboxError::Start)?;
    Worker::greet(read, write, Box::new(jailed)).await
}

/// The launcher, the first process and the two threads of the worker.
const OUR_PROCESSES: u64 = 4;

impl Driver for ProcessDriver {
    fn start(&self) -> Pin<Box<dyn Future<Output = Result<Worker, SandboxError>> + Send + '_>> {
        Box::pin(self.spawn())
    }
}

/// Our own executable, to be started again in a jail.
pub(crate) struct Launch<'a> {
    pub(crate) executable: &'a Path,
    /// What it is to be, as its first argument.
    pub(crate) role: &'static str,
    pub(crate) spec: &'a Spec,
    pub(crate) arguments: &'a [OsString],
}

impl Launch<'_> {
    /// Starts it with one end of a socket as its standard input and nothing else;
    /// the other end is ours.
    pub(crate) fn start(self, group: Group, kept: Kept) -> io::Result<(Jailed, UnixStream)> {
        let (ours, theirs) = StdUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let child = Command::new(self.executable)
            .arg(self.role)
            .arg(self.spec.to_argument())
            .args(self.arguments)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        Ok((Jailed::new(Leader::Child(child), group, kept), UnixStream::from_std(ours)?))
    }
}

/// The launcher of a jail, and the control group of everything in it.
pub(crate) struct Jailed {
    /// None once it has ended.
    leader: Option<Leader>,
    group: Option<Group>,
    meter: Meter,
    kept: Kept,
}

/// Who keeps the limits of a jail on CPU time, memory and processes.
#[derive(Clone, Copy)]
pub(crate) enum Kept {
    /// The kernel, all of them.
    ByTheKernel,
    /// We do, as far as no control group does.
    ByUs(Own),
}

/// What a jail uses beyond the program in it.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u64,
}

impl Jailed {
    pub(crate) fn new(leader: Leader, group: Group, kept: Kept) -> Self {
        let meter = Meter::new(leader.number().unwrap_or(0), group.counters().clone());
        Self { leader: Some(leader), group: Some(group), meter, kept }
    }

    fn kill(&mut self) {
        if let Some(leader) = &mut self.leader {
            leader.kill();
        }
    }
}

impl Life for Jailed {
    fn is_alive(&mut self) -> bool {
        self.leader.as_mut().is_some_and(Leader::is_alive)
    }

    fn watch(&self, limits: &Limits) -> Option<Watch> {
        let Kept::ByUs(own) = self.kept else { return None };
        let ceilings = Ceilings {
            cpu: limits.cpu,
            memory_bytes: limits.memory_bytes.saturating_add(own.memory_bytes),
            processes: u64::from(limits.processes).saturating_add(own.processes),
        };
        // The run may have less than whatever the worker was started for.
        if let Some(group) = &self.group {
            group.counters().limit_memory(ceilings.memory_bytes);
            group.counters().limit_processes(ceilings.processes);
        }
        Some(self.meter.watch(ceilings))
    }

    fn usage(&self) -> Usage {
        let usage = self.meter.usage();
        let own = match self.kept {
            Kept::ByTheKernel => 0,
            Kept::ByUs(own) => own.processes,
        };
        let processes = usage.processes.map(|seen| seen.saturating_sub(own));
        Usage { processes, ..usage }
    }

    fn end(mut self: Box<Self>, end: End) -> Pin<Box<dyn Future<Output = Ending> + Send>> {
        if end == End::Now {
            self.kill();
        }
        Box::pin(async move {
            let Some(leader) = &mut self.leader else { return Ending::default() };
            // Its channel closes a moment before the launcher can say why.
            let status = match timeout(LAST_WORDS, leader.wait()).await {
                Ok(status) => status,
                Err(_) => {
                    leader.kill();
                    leader.wait().await
                }
            };
            self.leader = None;
            let counters = self.group.as_ref().map(Group::counters);
            let out_of_memory = counters.is_some_and(Counters::ran_out_of_memory);
            if let Some(group) = self.group.take() {
                tokio::spawn(remove(group));
            }
            match status {
                Ok(status) => Ending { cause: cause(status, out_of_memory), text: words(status) },
                Err(error) => Ending { cause: None, text: error.to_string() },
            }
        })
    }
}

impl Drop for Jailed {
    fn drop(&mut self) {
        self.kill();
        if let Some(mut group) = self.group.take()
            && !group.remove()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(remove(group));
        }
    }
}

/// Removes the group once the kernel has cleared up those inside. What is left
/// after that is found by the next gateway.
async fn remove(mut group: Group) {
    for _ in 0..200 {
        if group.remove() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    tracing::warn!(?group, "control group not removed");
}

/// The limit that ended the jailed process, if one did.
fn cause(status: ExitStatus, out_of_memory: bool) -> Option<ErrorCode> {
    if out_of_memory {
        return Some(ErrorCode::MemoryLimit);
    }
    match ended_by(status)? {
        Signal::SIGXCPU => Some(ErrorCode::CpuLimit),
        Signal::SIGXFSZ => Some(ErrorCode::DiskLimit),
        _ => None,
    }
}

/// The signal that ended the jailed process: the launcher passes it on in its
/// exit code, as shells do.
fn ended_by(status: ExitStatus) -> Option<Signal> {
    let passed_on = status.code().and_then(|code| code.checked_sub(128)).filter(|&code| code > 0);
    Signal::try_from(status.signal().or(passed_on)?).ok()
}

fn words(status: ExitStatus) -> String {
    ended_by(status).map_or_else(|| status.to_string(), |signal| signal.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use tidegate_model::ErrorCode;

    use super::{cause, words};

    #[test]
    fn the_end_of_the_jailed_process_is_read_from_the_launcher() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(cause(exited(0), false), None);
        assert_eq!(cause(exited(128 + 24), false), Some(ErrorCode::CpuLimit));
        assert_eq!(cause(exited(128 + 25), false), Some(ErrorCode::DiskLimit));
        assert_eq!(cause(exited(128 + 9), false), None);
        assert_eq!(cause(exited(128 + 9), true), Some(ErrorCode::MemoryLimit));
        assert_eq!(words(exited(128 + 11)), "SIGSEGV");
        assert_eq!(words(ExitStatus::from_raw(9)), "SIGKILL");
        assert_eq!(words(exited(3)), "exit status: 3");
    }
}
