//! The clock of a run, which stops while a person is asked, and while the run waits for memory
//! that others use.
//!
//! In: the time limit. Out: when the time is up. The worker has a clock of its own, which
//! interrupts the program at the limit so that the error can name the line; a message
//! stops and starts that one too. CPU time keeps counting: a waiting run uses none.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tidegate_sandbox::FrameWriter;
use tidegate_wire::ToGuest;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

/// The engine interrupts itself at the limit and can then say where it was. If
/// it cannot, it is killed this much later.
const INTERRUPT_GRACE: Duration = Duration::from_millis(150);

/// How long a worker may take to read that its clock stops or starts: it gets that before what
/// follows. One that does not read must not keep the clock from being started again.
const TELL_TIME: Duration = Duration::from_millis(50);

/// The time of one run.
pub(crate) struct RunClock {
    limit: Duration,
    state: Arc<std::sync::Mutex<State>>,
    changed: Notify,
    writer: Arc<Mutex<FrameWriter>>,
}

struct State {
    /// The time used before `since`.
    used: Duration,
    /// When it was last started; `None` while it is stopped.
    since: Option<Instant>,
    /// How many waits there are.
    stops: u32,
}

impl RunClock {
    /// Starts the clock with the time that was used before there was a worker.
    pub(crate) fn start(limit: Duration, used: Duration, writer: Arc<Mutex<FrameWriter>>) -> Self {
        let state = State { used, since: Some(Instant::now()), stops: 0 };
        Self {
            limit,
            state: Arc::new(std::sync::Mutex::new(state)),
            changed: Notify::new(),
            writer,
        }
    }

    /// The time used, without the waits.
    pub(crate) fn used(&self) -> Duration {
        self.state().used()
    }

    /// Waits until the worker must be ended.
    pub(crate) async fn over(&self) {
        loop {
            let changed = self.changed.notified();
            let running = self.state().since.is_some();
            let left = (self.limit + INTERRUPT_GRACE).saturating_sub(self.used());
            if !running {
                changed.await;
                continue;
            }
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                () = changed => {}
            }
        }
    }

    /// Stops the clock during a wait, however many wait at the same time.
    pub(crate) async fn stopped_during<T>(&self, wait: impl Future<Output = T>) -> T {
        let first = {
            let mut state = self.state();
            state.stops += 1;
            let since = state.since.take();
            state.used += since.map_or(Duration::ZERO, |since| since.elapsed());
            since.is_some()
        };
        if first {
            self.changed.notify_one();
            self.tell().await;
        }
        let waited = wait.await;
        let last = {
            let mut state = self.state();
            state.stops -= 1;
            if state.stops == 0 {
                state.since = Some(Instant::now());
            }
            state.stops == 0
        };
        if last {
            self.changed.notify_one();
            self.tell().await;
        }
        waited
    }

    /// Tells the worker whether its clock runs, and how much time is left.
    async fn tell(&self) {
        let (state, writer, limit) =
            (Arc::clone(&self.state), Arc::clone(&self.writer), self.limit);
        let telling = tokio::spawn(async move {
            let mut writer = writer.lock().await;
            // As it is by now, so the last message is right whatever their order.
            let left_ms = lock(&state).left_ms(limit);
            // If the worker is gone, its reader notices.
            let _ = writer.send(&ToGuest::Clock { left_ms }).await;
        });
        // Not cancelled at its end: half a frame would break the stream.
        let _ = tokio::time::timeout(TELL_TIME, telling).await;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn used(&self) -> Duration {
        self.used + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// For the worker: none while the clock is stopped.
    fn left_ms(&self, limit: Duration) -> Option<u32> {
        let left = limit.saturating_sub(self.used());
        self.since.map(|_| u32::try_from(left.as_millis()).unwrap_or(u32::MAX))
    }
}

fn lock(state: &std::sync::Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
