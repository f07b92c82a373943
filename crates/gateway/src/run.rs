//! One program in one worker: frames in, calls out, until it ends.
//!
//! The worker is not believed in anything: calls and bytes are counted here, the
//! clock is here, and whoever breaks the protocol loses the run. The worker's
//! own limits only make for better errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tidegate_model::{ErrorCode, LimitName, Limits, Program, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_python::Analysis;
use tidegate_sandbox::{ChannelError, End, FrameWriter, Hit, Watch, Worker};
use tidegate_wire::{FromGuest, LogLevel, Question, Start, ToGuest};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::bridge::Caller;
use crate::explain_limit::{Subject, code_of, message};
use crate::gateway::Gateway;
use crate::pipeline::RunContext;
use crate::ready::Checked;
use crate::request::{Request, WAITING_BYTES, fulfil};
use crate::run_limits::{Spent, cause, measured};
use crate::view::View;

/// The engine interrupts itself at the limit and can then say where it was. If
/// it cannot, it is killed this much later.
const INTERRUPT_GRACE: Duration = Duration::from_millis(150);

const MEGABYTE: u64 = 1024 * 1024;

/// Calls beyond the limit that are answered with an error, which a program can
/// catch and end by itself: ten thousand at once are not rare. One that goes on
/// regardless is ended, since even its refusals wait in memory.
const REFUSALS: u32 = 20_000;

/// Commands that run at the same time for one run. Each has memory and processes of
/// its own, so this many times a command's limits is what a run can use beside its
/// own. Chosen: what pipelines of ordinary tools have.
const PARALLEL_COMMANDS: usize = 4;

/// Skills that one run can save. Chosen: a program saves what it has made, once;
/// each attempt is a row of the database and wears the disk.
const SAVES: u32 = 100;

/// How a run ended.
pub(crate) struct Ended {
    /// JSON text of the output, or why there is none.
    pub(crate) outcome: Result<Option<String>, RunError>,
    /// What the program printed.
    pub(crate) logs: String,
    /// Peak memory of the worker, as it says itself.
    pub(crate) memory_bytes: u64,
    /// Calls the program made.
    pub(crate) tool_calls: u32,
    /// What was noticed before it ran.
    pub(crate) warnings: Vec<String>,
}

impl Default for Ended {
    fn default() -> Self {
        let (logs, warnings) = (String::new(), Vec::new());
        Self { outcome: Ok(None), logs, memory_bytes: 0, tool_calls: 0, warnings }
    }
}

impl Ended {
    /// A run that did not begin.
    pub(crate) fn failed(error: RunError) -> Self {
        Self { outcome: Err(error), ..Self::default() }
    }
}

