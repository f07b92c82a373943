//! Keeps workers ready before a run asks for one.
//!
//! In: a driver. Out: workers that have said hello, each handed out once. The number of
//! spare workers follows the demand (`demand.rs`), between one and a ceiling. One task, the
//! keeper, starts missing workers, drops surplus ones and replaces those that died.
//!
//! Invariants: a worker leaves the pool once and never comes back. Nothing is kept ready
//! before [`Pool::prepare`]: running a single program starts a single worker. After
//! [`Pool::close`] there are no workers.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until};

use crate::demand::Demand;
use crate::driver::{Driver, SandboxError, Termination, Worker};

/// How long a peak of runs is remembered, at least. Chosen: a working agent returns within
/// half a minute; memory is released within a minute.
const WINDOW: Duration = Duration::from_secs(30);

/// Delays between failed starts: they double, from the first to the longest. Chosen.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The settings of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// The most spare workers.
    pub most: usize,
    /// A peak of runs is remembered for one to two times this long.
    pub window: Duration,
}

impl PoolSettings {
    /// At most this many spare workers, and the default window.
    pub fn at_most(most: usize) -> Self {
        Self { most, window: WINDOW }
    }
}

/// Hands out the workers of one driver and keeps some ready.
pub struct Pool {
    shared: Arc<Shared>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// Counts a run as active until it is dropped.
pub struct Lease(Arc<Shared>);

struct Shared {
    driver: Arc<dyn Driver>,
    most: usize,
    state: Mutex<PoolState>,
    /// Wakes the keeper.
    changed: Notify,
    /// Wakes a run that waits for a worker being started in the background.
    arrived: Notify,
}

struct PoolState {
    ready: VecDeque<Worker>,
    demand: Demand,
    /// The worker that is being started in the background.
    background: BackgroundStart,
    /// Why the worker that a run waits for did not start.
    failed: Option<SandboxError>,
    /// Runs that are starting a worker of their own.
    starters: usize,
    closed: bool,
}

/// The worker that is being started in the background, if any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BackgroundStart {
    Nothing,
    /// The next run gets it.
    Unclaimed,
    /// A run waits for it, since it will be ready before one of its own.
    Claimed,
}

impl Pool {
    /// A pool that starts nothing yet; see [`Pool::prepare`].
    pub fn new(driver: Arc<dyn Driver>, settings: PoolSettings) -> Self {
        let state = PoolState {
            ready: VecDeque::new(),
            demand: Demand::new(settings.window, Instant::now()),
            background: BackgroundStart::Nothing,
            failed: None,
            starters: 0,
            closed: false,
        };
        let shared = Shared {
            driver,
            most: settings.most,
            state: Mutex::new(state),
            changed: Notify::new(),
            arrived: Notify::new(),
        };
        Self { shared: Arc::new(shared), keeper: Mutex::new(None) }
    }

    /// Starts keeping workers ready. Must be called inside a runtime.
    pub fn prepare(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() && self.shared.most > 0 && !self.shared.state().closed {
            *keeper = Some(tokio::spawn(keep(Arc::clone(&self.shared))));
        }
    }

    /// A worker for one run: a spare one, else a new one. Dropping the future drops the
    /// worker that it started.
    pub async fn take(&self) -> Result<(Worker, Lease), SandboxError> {
        let lease = Lease::new(&self.shared);
        loop {
            let arrived = self.shared.arrived.notified();
            let claim = {
                let mut state = self.shared.state();
                if state.closed {
                    return Err(SandboxError::Closed);
                }
                if let Some(error) = state.failed.take() {
                    return Err(error);
                }
                let worker = state.take_ready();
                // Even if there was none: a spare worker may have died.
                self.shared.changed.notify_one();
                if let Some(worker) = worker {
                    return Ok((worker, lease));
                }
                Claim::try_new(&self.shared, &mut state)
            };
            let Some(_claim) = claim else { break };
            arrived.await;
        }
        let _starter = StartGuard::new(&self.shared);
        Ok((self.shared.driver.start().await?, lease))
    }

