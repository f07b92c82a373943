//! The gateway as the engine sees it: calls, questions, logs, timers, the clock.
//!
//! In: requests from native functions, which share this state during one run. Out: frames to
//! the gateway, replies to the engine.
//! Invariant: after [`Host::stop`], only the outcome is sent, and the engine's interrupt
//! handler stops the program.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tidegate_model::{IsolationReport, RunError};
use tidegate_wire::{
    EngineLimit, FromGuest, LogLevel, PROTOCOL_VERSION, Question, RunRequest, ToGuest,
};

use crate::channel::Channel;

/// Printed text is sent in chunks of about this size: one frame per line would wake up the
/// gateway for each line.
const LOG_CHUNK_BYTES: usize = 32 * 1024;

/// How long a single wait lasts while the clock is paused; then it waits again.
const PAUSED_WAIT: Duration = Duration::from_secs(60);

/// An answer to a call: its id and JSON text or error.
pub(crate) type Reply = (u32, Result<String, RunError>);

/// State shared by all native functions of one run.
pub(crate) struct Host {
    channel: RefCell<Channel>,
    /// Replies to calls that arrived while a question waited for its answer.
    buffered_replies: RefCell<VecDeque<Reply>>,
    in_flight: Cell<u32>,
    next_question: Cell<u32>,
    log: RefCell<(LogLevel, String)>,
    output: OutputBudget,
    timers: RefCell<Timers>,
    stopped: RefCell<Option<EngineLimit>>,
    clock: Clock,
}

/// How much the program may still print and return.
#[derive(Default)]
struct OutputBudget {
    /// The limit.
    bytes: Cell<u64>,
    left: Cell<u64>,
    /// Total bytes the program tried to print and return, once that exceeded the limit.
    wanted: Cell<u64>,
}

/// When the program began, and when it must end.
struct Clock {
    started: Cell<Instant>,
    /// `None` until the program is known, and while the clock is paused.
    deadline: Cell<Option<Instant>>,
    /// CPU time of the process at which the program must end.
    cpu_deadline: Cell<Option<Duration>>,
}

#[derive(Default)]
struct Timers {
    /// Due time, then order of creation, then the program's id.
    queue: BinaryHeap<Reverse<(Instant, u64, u32)>>,
    live: HashSet<u32>,
    created: u64,
}

impl Host {
    pub(crate) fn new(channel: Channel) -> Self {
        Self {
            channel: RefCell::new(channel),
            buffered_replies: RefCell::default(),
            in_flight: Cell::new(0),
            // Ids of calls count up from 1, ids of questions down from the maximum, so they
            // never collide.
            next_question: Cell::new(u32::MAX),
            log: RefCell::new((LogLevel::Info, String::new())),
            output: OutputBudget::default(),
            timers: RefCell::default(),
            stopped: RefCell::new(None),
            clock: Clock {
                started: Cell::new(Instant::now()),
                deadline: Cell::new(None),
                cpu_deadline: Cell::new(None),
            },
        }
    }

