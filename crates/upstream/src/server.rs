//! One configured server over its whole life: started, used, restarted.
//!
//! In: calls, and requests for its tool list. Out: answers of the live connection, which is
//! opened when it is needed. The states of a server:
//!
//! ```text
//! Down ──first use──▶ Starting ──handshake──▶ Up ──dies──▶ Down (wait, then again)
//! ```
//!
//! Invariant: at most one start is under way, in a task of its own. A run that is cancelled
//! while it waits must not cancel a start that other runs wait for, otherwise a slow server
//! would never come up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tidegate_model::{Answer, ServerSpec, ToolCall, ToolList};
use tokio::sync::{Semaphore, watch};

use crate::UpstreamError;
use crate::child::{Launcher, Termination};
use crate::connection::Connection;
use crate::open::Opener;

/// The back-off between starts: none after the first failure, then doubling.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);
/// How long a caller waits for the next start, or for a changed tool list, before it gets an
/// error or the old list.
const CALLER_WAIT: Duration = Duration::from_secs(1);
/// How long a caller that misses a tool waits for an announced change: the notification
/// arrives a little later than the answer of the call that added the tool. Chosen, not tuned.
const CHANGE_WAIT: Duration = Duration::from_millis(100);
/// After a call has timed out, the server must answer a ping within this time, or it counts as
/// hung and is restarted.
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The shortest time between two listings of one server's tools.
const RELIST_INTERVAL: Duration = Duration::from_millis(100);

/// A tool list with its version.
#[derive(Debug, Clone)]
pub struct VersionedTools {
    /// Grows with every list that is received, over all servers.
    pub version: u64,
    /// The list.
    pub list: Arc<ToolList>,
}

/// The status of a server, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerStatus {
    /// Not started yet.
    NotStarted,
    /// Being started.
    Starting,
    /// Ready.
    Connected,
    /// Failed, with the last error.
    Failed(UpstreamError),
}

/// One configured server.
pub(crate) struct Server {
    spec: Arc<ServerSpec>,
    opener: Opener,
    state: Mutex<ServerState>,
    tools: RwLock<Option<VersionedTools>>,
    versions: Arc<AtomicU64>,
    permits: Semaphore,
    /// Set once the gateway closes: nothing is started any more.
    closed: AtomicBool,
}

