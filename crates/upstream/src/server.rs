//! One configured server over its whole life: started, used, restarted.
//!
//! This is where a server is restarted. State machine:
//!
//! ```text
//! Down ──first use──▶ Starting ──handshake──▶ Up ──dies──▶ Down (wait, then again)
//! ```
//!
//! A start runs in a task of its own: a run that is cancelled while it waits
//! must not cancel a start that others wait for too, or a slow server would
//! never come up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tidegate_model::{Answer, ServerSpec, ToolCall, ToolList};
use tokio::sync::{Semaphore, watch};

use crate::UpstreamError;
use crate::child::{Epitaph, Launcher};
use crate::connection::Connection;

/// Waits between starts: none after the first failure, then doubling.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A caller rather waits this long for the next start, or for a tool list that
/// has changed, than gets an error.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long somebody who misses a tool waits for news of it: a change is noticed
/// a little later than the answer that came with it. Chosen, not tuned.
const MOMENT: Duration = Duration::from_millis(100);
/// A server that let a call time out must answer a ping within this, or it is
/// taken for hung and restarted.
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// The shortest time between two listings of one server.
const RELIST_PAUSE: Duration = Duration::from_millis(100);

/// A tool list and how many lists came before it, over all servers.
#[derive(Debug, Clone)]
pub struct VersionedTools {
    /// Grows with every list that is received.
    pub version: u64,
    /// The list.
    pub list: Arc<ToolList>,
}

/// How a server is doing, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerStatus {
    /// Not needed so far.
    NotStarted,
    /// On its way.
    Starting,
    /// Ready.
    Connected,
    /// Failed, and how it failed last.
    Failed(UpstreamError),
}

pub(crate) struct Server {
    spec: ServerSpec,
    launcher: Launcher,
    state: Mutex<State>,
    tools: RwLock<Option<VersionedTools>>,
    versions: Arc<AtomicU64>,
    permits: Semaphore,
    /// Set once: nothing is started any more.
    closed: AtomicBool,
}

