//! Workers that are ready before a run asks for one.
//!
//! In: a back end. Out: workers that have said hello, each of them once. How
//! many wait follows the demand (`demand.rs`), between one and a ceiling; one
//! task, the keeper, starts what is missing, lets go what is too much, and
//! replaces what has died while it waited.
//!
//! Invariants: a worker leaves the pool once and never comes back. Nothing is
//! kept ready before [`Pool::prepare`]: whoever runs one program starts one
//! worker. After [`Pool::close`] there is none.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until};

use crate::demand::Demand;
use crate::driver::{Driver, End, SandboxError, Worker};

/// How long a peak of runs is remembered, at least. Chosen: an agent that works
/// comes back within half a minute; memory is given back within a minute.
const WINDOW: Duration = Duration::from_secs(30);

/// Waits after starts that failed: doubling, from this to that. Chosen.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How a pool behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// At most so many workers wait.
    pub most: usize,
    /// A peak of runs is remembered for this long, and at most twice.
    pub window: Duration,
}

impl PoolSettings {
    /// At most so many waiting workers, and the usual memory of peaks.
    pub fn at_most(most: usize) -> Self {
        Self { most, window: WINDOW }
    }
}

/// Hands out the workers of one back end and keeps some ready.
pub struct Pool {
    shared: Arc<Shared>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// Counts a run as under way until it is dropped.
pub struct Lease(Arc<Shared>);

struct Shared {
    driver: Arc<dyn Driver>,
    most: usize,
    state: Mutex<State>,
    /// Wakes the keeper.
    changed: Notify,
    /// Wakes the run that waits for the worker which the keeper is starting.
    arrived: Notify,
}

struct State {
    ready: VecDeque<Worker>,
    demand: Demand,
    /// What is being started ahead.
    coming: Coming,
    /// Why the one that a run waits for did not start.
    failed: Option<SandboxError>,
    /// Runs that are starting a worker themselves.
    starters: usize,
    closed: bool,
}

/// The one worker that is being started for whoever comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coming {
    Nothing,
    /// For whoever comes next.
    Unclaimed,
    /// A run waits for it, since it will be there before one of its own.
    Claimed,
}

impl Pool {
    /// Starts nothing yet; see [`Pool::prepare`].
    pub fn new(driver: Arc<dyn Driver>, settings: PoolSettings) -> Self {
        let state = State {
            ready: VecDeque::new(),
            demand: Demand::new(settings.window, Instant::now()),
            coming: Coming::Nothing,
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

    /// From now on workers are kept ready. Must be called inside a runtime.
    pub fn prepare(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() && self.shared.most > 0 && !self.shared.state().closed {
            *keeper = Some(tokio::spawn(keep(Arc::clone(&self.shared))));
        }
    }

    /// A worker for one run: one that is ready, else a fresh one. Dropping the
    /// future drops what it has started.
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
                // Also if there was none: it may have died.
                self.shared.changed.notify_one();
                if let Some(worker) = worker {
                    return Ok((worker, lease));
                }
                Claim::try_new(&self.shared, &mut state)
            };
            let Some(_claim) = claim else { break };
            arrived.await;
        }
        let _starter = Starter::new(&self.shared);
        Ok((self.shared.driver.start().await?, lease))
    }

    /// Starts a worker for a run that is about to take one, if none is ready or being
    /// started. It waits for that run, or for another. Must be called inside a runtime.
    pub fn start_ahead(&self) {
        {
            let mut state = self.shared.state();
            if !state.ready.is_empty() || state.coming != Coming::Nothing || state.closed {
                return;
            }
            state.coming = Coming::Unclaimed;
        }
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            match shared.driver.start().await {
                Ok(worker) => shared.arrives(Some(worker)),
                Err(error) => {
                    let claimed = shared.state().coming == Coming::Claimed;
                    // Whoever waits for it need not try the same again.
                    shared.state().failed = claimed.then_some(error);
                    shared.arrives(None);
                }
            }
        });
    }

    /// How many workers wait.
    pub fn ready(&self) -> usize {
        self.shared.state().ready.len()
    }

    /// Ends the workers that wait, and waits until they are gone. One that is
    /// being started is killed; those that serve a run end with it.
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
            worker.life.end(End::Now).await;
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
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_ready(&mut self) -> Option<Worker> {
        self.drop_disturbed(&mut Context::from_waker(Waker::noop()));
        // One whose launcher was killed a moment ago may not have noticed yet.
        self.ready.retain_mut(|worker| worker.life.is_alive());
        self.ready.pop_front()
    }

    /// Drops the workers that have died or said something nobody asked for.
    /// Whether there were any; the waker is woken when there are.
    fn drop_disturbed(&mut self, context: &mut Context<'_>) -> bool {
        let before = self.ready.len();
        self.ready.retain_mut(|worker| worker.reader.poll_disturbed(context).is_pending());
        self.ready.len() < before
    }
}

