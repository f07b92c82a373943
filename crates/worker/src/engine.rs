//! QuickJS: one runtime, one program, one event loop.
//!
//! In: a prepared program and its limits. Out: JSON text of its output, or why
//! it failed. The engine runs in this thread; what a program waits for arrives
//! on the channel, so the event loop is: run jobs, fire timers, wait for a
//! reply, repeat. The runtime is never freed: the process ends right after.

use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::function::Func;
use rquickjs::promise::PromiseState;
use rquickjs::{ArrayBuffer, Context, Ctx, Exception, Function, Object, Promise, Runtime, Value};
use tidegate_model::{ErrorCode, RunError, did_you_mean};
use tidegate_wire::{LogLevel, Question, Start};

use crate::exception::pending_error;
use crate::host::Host;
use crate::jobs::{self, Job, Rejections};
use crate::program::{FILE_NAME, Prepared, prepare};
use crate::source_map::SourceMap;

/// JavaScript stack. The thread's real stack is much larger: QuickJS aborts the
/// process if its limit lies above it.
pub(crate) const STACK_BYTES: usize = 1024 * 1024;

const API: &str = include_str!("api.js");

/// Globals installed at once, in this order: the first one makes tools that the
/// others use.
const EAGER: [(&str, &str); 4] = [
    ("lazy", include_str!("prelude/lazy.js")),
    ("console", include_str!("prelude/console.js")),
    ("timers", include_str!("prelude/timers.js")),
    ("unavailable", include_str!("prelude/unavailable.js")),
];

/// Globals and modules made on first use: most programs use none of them.
const LAZY: [(&str, &str); 10] = [
    ("inspect", include_str!("prelude/inspect.js")),
    ("encoding", include_str!("prelude/encoding.js")),
    ("url", include_str!("prelude/url.js")),
    ("crypto_intl", include_str!("prelude/crypto_intl.js")),
    ("abort", include_str!("prelude/abort.js")),
    ("path", include_str!("prelude/path.js")),
    ("util", include_str!("prelude/util.js")),
    ("assert", include_str!("prelude/assert.js")),
    ("events", include_str!("prelude/events.js")),
    ("modules", include_str!("prelude/modules.js")),
];

/// Runs one program to its end.
pub(crate) fn run(host: &Rc<Host>, start: &Start) -> Result<Option<String>, RunError> {
    let prepared = prepare(&start.source)?;
    let internal = |_| RunError::new(ErrorCode::Internal, "the engine could not be started");
    let runtime = Runtime::new().map_err(internal)?;
    runtime.set_memory_limit(usize::try_from(start.memory_bytes).unwrap_or(usize::MAX));
    runtime.set_max_stack_size(STACK_BYTES);
    let watched = Rc::clone(host);
    runtime.set_interrupt_handler(Some(Box::new(move || watched.stop_reason().is_some())));
    let rejections = Rejections::watch(&runtime);
    let context = Context::full(&runtime).map_err(internal)?;
    let outcome = context.with(|ctx| {
        let run =
            Run { ctx: ctx.clone(), host, start, map: &prepared.map, rejections: &rejections };
        run.program(&prepared)
    });
    // Freeing a full heap takes longer than the run may have left.
    std::mem::forget((context, runtime, rejections));
    outcome
}

struct Run<'js, 'r> {
    ctx: Ctx<'js>,
    host: &'r Rc<Host>,
    start: &'r Start,
    map: &'r SourceMap,
    rejections: &'r Rejections,
}

/// The functions of api.js and timers.js that the event loop calls.
struct Callbacks<'js> {
    settle: Function<'js>,
    finish: Function<'js>,
    encode_output: Function<'js>,
    fire_timer: Function<'js>,
    port: Value<'js>,
}