/// Runs a program in a fresh worker.
pub(crate) async fn run(
    gateway: &Arc<Gateway>,
    worker: Worker,
    checked: Checked,
    permissions: Permissions,
    limits: &Limits,
    id: &RunId,
    context: &RunContext,
) -> Ended {
    let Worker { mut reader, writer, life, report: _ } = worker;
    let Checked { program, reading } = checked;
    let mut run = Run {
        gateway: Arc::clone(gateway),
        view: Arc::new(View::new(gateway.catalog(), program.language)),
        id: id.clone(),
        permissions: Arc::new(permissions),
        limits: limits.clone(),
        context: context.clone(),
        writer: Arc::new(Mutex::new(writer)),
        parallel: Arc::new(Semaphore::new(limits.parallel_calls as usize)),
        commands: Arc::new(Semaphore::new(PARALLEL_COMMANDS)),
        questions: Arc::new(Semaphore::new(1)),
        waiting_bytes: Arc::default(),
        tasks: JoinSet::new(),
        warnings: Arc::default(),
        checked: false,
        saves: 0,
        call_hint: None,
        printed_bytes: 0,
        output_bytes: 0,
        ended: Ended::default(),
    };
    let started_at = Instant::now();
    let deadline = started_at + limits.time + INTERRUPT_GRACE;
    let mut watch = life.watch(limits);
    let started = tokio::select! {
        started = run.start(program, reading) => started,
        () = tokio::time::sleep_until(deadline) => {
            Err(RunError::new(ErrorCode::TimeLimit, "killed"))
        }
        () = context.cancelled.cancelled() => Err(cancelled()),
    };
    let mut end = End::Now;
    let outcome = match started {
        Err(error) => Err(error),
        Ok(()) => loop {
            let message = tokio::select! {
                message = reader.next() => message,
                () = tokio::time::sleep_until(deadline) => {
                    break Err(RunError::new(ErrorCode::TimeLimit, "killed"));
                }
                () = context.cancelled.cancelled() => {
                    break Err(cancelled());
                }
                limit = passed(&mut watch) => {
                    break Err(RunError::new(code_of(limit), "killed"));
                }
            };
            match message {
                Ok(message) => {
                    if let Some(outcome) = run.take(message) {
                        break outcome;
                    }
                }
                Err(error) => {
                    if matches!(error, ChannelError::Gone(_)) {
                        end = End::ByItself;
                    }
                    break Err(worker_error(&error, id));
                }
            }
        },
    };
    // While it is still there to be looked at, if that says more than we know.
    let usage = outcome.as_ref().err().filter(|error| measured(error.code, watch.is_some()));
    let usage = usage.map(|_| life.usage()).unwrap_or_default();
    // First of all: what was broken off must not go on beside what follows.
    let gone = tokio::spawn(life.end(end));
    // Cancels the calls that are still under way, and waits until each of them
    // is recorded.
    run.tasks.shutdown().await;
    let worker_died = matches!(&outcome, Err(error) if error.code == ErrorCode::WorkerDied);
    // Otherwise it has nothing more to say; the answer need not wait for it.
    let outcome = if worker_died {
        let ending = gone.await.unwrap_or_default();
        tracing::warn!(run = %id, how = ending.text, "worker died");
        outcome.map_err(|error| match ending.cause.or_else(|| cause(&usage, limits)) {
            Some(code) => RunError::new(code, "killed"),
            None => error,
        })
    } else {
        outcome
    };
    let spent = Spent { time: started_at.elapsed(), usage };
    run.ended.outcome = outcome.map_err(|error| run.with_limit(error, &spent));
    let notice = run.notice(&spent);
    let warnings = &mut run.warnings.lock().unwrap_or_else(PoisonError::into_inner);
    run.ended.warnings = std::mem::take(warnings);
    run.ended.warnings.extend(notice);
    run.ended
}

/// The next limit that the watch finds passed, if there is a watch.
async fn passed(watch: &mut Option<Watch>) -> LimitName {
    match watch {
        Some(watch) => watch.await,
        None => std::future::pending().await,
    }
}

pub(crate) struct Run {
    pub(crate) gateway: Arc<Gateway>,
    /// What the program sees of the servers, from its start to its end.
    view: Arc<View>,
    id: RunId,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) limits: Limits,
    context: RunContext,
    writer: Arc<Mutex<FrameWriter>>,
    parallel: Arc<Semaphore>,
    commands: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    waiting_bytes: Arc<AtomicU64>,
    tasks: JoinSet<()>,
    /// What the check of the program says to its author.
    warnings: Arc<std::sync::Mutex<Vec<String>>>,
    /// Whether the program was checked; once is enough, and it costs us work.
    checked: bool,
    /// How often the program wanted to save a skill.
    saves: u32,
    /// What a refused call is told to do.
    call_hint: Option<String>,
    printed_bytes: u64,
    /// What was to be printed and returned, if that was too much.
    pub(crate) output_bytes: u64,
    pub(crate) ended: Ended,
}

type Outcome = Result<Option<String>, RunError>;

