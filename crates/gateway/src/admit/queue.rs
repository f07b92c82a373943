//! The queue of runs: fair between sessions, and bounded.
//!
//! In: a session that wants to run a program. Out: a [`Turn`], which permits one run until
//! it is dropped, or a `busy` error.
//!
//! Three counts are bounded: runs that exist, runs of one session, and runs that do not
//! have their worker yet, since starting processes is expensive. Other requests wait:
//! sessions take turns, each in the order of its requests, so that a session with one
//! request waits for one of every other session and not for a hundred of one. The queue is
//! bounded too. When it is full, the newest request of the session with the longest line
//! makes room for one of a session with a shorter line: no session can fill the queue.
//!
//! Waiting does not count against the time of the run, but no request waits longer than
//! its run might take: by then the client has given up.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tidegate_model::{ErrorCode, Principal, RunError};
use tokio::sync::oneshot;

/// The bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) runs: usize,
    pub(crate) runs_per_session: usize,
    pub(crate) starting: usize,
    pub(crate) waiting: usize,
}

/// Current runs, and requests that wait.
pub(crate) struct Queue {
    bounds: Bounds,
    state: Mutex<State>,
}

/// Permits one run. Given back when it is dropped.
pub(crate) struct Turn {
    queue: Arc<Queue>,
    principal: Principal,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Starting,
    Running,
}

#[derive(Default)]
struct State {
    running: usize,
    starting: usize,
    waiting: usize,
    /// Sessions that run or wait.
    sessions: HashMap<Principal, QueuedSession>,
    /// Sessions that wait, the next one first.
    turns: VecDeque<Principal>,
    tickets: u64,
}

#[derive(Default)]
struct QueuedSession {
    running: usize,
    line: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    verdict: oneshot::Sender<Verdict>,
}

