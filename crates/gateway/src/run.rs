//! One program in one worker: frames in, calls out, until it ends.
//!
//! The worker is not believed in anything: calls and bytes are counted here, the
//! clock is here, and whoever breaks the protocol loses the run. The worker's
//! own limits only make for better errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tidegate_model::{Answer, ErrorCode, Limits, Program, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_python::Analysis;
use tidegate_sandbox::{ChannelError, End, FrameWriter, Worker};
use tidegate_wire::{FromGuest, LogLevel, Question, Start, ToGuest, answer_text};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::explain;
use crate::gateway::Gateway;
use crate::pipeline::RunContext;
use crate::ready::Checked;
use crate::view::View;
use crate::weight::{VALUE_BYTES, values_in};

/// The engine interrupts itself at the limit and can then say where it was. If
/// it cannot, it is killed this much later.
const INTERRUPT_GRACE: Duration = Duration::from_millis(150);

/// Argument bytes that may wait for their turn. A worker that floods the
/// gateway with calls must not fill its memory.
const WAITING_BYTES: u64 = 64 * 1024 * 1024;

/// Text up to this size is parsed on the spot. Chosen: a thread costs more.
const PARSED_AT_ONCE_BYTES: usize = 256 * 1024;

/// Calls beyond the limit that are answered with an error, which a program can
/// catch and end by itself: ten thousand at once are not rare. One that goes on
/// regardless is ended, since even its refusals wait in memory.
const REFUSALS: u32 = 20_000;

/// Commands that run at the same time for one run. Each has memory and processes of
/// its own, so this many times a command's limits is what a run can use beside its
/// own. Chosen: what pipelines of ordinary tools have.
const PARALLEL_COMMANDS: usize = 4;

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
        printed_bytes: 0,
        ended: Ended::default(),
    };
    let deadline = Instant::now() + limits.time + INTERRUPT_GRACE;
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
        outcome.map_err(|error| ending.cause.map_or(error, |code| RunError::new(code, "killed")))
    } else {
        outcome
    };
    run.ended.outcome = outcome.map_err(|error| with_limit(error, limits));
    let warnings = &mut run.warnings.lock().unwrap_or_else(PoisonError::into_inner);
    run.ended.warnings = std::mem::take(warnings);
    run.ended
}

