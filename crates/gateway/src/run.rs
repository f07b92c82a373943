//! One program in one worker: frames in, calls out, until it ends.
//!
//! The worker is not believed in anything: calls and bytes are counted here, the
//! clock is here, and whoever breaks the protocol loses the run. The worker's
//! own limits only make for better errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};

use serde_json::Value;
use tidegate_model::{Backend, ErrorCode, Language, LimitName, Limits, Program, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_python::Analysis;
use tidegate_sandbox::{ChannelError, End, FrameWriter, Hit, Watch, Worker};
use tidegate_wire::{FromGuest, LogLevel, Question, Start, ToGuest};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::approvals::is_pending;
use crate::bridge::Caller;
use crate::check::Examined;
use crate::clock::RunClock;
use crate::context::RunContext;
use crate::explain_limit::{Subject, code_of, message};
use crate::gateway::Gateway;
use crate::judge::Judgement;
use crate::person::Person;
use crate::ready::Checked;
use crate::request::{Request, WAITING_BYTES, journaled};
use crate::run_limits::{Spent, cause, measured};
use crate::view::View;

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

/// Under which terms a program runs.
pub(crate) struct Terms<'a> {
    pub(crate) permissions: Permissions,
    pub(crate) limits: &'a Limits,
    pub(crate) id: &'a RunId,
    pub(crate) person: &'a Arc<Person>,
    /// The sandbox of the worker.
    pub(crate) here: Backend,
}

/// Why a run does not end here.
enum Interruption {
    /// It does not run, or goes on later. Our own word, which does not go through the
    /// worker and cannot be caught by the program.
    Ends(RunError),
    /// It must run in another sandbox.
    Elsewhere(Backend),
}