    /// Says hello with the isolation report, and waits for the program. The clock starts
    /// when the program arrives.
    pub(crate) fn wait_for_run(&self, report: IsolationReport) -> io::Result<RunRequest> {
        self.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report })?;
        let ToGuest::Run(run) = self.channel.borrow_mut().receive()? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let now = Instant::now();
        self.clock.started.set(now);
        self.clock.deadline.set(Some(now + Duration::from_millis(u64::from(run.time_ms))));
        let cpu_limit = Duration::from_millis(u64::from(run.cpu_ms));
        self.clock.cpu_deadline.set(Some(cpu_time() + cpu_limit));
        self.output.bytes.set(run.output_bytes);
        self.output.left.set(run.output_bytes);
        Ok(*run)
    }

    /// Why the run must stop now, if it must. Checked by the interrupt handler.
    pub(crate) fn stop_reason(&self) -> Option<EngineLimit> {
        let stopped = *self.stopped.borrow();
        let late = || self.clock.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        let busy = || self.clock.cpu_deadline.get().is_some_and(|deadline| cpu_time() >= deadline);
        stopped
            .or_else(|| late().then_some(EngineLimit::Time))
            .or_else(|| busy().then_some(EngineLimit::Cpu))
    }

    /// The deadline of the run, once the program is known.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.clock.deadline.get()
    }

    /// Pauses or resumes the clock of the run, as the gateway requested.
    fn set_clock(&self, left_ms: Option<u32>) {
        let left = left_ms.map(|left| Duration::from_millis(u64::from(left)));
        self.clock.deadline.set(left.map(|left| Instant::now() + left));
    }

    fn stop(&self, reason: EngineLimit) {
        self.stopped.borrow_mut().get_or_insert(reason);
    }

    /// Milliseconds since the program started.
    pub(crate) fn now_ms(&self) -> f64 {
        self.clock.started.get().elapsed().as_secs_f64() * 1000.0
    }

    /// Sends a message, after the text that was printed before it.
    pub(crate) fn send(&self, message: &FromGuest) -> io::Result<()> {
        self.flush_log()?;
        self.channel.borrow_mut().send(message)
    }

    /// Sends a message that will get a reply, which [`Host::next_reply`] returns.
    pub(crate) fn request(&self, message: &FromGuest) -> io::Result<()> {
        self.in_flight.set(self.in_flight.get() + 1);
        self.send(message)
    }

    /// How many calls have no reply yet.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight.get()
    }

    /// Asks a question and waits for its answer, which comes with the id of the question.
    /// Replies to calls that arrive in between are buffered for the event loop.
    pub(crate) fn ask(&self, question: Question, mut body: String) -> io::Result<Reply> {
        body.truncate(body.floor_char_boundary(question.body_limit()));
        let asked = self.next_question.get();
        self.next_question.set(asked - 1);
        self.send(&FromGuest::Ask { id: asked, question, body })?;
        loop {
            match self.channel.borrow_mut().receive()? {
                ToGuest::Reply { id, outcome } if id == asked => return Ok((id, outcome)),
                ToGuest::Reply { id, outcome } => {
                    self.buffered_replies.borrow_mut().push_back((id, outcome));
                }
                ToGuest::Clock { left_ms } => self.set_clock(left_ms),
                ToGuest::Run(_) | ToGuest::Prepare(_) => {
                    return Err(io::ErrorKind::InvalidData.into());
                }
            }
        }
    }

    /// Waits for the next reply to a call, until `until` or the deadline.
    pub(crate) fn next_reply(&self, until: Option<Instant>) -> io::Result<Option<Reply>> {
        self.flush_log()?;
        let buffered_replies = self.buffered_replies.borrow_mut().pop_front();
        let reply = match buffered_replies {
            Some(reply) => Some(reply),
            None => {
                let now = Instant::now();
                let until = [until, self.clock.deadline.get()].into_iter().flatten().min();
                // No deadline means that the clock is paused; the gateway will resume it.
                let timeout =
                    until.map_or(PAUSED_WAIT, |until| until.saturating_duration_since(now));
                let received = self.channel.borrow_mut().receive_within(timeout)?;
                match received {
                    Some(ToGuest::Reply { id, outcome }) => Some((id, outcome)),
                    Some(ToGuest::Clock { left_ms }) => {
                        self.set_clock(left_ms);
                        None
                    }
                    Some(ToGuest::Run(_) | ToGuest::Prepare(_)) => {
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                    None => None,
                }
            }
        };
        if reply.is_some() {
            self.in_flight.set(self.in_flight.get().saturating_sub(1));
        }
        Ok(reply)
    }

    /// Buffers printed text. False if the run exceeded its output limit.
    pub(crate) fn print(&self, level: LogLevel, text: &str) -> io::Result<bool> {
        if !self.count_output(text.len() as u64 + 1) {
            self.stop(EngineLimit::Output);
            return Ok(false);
        }
        if self.log.borrow().0 != level {
            self.flush_log()?;
            self.log.borrow_mut().0 = level;
        }
        let full = {
            let pending = &mut self.log.borrow_mut().1;
            pending.push_str(text);
            pending.push('\n');
            pending.len() >= LOG_CHUNK_BYTES
        };
        if full {
            self.flush_log()?;
        }
        Ok(true)
    }

    /// Counts bytes of output. False if they exceed the limit.
    pub(crate) fn count_output(&self, bytes: u64) -> bool {
        let Some(left) = self.output.left.get().checked_sub(bytes) else {
            let printed = self.output.bytes.get() - self.output.left.get();
            self.output.wanted.set(printed.saturating_add(bytes));
            return false;
        };
        self.output.left.set(left);
        true
    }

    /// Total bytes the program tried to print and return; zero if within the limit.
    pub(crate) fn output_wanted(&self) -> u64 {
        self.output.wanted.get()
    }

    fn flush_log(&self) -> io::Result<()> {
        let (level, text) = {
            let mut log = self.log.borrow_mut();
            (log.0, std::mem::take(&mut log.1))
        };
        if text.is_empty() {
            return Ok(());
        }
        self.channel.borrow_mut().send(&FromGuest::Log { level, text })
    }

    /// Starts a timer under the program's id.
    pub(crate) fn set_timer(&self, id: u32, delay_ms: f64) {
        // NaN and negative delays mean zero, as in browsers. A day is far beyond any
        // deadline.
        let delay = Duration::from_secs_f64(delay_ms.clamp(0.0, 86_400_000.0).max(0.0) / 1000.0);
        let mut timers = self.timers.borrow_mut();
        timers.created += 1;
        let order = timers.created;
        timers.live.insert(id);
        timers.queue.push(Reverse((Instant::now() + delay, order, id)));
    }

    /// Stops a timer.
    pub(crate) fn clear_timer(&self, id: u32) {
        self.timers.borrow_mut().live.remove(&id);
    }

    /// When the next live timer is due.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        let mut timers = self.timers.borrow_mut();
        while let Some(Reverse((due, _, id))) = timers.queue.peek().copied() {
            if timers.live.contains(&id) {
                return Some(due);
            }
            timers.queue.pop();
        }
        None
    }

    /// Removes and returns one timer that is due.
    pub(crate) fn due_timer(&self) -> Option<u32> {
        if self.next_timer()? > Instant::now() {
            return None;
        }
        let mut timers = self.timers.borrow_mut();
        let Reverse((_, _, id)) = timers.queue.pop()?;
        timers.live.remove(&id);
        Some(id)
    }
}

/// CPU time of this process so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