/// The states of a server; see the module.
enum ServerState {
    Down { failures: u32, retry_at: Instant, last: Option<UpstreamError> },
    Starting(watch::Receiver<()>),
    Up { connection: Arc<Connection>, failures: u32 },
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, launcher: Launcher, versions: Arc<AtomicU64>) -> Self {
        let permits = Semaphore::new(spec.max_concurrent);
        let state = ServerState::Down { failures: 0, retry_at: Instant::now(), last: None };
        let spec = Arc::new(spec);
        Self {
            opener: Opener::new(Arc::clone(&spec), launcher),
            spec,
            state: Mutex::new(state),
            tools: RwLock::default(),
            versions,
            permits,
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(crate) fn status(&self) -> ServerStatus {
        match &*self.state() {
            ServerState::Down { last: None, .. } => ServerStatus::NotStarted,
            ServerState::Down { last: Some(error), .. } => ServerStatus::Failed(error.clone()),
            ServerState::Starting(_) => ServerStatus::Starting,
            ServerState::Up { .. } => ServerStatus::Connected,
        }
    }

    /// The last tool list received; does not start the server.
    pub(crate) fn cached_tools(&self) -> Option<VersionedTools> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The current tool list; starts the server if it is not running.
    pub(crate) async fn tools(self: &Arc<Self>) -> Result<VersionedTools, UpstreamError> {
        let connection = self.connection().await?;
        // A program may call a tool that its previous call has added.
        if connection.has_unlisted_changes() {
            let _ = tokio::time::timeout(CALLER_WAIT, connection.changes_listed()).await;
        }
        let empty = || VersionedTools { version: 0, list: Arc::default() };
        Ok(self.cached_tools().unwrap_or_else(empty))
    }

    /// The current tool list for a caller that misses a tool in it: the server may be about to
    /// announce that it has added the tool.
    pub(crate) async fn tools_awaiting_change(
        self: &Arc<Self>,
    ) -> Result<VersionedTools, UpstreamError> {
        let connection = self.connection().await?;
        let mut changes = connection.changes();
        let announced = changes.wait_for(|now| now.announced > now.listed);
        let _ = tokio::time::timeout(CHANGE_WAIT, announced).await;
        self.tools().await
    }

    /// Calls a tool within the server's time and concurrency limits.
    pub(crate) async fn call(self: &Arc<Self>, call: ToolCall) -> Result<Answer, UpstreamError> {
        let _permit = self.permits.acquire().await.map_err(|_| UpstreamError::Protocol {
            server: self.spec.name.clone(),
            reason: "the gateway is closing".to_owned(),
        })?;
        let connection = self.connection().await?;
        match tokio::time::timeout(self.spec.timeout, connection.call(call)).await {
            Ok(Err(UpstreamError::Died { server, .. })) => {
                let end = connection.termination().await;
                self.mark_dead(&connection, &end);
                Err(UpstreamError::Died {
                    server,
                    reason: end.reason,
                    last_output: end.last_output,
                })
            }
            Ok(answer) => {
                self.reset_failures();
                answer
            }
            Err(_) => {
                tokio::spawn(close_if_hung(Arc::clone(self), connection));
                let server = self.spec.name.clone();
                Err(UpstreamError::TimedOut { server, after: self.spec.timeout })
            }
        }
    }

    /// Closes the connection, if there is one, and waits until its child is gone.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.permits.close();
        let connection = match &*self.state() {
            ServerState::Up { connection, .. } => Arc::clone(connection),
            ServerState::Down { .. } | ServerState::Starting(_) => return,
        };
        connection.close().await;
    }

    /// The live connection, or a new one.
    async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        self.detect_death().await;
        let mut started = match self.connect_or_restart()? {
            Readiness::Live(connection) => return Ok(connection),
            Readiness::Starting(started) => started,
        };
        // The sender is dropped when the attempt is over, whatever its outcome.
        let _ = started.changed().await;
        self.discard_lost_start(&started);
        match &*self.state() {
            ServerState::Up { connection, .. } => Ok(Arc::clone(connection)),
            ServerState::Down { last: Some(error), .. } => Err(error.clone()),
            ServerState::Down { last: None, .. } | ServerState::Starting(_) => {
                Err(self.start_failed("the start was interrupted"))
            }
        }
    }

    /// Marks a start as failed whose task is gone without a result: nobody may wait for it.
    fn discard_lost_start(&self, over: &watch::Receiver<()>) {
        let mut state = self.state();
        if let ServerState::Starting(started) = &*state
            && started.same_channel(over)
        {
            let last = Some(self.start_failed("the start was interrupted"));
            *state = ServerState::Down { failures: 1, retry_at: Instant::now(), last };
        }
    }

    fn start_failed(&self, reason: &str) -> UpstreamError {
        let (server, reason) = (self.spec.name.clone(), reason.to_owned());
        UpstreamError::StartFailed { server, reason, last_output: String::new() }
    }

    /// Detects that the connection has died since the last call.
    async fn detect_death(&self) {
        let dead = match &*self.state() {
            ServerState::Up { connection, .. } if connection.is_closed() => Arc::clone(connection),
            _ => return,
        };
        let end = dead.termination().await;
        tracing::warn!(
            server = self.spec.name,
            reason = end.reason,
            last_output = end.last_output,
            "server died"
        );
        self.mark_dead(&dead, &end);
    }

    fn mark_dead(&self, dead: &Arc<Connection>, end: &Termination) {
        let mut state = self.state();
        if let ServerState::Up { connection, failures } = &*state
            && Arc::ptr_eq(connection, dead)
        {
            let failures = failures + 1;
            let last = UpstreamError::Died {
                server: self.spec.name.clone(),
                reason: end.reason.clone(),
                last_output: end.last_output.clone(),
            };
            *state = ServerState::Down {
                failures,
                retry_at: Instant::now() + backoff_after(failures),
                last: Some(last),
            };
        }
    }

    fn connect_or_restart(self: &Arc<Self>) -> Result<Readiness, UpstreamError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(self.start_failed("the gateway is closing"));
        }
        let mut state = self.state();
        let (failures, wait) = match &*state {
            ServerState::Up { connection, .. } => {
                return Ok(Readiness::Live(Arc::clone(connection)));
            }
            ServerState::Starting(started) => return Ok(Readiness::Starting(started.clone())),
            ServerState::Down { failures, retry_at, last } => {
                let wait = retry_at.saturating_duration_since(Instant::now());
                if let Some(last) = last
                    && wait > CALLER_WAIT
                {
                    let (reason, last_output) = root_reason(last);
                    return Err(UpstreamError::BackingOff {
                        server: self.spec.name.clone(),
                        retry_in: wait,
                        reason,
                        last_output,
                    });
                }
                (*failures, wait)
            }
        };
        let (done, started) = watch::channel(());
        *state = ServerState::Starting(started.clone());
        let server = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            server.start(failures).await;
            drop(done);
        });
        Ok(Readiness::Starting(started))
    }

    /// One attempt to start the server and to learn its tools.
    async fn start(self: &Arc<Self>, failures: u32) {
        let opened = self.open().await;
        if self.closed.load(Ordering::Acquire)
            && let Ok(connection) = &opened
        {
            connection.close().await;
        }
        let mut state = self.state();
        *state = match opened {
            Ok(connection) => ServerState::Up { connection, failures },
            Err(error) => {
                tracing::warn!(server = self.spec.name, %error, "server not started");
                let failures = failures + 1;
                let retry_at = Instant::now() + backoff_after(failures);
                ServerState::Down { failures, retry_at, last: Some(error) }
            }
        };
    }

    async fn open(self: &Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        let connection = Arc::new(self.opener.open().await?);
        let listed = tokio::time::timeout(self.spec.timeout, connection.list_tools()).await;
        let list = match listed {
            Ok(Ok(list)) => list,
            Ok(Err(UpstreamError::Died { server, .. })) => {
                let end = connection.termination().await;
                let (reason, last_output) = (end.reason, end.last_output);
                return Err(UpstreamError::StartFailed { server, reason, last_output });
            }
            Ok(Err(error)) => return Err(error),
            Err(_) => {
                let server = self.spec.name.clone();
                return Err(UpstreamError::TimedOut { server, after: self.spec.timeout });
            }
        };
        self.set_tools(list);
        tokio::spawn(follow_changes(Arc::downgrade(self), Arc::downgrade(&connection)));
        Ok(connection)
    }

    fn set_tools(&self, list: ToolList) {
        let list = Arc::new(list);
        // Counted under the lock: a caller that sees the new version and then reads the list
        // must get this one; with an older one it would never ask for this version again.
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let version = self.versions.fetch_add(1, Ordering::AcqRel) + 1;
        *tools = Some(VersionedTools { version, list });
    }

    /// A server that answers may be restarted at once again.
    fn reset_failures(&self) {
        if let ServerState::Up { failures, .. } = &mut *self.state() {
            *failures = 0;
        }
    }

    fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection to wait for, or to use.