/// Runs a program in a fresh worker of the sandbox that is `here`. The sandbox that it
/// needs, if that is another one: nothing of it has run then.
pub(crate) async fn run(
    gateway: &Arc<Gateway>,
    worker: Worker,
    checked: Checked,
    terms: Terms<'_>,
) -> Result<Ended, Backend> {
    let Terms { permissions, limits, id, person, here } = terms;
    let context = person.context();
    let Worker { mut reader, writer, life, report: _ } = worker;
    let Checked { program, reading } = checked;
    let program = Arc::new(program);
    let writer = Arc::new(Mutex::new(writer));
    let clock = Arc::new(RunClock::start(limits.time, Arc::clone(&writer)));
    person.set_clock(Arc::clone(&clock));
    let (interrupt, mut interruptions) = mpsc::unbounded_channel();
    let mut run = Run {
        gateway: Arc::clone(gateway),
        person: Arc::clone(person),
        program: Arc::clone(&program),
        here,
        interrupt,
        view: Arc::new(View::new(gateway.catalog(), program.language)),
        id: id.clone(),
        permissions: Arc::new(permissions),
        limits: limits.clone(),
        context: context.clone(),
        writer,
        parallel: Arc::new(Semaphore::new(limits.parallel_calls as usize)),
        commands: Arc::new(Semaphore::new(PARALLEL_COMMANDS)),
        questions: Arc::new(Semaphore::new(1)),
        waiting_bytes: Arc::default(),
        tasks: JoinSet::new(),
        warnings: Arc::new(std::sync::Mutex::new(person.warnings())),
        checked: false,
        saves: 0,
        call_hint: None,
        printed_bytes: 0,
        output_bytes: 0,
        ended: Ended::default(),
    };
    let mut watch = life.watch(limits);
    let started = tokio::select! {
        started = run.start(reading) => started,
        () = clock.over() => {
            Err(RunError::new(ErrorCode::TimeLimit, "killed"))
        }
        () = context.cancelled.cancelled() => Err(cancelled()),
    };
    let mut end = End::Now;
    let mut elsewhere = None;
    let outcome = match started {
        Err(error) => Err(error),
        Ok(()) => loop {
            let message = tokio::select! {
                message = reader.next() => message,
                () = clock.over() => {
                    break Err(RunError::new(ErrorCode::TimeLimit, "killed"));
                }
                () = context.cancelled.cancelled() => {
                    break Err(cancelled());
                }
                Some(interruption) = interruptions.recv() => match interruption {
                    Interruption::Ends(error) => break Err(error),
                    Interruption::Elsewhere(backend) => {
                        elsewhere = Some(backend);
                        break Ok(None);
                    }
                },
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
    if let Some(backend) = elsewhere {
        return Err(backend);
    }
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
    let spent = Spent { time: clock.used(), usage };
    run.ended.outcome = outcome.map_err(|error| run.with_limit(error, &spent));
    let notice = run.notice(&spent);
    let warnings = &mut run.warnings.lock().unwrap_or_else(PoisonError::into_inner);
    run.ended.warnings = std::mem::take(warnings);
    run.ended.warnings.extend(notice);
    Ok(run.ended)
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
    person: Arc<Person>,
    /// Told when the run cannot go on here. Nothing that the program could catch.
    interrupt: mpsc::UnboundedSender<Interruption>,
    program: Arc<Program>,
    /// The sandbox of the worker.
    here: Backend,
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
    async fn start(&self, reading: Option<Analysis>) -> Result<(), RunError> {
        if self.program.language == Language::Python && !self.person.is_settled() {
            let (view, permissions) = (&self.view, &self.permissions);
            let examining = self.gateway.examine_python(view, permissions, &self.program, reading);
            if !self.settler().settle(examining.await).await? {
                return Ok(());
            }
        }
        let start = ToGuest::Start(Start {
            source: self.program.source.clone(),
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
        let (person, interrupt) = (Arc::clone(&self.person), self.interrupt.clone());
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
            let outcome =
                Box::pin(journaled(&gateway, &person, &run, &permissions, language, request)).await;
            waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            progress.send_modify(|progress| progress.calls_finished += 1);
            match outcome {
                Err(error) if is_pending(&error) => {
                    // If nobody listens, the run has ended.
                    let _ = interrupt.send(Interruption::Ends(error));
                }
                outcome => reply(&writer, id, outcome).await,
            }
        });
        self.collect_finished();
        None
    }

    fn settler(&self) -> Settler {
        Settler {
            gateway: Arc::clone(&self.gateway),
            person: Arc::clone(&self.person),
            program: Arc::clone(&self.program),
            permissions: Arc::clone(&self.permissions),
            warnings: Arc::clone(&self.warnings),
            interrupt: self.interrupt.clone(),
            id: self.id.clone(),
            here: self.here,
        }
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
        let settler = self.settler();
        let person = Arc::clone(&self.person);
        let writer = Arc::clone(&self.writer);
        self.tasks.spawn(async move {
            let answer = match question {
                Question::Check if person.is_settled() => Ok(Value::Null),
                Question::Check => {
                    match gateway.examine_said(&view, &permissions, &body).await {
                        Ok(examined) => match settler.settle(examined).await {
                            Ok(true) => Ok(Value::Null),
                            // The worker waits for an answer until it is ended.
                            Ok(false) => return,
                            Err(error) => Err(error),
                        },
                        Err(error) => Err(error),
                    }
                }
                Question::SaveSkill if too_many_saves => Err(too_many()),
                other => {
                    let language = view.language;
                    let (permissions, person) = (&*permissions, &*person);
                    let called = &OnceLock::new();
                    let run = &run;
                    let entry = None;
                    let caller = Caller { run, permissions, language, person, entry, called };
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

/// What settles whether a program runs here.
struct Settler {
    gateway: Arc<Gateway>,
    person: Arc<Person>,
    program: Arc<Program>,
    permissions: Arc<Permissions>,
    warnings: Arc<std::sync::Mutex<Vec<String>>>,
    interrupt: mpsc::UnboundedSender<Interruption>,
    id: RunId,
    here: Backend,
}

impl Settler {
    /// Whether the program runs here and now; if not, the run was told why.
    async fn settle(&self, examined: Examined) -> Result<bool, RunError> {
        let Examined { verdict, judgement } = examined;
        let warnings = verdict?;
        let Self { gateway, person, program, id, .. } = self;
        let consent =
            gateway.consent(person, id, program, &self.permissions.names(), &judgement).await;
        let interruption = match consent {
            Ok(backend) => {
                if backend == self.here {
                    *self.warnings.lock().unwrap_or_else(PoisonError::into_inner) =
                        warnings.clone();
                    person.settle(warnings);
                    return Ok(true);
                }
                let mut warnings = warnings;
                warnings.push(elsewhere(&judgement, backend));
                person.settle(warnings);
                Interruption::Elsewhere(backend)
            }
            Err(error) => Interruption::Ends(error),
        };
        // If nobody listens, the run has ended.
        let _ = self.interrupt.send(interruption);
        Ok(false)
    }
}

/// Never silently: what a program may do elsewhere is other than its author thinks.
fn elsewhere(judgement: &Judgement, backend: Backend) -> String {
    let worst = judgement.issues.iter().max_by_key(|issue| issue.severity);
    let why = worst.map(|issue| format!(" (line {}: {})", issue.line, issue.message));
    format!(
        "the risk of the program is {}{}, so it ran in the sandbox `{}`",
        judgement.level,
        why.unwrap_or_default(),
        backend.as_str()
    )
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
            | ErrorCode::ApprovalPending
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
