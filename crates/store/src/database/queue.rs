//! What waits for the thread that writes: one queue per session, with turns between them.
//!
//! Must stay true: what one session hands over is written in its order; no session keeps
//! others waiting for longer than one transaction; and nothing is dropped while the
//! database works: a session whose queue is full waits ([`Queue::room`]).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::Notify;

use crate::StoreError;

/// Jobs that may wait of one session before its calls wait. Chosen: some ten
/// milliseconds of writing.
pub(super) const JOBS_OF_SESSION: usize = 1024;

/// Jobs of one session that a failing database may keep in memory. A disk that stays full
/// must not fill the memory as well.
const JOBS_WHILE_FAILING: usize = 100_000;

/// Jobs of one transaction. Chosen: it holds the lock of the file, which other gateways
/// may wait for, for some milliseconds.
pub(super) const JOBS_OF_TRANSACTION: usize = 1000;

/// Jobs of one session before it is the turn of the next one.
const JOBS_OF_TURN: usize = 50;

/// How long a job that nobody waits for may wait for others to be written with it.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// After so long a failing database is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

type Apply = Box<dyn FnMut(&Connection) -> Result<(), StoreError> + Send>;
type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// One change.
pub(super) struct Job {
    pub(super) apply: Apply,
    pub(super) waiter: Waiter,
    pub(super) afterwards: Afterwards,
}

/// Who wants to know what became of a job.
pub(super) enum Waiter {
    /// Nobody: it is tried again until it succeeds, and fails with what is beside it.
    Nobody,
    /// Nobody waits, and it can fail by itself: the log is told what could not be done. If
    /// the database fails instead, it is tried again.
    Log(&'static str),
    /// Somebody waits for the commit.
    Done(Done),
}

impl Waiter {
    /// Whether the job can fail without the others of its transaction.
    pub(super) fn fails_alone(&self) -> bool {
        !matches!(self, Self::Nobody)
    }

    fn is_waiting(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    pub(super) fn answer(self, result: Result<(), StoreError>) {
        match (self, result) {
            (Self::Done(done), result) => done(result),
            (Self::Log(what), Err(error)) => tracing::error!(%error, "{what}"),
            (Self::Log(_) | Self::Nobody, _) => {}
        }
    }
}

/// What is to be done after the commit of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    Nothing,
    EmptyLog,
}

/// A job in its place.
pub(super) struct Queued {
    session: Arc<str>,
    /// Counts all jobs.
    number: u64,
    pub(super) job: Job,
}

/// What is written in one transaction.
pub(super) struct Batch {
    pub(super) jobs: Vec<Queued>,
    flushes: Vec<Flushed>,
}

type Flushed = Box<dyn FnOnce() + Send>;

/// What waits for the writer.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    sessions: HashMap<Arc<str>, Waiting>,
    /// Sessions with jobs, whose turn is next in front.
    turns: VecDeque<Arc<str>>,
    flushes: Vec<Flush>,
    /// Jobs that somebody waits for.
    awaited: usize,
    /// Jobs that are here.
    jobs: usize,
    /// Jobs that ever were.
    pushed: u64,
    /// When the first of them came.
    since: Option<Instant>,
    failing: Failing,
    is_closed: bool,
}

struct Flush {
    /// The number of the last job before it.
    after: u64,
    done: Flushed,
}

/// Whether the last transaction failed.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Failing {
    #[default]
    No,
    Yes,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Queued>,
    room: Arc<Notify>,
}

impl Queue {
    /// Adds a job of a session.
    pub(super) fn push(&self, session: &str, job: Job) {
        let mut state = self.state();
        let is_awaited = job.waiter.is_waiting();
        if !is_awaited
            && state.failing == Failing::Yes
            && state.is_full(session, JOBS_WHILE_FAILING)
        {
            tracing::error!("a row of the record is lost: the database fails, and memory ends");
            return;
        }
        let must_wake = state.jobs == 0 || is_awaited;
        state.push(session, job);
        drop(state);
        // Waking the writer for every call costs more than the call's own bookkeeping.
        if must_wake {
            self.wake.notify_one();
        }
    }

    /// Waits until a session has room. A failing database has some at once: its calls
    /// would wait for as long as the disk is full.
    pub(super) async fn room(&self, session: &str) {
        loop {
            let freed = {
                let state = self.state();
                if state.failing == Failing::Yes || !state.is_full(session, JOBS_OF_SESSION) {
                    return;
                }
                let Some(waiting) = state.sessions.get(session) else { return };
                let room = Arc::clone(&waiting.room);
                // Registered before the lock is given up: no wake-up is missed.
                let mut freed = Box::pin(room.notified_owned());
                freed.as_mut().enable();
                freed
            };
            self.wake.notify_one();
            freed.await;
        }
    }

