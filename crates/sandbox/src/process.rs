//! The process driver: guests are our own executable, started again in a jail.
//!
//! In: an executable, limits and a required isolation. Out: a [`Worker`] that has said
//! hello, forked from a zygote if there is one, else started.
//! The guest confines itself before it says hello (crate `jail`) and reports which layers
//! hold; a guest whose report is below the required isolation is not used. The host relies
//! only on being able to kill it.

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use tidegate_jail::Spec;
use tidegate_model::{Isolation, Limits};
use tokio::net::UnixStream;

use crate::control_group::{ControlGroups, Group};
use crate::driver::{Driver, SandboxError, Termination, Worker};
use crate::engine::ExternalEngine;
use crate::guest::{Guest, reader_limits};
use crate::jailed::Jailed;
use crate::launch::{Launch, send_scripts};
use crate::loader::needed_files;
use crate::python::Python;
use crate::stream;
use crate::zygote::{ZygoteLaunch, ZygotePool};

/// Starts workers as child processes.
pub struct ProcessDriver {
    executable: PathBuf,
    limits: Limits,
    least: Isolation,
    groups: ControlGroups,
    guest: Guest,
    /// Where large frames arrive, if not in the system's folder for temporary files.
    spool: Option<PathBuf>,
}

impl ProcessDriver {
    /// Starts `executable` with `worker` and the description of its jail. No run gets more
    /// than `limits`; a worker that reports less isolation than `least` is not used.
    pub fn new(executable: PathBuf, limits: Limits, least: Isolation) -> Self {
        let (groups, guest) = (ControlGroups::probe(), Guest::QuickJs);
        Self { executable, limits, least, groups, guest, spool: None }
    }

    /// Large frames arrive in files without a name in this folder.
    pub fn spooling_in(self, folder: PathBuf) -> Self {
        Self { spool: Some(folder), ..self }
    }

    /// Starts readers instead of workers: they analyse a program and do not run it.
    pub fn reading(self) -> Self {
        Self {
            limits: reader_limits(&self.limits),
            guest: Guest::Reader(ZygotePool::default()),
            ..self
        }
    }

    /// Starts workers that run programs in an external engine.
    pub async fn with_engine(self, engine: &ExternalEngine) -> io::Result<Self> {
        let program = engine.program.clone();
        let mut files = needed_files(&program, &[]).await?;
        files.push(program.clone());
        let arguments = engine.worker_arguments(self.limits.memory_bytes);
        Ok(Self { guest: Guest::Engine { arguments, program, files }, ..self })
    }

    /// Starts Python workers. With `fork`, they may be forked from a zygote.
    pub fn with_python(self, python: Python, fork: bool) -> Self {
        let zygotes = fork.then(ZygotePool::default);
        Self { guest: Guest::Python(Box::new(python), zygotes), ..self }
    }

    async fn fork_or_start(&self) -> Result<Worker, SandboxError> {
        if let Some(worker) = self.try_fork().await {
            return Ok(worker);
        }
        let group = self.group();
        let (spec, arguments) = (self.spec(&group), self.guest.arguments());
        let (jailed, mut channel) = (self.launch(&spec, &arguments))
            .start(group, self.guest.enforcement())
            .map_err(SandboxError::Start)?;
        send_scripts(&mut channel, self.guest.scripts()).await;
        let worker = greet(jailed, channel).await?;
        if worker.report.level() < self.least {
            let Worker { report, handle, .. } = worker;
            handle.end(Termination::Kill).await;
            return Err(SandboxError::Isolation { wanted: self.least, report });
        }
        if let Some(zygotes) = self.guest.zygotes() {
            zygotes.require_isolation(worker.report.level());
        }
        Ok(worker)
    }

    /// Forks a worker, if there is a zygote. A forked worker that is isolated less than a
    /// started one is not used.
    async fn try_fork(&self) -> Option<Worker> {
        let zygotes = self.guest.zygotes()?;
        let (zygote, least) = zygotes.current(|| {
            let (spec, arguments) = (self.spec(&Group::none()), self.guest.arguments());
            let launch = self.launch(&spec, &arguments);
            match &self.guest {
                Guest::Reader(_) => ZygoteLaunch::readers(&launch),
                _ => ZygoteLaunch::python(&launch, self.guest.scripts()),
            }
        })?;
        // Creating a control group takes longer than forking a reader.
        let group = match &self.guest {
            Guest::Reader(_) => Group::none(),
            _ => self.group(),
        };
        let spec = self.spec(&group);
        let (launcher, channel) = match zygote.fork(&spec).await {
            Ok(forked) => forked,
            Err(error) => {
                zygotes.discard(&zygote, &error);
                return None;
            }
        };
        let worker = greet(Jailed::new(launcher, group, self.guest.enforcement()), channel).await;
        let error = match worker {
            Ok(worker) if worker.report.level() >= least => return Some(worker),
            Ok(Worker { report, handle, .. }) => {
                handle.end(Termination::Kill).await;
                SandboxError::Isolation { wanted: least, report }
            }
            Err(error) => error,
        };
        zygotes.discard(&zygote, &error);
        None
    }

    /// The control groups of one worker.
    fn group(&self) -> Group {
        self.groups.make(&self.guest.group_limits(&self.limits))
    }

    fn spec(&self, group: &Group) -> Spec {
        self.guest.spec(&self.limits, group)
    }

    fn launch<'a>(&'a self, spec: &'a Spec, arguments: &'a [OsString]) -> Launch<'a> {
        Launch { executable: &self.executable, role: self.guest.role(), spec, arguments }
    }
}

impl Driver for ProcessDriver {
    fn start(&self) -> Pin<Box<dyn Future<Output = Result<Worker, SandboxError>> + Send + '_>> {
        Box::pin(async {
            let mut worker = self.fork_or_start().await?;
            if let Some(folder) = &self.spool {
                worker.reader.spool_in(folder.clone());
            }
            Ok(worker)
        })
    }
}

async fn greet(jailed: Jailed, channel: UnixStream) -> Result<Worker, SandboxError> {
    let (read, write) = stream::split(channel).map_err(SandboxError::Start)?;
    Worker::greet(read, write, Box::new(jailed)).await
}
