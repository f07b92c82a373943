//! From what a program threw to an error a model can act on.
//!
//! The thrown value is the program's own and may be anything: a getter that
//! throws again, a proxy, no error at all. Every look at it can fail, and then
//! the look is left out.

use rquickjs::{Coerced, Ctx, FromJs, Object, Value};
use tidegate_model::{ErrorCode, RunError};
use tidegate_wire::Question;

use crate::confine;
use crate::globals::LossyText;
use crate::host::Host;
use crate::program::FILE_NAME;
use crate::remedies;
use crate::source_map::SourceMap;

/// What a message or hint may have in bytes: a program that puts a whole answer
/// into its error must not put it into the model's context.
const TEXT_BYTES: usize = 2000;

/// Describes the exception that is pending in the context.
pub(crate) fn pending_error(
    ctx: &Ctx<'_>,
    map: &SourceMap,
    host: &Host,
    memory_limit: u64,
) -> RunError {
    let thrown = ctx.catch();
    describe(ctx, &thrown, map, host, memory_limit)
}

/// Describes a thrown value.
pub(crate) fn describe<'js>(
    ctx: &Ctx<'js>,
    thrown: &Value<'js>,
    map: &SourceMap,
    host: &Host,
    memory_limit: u64,
) -> RunError {
    if let Some(reason) = host.stop_reason() {
        return placed(RunError::new(reason, "stopped"), stack_of(ctx, thrown).as_deref(), map);
    }
    let Some(object) = thrown.as_object() else {
        // Out of memory, QuickJS cannot make an error object and throws null.
        // Two thirds of the limit in real pages is a sure sign of it.
        if thrown.is_null() && confine::peak_memory_bytes() > memory_limit / 3 * 2 {
            return RunError::new(ErrorCode::MemoryLimit, "out of memory");
        }
        let text = text_of(ctx, thrown.clone()).unwrap_or_else(|| "a value without text".into());
        return RunError::new(ErrorCode::Thrown, format!("the program threw `{text}`"))
            .with_hint("throw an `Error` to get the line");
    };
    let name = property(ctx, object, "name").unwrap_or_default();
    let message = property(ctx, object, "message").unwrap_or_default();
    let code = match (name.as_str(), message.as_str()) {
        ("InternalError", "out of memory") => ErrorCode::MemoryLimit,
        ("InternalError" | "RangeError", "stack overflow" | "Maximum call stack size exceeded") => {
            ErrorCode::StackLimit
        }
        ("ToolError" | "FetchError", _) => property(ctx, object, "code")
            .and_then(|code| ErrorCode::parse(&code))
            .filter(|code| !is_of_the_run(*code))
            .unwrap_or(ErrorCode::Thrown),
        _ => ErrorCode::Thrown,
    };
    let message = match (name.as_str(), code) {
        ("" | "Error" | "ToolError" | "FetchError", _) => message,
        _ => format!("{name}: {message}"),
    };
    let message =
        if message.is_empty() { "the program threw an empty error".into() } else { message };
    let mut error = RunError::new(code, message);
    error.hint = property(ctx, object, "hint");
    // A getter or `toString` of the thrown value may have run until the limit.
    if let Some(reason) = host.stop_reason() {
        return RunError::new(reason, "stopped");
    }
    placed(error, stack_of(ctx, thrown).as_deref(), map)
}

/// Adds what to write instead, where the error is a slip that is well known.
pub(crate) fn with_remedy(error: RunError, source: &str, host: &Host) -> RunError {
    if error.hint.is_some() || error.code != ErrorCode::Thrown {
        return error;
    }
    let (kind, message) = error.message.split_once(": ").unwrap_or_default();
    let hint = if let Some(name) = message.strip_suffix(" is not defined")
        && kind == "ReferenceError"
        && name.len() <= 100
    {
        Some(remedies::undefined_name(name, &servers(host)))
    } else {
        let line = error.line.and_then(|line| source.lines().nth(line as usize - 1));
        remedies::wrong_value(kind, message, line.unwrap_or_default())
            .or_else(|| remedies::environment(source).map(str::to_owned))
    };
    RunError { hint, ..error }
}