    /// Calls `done` once everything that is here was tried to be written.
    pub(super) fn flush(&self, done: Flushed) {
        let mut state = self.state();
        let after = state.pushed;
        state.flushes.push(Flush { after, done });
        drop(state);
        self.wake.notify_one();
    }

    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.wake.notify_one();
    }

    /// The jobs of the next transaction. None if there will be no more.
    pub(super) fn next(&self) -> Option<Batch> {
        let mut state = self.state();
        loop {
            let left = match state.wait_for() {
                Wait::Nothing => return Some(state.take()),
                Wait::Closed => return None,
                Wait::AtMost(left) => left,
            };
            state = match left {
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    let woken = self.wake.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// A batch was written.
    pub(super) fn committed(&self, batch: Batch) {
        self.state().failing = Failing::No;
        for queued in batch.jobs {
            queued.job.waiter.answer(Ok(()));
        }
        self.finish(batch.flushes);
    }

    /// A batch could not be written. Everybody who waits is told, including those whose
    /// turn had not come: they may be behind what fails for as long as the disk is full.
    /// The rest is put back where it was, to be tried again.
    pub(super) fn failed(&self, batch: Batch) {
        let (mut told, others): (Vec<Queued>, Vec<Queued>) =
            batch.jobs.into_iter().partition(|queued| queued.job.waiter.is_waiting());
        let mut state = self.state();
        state.failing = Failing::Yes;
        state.remove_waiting(&mut told);
        if !state.is_closed {
            others.into_iter().rev().for_each(|queued| state.put_back(queued));
            state.since = Some(Instant::now());
        }
        drop(state);
        for queued in told {
            queued.job.waiter.answer(Err(StoreError::NotCommitted));
        }
        self.finish(batch.flushes);
    }

    fn finish(&self, flushes: Vec<Flushed>) {
        for done in flushes {
            done();
        }
        let mut state = self.state();
        let is_failing = state.failing == Failing::Yes;
        state.sessions.retain(|_, waiting| {
            if is_failing || waiting.jobs.len() < JOBS_OF_SESSION {
                waiting.room.notify_waiters();
            }
            !waiting.jobs.is_empty()
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the writer does now.
enum Wait {
    /// It writes.
    Nothing,
    /// It waits for a job, or for more of them.
    AtMost(Option<Duration>),
    Closed,
}

impl State {
    fn is_full(&self, session: &str, most: usize) -> bool {
        self.sessions.get(session).is_some_and(|waiting| waiting.jobs.len() >= most)
    }

    fn push(&mut self, session: &str, job: Job) {
        self.awaited += usize::from(job.waiter.is_waiting());
        self.pushed += 1;
        let session = match self.sessions.get_key_value(session) {
            Some((session, _)) => Arc::clone(session),
            None => Arc::from(session),
        };
        let queued = Queued { session, number: self.pushed, job };
        self.since.get_or_insert_with(Instant::now);
        self.queue_of(&queued.session).push_back(queued);
    }

    fn put_back(&mut self, queued: Queued) {
        self.queue_of(&queued.session).push_front(queued);
    }

    /// Takes out every job that somebody waits for.
    fn remove_waiting(&mut self, into: &mut Vec<Queued>) {
        for waiting in self.sessions.values_mut() {
            let (told, others): (VecDeque<Queued>, VecDeque<Queued>) =
                std::mem::take(&mut waiting.jobs)
                    .into_iter()
                    .partition(|queued| queued.job.waiter.is_waiting());
            waiting.jobs = others;
            self.jobs -= told.len();
            into.extend(told);
        }
        self.awaited = 0;
        self.turns.retain(|session| {
            self.sessions.get(session).is_some_and(|waiting| !waiting.jobs.is_empty())
        });
    }

    /// The queue of a session that is about to get another job.
    fn queue_of(&mut self, session: &Arc<str>) -> &mut VecDeque<Queued> {
        self.jobs += 1;
        let queue = &mut self.sessions.entry(Arc::clone(session)).or_default().jobs;
        if queue.is_empty() {
            self.turns.push_back(Arc::clone(session));
        }
        queue
    }

    fn wait_for(&self) -> Wait {
        if self.awaited > 0 || !self.flushes.is_empty() {
            return Wait::Nothing;
        }
        if self.jobs == 0 {
            return if self.is_closed { Wait::Closed } else { Wait::AtMost(None) };
        }
        if self.is_closed {
            return Wait::Nothing;
        }
        let is_failing = self.failing == Failing::Yes;
        if !is_failing && self.sessions.values().any(|one| one.jobs.len() >= JOBS_OF_SESSION) {
            return Wait::Nothing;
        }
        let time = if is_failing { RETRY_AFTER } else { BATCH_TIME };
        let waited = self.since.map_or(time, |since| since.elapsed());
        match time.saturating_sub(waited) {
            Duration::ZERO => Wait::Nothing,
            left => Wait::AtMost(Some(left)),
        }
    }

    /// Takes turns between the sessions until the transaction is full.
    fn take(&mut self) -> Batch {
        let mut jobs = Vec::new();
        while jobs.len() < JOBS_OF_TRANSACTION
            && let Some(session) = self.turns.pop_front()
        {
            let Some(waiting) = self.sessions.get_mut(&session) else { continue };
            let room = JOBS_OF_TRANSACTION - jobs.len();
            let turn = waiting.jobs.len().min(JOBS_OF_TURN).min(room);
            jobs.extend(waiting.jobs.drain(..turn));
            if !waiting.jobs.is_empty() {
                self.turns.push_back(session);
            }
        }
        self.jobs -= jobs.len();
        self.awaited -= jobs.iter().filter(|queued| queued.job.waiter.is_waiting()).count();
        if self.jobs == 0 {
            self.since = None;
        }
        // Whoever flushes a failing database is told when it was tried.
        let is_failing = self.failing == Failing::Yes;
        let first = self.sessions.values().filter_map(|waiting| waiting.jobs.front());
        let first = first.map(|queued| queued.number).min().unwrap_or(u64::MAX);
        let (done, wait): (Vec<Flush>, Vec<Flush>) = std::mem::take(&mut self.flushes)
            .into_iter()
            .partition(|flush| is_failing || flush.after < first);
        self.flushes = wait;
        Batch { jobs, flushes: done.into_iter().map(|flush| flush.done).collect() }
    }
}