    /// Starts a worker in the background for a run that is about to take one, unless one is
    /// ready or being started. Any run may take it. Must be called inside a runtime.
    pub fn start_ahead(&self) {
        {
            let mut state = self.shared.state();
            if !state.ready.is_empty()
                || state.background != BackgroundStart::Nothing
                || state.closed
            {
                return;
            }
            state.background = BackgroundStart::Unclaimed;
        }
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            match shared.driver.start().await {
                Ok(worker) => shared.finish_start(Some(worker)),
                Err(error) => {
                    let claimed = shared.state().background == BackgroundStart::Claimed;
                    // The waiting run gets this error instead of trying the same again.
                    shared.state().failed = claimed.then_some(error);
                    shared.finish_start(None);
                }
            }
        });
    }

    /// The number of spare workers.
    pub fn ready(&self) -> usize {
        self.shared.state().ready.len()
    }

    /// Kills the spare workers and waits until they are gone. A worker that is being started
    /// is killed too; workers that serve a run end with it.
    pub async fn close(&self) {
        let waiting = {
            let mut state = self.shared.state();
            state.closed = true;
            std::mem::take(&mut state.ready)
        };
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            keeper.abort();
            let _ = keeper.await;
        }
        self.shared.arrived.notify_waiters();
        for worker in waiting {
            worker.handle.end(Termination::Kill).await;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let keeper = self.keeper.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            keeper.abort();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolState {
    fn take_ready(&mut self) -> Option<Worker> {
        self.drop_disturbed(&mut Context::from_waker(Waker::noop()));
        // The channel of a worker whose launcher was just killed may still be open.
        self.ready.retain_mut(|worker| worker.handle.is_alive());
        self.ready.pop_front()
    }

    /// Drops workers that have died or sent an unexpected message. Returns whether there
    /// were any; otherwise the waker is woken when there are.
    fn drop_disturbed(&mut self, context: &mut Context<'_>) -> bool {
        let before = self.ready.len();
        self.ready.retain_mut(|worker| worker.reader.poll_disturbed(context).is_pending());
        self.ready.len() < before
    }
}

/// Keeps the wanted number of workers ready, until it is aborted.
async fn keep(shared: Arc<Shared>) {
    let mut pause = FIRST_PAUSE;
    loop {
        match shared.next_action() {
            KeeperAction::Wait { until } => {
                tokio::select! {
                    () = shared.changed.notified() => {}
                    () = shared.disturbed() => {
                        tracing::warn!("a spare worker died or sent an unexpected message");
                        // Its replacement may do the same, so wait.
                        sleep(FIRST_PAUSE).await;
                    }
                    () = sleep_until(until.into()) => {}
                }
            }
            KeeperAction::Start => {
                let started = shared.driver.start().await;
                let failed = started.as_ref().err().map(ToString::to_string);
                shared.finish_start(started.ok());
                let Some(error) = failed else {
                    pause = FIRST_PAUSE;
                    continue;
                };
                // Not fatal: the next run starts its own worker and reports the error.
                tracing::warn!(error, ?pause, "could not start a spare worker");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// The next action of the keeper.
enum KeeperAction {
    Start,
    Wait { until: Instant },
}

impl Shared {
    /// Completes a start in the background, with the worker if it succeeded.
    fn finish_start(&self, worker: Option<Worker>) {
        {
            let mut state = self.state();
            state.background = BackgroundStart::Nothing;
            // In a closed pool the worker is dropped, which kills it.
            if !state.closed {
                state.ready.extend(worker);
            }
        }
        self.arrived.notify_waiters();
        self.changed.notify_one();
    }

    fn next_action(&self) -> KeeperAction {
        let mut state = self.state();
        let now = Instant::now();
        let (wanted, until) = state.demand.wanted(self.most, now);
        // The oldest first. Dropping a worker kills it.
        while state.ready.len() > wanted {
            state.ready.pop_front();
        }
        // Starting a spare worker must not slow down a run that starts its own.
        let none_comes = state.starters == 0 && state.background == BackgroundStart::Nothing;
        if state.ready.len() < wanted && none_comes && !state.closed {
            if let Some(quiet_until) = state.demand.quiet_until(now) {
                return KeeperAction::Wait { until: until.min(quiet_until) };
            }
            state.background = BackgroundStart::Unclaimed;
            return KeeperAction::Start;
        }
        KeeperAction::Wait { until }
    }

    /// Returns after a spare worker died or sent a message and was dropped.
    async fn disturbed(&self) {
        poll_fn(|context| match self.state().drop_disturbed(context) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

impl Lease {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.state().demand.run_begins(Instant::now());
        Self(Arc::clone(shared))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.state().demand.run_ends(Instant::now());
        self.0.changed.notify_one();
    }
}

/// The right to the worker that is being started in the background.
struct Claim<'a>(&'a Shared);

impl<'a> Claim<'a> {
    fn try_new(shared: &'a Shared, state: &mut PoolState) -> Option<Self> {
        let free = state.background == BackgroundStart::Unclaimed;
        free.then(|| {
            state.background = BackgroundStart::Claimed;
            Self(shared)
        })
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.background == BackgroundStart::Claimed {
            state.background = BackgroundStart::Unclaimed;
        }
    }
}

/// Counts a run that starts its own worker.
struct StartGuard<'a>(&'a Shared);

impl<'a> StartGuard<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.state().starters += 1;
        Self(shared)
    }
}

impl Drop for StartGuard<'_> {
    fn drop(&mut self) {
        self.0.state().starters -= 1;
        self.0.changed.notify_one();
    }
}
