//! Forks guests from a process that has already done the expensive part: Python workers
//! from one with all imports done, readers from one that is already in a jail.
//!
//! In: how a guest would be started. Out: the same kind of jailed guest, in a fraction of
//! the time. A zygote is jailed itself and never sees a program. A Python worker that it
//! forks enters its own jail like a started one (crates `jail` and `zygote`); a reader
//! stays in the jail of its zygote and gives up the rest (crate `reader`). Each reports
//! its isolation layers like any other guest.
//!
//! Invariant: a zygote is an optimisation. Without one (no user namespaces, no `/proc` of
//! its own, no `ctypes`), or before it is ready, guests are started. The first guest
//! always is: that is faster for a single program, and its report is what the forked ones
//! must match.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tidegate_jail::{Filter, Grant, Spec};
use tidegate_model::Isolation;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

use crate::control_group::Group;
use crate::forked_launcher::ForkedLauncher;
use crate::jailed::{Jailed, LimitEnforcement};
use crate::launch::{Launch, send_scripts};
use crate::launcher::Launcher;
use crate::loader::needed_files;

/// How long a zygote may take to become ready. Chosen far above the quarter of a second
/// that the imports take: nothing waits for it.
const READY_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a forked process may take to send its handle. Chosen far above the
/// millisecond that it takes.
const FORK_TIMEOUT: Duration = Duration::from_secs(10);

/// How many processes are forked from one zygote. Forked processes share the random
/// choices made when the zygote started, such as the memory layout and Python's hash seed,
/// so a new zygote is started regularly. Chosen: the start of a zygote then costs each of
/// its workers a few milliseconds, and each of its readers a tenth of one.
const MAX_FORKS: u32 = 64;

/// The most descriptors in a request: two, plus one for each control group, of which
/// there are at most three.
const MAX_DESCRIPTORS: usize = 8;

/// After this many failed zygotes in a row, no more are started.
const MAX_FAILURES: u32 = 3;

/// The zygotes of one driver, one of which is in use at a time.
#[derive(Default)]
pub(crate) struct ZygotePool(Arc<Mutex<PoolState>>);

#[derive(Default)]
struct PoolState {
    current: Option<Arc<Zygote>>,
    /// The isolation of a started worker, which forked ones must match. `None` before one
    /// was started.
    least: Option<Isolation>,
    /// Workers that were forked from the current zygote.
    forked: u32,
    starting: bool,
    /// Failed zygotes since the last one that served all of its forks.
    failures: u32,
}

impl ZygotePool {
    /// Sets the isolation that forked workers must reach: that of a started one.
    pub(crate) fn require_isolation(&self, started: Isolation) {
        self.state().least = Some(started);
    }

    /// The zygote to fork from, if one is ready, and the isolation that its forks must
    /// reach. Starts a zygote in the background if there is none.
    pub(crate) fn current(
        &self,
        new: impl FnOnce() -> ZygoteLaunch,
    ) -> Option<(Arc<Zygote>, Isolation)> {
        let mut state = self.state();
        // The first worker is always started.
        let least = state.least?;
        let worn = state.current.is_none() || state.forked >= MAX_FORKS;
        if worn && !state.starting && state.failures < MAX_FAILURES {
            state.starting = true;
            if state.current.is_some() {
                // It served all of its forks, so earlier failures no longer count.
                state.failures = 0;
            }
            let (zygotes, start) = (Arc::clone(&self.0), new());
            tokio::spawn(async move {
                let started = start.start().await;
                let mut state = zygotes.lock().unwrap_or_else(PoisonError::into_inner);
                state.starting = false;
                match started {
                    Ok(zygote) => {
                        (state.current, state.forked) = (Some(Arc::new(zygote)), 0);
                    }
                    Err(error) => {
                        tracing::info!(%error, "could not start a zygote; every guest is started instead of forked");
                        state.failures = MAX_FAILURES;
                    }
                }
            });
        }
        let zygote = state.current.clone()?;
        state.forked = state.forked.saturating_add(1);
        Some((zygote, least))
    }

