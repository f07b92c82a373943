//! The queue of the writing thread: one queue per session, served in turns.
//!
//! Invariants: the changes of one session are written in order; no session delays others
//! for longer than one transaction; nothing is dropped while the database works, since a
//! session whose queue is full waits ([`Queue::room`]).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::Notify;

use crate::StoreError;

/// Jobs that one session can have in the queue before its calls wait. Chosen: some ten
/// milliseconds of writing.
pub(super) const JOBS_OF_SESSION: usize = 1024;

/// Jobs of one session that stay in memory while the database fails. A disk that stays
/// full must not fill the memory as well.
const JOBS_WHILE_FAILING: usize = 100_000;

/// Jobs per transaction. Chosen: it holds the lock of the file, for which other gateways
/// may wait, for a few milliseconds.
pub(super) const JOBS_OF_TRANSACTION: usize = 1000;

/// Jobs of one session before it is the next session's turn.
const JOBS_OF_TURN: usize = 50;

/// How long a job that nobody waits for is held back, so that others are written with it.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// How long to wait before a failing database is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

type Apply = Box<dyn FnMut(&Connection) -> Result<(), StoreError> + Send>;
type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// One change.
pub(super) struct Job {
    pub(super) apply: Apply,
    pub(super) waiter: Waiter,
    pub(super) afterwards: Afterwards,
}

/// Who waits for the outcome of a job.
pub(super) enum Waiter {
    /// Nobody. It is retried until it succeeds, and fails together with its transaction.
    Nobody,
    /// Nobody, and it can fail alone: then this text is logged. If the database fails
    /// instead, it is retried.
    Log(&'static str),
    /// A caller waits for the commit.
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

/// What to do after the commit of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    Nothing,
    EmptyLog,
}

/// A job in the queue.
pub(super) struct Queued {
    session: Arc<str>,
    /// Its sequence number among all jobs.
    number: u64,
    pub(super) job: Job,
}

/// The content of one transaction.
pub(super) struct Batch {
    pub(super) jobs: Vec<Queued>,
    flushes: Vec<Flushed>,
}

type Flushed = Box<dyn FnOnce() + Send>;

/// The jobs that wait for the writer.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    sessions: HashMap<Arc<str>, Waiting>,
    /// Sessions with jobs, the next one in front.
    turns: VecDeque<Arc<str>>,
    flushes: Vec<Flush>,
    /// Jobs that a caller waits for.
    awaited: usize,
    /// Jobs in the queue.
    jobs: usize,
    /// Jobs ever added.
    pushed: u64,
    /// When the first job in the queue arrived.
    since: Option<Instant>,
    failing: Failing,
    is_closed: bool,
}

struct Flush {
    /// The number of the last job that was added before it.
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
        // Waking the writer for every call would cost more than the call's own
        // bookkeeping.
        if must_wake {
            self.wake.notify_one();
        }
    }

    /// Waits until a session has room. Returns at once while the database fails: calls
    /// would otherwise wait for as long as the disk is full.
    pub(super) async fn room(&self, session: &str) {
        loop {
            let freed = {
                let state = self.state();
                if state.failing == Failing::Yes || !state.is_full(session, JOBS_OF_SESSION) {
                    return;
                }
                let Some(waiting) = state.sessions.get(session) else { return };
                let room = Arc::clone(&waiting.room);
                // Registered before the lock is released, so no wake-up is missed.
                let mut freed = Box::pin(room.notified_owned());
                freed.as_mut().enable();
                freed
            };
            self.wake.notify_one();
            freed.await;
        }
    }

    /// Calls `done` once the writer has tried to write everything in the queue.
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

    /// The jobs of the next transaction; `None` if there will be no more.
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

    /// Handles a batch that was written.
    pub(super) fn committed(&self, batch: Batch) {
        self.state().failing = Failing::No;
        for queued in batch.jobs {
            queued.job.waiter.answer(Ok(()));
        }
        self.finish(batch.flushes);
    }

    /// Handles a batch that could not be written. Every waiting caller gets an error, even
    /// if its job's turn had not come: it may be queued behind jobs that fail for as long
    /// as the disk is full. The other jobs go back to the front of their queues, to be
    /// retried.
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

/// What the writer does next.
enum Wait {
    /// Writes.
    Nothing,
    /// Waits for a job, or for more of them.
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

    /// Removes every job that a caller waits for.
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

    /// Takes jobs from the sessions in turns until the transaction is full.
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
        // While the database fails, one attempt is enough to answer a flush.
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
