//! The sessions of this process: which are in use, and which have ended.
//!
//! In: clients that connect and requests that begin, each with its principal. Out: leases,
//! and whether a session is still remembered. A session begins with its first lease. It ends
//! when its last client has disconnected and no request is under way; without a client it
//! ends after an idle time, or earlier if there are too many idle ones.
//!
//! Invariant: a session with a lease never ends. The sessions without one are bounded in
//! number, so whatever is remembered for sessions is bounded too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tidegate_model::{Clock, Principal};

/// How long a session without a client is remembered after its last request. Chosen: longer
/// than a person thinks between two steps of one task.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The most idle sessions that are remembered. Chosen: the state of one takes a few
/// kilobytes.
const MAX_IDLE: usize = 1024;

/// How many idle sessions are kept when there are too many: ending several at once makes the
/// search for the oldest rare.
const IDLE_AFTER_TRIM: usize = MAX_IDLE * 3 / 4;

/// All sessions that are remembered.
pub(crate) struct Sessions {
    clock: Clock,
    sessions: Mutex<HashMap<Principal, SessionUse>>,
}

/// The current use of a session.
struct SessionUse {
    clients: usize,
    requests: usize,
    /// When the last lease was taken or given back.
    last_used: SystemTime,
    /// Whether its last client has disconnected.
    disconnected: bool,
}

/// Keeps a session from ending.
#[must_use]
pub(crate) struct SessionLease {
    sessions: Arc<Sessions>,
    principal: Principal,
    holder: LeaseHolder,
}

/// The holder of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaseHolder {
    /// A connected client. The session ends when the last one disconnects.
    Client,
    /// A request that is under way.
    Request,
}

impl Sessions {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self { clock, sessions: Mutex::default() })
    }

    /// Takes a lease on a session, and begins the session if it is new.
    pub(crate) fn lease(
        self: &Arc<Self>,
        principal: &Principal,
        holder: LeaseHolder,
    ) -> SessionLease {
        let now = self.clock.now();
        let mut sessions = self.sessions();
        let session = sessions.entry(principal.clone()).or_insert_with(|| SessionUse {
            clients: 0,
            requests: 0,
            last_used: now,
            disconnected: false,
        });
        session.last_used = now;
        match holder {
            LeaseHolder::Client => {
                session.clients += 1;
                session.disconnected = false;
            }
            LeaseHolder::Request => session.requests += 1,
        }
        SessionLease { sessions: Arc::clone(self), principal: principal.clone(), holder }
    }

    /// Whether a session has not ended.
    pub(crate) fn contains(&self, principal: &Principal) -> bool {
        self.sessions().contains_key(principal)
    }

    /// Ends expired sessions. Returns whether there were any.
    pub(crate) fn end_unused(&self) -> bool {
        let now = self.clock.now();
        let mut sessions = self.sessions();
        let before = sessions.len();
        sessions.retain(|_, session| {
            let idle = now.duration_since(session.last_used).unwrap_or_default();
            session.is_leased() || !session.disconnected && idle < IDLE_TIMEOUT
        });
        let idle = sessions.values().filter(|session| !session.is_leased()).count();
        if idle > MAX_IDLE {
            end_oldest(&mut sessions, idle - IDLE_AFTER_TRIM);
        }
        sessions.len() < before
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Principal, SessionUse>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionUse {
    fn is_leased(&self) -> bool {
        self.clients + self.requests > 0
    }
}

fn end_oldest(sessions: &mut HashMap<Principal, SessionUse>, count: usize) {
    let idle = sessions.iter().filter(|(_, session)| !session.is_leased());
    let mut idle: Vec<(SystemTime, Principal)> =
        idle.map(|(principal, session)| (session.last_used, principal.clone())).collect();
    idle.sort();
    for (_, principal) in idle.iter().take(count) {
        sessions.remove(principal);
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        let now = self.sessions.clock.now();
        let mut sessions = self.sessions.sessions();
        // Always there: a session with a lease never ends.
        let Some(session) = sessions.get_mut(&self.principal) else { return };
        session.last_used = now;
        match self.holder {
            LeaseHolder::Client => {
                session.clients -= 1;
                session.disconnected = session.clients == 0;
            }
            LeaseHolder::Request => session.requests -= 1,
        }
    }
}

#[cfg(test)]
mod tests;