impl Run {
    async fn start(&self, program: Program, reading: Option<Analysis>) -> Result<(), RunError> {
        if let Some(reading) = reading {
            let found = self.gateway.check_python(&self.view, &self.id, &program, reading).await?;
            *self.warnings.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        let start = ToGuest::Start(Start {
            source: program.source,
            time_ms: u32::try_from(self.limits.time.as_millis()).unwrap_or(u32::MAX),
            cpu_ms: u32::try_from(self.limits.cpu.as_millis()).unwrap_or(u32::MAX),
            memory_bytes: self.limits.memory_bytes,
            output_bytes: self.limits.output_bytes,
        });
        let sent = self.writer.lock().await.send(&start).await;
        sent.map_err(|error| match error {
            ChannelError::Broken(_) => RunError::new(ErrorCode::Syntax, "the program is too long")
                .with_hint("programs can be up to 64 MB"),
            other => worker_error(&other, &self.id),
        })
    }

    /// Handles one message. The run's outcome, if this was the last.
    fn take(&mut self, message: FromGuest) -> Option<Outcome> {
        match message {
            FromGuest::Hello { .. } => Some(Err(broken_protocol())),
            FromGuest::Call { id, name, arguments, raw } => {
                self.request(id, Request::Tool { name, arguments, raw })
            }
            FromGuest::Fetch { id, request } => self.request(id, Request::Fetch(request)),
            FromGuest::Command { id, name, request } => {
                self.request(id, Request::Command { name, request })
            }
            FromGuest::Ask { id, question, body } => self.ask(id, question, body),
            FromGuest::Log { level, text } => self.log(level, &text),
            FromGuest::Done { output, memory_bytes } => {
                self.ended.memory_bytes = memory_bytes;
                let bytes = output.as_ref().map_or(0, String::len) as u64;
                if bytes + self.printed_bytes > self.limits.output_bytes {
                    self.output_bytes = bytes + self.printed_bytes;
                    return Some(Err(RunError::new(ErrorCode::OutputLimit, "too much")));
                }
                Some(Ok(output))
            }
            FromGuest::Failed { error, memory_bytes, output_bytes } => {
                self.ended.memory_bytes = memory_bytes;
                // Its own word, so not more of it than can be true.
                let possible = self.limits.memory_bytes.saturating_mul(4);
                self.output_bytes = output_bytes.min(possible).max(self.printed_bytes);
                Some(Err(if said_by_the_host_only(error.code) { broken_protocol() } else { error }))
            }
        }
    }

    /// Starts what the program asks for, or refuses it at once: what is refused
    /// must not wait in memory for its turn.
    fn request(&mut self, id: u32, request: Request) -> Option<Outcome> {
        // Counted before the call: a guest that is killed in the middle of it
        // must still have paid.
        self.ended.tool_calls = self.ended.tool_calls.saturating_add(1);
        let bytes = request.bytes();
        if self.ended.tool_calls > self.limits.tool_calls.saturating_add(REFUSALS) {
            return Some(Err(RunError::new(ErrorCode::CallLimit, "")));
        }
        if self.ended.tool_calls > self.limits.tool_calls {
            let limit = LimitName::ToolCalls;
            // The same for all of the many that may follow.
            let hint = self.call_hint.take().unwrap_or_else(|| self.hint(limit));
            let hit = Hit { limit, used: Some(self.ended.tool_calls.into()) };
            let error =
                RunError::new(ErrorCode::CallLimit, message(Subject::Program, hit, &self.limits));
            self.refuse(id, error.with_hint(hint.clone()));
            self.call_hint = Some(hint);
            return None;
        }
        if self.waiting_bytes.load(Ordering::Relaxed) + bytes > WAITING_BYTES {
            let waiting = self.waiting_bytes.load(Ordering::Relaxed) / MEGABYTE;
            let message = format!(
                "the program hit the limit of 64 MB of arguments that wait for their calls: it had \
                 {waiting} MB and asked for more"
            );
            let error = RunError::new(ErrorCode::CallLimit, message)
                .with_hint("await calls before making more, and pass less to one of them");
            self.refuse(id, error);
            return None;
        }
        self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let (gateway, run) = (Arc::clone(&self.gateway), self.id.clone());
        let (permissions, language) = (Arc::clone(&self.permissions), self.view.language);
        let (writer, parallel) = (Arc::clone(&self.writer), Arc::clone(&self.parallel));
        let waiting_bytes = Arc::clone(&self.waiting_bytes);
        let commands = request.is_command().then(|| Arc::clone(&self.commands));
        let progress = self.context.progress.clone();
        progress.send_modify(|progress| progress.calls_started += 1);
        self.tasks.spawn(async move {
            // Before the turn: a command that waits for others keeps no call waiting.
            let _command = match &commands {
                Some(commands) => commands.acquire().await.ok(),
                None => None,
            };
            // Held until the reply is written: replies wait in memory too.
            let _turn = parallel.acquire().await;
            // On its own: what a call needs while it is made is a hundred times
            // what it needs while it waits, and ten thousand may wait.
            let caller = Caller { run: &run, permissions: &permissions, language };
            let outcome = Box::pin(fulfil(&gateway, &caller, request)).await;
            waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            progress.send_modify(|progress| progress.calls_finished += 1);
            reply(&writer, id, outcome).await;
        });
        self.collect_finished();
        None
    }

    fn refuse(&mut self, id: u32, error: RunError) {
        let writer = Arc::clone(&self.writer);
        self.tasks.spawn(async move { reply(&writer, id, Err(error)).await });
        self.collect_finished();
    }

    /// Answers a question. Our worker waits for each answer before it asks
    /// again; one that does not is not ours any more.
    fn ask(&mut self, id: u32, question: Question, body: String) -> Option<Outcome> {
        let Ok(turn) = Arc::clone(&self.questions).try_acquire_owned() else {
            return Some(Err(broken_protocol()));
        };
        if question == Question::Check && std::mem::replace(&mut self.checked, true) {
            return Some(Err(broken_protocol()));
        }
        self.saves += u32::from(question == Question::SaveSkill);
        let too_many_saves = question == Question::SaveSkill && self.saves > SAVES;
        let (gateway, view) = (Arc::clone(&self.gateway), Arc::clone(&self.view));
        let (permissions, run) = (Arc::clone(&self.permissions), self.id.clone());
        let warnings = Arc::clone(&self.warnings);
        let writer = Arc::clone(&self.writer);
        self.tasks.spawn(async move {
            let answer = match question {
                Question::Check => gateway.check_said(&view, &body).await.map(|found| {
                    *warnings.lock().unwrap_or_else(PoisonError::into_inner) = found;
                    Value::Null
                }),
                Question::SaveSkill if too_many_saves => Err(too_many()),
                other => {
                    let language = view.language;
                    let caller = Caller { run: &run, permissions: &permissions, language };
                    gateway.answer(&view, &caller, other, &body).await
                }
            };
            let answer = answer.map(|value| value.to_string());
            let mut writer = writer.lock().await;
            // Given back before the reply, since the worker asks again on reading
            // it, but not before its turn to be written: of a worker that asks
            // and never reads, answers must not pile up.
            drop(turn);
            send_reply(&mut writer, id, answer).await;
        });
        self.collect_finished();
        None
    }

    /// Finished tasks are collected as others are added, or the set would grow
    /// with the run.
    fn collect_finished(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }

    fn log(&mut self, level: LogLevel, text: &str) -> Option<Outcome> {
        if text.is_empty() {
            // Ours sends at least the end of a line. Nothing is no output to
            // count, and yet a flood of it would fill our memory with marks.
            return Some(Err(broken_protocol()));
        }
        // The text as printed is what counts; our marks are not the program's.
        self.printed_bytes += text.len() as u64;
        if self.printed_bytes > self.limits.output_bytes {
            self.output_bytes = self.printed_bytes;
            return Some(Err(RunError::new(ErrorCode::OutputLimit, "too much")));
        }
        let mark = match level {
            LogLevel::Info => "",
            LogLevel::Warn => "[warn] ",
            LogLevel::Error => "[error] ",
        };
        // One mark per piece, not per line: a flood of empty lines must not grow.
        // Nor a flood of pieces, of which a worker that has fallen sends one per byte.
        let marked = (self.ended.logs.len() + mark.len() + text.len()) as u64;
        if marked <= self.limits.output_bytes.saturating_mul(2) {
            self.ended.logs.push_str(mark);
        }
        self.ended.logs.push_str(text);
        None
    }
}

async fn reply(writer: &Mutex<FrameWriter>, id: u32, outcome: Result<String, RunError>) {
    send_reply(&mut *writer.lock().await, id, outcome).await;
}

async fn send_reply(writer: &mut FrameWriter, id: u32, outcome: Result<String, RunError>) {
    let sent = writer.send(&ToGuest::Reply { id, outcome }).await;
    if let Err(ChannelError::Broken(_)) = sent {
        let error = RunError::new(ErrorCode::UpstreamProtocol, "the answer is larger than 64 MB")
            .with_hint("ask for less at a time");
        // If this fails too, the worker is gone and its reader says so.
        let _ = writer.send(&ToGuest::Reply { id, outcome: Err(error) }).await;
    }
}

/// Whether only the gateway itself can know this. No reply to a program carries
/// it, so none can come back.
fn said_by_the_host_only(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Isolation
            | ErrorCode::Busy
            | ErrorCode::EngineMissing
            | ErrorCode::EngineDenied
            | ErrorCode::Cancelled
            | ErrorCode::WorkerDied
    )
}

fn too_many() -> RunError {
    let message = format!("a program can save {SAVES} skills, this one wanted more");
    RunError::new(ErrorCode::File, message).with_hint("save one skill with all of it")
}

fn broken_protocol() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the worker broke the protocol")
}

pub(crate) fn cancelled() -> RunError {
    RunError::new(ErrorCode::Cancelled, "the client cancelled the run")
}

fn worker_error(error: &ChannelError, run: &RunId) -> RunError {
    tracing::warn!(%error, %run, "worker lost");
    let message = match error {
        ChannelError::Gone(_) => "the worker died",
        ChannelError::Broken(_) | ChannelError::OutOfTurn => "the worker broke the protocol",
    };
    RunError::new(ErrorCode::WorkerDied, message).with_hint(
        "the program may have used too much memory, or crashed the engine; change it and try again",
    )
}
