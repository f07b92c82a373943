//! A run while its worker is alive. Handles each frame of the worker.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tidegate_model::{ErrorCode, Limits, Program, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_sandbox::{ChannelError, FrameWriter};
use tidegate_wire::{Cause, EngineLimit, Failure, FromGuest, LogLevel, RunRequest, ToGuest};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinSet;

use super::Runner;
use crate::answer::ended::{Ended, Outcome};
use crate::answer::log_memory::LogMemory;
use crate::approvals::person::Person;
use crate::bridge::request::{AnswerForm, Request};
use crate::explain::reported;
use crate::run::given_errors::GivenErrors;
use crate::tools::view::View;

/// The most commands that run at the same time for one run. Each has memory and processes
/// of its own, so a run can use this many times a command's limits in addition to its
/// own. Chosen: as many as pipelines of ordinary tools have.
const PARALLEL_COMMANDS: usize = 4;

/// The state that the tasks of a run share.
pub(crate) struct RunShared {
    pub(crate) runner: Arc<Runner>,
    pub(crate) id: RunId,
    pub(crate) program: Arc<Program>,
    pub(crate) person: Arc<Person>,
    pub(crate) permissions: Permissions,
    pub(crate) limits: Limits,
    /// What the program sees of the servers, from its start to its end.
    pub(crate) view: View,
    pub(crate) writer: Arc<Mutex<FrameWriter>>,
    /// Ends the run from within a call. The program cannot catch it.
    pub(crate) interrupt: mpsc::UnboundedSender<RunError>,
    pub(super) given: GivenErrors,
}

/// Bounds what a run has under way.
pub(crate) struct Slots {
    pub(crate) parallel: Semaphore,
    pub(crate) commands: Semaphore,
    pub(crate) questions: Arc<Semaphore>,
    pub(crate) waiting_bytes: AtomicU64,
}

/// A run that is under way.
pub(crate) struct ActiveRun {
    pub(crate) shared: Arc<RunShared>,
    pub(crate) slots: Arc<Slots>,
    pub(crate) tasks: JoinSet<()>,
    /// How often the program wanted to save a skill.
    pub(crate) saves: u32,
    /// The hint of a refused call.
    pub(crate) call_hint: Option<String>,
    printed_bytes: u64,
    pub(crate) log_memory: LogMemory,
    /// Bytes that were to be printed and returned, if these were too many.
    pub(crate) output_bytes: u64,
    /// The limit at which the engine claims to have stopped.
    pub(super) claimed: Option<EngineLimit>,
    pub(crate) ended: Ended,
}

impl ActiveRun {
    pub(crate) fn new(shared: RunShared) -> Self {
        let slots = Slots {
            parallel: Semaphore::new(shared.limits.parallel_calls as usize),
            commands: Semaphore::new(PARALLEL_COMMANDS),
            questions: Arc::new(Semaphore::new(1)),
            waiting_bytes: AtomicU64::new(0),
        };
        Self {
            log_memory: shared.runner.logs.of_run(),
            shared: Arc::new(shared),
            slots: Arc::new(slots),
            tasks: JoinSet::new(),
            saves: 0,
            call_hint: None,
            printed_bytes: 0,
            output_bytes: 0,
            claimed: None,
            ended: Ended::begun(),
        }
    }

    /// Sends the program.
    pub(crate) async fn send(&self, order: RunRequest) -> Result<(), RunError> {
        let sent = self.shared.writer.lock().await.send(&ToGuest::Run(Box::new(order))).await;
        sent.map_err(|error| match error {
            ChannelError::Malformed(_) => {
                RunError::new(ErrorCode::Syntax, "the program is too long")
                    .with_hint("programs can be up to 64 MB")
            }
            other => self.worker_error(&other),
        })
    }