/// The verdict on a waiter.
enum Verdict {
    YourTurn,
    /// Its place was given to another session.
    Displaced,
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, state: Mutex::default() })
    }

    /// Waits for a place, at most for `patience`. Dropping the future leaves the
    /// queue.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        principal: &Principal,
        patience: Duration,
    ) -> Result<Turn, RunError> {
        let mut place = self.line_up(principal)?;
        self.dispatch();
        match tokio::time::timeout(patience, &mut place.verdict).await {
            Ok(Ok(Verdict::YourTurn)) => Ok(self.admitted(principal)),
            Ok(_) => Err(self.busy("the queue is full")),
            Err(_) => {
                drop(place);
                let waited = patience.as_secs_f64();
                Err(self.busy(&format!("no slot became free within {waited:.1} s")))
            }
        }
    }

    fn line_up(self: &Arc<Self>, principal: &Principal) -> Result<Place, RunError> {
        let mut state = self.state();
        // A request that would be admitted at once needs no place in the queue.
        let full = state.waiting >= self.bounds.waiting && !state.has_room(principal, &self.bounds);
        if full && !state.displace_for(principal) {
            drop(state);
            return Err(self.busy("the queue is full"));
        }
        state.tickets += 1;
        let ticket = state.tickets;
        let (sender, verdict) = oneshot::channel();
        state.waiting += 1;
        let line = &mut state.sessions.entry(principal.clone()).or_default().line;
        line.push_back(Waiter { ticket, verdict: sender });
        if line.len() == 1 {
            state.turns.push_back(principal.clone());
        }
        Ok(Place { queue: Arc::clone(self), principal: principal.clone(), ticket, verdict })
    }

    /// Admits every waiter that can be admitted.
    fn dispatch(&self) {
        let mut state = self.state();
        while let Some(waiter) = state.next(&self.bounds) {
            // Never fails: a place leaves its line before it drops its receiver.
            let _ = waiter.verdict.send(Verdict::YourTurn);
        }
    }

    fn admitted(self: &Arc<Self>, principal: &Principal) -> Turn {
        let (queue, principal) = (Arc::clone(self), principal.clone());
        Turn { queue, principal, phase: Phase::Starting }
    }

    fn busy(&self, why: &str) -> RunError {
        let (running, waiting) = {
            let state = self.state();
            (state.running, state.waiting)
        };
        let Bounds { runs, runs_per_session, waiting: places, .. } = self.bounds;
        RunError::new(
            ErrorCode::Busy,
            format!("{why}: {running} of {runs} runs are active, {waiting} of {places} waiting"),
        )
        .with_hint(format!(
            "try again in a few seconds, with fewer programs at once; an operator can raise \
             `max_runs`, `max_runs_per_session` (now {runs_per_session}) and `max_waiting` in \
             `[sandbox]`"
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_room(&self, principal: &Principal, bounds: &Bounds) -> bool {
        let own = self.sessions.get(principal);
        self.running < bounds.runs
            && self.starting < bounds.starting
            && own.is_none_or(|own| own.running < bounds.runs_per_session && own.line.is_empty())
    }

    /// Takes the next waiter whose session may run and counts it as starting.
    fn next(&mut self, bounds: &Bounds) -> Option<Waiter> {
        if self.running >= bounds.runs || self.starting >= bounds.starting {
            return None;
        }
        let may = |id: &Principal| {
            self.sessions.get(id).is_some_and(|one| one.running < bounds.runs_per_session)
        };
        let at = self.turns.iter().position(may)?;
        let id = self.turns.remove(at)?;
        let session = self.sessions.get_mut(&id)?;
        let waiter = session.line.pop_front()?;
        session.running += 1;
        if !session.line.is_empty() {
            self.turns.push_back(id);
        }
        self.waiting -= 1;
        self.running += 1;
        self.starting += 1;
        Some(waiter)
    }

    /// Makes room by displacing a waiter of a session with at least two more waiters than
    /// this one.
    fn displace_for(&mut self, principal: &Principal) -> bool {
        let own = self.sessions.get(principal).map_or(0, |own| own.line.len());
        let longest = self.sessions.iter().max_by_key(|(_, one)| one.line.len());
        let Some(id) =
            longest.filter(|(_, one)| one.line.len() > own + 1).map(|(id, _)| id.clone())
        else {
            return false;
        };
        let Some(waiter) = self.sessions.get_mut(&id).and_then(|one| one.line.pop_back()) else {
            return false;
        };
        self.waiting -= 1;
        let _ = waiter.verdict.send(Verdict::Displaced);
        true
    }

    /// Takes a waiter out of its line, if it is still there.
    fn leave(&mut self, id: &Principal, ticket: u64) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let Some(at) = session.line.iter().position(|waiter| waiter.ticket == ticket) else {
            return;
        };
        session.line.remove(at);
        self.waiting -= 1;
        if session.line.is_empty() {
            self.turns.retain(|turn| turn != id);
        }
        self.forget_if_idle(id);
    }

    fn forget_if_idle(&mut self, id: &Principal) {
        let idle = |one: &QueuedSession| one.running == 0 && one.line.is_empty();
        if self.sessions.get(id).is_some_and(idle) {
            self.sessions.remove(id);
        }
    }
}

impl Turn {
    /// The run has its worker, or waits for a person: the next one may start.
    pub(crate) fn started(&mut self) {
        if self.phase == Phase::Starting {
            self.phase = Phase::Running;
            self.queue.state().starting -= 1;
            self.queue.dispatch();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        {
            let mut state = self.queue.state();
            state.running -= 1;
            if self.phase == Phase::Starting {
                state.starting -= 1;
            }
            if let Some(session) = state.sessions.get_mut(&self.principal) {
                session.running -= 1;
            }
            state.forget_if_idle(&self.principal);
        }
        self.queue.dispatch();
    }
}

/// A place in the queue. Dropping it leaves the queue, whatever the verdict.
struct Place {
    queue: Arc<Queue>,
    principal: Principal,
    ticket: u64,
    verdict: oneshot::Receiver<Verdict>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.queue.state().leave(&self.principal, self.ticket);
        // It got its turn and left before it noticed. Empty if the verdict was received
        // before.
        if let Ok(Verdict::YourTurn) = self.verdict.try_recv() {
            drop(self.queue.admitted(&self.principal));
        }
    }
}

#[cfg(test)]
mod tests;