/// Keeps as many workers ready as are wanted, until it is aborted.
async fn keep(shared: Arc<Shared>) {
    let mut pause = FIRST_PAUSE;
    loop {
        match shared.next_step() {
            Step::Wait { until } => {
                tokio::select! {
                    () = shared.changed.notified() => {}
                    () = shared.disturbed() => {
                        tracing::warn!("a spare worker died or spoke out of turn");
                        // Its successor may do the same.
                        sleep(FIRST_PAUSE).await;
                    }
                    () = sleep_until(until.into()) => {}
                }
            }
            Step::Start => {
                let started = shared.driver.start().await;
                let failed = started.as_ref().err().map(ToString::to_string);
                shared.arrives(started.ok());
                let Some(error) = failed else {
                    pause = FIRST_PAUSE;
                    continue;
                };
                // Not fatal: the next run starts its own and reports it.
                tracing::warn!(error, ?pause, "no spare worker");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// What the keeper does next.
enum Step {
    Start,
    Wait { until: Instant },
}

impl Shared {
    /// The worker that was coming is there, or none is.
    fn arrives(&self, worker: Option<Worker>) {
        {
            let mut state = self.state();
            state.coming = Coming::Nothing;
            // After the end there is none: dropping it kills it.
            if !state.closed {
                state.ready.extend(worker);
            }
        }
        self.arrived.notify_waiters();
        self.changed.notify_one();
    }

    fn next_step(&self) -> Step {
        let mut state = self.state();
        let now = Instant::now();
        let (wanted, until) = state.demand.wanted(self.most, now);
        // The oldest first. Dropping one kills it.
        while state.ready.len() > wanted {
            state.ready.pop_front();
        }
        // A run that starts its own worker must not be slowed by one that
        // nobody waits for.
        let none_comes = state.starters == 0 && state.coming == Coming::Nothing;
        if state.ready.len() < wanted && none_comes && !state.closed {
            if let Some(alone_until) = state.demand.alone_until(now) {
                return Step::Wait { until: until.min(alone_until) };
            }
            state.coming = Coming::Unclaimed;
            return Step::Start;
        }
        Step::Wait { until }
    }

    /// Returns when a waiting worker has died or spoken; it is dropped then.
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

/// The right to the worker that is coming.
struct Claim<'a>(&'a Shared);

impl<'a> Claim<'a> {
    fn try_new(shared: &'a Shared, state: &mut State) -> Option<Self> {
        let free = state.coming == Coming::Unclaimed;
        free.then(|| {
            state.coming = Coming::Claimed;
            Self(shared)
        })
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.coming == Coming::Claimed {
            state.coming = Coming::Unclaimed;
        }
    }
}

/// Marks a run that starts its own worker.
struct Starter<'a>(&'a Shared);

impl<'a> Starter<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.state().starters += 1;
        Self(shared)
    }
}

impl Drop for Starter<'_> {
    fn drop(&mut self) {
        self.0.state().starters -= 1;
        self.0.changed.notify_one();
    }
}
