//! Installs the globals of a program.
//!
//! In: the engine's context and the [`Host`]. Out: globals in the context, and the functions
//! that the event loop calls. Our own scripts run before the program; each is a function that
//! takes one object with the native functions below.
//! Invariant: this is the only place where a program reaches native functions.

use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::function::Func;
use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Persistent, Value};
use serde_json::json;
use tidegate_model::{NAME_LIMIT, RunError, did_you_mean};
use tidegate_wire::{FromGuest, LogLevel, Question};

use crate::host::Host;
use crate::script::{Script, script};

pub(crate) const API: Script = script!("api", "api.js");

/// Globals installed at startup, in this order: the others use functions of the first.
pub(crate) const EAGER: [Script; 4] = [
    script!("lazy", "prelude/lazy.js"),
    script!("console", "prelude/console.js"),
    script!("timers", "prelude/timers.js"),
    script!("unavailable", "prelude/unavailable.js"),
];

/// Globals and modules created on first use: most programs use none of them.
pub(crate) const LAZY: [Script; 11] = [
    script!("inspect", "prelude/inspect.js"),
    script!("encoding", "prelude/encoding.js"),
    script!("url", "prelude/url.js"),
    script!("crypto_intl", "prelude/crypto_intl.js"),
    script!("abort", "prelude/abort.js"),
    script!("fetch", "prelude/fetch.js"),
    script!("path", "prelude/path.js"),
    script!("util", "prelude/util.js"),
    script!("assert", "prelude/assert.js"),
    script!("events", "prelude/events.js"),
    script!("modules", "prelude/modules.js"),
];

/// The functions of api.js and timers.js that the event loop calls.
pub(crate) struct Callbacks<'js> {
    pub(crate) settle: Function<'js>,
    pub(crate) finish: Function<'js>,
    pub(crate) encode_output: Function<'js>,
    /// The request that the gateway answered with an error.
    pub(crate) request_of: Function<'js>,
    pub(crate) fire_timer: Function<'js>,
    pub(crate) port: Value<'js>,
}

/// [`Callbacks`] kept outside the context, between the start of the worker and its run.
pub(crate) struct SavedCallbacks {
    settle: Persistent<Function<'static>>,
    finish: Persistent<Function<'static>>,
    encode_output: Persistent<Function<'static>>,
    request_of: Persistent<Function<'static>>,
    fire_timer: Persistent<Function<'static>>,
    port: Persistent<Value<'static>>,
}

impl<'js> Callbacks<'js> {
    pub(crate) fn save(self, ctx: &Ctx<'js>) -> SavedCallbacks {
        SavedCallbacks {
            settle: Persistent::save(ctx, self.settle),
            finish: Persistent::save(ctx, self.finish),
            encode_output: Persistent::save(ctx, self.encode_output),
            request_of: Persistent::save(ctx, self.request_of),
            fire_timer: Persistent::save(ctx, self.fire_timer),
            port: Persistent::save(ctx, self.port),
        }
    }
}

impl SavedCallbacks {
    pub(crate) fn restore<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Callbacks<'js>> {
        Ok(Callbacks {
            settle: self.settle.clone().restore(ctx)?,
            finish: self.finish.clone().restore(ctx)?,
            encode_output: self.encode_output.clone().restore(ctx)?,
            request_of: self.request_of.clone().restore(ctx)?,
            fire_timer: self.fire_timer.clone().restore(ctx)?,
            port: self.port.clone().restore(ctx)?,
        })
    }
}

/// Builds the globals.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, host: &Rc<Host>) -> rquickjs::Result<Callbacks<'js>> {
    let native = Object::new(ctx.clone())?;
    add_requests(&native, host)?;
    add_questions(&native, host)?;
    add_timers(&native, host)?;
    add_helpers(&native)?;
    let lazy_native = native.clone();
    native.set(
        "load",
        Func::from(move |ctx: Ctx<'js>, name: String| {
            let script = LAZY
                .iter()
                .find(|script| script.name == name)
                .ok_or_else(|| Exception::throw_message(&ctx, "no such module"))?;
            script.call(&ctx, &lazy_native)
        }),
    )?;
    let api: Object<'js> = API.call(ctx, &native)?.get()?;
    native.set("importModule", api.get::<_, Function<'js>>("importModule")?)?;
    let mut fire_timer = None;
    for script in EAGER {
        let made = script.call(ctx, &native)?;
        if script.name == "timers" {
            fire_timer = Some(made.get()?);
        }
    }
    let fire_timer = fire_timer.ok_or(rquickjs::Error::Unknown)?;
    Ok(Callbacks {
        settle: api.get("settle")?,
        finish: api.get("finish")?,
        encode_output: api.get("encodeOutput")?,
        request_of: api.get("requestOf")?,
        port: api.get("port")?,
        fire_timer,
    })
}