/// The names of all servers, for a hint.
fn servers(host: &Host) -> Vec<String> {
    let answer = host.ask(Question::Servers, String::new());
    let names = answer.ok().and_then(Result::ok);
    names.and_then(|names| serde_json::from_str(&names).ok()).unwrap_or_default()
}

/// Codes that end a run and that no call ever fails with. A program may make up
/// an error, but not that it ran too long.
fn is_of_the_run(code: ErrorCode) -> bool {
    match code {
        ErrorCode::Syntax
        | ErrorCode::Type
        | ErrorCode::Stuck
        | ErrorCode::TimeLimit
        | ErrorCode::CpuLimit
        | ErrorCode::MemoryLimit
        | ErrorCode::StackLimit
        | ErrorCode::OutputLimit
        | ErrorCode::DiskLimit
        | ErrorCode::ProcessLimit
        | ErrorCode::Isolation
        | ErrorCode::Busy
        | ErrorCode::EngineMissing
        | ErrorCode::Cancelled
        | ErrorCode::WorkerDied => true,
        ErrorCode::Thrown
        | ErrorCode::BadOutput
        | ErrorCode::UnknownServer
        | ErrorCode::UnknownTool
        | ErrorCode::BadArgument
        | ErrorCode::ToolFailed
        | ErrorCode::Denied
        | ErrorCode::File
        | ErrorCode::UpstreamUnavailable
        | ErrorCode::UpstreamDied
        | ErrorCode::UpstreamTimeout
        | ErrorCode::UpstreamProtocol
        | ErrorCode::CallLimit
        | ErrorCode::FetchDenied
        | ErrorCode::FetchFailed
        | ErrorCode::FetchLimit
        | ErrorCode::CommandDenied
        | ErrorCode::CommandFailed
        | ErrorCode::Internal => false,
    }
}

/// Reads a property as text, if it is there and harmless.
fn property<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    let value: Value<'js> = match object.get(key) {
        Ok(value) => value,
        Err(_) => {
            ctx.catch();
            return None;
        }
    };
    if value.is_undefined() || value.is_null() { None } else { text_of(ctx, value) }
}

fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Option<String> {
    let text = Coerced::<rquickjs::String<'js>>::from_js(ctx, value)
        .and_then(|text| LossyText::from_js(ctx, text.0.into_value()));
    match text {
        Ok(text) => Some(shortened(text.0)),
        Err(_) => {
            // A throwing `toString`; the exception must not stay pending.
            ctx.catch();
            None
        }
    }
}

fn shortened(text: String) -> String {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let head = &text[..text.floor_char_boundary(TEXT_BYTES)];
    format!("{head}… ({} characters in all)", text.chars().count())
}

/// The innermost frames, which are the first lines.
fn stack_of<'js>(ctx: &Ctx<'js>, thrown: &Value<'js>) -> Option<String> {
    property(ctx, thrown.as_object()?, "stack")
}

/// Adds the innermost place of the program's own code.
fn placed(mut error: RunError, stack: Option<&str>, map: &SourceMap) -> RunError {
    let place = stack
        .and_then(|stack| stack.lines().find_map(program_position))
        .and_then(|(line, column)| map.origin(line, column));
    error.line = place.map(|(line, _)| line);
    error.column = place.map(|(_, column)| column);
    error
}

/// Line and column of a stack line such as `at main (program.ts:3:10)`.
fn program_position(line: &str) -> Option<(u32, u32)> {
    let (_, position) = line.split_once(FILE_NAME)?;
    let mut numbers = position.trim_start_matches(':').split(|c: char| !c.is_ascii_digit());
    let line = numbers.next()?.parse().ok()?;
    let column = numbers.next().and_then(|column| column.parse().ok()).unwrap_or(1);
    Some((line, column))
}