impl<'js> Run<'js, '_> {
    fn program(&self, prepared: &Prepared) -> Result<Option<String>, RunError> {
        let callbacks = install(&self.ctx, self.host).map_err(|_| self.error())?;
        let options = named(FILE_NAME);
        let program: Function<'js> = self
            .ctx
            .eval_with_options(prepared.code.as_str(), options)
            .map_err(|_| as_syntax_error(self.error()))?;
        let running: Promise<'js> =
            program.call((callbacks.port.clone(),)).map_err(|_| self.error())?;
        let returned = self.settled(&running, &callbacks)?;
        let finished: Promise<'js> =
            callbacks.finish.call((returned,)).map_err(|_| self.error())?;
        let output = self.settled(&finished, &callbacks)?;
        // A call that nobody awaits was still meant to happen.
        while self.host.in_flight() > 0 {
            self.turn(&callbacks, Wait::CallsOnly)?;
        }
        // Nor may such a call fail without a word.
        if self.rejections.throw_first(&self.ctx) {
            let error = self.error();
            let hint = "await the promise, or catch its error".to_owned();
            return Err(RunError { hint: error.hint.or(Some(hint)), ..error });
        }
        self.encode(&output, &callbacks)
    }

    /// Runs the event loop until a promise settles.
    fn settled(
        &self,
        promise: &Promise<'js>,
        callbacks: &Callbacks<'js>,
    ) -> Result<Value<'js>, RunError> {
        loop {
            self.run_jobs()?;
            match promise.state() {
                PromiseState::Resolved | PromiseState::Rejected => break,
                PromiseState::Pending => self.turn(callbacks, Wait::Anything)?,
            }
        }
        match promise.result::<Value<'js>>() {
            Some(Ok(value)) => Ok(value),
            _ => Err(self.error()),
        }
    }

    fn run_jobs(&self) -> Result<(), RunError> {
        loop {
            if let Some(reason) = self.host.stop_reason() {
                return Err(RunError::new(reason, "stopped"));
            }
            match jobs::run_next(&self.ctx) {
                Job::None => return Ok(()),
                Job::Ran => {}
                Job::Threw => return Err(self.error()),
            }
        }
    }

    /// One turn of the event loop: a timer that is due, else the next reply.
    fn turn(&self, callbacks: &Callbacks<'js>, wait: Wait) -> Result<(), RunError> {
        let timer = match wait {
            Wait::Anything => self.host.next_timer(),
            Wait::CallsOnly => None,
        };
        if timer.is_some()
            && let Some(id) = self.host.due_timer()
        {
            let fired: rquickjs::Result<()> = callbacks.fire_timer.call((id,));
            return fired.map_err(|_| self.error());
        }
        if timer.is_none() && self.host.in_flight() == 0 {
            return Err(RunError::new(
                ErrorCode::Stuck,
                "the program awaits a promise that nothing will ever settle",
            )
            .with_hint("resolve the promise, or await a tool call or a timer"));
        }
        let reply = self.host.next_reply(timer).map_err(|_| gateway_gone())?;
        if let Some((id, outcome)) = reply {
            let (ok, text) = match outcome {
                Ok(value) => (true, value),
                Err(error) => (false, error_json(&error)),
            };
            let settled: rquickjs::Result<()> = callbacks.settle.call((id, ok, text));
            settled.map_err(|_| self.error())?;
        }
        self.run_jobs()
    }

    fn encode(
        &self,
        output: &Value<'js>,
        callbacks: &Callbacks<'js>,
    ) -> Result<Option<String>, RunError> {
        let encoded: rquickjs::Result<Value<'js>> = callbacks.encode_output.call((output.clone(),));
        let encoded = encoded.map_err(|_| {
            let error = self.error();
            match error.code {
                // `JSON.stringify` throws for a cycle; nothing else is thrown here.
                ErrorCode::Thrown => RunError { code: ErrorCode::BadOutput, ..error }
                    .with_hint("return plain data: objects, lists, text, numbers, booleans, null"),
                _ => error,
            }
        })?;
        let Some(text) = encoded.as_string() else { return Ok(None) };
        let text = text.to_string().map_err(|_| {
            RunError::new(ErrorCode::BadOutput, "the output holds text that is not valid Unicode")
        })?;
        if text.len() as u64 > self.host.output_left() {
            return Err(RunError::new(ErrorCode::OutputLimit, "stopped"));
        }
        Ok(Some(text))
    }

    fn error(&self) -> RunError {
        pending_error(&self.ctx, self.map, self.host, self.start.memory_bytes)
    }
}

#[derive(Clone, Copy)]
enum Wait {
    Anything,
    CallsOnly,
}