enum State {
    Down { failures: u32, retry_at: Instant, last: Option<UpstreamError> },
    Starting(watch::Receiver<()>),
    Up { connection: Arc<Connection>, failures: u32 },
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, launcher: Launcher, versions: Arc<AtomicU64>) -> Self {
        let permits = Semaphore::new(spec.max_concurrent);
        let state = State::Down { failures: 0, retry_at: Instant::now(), last: None };
        Self {
            spec,
            launcher,
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
            State::Down { last: None, .. } => ServerStatus::NotStarted,
            State::Down { last: Some(error), .. } => ServerStatus::Failed(error.clone()),
            State::Starting(_) => ServerStatus::Starting,
            State::Up { .. } => ServerStatus::Connected,
        }
    }

    /// The last tool list received, without starting anything.
    pub(crate) fn known_tools(&self) -> Option<VersionedTools> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The current tool list; starts the server if it has not been heard of.
    pub(crate) async fn tools(self: &Arc<Self>) -> Result<VersionedTools, UpstreamError> {
        let connection = self.connection().await?;
        // A program may call a tool that its call before has added.
        if connection.has_unlisted_changes() {
            let _ = tokio::time::timeout(PATIENCE, connection.changes_listed()).await;
        }
        let empty = || VersionedTools { version: 0, list: Arc::default() };
        Ok(self.known_tools().unwrap_or_else(empty))
    }

    /// The current tool list for somebody who misses a tool in it: a server that
    /// has just added it may have said so in these very moments.
    pub(crate) async fn tools_in_a_moment(
        self: &Arc<Self>,
    ) -> Result<VersionedTools, UpstreamError> {
        let connection = self.connection().await?;
        let mut changes = connection.changes();
        let announced = changes.wait_for(|now| now.announced > now.listed);
        let _ = tokio::time::timeout(MOMENT, announced).await;
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
                let end = connection.epitaph().await;
                self.mark_dead(&connection, &end);
                Err(UpstreamError::Died { server, reason: end.reason, said: end.said })
            }
            Ok(answer) => {
                self.forgive();
                answer
            }
            Err(_) => {
                tokio::spawn(end_if_hung(Arc::clone(self), connection));
                let server = self.spec.name.clone();
                Err(UpstreamError::TimedOut { server, after: self.spec.timeout })
            }
        }
    }

    /// Ends the connection, if there is one, and everything behind it.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.permits.close();
        let connection = match &*self.state() {
            State::Up { connection, .. } => Arc::clone(connection),
            State::Down { .. } | State::Starting(_) => return,
        };
        connection.close().await;
    }

    /// A live connection: the one there is, or a new one.
    async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        self.notice_death().await;
        let mut started = match self.live_or_starting()? {
            Ready::Live(connection) => return Ok(connection),
            Ready::Starting(started) => started,
        };
        // The sender is dropped when the attempt is over, however it went.
        let _ = started.changed().await;
        self.give_up_on_a_lost_start(&started);
        match &*self.state() {
            State::Up { connection, .. } => Ok(Arc::clone(connection)),
            State::Down { last: Some(error), .. } => Err(error.clone()),
            State::Down { last: None, .. } | State::Starting(_) => {
                Err(self.start_failed("the start was interrupted"))
            }
        }
    }

    /// A start whose task is gone without a result must not be waited for again.
    fn give_up_on_a_lost_start(&self, over: &watch::Receiver<()>) {
        let mut state = self.state();
        if let State::Starting(started) = &*state
            && started.same_channel(over)
        {
            let last = Some(self.start_failed("the start was interrupted"));
            *state = State::Down { failures: 1, retry_at: Instant::now(), last };
        }
    }

    fn start_failed(&self, reason: &str) -> UpstreamError {
        let (server, reason) = (self.spec.name.clone(), reason.to_owned());
        UpstreamError::StartFailed { server, reason, said: String::new() }
    }

    /// A connection that died between two calls is noticed by the second.
    async fn notice_death(&self) {
        let dead = match &*self.state() {
            State::Up { connection, .. } if connection.is_closed() => Arc::clone(connection),
            _ => return,
        };
        let end = dead.epitaph().await;
        tracing::warn!(
            server = self.spec.name,
            reason = end.reason,
            said = end.said,
            "server died"
        );
        self.mark_dead(&dead, &end);
    }

    fn mark_dead(&self, dead: &Arc<Connection>, end: &Epitaph) {
        let mut state = self.state();
        if let State::Up { connection, failures } = &*state
            && Arc::ptr_eq(connection, dead)
        {
            let failures = failures + 1;
            let last = UpstreamError::Died {
                server: self.spec.name.clone(),
                reason: end.reason.clone(),
                said: end.said.clone(),
            };
            *state = State::Down {
                failures,
                retry_at: Instant::now() + wait_after(failures),
                last: Some(last),
            };
        }
    }

    fn live_or_starting(self: &Arc<Self>) -> Result<Ready, UpstreamError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(self.start_failed("the gateway is closing"));
        }
        let mut state = self.state();
        let (failures, wait) = match &*state {
            State::Up { connection, .. } => return Ok(Ready::Live(Arc::clone(connection))),
            State::Starting(started) => return Ok(Ready::Starting(started.clone())),
            State::Down { failures, retry_at, last } => {
                let wait = retry_at.saturating_duration_since(Instant::now());
                if let Some(last) = last
                    && wait > PATIENCE
                {
                    let (reason, said) = root_reason(last);
                    return Err(UpstreamError::BackingOff {
                        server: self.spec.name.clone(),
                        retry_in: wait,
                        reason,
                        said,
                    });
                }
                (*failures, wait)
            }
        };
        let (done, started) = watch::channel(());
        *state = State::Starting(started.clone());
        let server = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            server.start(failures).await;
            drop(done);
        });
        Ok(Ready::Starting(started))
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
            Ok(connection) => State::Up { connection, failures },
            Err(error) => {
                tracing::warn!(server = self.spec.name, %error, "server not started");
                let failures = failures + 1;
                let retry_at = Instant::now() + wait_after(failures);
                State::Down { failures, retry_at, last: Some(error) }
            }
        };
    }

    async fn open(self: &Arc<Self>) -> Result<Arc<Connection>, UpstreamError> {
        let connection = Arc::new(Connection::open(&self.spec, &self.launcher).await?);
        let listed = tokio::time::timeout(self.spec.timeout, connection.list_tools()).await;
        let list = match listed {
            Ok(Ok(list)) => list,
            Ok(Err(UpstreamError::Died { server, .. })) => {
                let end = connection.epitaph().await;
                let (reason, said) = (end.reason, end.said);
                return Err(UpstreamError::StartFailed { server, reason, said });
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
        // Counted under the lock: whoever sees the new version and then asks for
        // the list must get this one, or would take it for known and lose it.
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let version = self.versions.fetch_add(1, Ordering::AcqRel) + 1;
        *tools = Some(VersionedTools { version, list });
    }

    /// A server that answers has earned a quick restart again.
    fn forgive(&self) {
        if let State::Up { failures, .. } = &mut *self.state() {
            *failures = 0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Ready {
    Live(Arc<Connection>),
    Starting(watch::Receiver<()>),
}

/// Lists the tools anew whenever the server says that they have changed.
async fn follow_changes(server: std::sync::Weak<Server>, connection: std::sync::Weak<Connection>) {
    let Some(mut changes) = connection.upgrade().map(|live| live.changes()) else { return };
    // An error means that the connection is gone.
    while let Ok(announced) =
        changes.wait_for(|now| now.announced > now.listed).await.map(|now| now.announced)
    {
        let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) else {
            return;
        };
        match tokio::time::timeout(server.spec.timeout, connection.list_tools()).await {
            Ok(Ok(list)) => server.set_tools(list),
            _ => tracing::warn!(server = server.spec.name, "changed tools could not be listed"),
        }
        // Also if that failed: nobody is to wait for it again.
        connection.mark_listed(announced);
        // The first change is listed at once; a server that announces without end
        // gets no more than ten listings a second.
        tokio::time::sleep(RELIST_PAUSE).await;
        if connection.is_closed() {
            return;
        }
    }
}

/// Ends a connection whose server does not even answer a ping.
async fn end_if_hung(server: Arc<Server>, connection: Arc<Connection>) {
    if !connection.is_responsive(PING_TIMEOUT).await {
        tracing::warn!(server = server.spec.name, "server hangs, ending it");
        let reason = "it stopped answering".to_owned();
        server.mark_dead(&connection, &Epitaph { reason, said: String::new() });
        connection.close().await;
    }
}

fn wait_after(failures: u32) -> Duration {
    match failures {
        0 | 1 => Duration::ZERO,
        more => FIRST_WAIT.saturating_mul(1 << (more - 2).min(10)).min(LONGEST_WAIT),
    }
}

/// The innermost reason, so that repeated failures do not nest their texts.
fn root_reason(error: &UpstreamError) -> (String, String) {
    match error {
        UpstreamError::StartFailed { reason, said, .. }
        | UpstreamError::BackingOff { reason, said, .. }
        | UpstreamError::Died { reason, said, .. } => (reason.clone(), said.clone()),
        UpstreamError::Protocol { reason, .. } => (reason.clone(), String::new()),
        UpstreamError::Unknown { .. }
        | UpstreamError::CommandNotFound { .. }
        | UpstreamError::TimedOut { .. }
        | UpstreamError::Refused { .. } => (error.to_string(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::wait_after;

    #[test]
    fn the_first_restart_is_immediate_and_later_ones_wait_longer_up_to_a_cap() {
        let waits: Vec<Duration> = (0..6).map(wait_after).collect();
        let millis = [0, 0, 500, 1000, 2000, 4000].map(Duration::from_millis);
        assert_eq!(waits, millis);
        assert_eq!(wait_after(u32::MAX), Duration::from_secs(30));
    }
}
