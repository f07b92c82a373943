//! Guests that are forked from a process which has done the expensive part already:
//! workers for Python from one that has everything imported, readers from one that is in
//! a jail.
//!
//! In: how a guest would be started. Out: the same kind of jailed guest, in a fraction of
//! the time. A zygote is jailed itself and sees no line of a program. A Python worker
//! that it forks goes the same way into its own jail as one that we start (crates `jail`
//! and `zygote`); a reader stays in the jail of its zygote and gives up the rest (crate
//! `reader`). Each reports what holds like any other.
//!
//! It is a help, never a need: where there is none (no user namespaces, no `/proc` of
//! its own, no `ctypes`), or before it is ready, workers are started, and so is the first
//! of all: who runs one program is quicker without, and it shows how well the others must
//! be kept in.

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
use crate::leader::Leader;
use crate::loader::needed_files;
use crate::process::{Jailed, Kept, Launch, tell};

pub(crate) use crate::born::Born;

/// How long it may take to import everything. Chosen far above the quarter of a second
/// that it takes: nobody waits for it.
const IMPORTS: Duration = Duration::from_secs(30);

/// How long a new process may take to say who it is. Chosen far above a millisecond.
const BIRTH: Duration = Duration::from_secs(10);

/// Processes that are forked from one zygote. What is drawn by lot when it starts, where
/// things lie in memory and in Python the order of sets of texts, is the same for all of
/// them, so it is drawn again now and then. Chosen: the start of a zygote then costs
/// each of them little: of Python a few milliseconds, of readers a tenth of one.
const MOST_FORKED: u32 = 64;

/// Descriptors that go with an order: two, and one for each control group. Chosen: there
/// are three kinds of these.
const MOST_SENT: usize = 8;

/// So many that were of no use, without one between that was, and no more is started.
const MOST_LOST: u32 = 3;

/// The zygotes of one driver, of which one is used at a time.
#[derive(Default)]
pub(crate) struct Zygotes(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    current: Option<Arc<Zygote>>,
    /// How well a worker is kept in that was started. None before there was one.
    least: Option<Isolation>,
    /// Workers that were forked from the current one.
    forked: u32,
    starting: bool,
    lost: u32,
}

impl Zygotes {
    /// How well a worker is kept in that was started: one that is forked must be as well.
    pub(crate) fn must_hold_like(&self, started: Isolation) {
        self.state().least = Some(started);
    }

    /// One to fork from, if there is one already, and how well what it forks must be
    /// kept in. Sees to it that there will be one.
    pub(crate) fn one(&self, new: impl FnOnce() -> Start) -> Option<(Arc<Zygote>, Isolation)> {
        let mut state = self.state();
        // A first worker is always started.
        let least = state.least?;
        let worn = state.current.is_none() || state.forked >= MOST_FORKED;
        if worn && !state.starting && state.lost < MOST_LOST {
            state.starting = true;
            if state.current.is_some() {
                // It has served its time.
                state.lost = 0;
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
                        tracing::info!(%error, "no zygote: each process is started anew");
                        state.lost = MOST_LOST;
                    }
                }
            });
        }
        let found = state.current.clone()?;
        state.forked = state.forked.saturating_add(1);
        Some((found, least))
    }

    /// One of them does not fork any more, or not into a jail that holds.
    pub(crate) fn give_up(&self, lost: &Arc<Zygote>, error: &dyn std::fmt::Display) {
        tracing::warn!(%error, "a zygote is of no use");
        let mut state = self.state();
        if state.current.as_ref().is_some_and(|current| Arc::ptr_eq(current, lost)) {
            state.current = None;
            state.lost += 1;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a zygote is started.
pub(crate) struct Start {
    executable: PathBuf,
    role: &'static str,
    spec: Spec,
    arguments: Vec<OsString>,
    scripts: Vec<u8>,
}

impl Start {
    /// For workers like this one, with these scripts.
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
            // Its library was built like this executable and loads the same ones.
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
        // In no control group: those of a worker are its own, and a reader is limited by what
        // the kernel keeps for each process, so that none can use up what others need.
        let (jailed, mut orders) = launch.start(Group::none(), Kept::ByTheKernel)?;
        tell(&mut orders, &scripts).await;
        timeout(IMPORTS, orders.read_u8()).await.map_err(io::Error::other)??;
        Ok(Zygote { _jailed: jailed, orders: AsyncMutex::new(orders) })
    }
}

/// A process that workers are forked from.
pub(crate) struct Zygote {
    /// Ends it, and with it all that was forked from it, when it is dropped.
    _jailed: Jailed,
    orders: AsyncMutex<UnixStream>,
}

impl Zygote {
    /// Forks one process. Who leads it, and our end of its channel.
    pub(crate) async fn fork(self: &Arc<Self>, spec: &Spec) -> io::Result<(Leader, UnixStream)> {
        let (channel, their_channel) = StdUnixStream::pair()?;
        let (end, their_end) = StdUnixStream::pair()?;
        let open = |path| File::options().write(true).open(path).map(OwnedFd::from);
        let mut sent = vec![OwnedFd::from(their_channel), OwnedFd::from(their_end)];
        for group in &spec.control_groups {
            sent.push(open(group)?);
        }
        // Half of an order would be the end of the zygote and of all that it has forked.
        // So it is sent to its end, also if nobody waits for it any more.
        let (zygote, text) = (Arc::clone(self), spec.to_argument());
        let sending = tokio::spawn(async move { zygote.order(&text, sent).await });
        timeout(BIRTH, sending).await.map_err(io::Error::other)???;
        let [channel, end] = [channel, end].map(|stream| {
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        });
        let end = end?;
        let handle = timeout(BIRTH, handle(&end)).await.map_err(io::Error::other)??;
        Ok((Leader::Born(Born::new(handle, end, Arc::clone(self))), channel?))
    }

    async fn order(&self, text: &str, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let length = u32::try_from(text.len()).map_err(io::Error::other)?.to_le_bytes();
        let descriptors: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut orders = self.orders.lock().await;
        let send = || {
            let mut room = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST_SENT))];
            let mut control = SendAncillaryBuffer::new(&mut room);
            if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
                return Err(io::Error::other("there are too many control groups"));
            }
            Ok(sendmsg(&*orders, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?)
        };
        // A stream takes so few bytes as a whole or not at all.
        orders.async_io(Interest::WRITABLE, send).await?;
        orders.write_all(text.as_bytes()).await
    }
}

/// The handle that a new process sends of itself.
async fn handle(end: &UnixStream) -> io::Result<OwnedFd> {
    let receive = || {
        let (mut byte, mut room) = ([0], [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))]);
        let mut control = RecvAncillaryBuffer::new(&mut room);
        let parts = &mut [IoSliceMut::new(&mut byte)];
        recvmsg(end, parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
        let handle = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut handles) => handles.next(),
            _ => None,
        });
        handle.ok_or_else(|| io::Error::other("the new process ended before it was confined"))
    };
    end.async_io(Interest::READABLE, receive).await
}