/// Adds printing, and the requests that are answered later.
fn add_requests<'js>(native: &Object<'js>, host: &Rc<Host>) -> rquickjs::Result<()> {
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
                let (name, arguments) = (whole_name(name), arguments.0);
                let call = FromGuest::Call { id, name, arguments, raw };
                h.request(&call).map_err(|_| gone(&ctx))
            },
        ),
    )?;
    let h = Rc::clone(host);
    native.set(
        "fetch",
        Func::from(move |ctx: Ctx<'js>, id: u32, request: LossyText| {
            let fetch = FromGuest::Fetch { id, request: request.0 };
            h.request(&fetch).map_err(|_| gone(&ctx))
        }),
    )?;
    let h = Rc::clone(host);
    native.set(
        "command",
        Func::from(move |ctx: Ctx<'js>, id: u32, name: LossyText, request: LossyText| {
            let command = FromGuest::Command { id, name: whole_name(name), request: request.0 };
            h.request(&command).map_err(|_| gone(&ctx))
        }),
    )?;
    Ok(())
}

/// A name, cut if it is longer than any that exists: the gateway kills a worker that sends
/// such a name, and a cut one is just unknown.
fn whole_name(name: LossyText) -> String {
    let mut name = name.0;
    name.truncate(name.floor_char_boundary(NAME_LIMIT));
    name
}

/// Adds the questions that the gateway answers immediately.
fn add_questions<'js>(native: &Object<'js>, host: &Rc<Host>) -> rquickjs::Result<()> {
    let h = Rc::clone(host);
    native.set(
        "ask",
        Func::from(move |ctx: Ctx<'js>, question: String, body: LossyText| {
            let question = match question.as_str() {
                "servers" => Question::Servers,
                "functions" => Question::Functions,
                "search" => Question::Search,
                "readDir" => Question::ReadDir,
                "loadSkill" => Question::LoadSkill,
                "saveSkill" => Question::SaveSkill,
                "pii" => Question::Pii,
                _ => Question::ReadFile,
            };
            match h.ask(question, body.0) {
                Ok((_, Ok(value))) => Ok((true, value)),
                Ok((id, Err(error))) => Ok((false, error_json(id, error))),
                Err(_) => Err(gone(&ctx)),
            }
            .map(|(ok, text)| rquickjs::convert::List((ok, text)))
        }),
    )?;
    Ok(())
}

fn add_timers(native: &Object<'_>, host: &Rc<Host>) -> rquickjs::Result<()> {
    let h = Rc::clone(host);
    native.set("setTimer", Func::from(move |id: u32, delay: f64| h.set_timer(id, delay)))?;
    let h = Rc::clone(host);
    native.set("clearTimer", Func::from(move |id: u32| h.clear_timer(id)))?;
    let h = Rc::clone(host);
    native.set("now", Func::from(move || h.now_ms()))?;
    Ok(())
}

/// Adds the functions that need nothing from the host.
fn add_helpers<'js>(native: &Object<'js>) -> rquickjs::Result<()> {
    native.set(
        "nearest",
        Func::from(|name: String, candidates: Vec<String>| {
            did_you_mean(&name, candidates.iter().map(String::as_str))
        }),
    )?;
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
    Ok(())
}

pub(crate) fn named(file_name: &str) -> EvalOptions {
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

/// An error of the gateway for the program, with the request that it answers.
pub(crate) fn error_json(request: u32, error: RunError) -> String {
    let RunError { code, message, hint, .. } = error;
    json!({"requestId": request, "code": code, "message": message, "hint": hint}).to_string()
}

fn gone(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "the gateway is gone")
}