    /// Drops a zygote that no longer forks, or whose forks are not isolated enough.
    pub(crate) fn discard(&self, lost: &Arc<Zygote>, error: &dyn std::fmt::Display) {
        tracing::warn!(%error, "a zygote failed to fork an isolated process");
        let mut state = self.state();
        if state.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, lost)) {
            state.current = None;
            state.failures += 1;
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How to start a zygote.
pub(crate) struct ZygoteLaunch {
    executable: PathBuf,
    role: &'static str,
    spec: Spec,
    arguments: Vec<OsString>,
    scripts: Vec<u8>,
}

impl ZygoteLaunch {
    /// For Python workers like this one, with these scripts.
    pub(crate) fn python(worker: &Launch<'_>, scripts: &[u8]) -> Self {
        let spec = Spec { filter: Filter::PythonZygote, ..worker.spec.clone() };
        let arguments = worker.arguments.iter().cloned();
        let arguments = arguments.chain(["--zygote".into(), "yes".into()]).collect();
        let (executable, scripts) = (worker.executable.to_owned(), scripts.to_owned());
        Self { executable, role: worker.role, spec, arguments, scripts }
    }

    /// For readers like this one, which all stay in its jail.
    pub(crate) fn readers(reader: &Launch<'_>) -> Self {
        let spec = Spec { filter: Filter::ReaderZygote, ..reader.spec.clone() };
        let (executable, arguments) = (reader.executable.to_owned(), vec!["--zygote".into()]);
        Self { executable, role: reader.role, spec, arguments, scripts: Vec::new() }
    }

    async fn start(mut self) -> io::Result<Zygote> {
        if self.spec.filter == Filter::PythonZygote {
            // Its library was built with this executable and loads the same libraries.
            let own = self.executable.canonicalize()?;
            for file in needed_files(&own, &[]).await? {
                if !self.spec.grants.iter().any(|grant| grant.path == file) {
                    self.spec.grants.push(Grant::read(&file));
                }
            }
        }
        let Self { executable, role, spec, arguments, scripts } = self;
        let (spec, arguments) = (&spec, arguments.as_slice());
        let launch = Launch { executable: &executable, role, spec, arguments };
        // No control group: a Python worker gets its own, and a reader has the limits that
        // the kernel enforces per process, so none can use up what others need.
        let (jailed, mut requests) = launch.start(Group::none(), LimitEnforcement::Kernel)?;
        send_scripts(&mut requests, &scripts).await;
        timeout(READY_TIMEOUT, requests.read_u8()).await.map_err(io::Error::other)??;
        Ok(Zygote { _jailed: jailed, requests: AsyncMutex::new(requests) })
    }
}

/// A process that workers are forked from.
pub(crate) struct Zygote {
    /// Kills the zygote and everything forked from it when dropped.
    _jailed: Jailed,
    requests: AsyncMutex<UnixStream>,
}

impl Zygote {
    /// Forks one process. Returns its launcher and our end of its channel.
    pub(crate) async fn fork(self: &Arc<Self>, spec: &Spec) -> io::Result<(Launcher, UnixStream)> {
        let (channel, their_channel) = StdUnixStream::pair()?;
        let (exit_channel, their_exit_channel) = StdUnixStream::pair()?;
        let open = |path| File::options().write(true).open(path).map(OwnedFd::from);
        let mut sent = vec![OwnedFd::from(their_channel), OwnedFd::from(their_exit_channel)];
        for group in &spec.control_groups {
            sent.push(open(group)?);
        }
        // A partial request would break the zygote and kill everything forked from it. So
        // it is sent completely, even if the caller has been cancelled.
        let (zygote, text) = (Arc::clone(self), spec.to_argument());
        let sending = tokio::spawn(async move { zygote.request(&text, sent).await });
        timeout(FORK_TIMEOUT, sending).await.map_err(io::Error::other)???;
        let [channel, exit_channel] = [channel, exit_channel].map(|stream| {
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        });
        let exit_channel = exit_channel?;
        let handle = timeout(FORK_TIMEOUT, receive_handle(&exit_channel))
            .await
            .map_err(io::Error::other)??;
        Ok((
            Launcher::Forked(ForkedLauncher::new(handle, exit_channel, Arc::clone(self) as _)),
            channel?,
        ))
    }

    async fn request(&self, text: &str, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let length = u32::try_from(text.len()).map_err(io::Error::other)?.to_le_bytes();
        let descriptors: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut requests = self.requests.lock().await;
        let send = || {
            let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
            let mut control = SendAncillaryBuffer::new(&mut room);
            if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
                return Err(io::Error::other("too many control groups"));
            }
            Ok(sendmsg(&*requests, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?)
        };
        // So few bytes are written completely or not at all.
        requests.async_io(Interest::WRITABLE, send).await?;
        requests.write_all(text.as_bytes()).await
    }
}

/// Receives the pidfd that a forked process sends for itself.
async fn receive_handle(exit_channel: &UnixStream) -> io::Result<OwnedFd> {
    let receive = || {
        let (mut byte, mut room) = ([0], [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))]);
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let parts = &mut [IoSliceMut::new(&mut byte)];
        recvmsg(exit_channel, parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let handle = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut handles) => handles.next(),
            _ => None,
        });
        handle.ok_or_else(|| io::Error::other("the forked process exited before it was confined"))
    };
    exit_channel.async_io(Interest::READABLE, receive).await
}