struct Run {
    gateway: Arc<Gateway>,
    /// What the program sees of the servers, from its start to its end.
    view: Arc<View>,
    id: RunId,
    permissions: Arc<Permissions>,
    limits: Limits,
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
    printed_bytes: u64,
    ended: Ended,
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
                    return Some(Err(RunError::new(ErrorCode::OutputLimit, "too much")));
                }
                Some(Ok(output))
            }
            FromGuest::Failed { error, memory_bytes } => {
                self.ended.memory_bytes = memory_bytes;
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
            let error = with_limit(RunError::new(ErrorCode::CallLimit, ""), &self.limits);
            self.refuse(id, error);
            return None;
        }
        if self.waiting_bytes.load(Ordering::Relaxed) + bytes > WAITING_BYTES {
            let message = "more than 64 MB of arguments wait for their calls";
            let error = RunError::new(ErrorCode::CallLimit, message)
                .with_hint("await calls before making more, and pass less to one of them");
            self.refuse(id, error);
            return None;
        }
        self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let (gateway, run) = (Arc::clone(&self.gateway), self.id.clone());
        let permissions = Arc::clone(&self.permissions);
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
            let outcome = Box::pin(fulfil(&gateway, &run, &permissions, request)).await;
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
        let (gateway, view) = (Arc::clone(&self.gateway), Arc::clone(&self.view));
        let permissions = Arc::clone(&self.permissions);
        let warnings = Arc::clone(&self.warnings);
        let writer = Arc::clone(&self.writer);
        self.tasks.spawn(async move {
            let answer = match question {
                Question::Check => gateway.check_said(&view, &body).await.map(|found| {
                    *warnings.lock().unwrap_or_else(PoisonError::into_inner) = found;
                    Value::Null
                }),
                other => gateway.answer(&view, &permissions, other, &body).await,
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

/// What a program can ask the world outside for. All of it is counted, queued
/// and cut off in the same way.
enum Request {
    Tool { name: String, arguments: String, raw: bool },
    Fetch(String),
    Command { name: String, request: String },
}

impl Request {
    fn is_command(&self) -> bool {
        matches!(self, Self::Command { .. })
    }

    /// What it holds in memory while it waits, and once it is parsed.
    fn bytes(&self) -> u64 {
        let (Self::Tool { arguments: text, .. }
        | Self::Fetch(text)
        | Self::Command { request: text, .. }) = self;
        text.len() as u64 + values_in(text, WAITING_BYTES / VALUE_BYTES) * VALUE_BYTES
    }
}

/// Does what was asked for. JSON text for the program, or why there is none.
async fn fulfil(
    gateway: &Gateway,
    run: &RunId,
    permissions: &Permissions,
    request: Request,
) -> Result<String, RunError> {
    match request {
        Request::Tool { name, arguments, raw } => {
            call(gateway, run, permissions, &name, arguments, raw).await
        }
        Request::Fetch(request) => {
            permissions.may_use_network().map_err(|refusal| explain::no_network(&refusal))?;
            gateway.fetch(run, &request).await
        }
        Request::Command { name, request } => {
            gateway.command(run, permissions, &name, &request).await
        }
    }
}

/// Makes a program's call and writes its answer as the program gets it.
async fn call(
    gateway: &Gateway,
    run: &RunId,
    permissions: &Permissions,
    name: &str,
    arguments: String,
    raw: bool,
) -> Result<String, RunError> {
    let bytes = arguments.len() as u64;
    let parsed = match parse(arguments).await {
        Ok(parsed) => parsed,
        Err(arguments) => return Err(gateway.refuse_unnamed(run, name, &arguments).await),
    };
    let answer = gateway.bridge_call(run, permissions, name, parsed, bytes).await?;
    if raw {
        return Ok(answer_text(&answer.into_raw()));
    }
    if answer.is_error {
        return Err(tool_failure(&answer, name));
    }
    Ok(answer_text(&answer.into_value()))
}

/// Arguments as an object, or the text again. Much text is parsed where the end
/// of the run need not wait for it.
async fn parse(arguments: String) -> Result<Map<String, Value>, String> {
    let parse = |text: String| serde_json::from_str(&text).map_err(|_| text);
    if arguments.len() < PARSED_AT_ONCE_BYTES {
        return parse(arguments);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(arguments)).await;
    parsed.unwrap_or_else(|_| Err(String::new()))
}

/// A tool's own error, in the tool's words.
pub(crate) fn tool_failure(answer: &Answer, name: &str) -> RunError {
    let text = answer.text();
    let text = text.trim();
    let text = match text {
        "" => format!("`{name}` failed without saying why"),
        text => format!("`{name}` failed: {}", &text[..text.floor_char_boundary(2000)]),
    };
    RunError::new(ErrorCode::ToolFailed, text)
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
            | ErrorCode::Cancelled
            | ErrorCode::WorkerDied
    )
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

/// Limits are named by the host: the guest does not know what was configured.
fn with_limit(mut error: RunError, limits: &Limits) -> RunError {
    match error.code {
        ErrorCode::TimeLimit
        | ErrorCode::CpuLimit
        | ErrorCode::MemoryLimit
        | ErrorCode::StackLimit
        | ErrorCode::DiskLimit
        | ErrorCode::OutputLimit => {}
        // A refused call may say more than the limit itself.
        ErrorCode::CallLimit if error.message.is_empty() => {}
        _ => return error,
    }
    let (message, hint) = explain::limit(error.code, limits);
    error.message = message;
    error.hint = Some(hint);
    error
}