    /// Handles one message. Returns the run's outcome if this was the last.
    pub(crate) fn take(&mut self, message: FromGuest) -> Option<Outcome> {
        match message {
            FromGuest::Hello { .. } | FromGuest::Prepared(_) => Some(Err(broken_protocol())),
            FromGuest::Call { id, name, arguments, raw } => {
                let form = if raw { AnswerForm::Raw } else { AnswerForm::Value };
                self.start_request(id, Request::Tool { name, arguments, form })
            }
            FromGuest::Fetch { id, request } => self.start_request(id, Request::Fetch(request)),
            FromGuest::Command { id, name, request } => {
                self.start_request(id, Request::Command { name, request })
            }
            FromGuest::Ask { id, question, body } => self.start_question(id, question, body),
            FromGuest::Log { level, text } => self.log(level, &text),
            FromGuest::Done { output, memory_bytes } => {
                self.ended.memory_bytes = self.possible(memory_bytes);
                let bytes = output.as_ref().map_or(0, String::len) as u64;
                if bytes + self.printed_bytes > self.shared.limits.output_bytes {
                    self.output_bytes = bytes + self.printed_bytes;
                    return Some(Err(RunError::new(ErrorCode::OutputLimit, "too much")));
                }
                Some(Ok(output))
            }
            FromGuest::Failed { failure, memory_bytes, output_bytes } => {
                self.ended.memory_bytes = self.possible(memory_bytes);
                self.output_bytes = self.possible(output_bytes).max(self.printed_bytes);
                Some(Err(self.failed(&failure)))
            }
        }
    }

    /// The error of a run whose program failed, as its worker reports it.
    fn failed(&mut self, failure: &Failure) -> RunError {
        let error = match &failure.cause {
            Cause::Program(complaint) => reported::complaint(complaint),
            Cause::Stuck => reported::stuck(),
            Cause::Limit(limit) => {
                self.claimed = Some(*limit);
                RunError::new(code_of_engine(*limit), "stopped")
            }
            Cause::Answered { id } => match self.shared.given.find(*id) {
                Some(error) => error,
                None => return broken_protocol(),
            },
            Cause::Engine => return lost("the engine died"),
        };
        reported::placed(error, failure, &self.shared.program.source)
    }

    /// A number that the worker reported, capped at a plausible value.
    fn possible(&self, bytes: u64) -> u64 {
        bytes.min(self.shared.limits.memory_bytes.saturating_mul(4))
    }

    fn log(&mut self, level: LogLevel, text: &str) -> Option<Outcome> {
        if text.is_empty() {
            // Our worker sends at least a line end. Empty text does not count as output,
            // yet a flood of it would fill our memory with marks.
            return Some(Err(broken_protocol()));
        }
        // The text as printed is what counts; our marks are not the program's.
        self.printed_bytes += text.len() as u64;
        if self.printed_bytes > self.shared.limits.output_bytes {
            self.output_bytes = self.printed_bytes;
            return Some(Err(RunError::new(ErrorCode::OutputLimit, "too much")));
        }
        if !self.log_memory.keep(text.len()) {
            return None;
        }
        let mark = match level {
            LogLevel::Info => "",
            LogLevel::Warn => "[warn] ",
            LogLevel::Error => "[error] ",
        };
        // One mark per piece, not per line: a flood of empty lines must not grow. Neither
        // must a flood of pieces: a compromised worker can send one per byte.
        let marked = (self.ended.logs.len() + mark.len() + text.len()) as u64;
        if marked <= self.shared.limits.output_bytes.saturating_mul(2) {
            self.ended.logs.push_str(mark);
        }
        self.ended.logs.push_str(text);
        None
    }

    /// The channel to the worker failed.
    pub(crate) fn worker_error(&self, error: &ChannelError) -> RunError {
        tracing::warn!(%error, run = %self.shared.id, "worker lost");
        let message = match error {
            ChannelError::Closed(_) => "the worker died",
            ChannelError::Spool(_) => "the gateway has no room on disk for a large message of it",
            ChannelError::Malformed(_) | ChannelError::Unexpected => {
                "the worker broke the protocol"
            }
        };
        lost(message)
    }
}

fn lost(message: &str) -> RunError {
    RunError::new(ErrorCode::WorkerDied, message).with_hint(
        "the program may have used too much memory, or crashed the engine; change it and try \
         again",
    )
}

fn code_of_engine(limit: EngineLimit) -> ErrorCode {
    match limit {
        EngineLimit::Time => ErrorCode::TimeLimit,
        EngineLimit::Cpu => ErrorCode::CpuLimit,
        EngineLimit::Memory => ErrorCode::MemoryLimit,
        EngineLimit::Stack => ErrorCode::StackLimit,
        EngineLimit::Output => ErrorCode::OutputLimit,
        EngineLimit::Disk => ErrorCode::DiskLimit,
    }
}

pub(crate) fn broken_protocol() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the worker broke the protocol")
}
