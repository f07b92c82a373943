//! The engine's view of the gateway: calls, questions, logs, timers, the clock.
//!
//! One per run, shared by the native functions that the globals are built on.
//! Invariant: once [`Host::stop`] was called, no further message is sent but the
//! outcome, and the engine's interrupt handler ends the program.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tidegate_model::{ErrorCode, IsolationReport, NAME_LIMIT, RunError};
use tidegate_wire::{FromGuest, LogLevel, PROTOCOL_VERSION, Question, RunRequest, ToGuest};

use crate::channel::Channel;

/// Printed text is sent in pieces of about this size, since a frame per line
/// would cost a wake-up of the gateway per line.
const LOG_PIECE_BYTES: usize = 32 * 1024;

/// How long one wait is while the clock is stopped; then it waits again.
const STOPPED_WAIT: Duration = Duration::from_secs(60);

/// An answer to a call: its id and JSON text or error.
pub(crate) type Reply = (u32, Result<String, RunError>);

/// State shared by all native functions of one run.
pub(crate) struct Host {
    channel: RefCell<Channel>,
    /// Answers that arrived while a question was waiting for its own.
    early: RefCell<VecDeque<Reply>>,
    in_flight: Cell<u32>,
    next_question: Cell<u32>,
    log: RefCell<(LogLevel, String)>,
    /// The limit of output, and what is left of it.
    output_bytes: Cell<u64>,
    output_left: Cell<u64>,
    /// What the program wanted to print and return, once it was too much.
    output_wanted: Cell<u64>,
    timers: RefCell<Timers>,
    stopped: RefCell<Option<ErrorCode>>,
    started: Cell<Instant>,
    /// `None` until the program is known, and while the clock is stopped.
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
            early: RefCell::default(),
            in_flight: Cell::new(0),
            // Calls count up from 1; questions down from the top, so that the
            // two never meet.
            next_question: Cell::new(u32::MAX),
            log: RefCell::new((LogLevel::Info, String::new())),
            output_bytes: Cell::new(0),
            output_left: Cell::new(0),
            output_wanted: Cell::new(0),
            timers: RefCell::default(),
            stopped: RefCell::new(None),
            started: Cell::new(Instant::now()),
            deadline: Cell::new(None),
            cpu_deadline: Cell::new(None),
        }
    }

    /// Says hello, with the proof of the worker's confinement, and waits for the program.
    /// The clock starts when it is there.
    pub(crate) fn wait_for_run(&self, report: IsolationReport) -> io::Result<RunRequest> {
        self.send(&FromGuest::Hello { version: PROTOCOL_VERSION, report })?;
        let ToGuest::Run(run) = self.channel.borrow_mut().receive()? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let now = Instant::now();
        self.started.set(now);
        self.deadline.set(Some(now + Duration::from_millis(u64::from(run.time_ms))));
        let cpu_limit = Duration::from_millis(u64::from(run.cpu_ms));
        self.cpu_deadline.set(Some(cpu_time() + cpu_limit));
        self.output_bytes.set(run.output_bytes);
        self.output_left.set(run.output_bytes);
        Ok(*run)
    }

    /// Why the run must end now, if it must. Checked by the interrupt handler.
    pub(crate) fn stop_reason(&self) -> Option<ErrorCode> {
        let stopped = *self.stopped.borrow();
        let late = || self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        let busy = || self.cpu_deadline.get().is_some_and(|deadline| cpu_time() >= deadline);
        stopped
            .or_else(|| late().then_some(ErrorCode::TimeLimit))
            .or_else(|| busy().then_some(ErrorCode::CpuLimit))
    }

    /// When the run must have ended, once the program is known.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// The clock of the run was stopped by the gateway, or goes on.
    fn set_clock(&self, left_ms: Option<u32>) {
        let left = left_ms.map(|left| Duration::from_millis(u64::from(left)));
        self.deadline.set(left.map(|left| Instant::now() + left));
    }

    fn stop(&self, reason: ErrorCode) {
        self.stopped.borrow_mut().get_or_insert(reason);
    }

    /// Milliseconds since the program started.
    pub(crate) fn now_ms(&self) -> f64 {
        self.started.get().elapsed().as_secs_f64() * 1000.0
    }

    /// Sends a message, after what was printed before it.
    pub(crate) fn send(&self, message: &FromGuest) -> io::Result<()> {
        self.flush_log()?;
        self.channel.borrow_mut().send(message)
    }

    /// Starts a tool call. Its reply comes out of [`Host::next_reply`].
    pub(crate) fn call(
        &self,
        id: u32,
        mut name: String,
        arguments: String,
        raw: bool,
    ) -> io::Result<()> {
        // Nothing longer exists, and the gateway ends the run of a worker that
        // sends it: cut, it is simply unknown.
        name.truncate(name.floor_char_boundary(NAME_LIMIT));
        self.request(&FromGuest::Call { id, name, arguments, raw })
    }

    /// Sends something that will get a reply.
    pub(crate) fn request(&self, message: &FromGuest) -> io::Result<()> {
        self.in_flight.set(self.in_flight.get() + 1);
        self.send(message)
    }

    /// Starts a `fetch`. Its reply comes out of [`Host::next_reply`], and its id
    /// is of the same count as those of calls.
    pub(crate) fn fetch(&self, id: u32, request: String) -> io::Result<()> {
        self.in_flight.set(self.in_flight.get() + 1);
        self.send(&FromGuest::Fetch { id, request })
    }

    /// Asks for a host command. Its reply comes out of [`Host::next_reply`].
    pub(crate) fn command(&self, id: u32, mut name: String, request: String) -> io::Result<()> {
        name.truncate(name.floor_char_boundary(NAME_LIMIT));
        self.in_flight.set(self.in_flight.get() + 1);
        self.send(&FromGuest::Command { id, name, request })
    }

    /// How many calls have no reply yet.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight.get()
    }

    /// Asks a question and waits for its answer. Replies to calls that arrive
    /// in between are kept for the event loop.
    pub(crate) fn ask(
        &self,
        question: Question,
        mut body: String,
    ) -> io::Result<Result<String, RunError>> {
        body.truncate(body.floor_char_boundary(question.body_limit()));
        let asked = self.next_question.get();
        self.next_question.set(asked - 1);
        self.send(&FromGuest::Ask { id: asked, question, body })?;
        loop {
            match self.channel.borrow_mut().receive()? {
                ToGuest::Reply { id, outcome } if id == asked => return Ok(outcome),
                ToGuest::Reply { id, outcome } => self.early.borrow_mut().push_back((id, outcome)),
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
        let early = self.early.borrow_mut().pop_front();
        let reply = match early {
            Some(reply) => Some(reply),
            None => {
                let now = Instant::now();
                let until = [until, self.deadline.get()].into_iter().flatten().min();
                // Without a deadline the clock is stopped, and the gateway will say more.
                let timeout =
                    until.map_or(STOPPED_WAIT, |until| until.saturating_duration_since(now));
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

    /// Captures printed text. False if the run has printed too much.
    pub(crate) fn print(&self, level: LogLevel, text: &str) -> io::Result<bool> {
        if !self.take_output(text.len() as u64 + 1) {
            self.stop(ErrorCode::OutputLimit);
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
            pending.len() >= LOG_PIECE_BYTES
        };
        if full {
            self.flush_log()?;
        }
        Ok(true)
    }

    /// Counts bytes of output. False if there were too many.
    pub(crate) fn take_output(&self, bytes: u64) -> bool {
        let Some(left) = self.output_left.get().checked_sub(bytes) else {
            let printed = self.output_bytes.get() - self.output_left.get();
            self.output_wanted.set(printed.saturating_add(bytes));
            return false;
        };
        self.output_left.set(left);
        true
    }

    /// What the program wanted to print and return in all; zero if that was not
    /// too much.
    pub(crate) fn output_wanted(&self) -> u64 {
        self.output_wanted.get()
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
        // NaN and negative delays mean "at once", as in browsers. A day is far
        // beyond any deadline.
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

    /// Takes one timer that is due.
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