/// Builds the globals. The only place where native functions meet a program.
fn install<'js>(ctx: &Ctx<'js>, host: &Rc<Host>) -> rquickjs::Result<Callbacks<'js>> {
    let native = Object::new(ctx.clone())?;
    let h = Rc::clone(host);
    native.set(
        "log",
        Func::from(move |ctx: Ctx<'js>, level: String, text: LossyText| {
            let level = match level.as_str() {
                "warn" => LogLevel::Warn,
                "error" => LogLevel::Error,
                _ => LogLevel::Info,
            };
            match h.print(level, &text.0) {
                Ok(true) => Ok(()),
                Ok(false) => Err(Exception::throw_message(&ctx, "too much output")),
                Err(_) => Err(gone(&ctx)),
            }
        }),
    )?;
    let h = Rc::clone(host);
    native.set(
        "call",
        Func::from(
            move |ctx: Ctx<'js>, id: u32, name: LossyText, arguments: LossyText, raw: bool| {
                h.call(id, name.0, arguments.0, raw).map_err(|_| gone(&ctx))
            },
        ),
    )?;
    let h = Rc::clone(host);
    native.set(
        "ask",
        Func::from(move |ctx: Ctx<'js>, question: String, body: LossyText| {
            let question = match question.as_str() {
                "servers" => Question::Servers,
                "functions" => Question::Functions,
                "search" => Question::Search,
                "readDir" => Question::ReadDir,
                _ => Question::ReadFile,
            };
            match h.ask(question, body.0) {
                Ok(Ok(value)) => Ok((true, value)),
                Ok(Err(error)) => Ok((false, error_json(&error))),
                Err(_) => Err(gone(&ctx)),
            }
            .map(|(ok, text)| rquickjs::convert::List((ok, text)))
        }),
    )?;
    native.set(
        "nearest",
        Func::from(|name: String, candidates: Vec<String>| {
            did_you_mean(&name, candidates.iter().map(String::as_str))
        }),
    )?;
    let h = Rc::clone(host);
    native.set("setTimer", Func::from(move |id: u32, delay: f64| h.set_timer(id, delay)))?;
    let h = Rc::clone(host);
    native.set("clearTimer", Func::from(move |id: u32| h.clear_timer(id)))?;
    let h = Rc::clone(host);
    native.set("now", Func::from(move || h.now_ms()))?;
    native.set(
        "randomBytes",
        Func::from(|ctx: Ctx<'js>, count: u32| {
            let mut bytes = vec![0; count.min(65_536) as usize];
            getrandom::fill(&mut bytes)
                .map_err(|_| Exception::throw_message(&ctx, "no randomness available"))?;
            ArrayBuffer::new(ctx, bytes)
        }),
    )?;
    native.set(
        "utf8Encode",
        Func::from(|ctx: Ctx<'js>, text: LossyText| ArrayBuffer::new(ctx, text.0.into_bytes())),
    )?;
    native.set("utf8Decode", Func::from(decode_utf8))?;
    let lazy_native = native.clone();
    native.set(
        "load",
        Func::from(move |ctx: Ctx<'js>, name: String| {
            let (name, source) = LAZY
                .iter()
                .find(|(known, _)| *known == name)
                .ok_or_else(|| Exception::throw_message(&ctx, "no such module"))?;
            evaluate(&ctx, name, source, &lazy_native)
        }),
    )?;
    let api: Object<'js> = evaluate(ctx, "api", API, &native)?.get()?;
    native.set("importModule", api.get::<_, Function<'js>>("importModule")?)?;
    let mut fire_timer = None;
    for (name, source) in EAGER {
        let made = evaluate(ctx, name, source, &native)?;
        if name == "timers" {
            fire_timer = Some(made.get()?);
        }
    }
    let fire_timer = fire_timer.ok_or(rquickjs::Error::Unknown)?;
    Ok(Callbacks {
        settle: api.get("settle")?,
        finish: api.get("finish")?,
        encode_output: api.get("encodeOutput")?,
        port: api.get("port")?,
        fire_timer,
    })
}

/// Evaluates one of our scripts, a function of the native functions, and calls it.
fn evaluate<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    source: &str,
    native: &Object<'js>,
) -> rquickjs::Result<Value<'js>> {
    let script: Function<'js> =
        ctx.eval_with_options(source, named(&format!("tidegate:{name}")))?;
    script.call((native.clone(),))
}

fn named(file_name: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(file_name.to_owned());
    options
}

/// Text from the program. Lone surrogates, which UTF-8 cannot hold, become the
/// replacement character instead of an error.
pub(crate) struct LossyText(pub(crate) String);

impl<'js> rquickjs::FromJs<'js> for LossyText {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Self> {
        let text = rquickjs::String::from_js(ctx, value)?;
        match text.to_string() {
            Ok(text) => Ok(Self(text)),
            Err(_) => {
                let well_formed: Function<'js> = ctx.eval("(text) => text.toWellFormed()")?;
                Ok(Self(well_formed.call((text,))?))
            }
        }
    }
}

#[expect(unsafe_code, reason = "the engine's memory can only be read in place")]
#[expect(clippy::needless_pass_by_value, reason = "the engine hands over its arguments")]
fn decode_utf8<'js>(
    ctx: Ctx<'js>,
    buffer: ArrayBuffer<'js>,
    start: usize,
    length: usize,
) -> rquickjs::Result<String> {
    // SAFETY: the bytes are copied before any JavaScript can run again.
    let bytes = unsafe { buffer.as_bytes() };
    let bytes = bytes.and_then(|bytes| bytes.get(start..start.checked_add(length)?));
    let bytes = bytes.ok_or_else(|| Exception::throw_range(&ctx, "outside of the buffer"))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// What the front end accepts and only the engine refuses is still the program's
/// syntax. Later a `SyntaxError` is thrown by `JSON.parse` and the like.
fn as_syntax_error(error: RunError) -> RunError {
    match (error.code, error.message.strip_prefix("SyntaxError: ")) {
        (ErrorCode::Thrown, Some(message)) => {
            RunError { code: ErrorCode::Syntax, message: message.to_owned(), ..error }
        }
        _ => error,
    }
}

fn error_json(error: &RunError) -> String {
    // Plain data: this cannot fail.
    serde_json::to_string(error).unwrap_or_else(|_| "{}".into())
}

fn gone(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "the gateway is gone")
}

fn gateway_gone() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the gateway is gone")
}