enum Readiness {
    Live(Arc<Connection>),
    Starting(watch::Receiver<()>),
}

/// Lists the tools again whenever the server announces a change.
async fn follow_changes(server: std::sync::Weak<Server>, connection: std::sync::Weak<Connection>) {
    let Some(mut changes) = connection.upgrade().map(|live| live.changes()) else { return };
    // An error here means that the connection is gone.
    while let Ok(announced) =
        changes.wait_for(|now| now.announced > now.listed).await.map(|now| now.announced)
    {
        let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) else {
            return;
        };
        match tokio::time::timeout(server.spec.timeout, connection.list_tools()).await {
            Ok(Ok(list)) => server.set_tools(list),
            _ => tracing::warn!(server = server.spec.name, "could not list changed tools"),
        }
        // Even if that failed: nobody should wait for these changes again.
        connection.mark_listed(announced);
        // The first change is listed at once; a server that announces changes without end
        // causes at most ten listings a second.
        tokio::time::sleep(RELIST_INTERVAL).await;
        if connection.is_closed() {
            return;
        }
    }
}

/// Closes a connection whose server does not answer a ping.
async fn close_if_hung(server: Arc<Server>, connection: Arc<Connection>) {
    if !connection.is_responsive(PING_TIMEOUT).await {
        tracing::warn!(server = server.spec.name, "server hangs, closing its connection");
        server.mark_dead(&connection, &Termination::without_output("it stopped answering"));
        connection.close().await;
    }
}

fn backoff_after(failures: u32) -> Duration {
    match failures {
        0 | 1 => Duration::ZERO,
        more => FIRST_BACKOFF.saturating_mul(1 << (more - 2).min(10)).min(LONGEST_BACKOFF),
    }
}

/// The innermost reason, so that texts of repeated failures do not nest.
fn root_reason(error: &UpstreamError) -> (String, String) {
    match error {
        UpstreamError::StartFailed { reason, last_output, .. }
        | UpstreamError::BackingOff { reason, last_output, .. }
        | UpstreamError::Died { reason, last_output, .. } => (reason.clone(), last_output.clone()),
        UpstreamError::Protocol { reason, .. } => (reason.clone(), String::new()),
        UpstreamError::Unknown { .. }
        | UpstreamError::CommandNotFound { .. }
        | UpstreamError::TimedOut { .. }
        | UpstreamError::TooLarge { .. }
        | UpstreamError::Refused { .. } => (error.to_string(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::backoff_after;

    #[test]
    fn the_first_restart_is_immediate_and_later_ones_wait_longer_up_to_a_cap() {
        let waits: Vec<Duration> = (0..6).map(backoff_after).collect();
        let millis = [0, 0, 500, 1000, 2000, 4000].map(Duration::from_millis);
        assert_eq!(waits, millis);
        assert_eq!(backoff_after(u32::MAX), Duration::from_secs(30));
    }
}
