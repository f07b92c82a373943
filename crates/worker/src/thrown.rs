//! Turns a thrown value into an error that a model can act on, for every engine.
//!
//! In: what the engine could read of the thrown value. Out: a code, a message, a hint and
//! the line in the program as written.
//! Invariant: a program can forge an error, but not one that says how its run ended.

use tidegate_model::{ErrorCode, LineMap, RunError, whole_words};
use tidegate_wire::{Question, Thrown};

use crate::hints;
use crate::host::Host;

/// Name of the program in stack traces.
pub(crate) const FILE_NAME: &str = "program.ts";

/// The longest message or hint in bytes: a program that puts a whole answer into an error
/// must not flood the model's context.
const TEXT_BYTES: usize = 2000;

/// Describes a thrown value.
pub(crate) fn explain(thrown: Thrown, map: &LineMap) -> RunError {
    if !thrown.is_object {
        let text = thrown.text.map_or_else(|| "a value without text".into(), shortened);
        return RunError::new(ErrorCode::Thrown, format!("the program threw `{text}`"))
            .with_hint("throw an `Error` to get the line");
    }
    let name = thrown.name.map(shortened).unwrap_or_default();
    let message = thrown.message.map(shortened).unwrap_or_default();
    let code = match (name.as_str(), message.as_str()) {
        ("InternalError", "out of memory") | ("RangeError", "Array buffer allocation failed") => {
            ErrorCode::MemoryLimit
        }
        ("InternalError" | "RangeError", "stack overflow" | "Maximum call stack size exceeded") => {
            ErrorCode::StackLimit
        }
        ("ToolError" | "FetchError", _) => thrown
            .code
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
    error.hint = thrown.hint.map(shortened);
    placed(error, thrown.stack.as_deref(), map)
}

/// An error at compile time that the parser missed is still a syntax error. At run time a
/// `SyntaxError` comes from `JSON.parse` and the like.
pub(crate) fn as_syntax_error(error: RunError) -> RunError {
    match (error.code, error.message.strip_prefix("SyntaxError: ")) {
        (ErrorCode::Thrown, Some(message)) => {
            RunError { code: ErrorCode::Syntax, message: message.to_owned(), ..error }
        }
        _ => error,
    }
}

/// An error while the output is converted: `JSON.stringify` throws for a cycle.
pub(crate) fn as_bad_output(error: RunError) -> RunError {
    match error.code {
        ErrorCode::Thrown => RunError { code: ErrorCode::BadOutput, ..error }
            .with_hint("return plain data: objects, lists, text, numbers, booleans, null"),
        _ => error,
    }
}

/// An unhandled rejection after the program has ended.
pub(crate) fn as_rejection(error: RunError) -> RunError {
    let hint = "await the promise, or catch its error".to_owned();
    RunError { hint: error.hint.or(Some(hint)), ..error }
}

/// No pending work can settle the promise that the program awaits.
pub(crate) fn stuck() -> RunError {
    RunError::new(ErrorCode::Stuck, "the program awaits a promise that nothing will ever settle")
        .with_hint("resolve the promise, or await a tool call or a timer")
}

/// The gateway sent a program without JavaScript from a reader.
pub(crate) fn nothing_to_run() -> RunError {
    RunError::new(ErrorCode::Internal, "the worker received no JavaScript to run")
}

pub(crate) fn gateway_gone() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the gateway is gone")
}

/// Adds a hint on what to write instead, if the error is a known mistake.
pub(crate) fn with_mistake_hint(error: RunError, source: &str, host: &Host) -> RunError {
    if error.hint.is_some() || error.code != ErrorCode::Thrown {
        return error;
    }
    let (kind, message) = error.message.split_once(": ").unwrap_or_default();
    let hint = if let Some(name) = message.strip_suffix(" is not defined")
        && kind == "ReferenceError"
        && name.len() <= 100
    {
        Some(hints::undefined_name(name, &servers(host)))
    } else {
        let line = error.line.and_then(|line| source.lines().nth(line as usize - 1));
        hints::wrong_value(kind, message, line.unwrap_or_default())
            .or_else(|| hints::environment(source).map(str::to_owned))
    };
    RunError { hint, ..error }
}

/// The names of all servers, for a hint.
fn servers(host: &Host) -> Vec<String> {
    let answer = host.ask(Question::Servers, String::new());
    let names = answer.ok().and_then(Result::ok);
    names.and_then(|names| serde_json::from_str(&names).ok()).unwrap_or_default()
}

/// Whether a code ends a run and is never the error of a call. A program may forge an
/// error, but it must not be able to claim, for example, that it ran too long.
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
        | ErrorCode::EngineDenied
        | ErrorCode::Cancelled
        | ErrorCode::ApprovalPending
        | ErrorCode::NotParked
        | ErrorCode::WorkerDied => true,
        ErrorCode::Thrown
        | ErrorCode::BadOutput
        | ErrorCode::UnknownServer
        | ErrorCode::UnknownTool
        | ErrorCode::BadArgument
        | ErrorCode::ToolFailed
        | ErrorCode::Denied
        | ErrorCode::Quarantined
        | ErrorCode::ApprovalDenied
        | ErrorCode::Diverged
        | ErrorCode::UnknownToken
        | ErrorCode::RecipientDenied
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
        | ErrorCode::CommandTime
        | ErrorCode::CommandCpu
        | ErrorCode::CommandMemory
        | ErrorCode::CommandDisk
        | ErrorCode::CommandProcesses
        | ErrorCode::Internal => false,
    }
}

fn shortened(text: String) -> String {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let head = whole_words(&text, TEXT_BYTES);
    format!("{head}… ({} characters in all)", text.chars().count())
}

/// Adds the innermost position in the program's own code.
pub(crate) fn placed(mut error: RunError, stack: Option<&str>, map: &LineMap) -> RunError {
    let place = stack
        .and_then(|stack| stack.lines().find_map(program_position))
        .and_then(|(line, column)| map.origin(line, column));
    error.line = place.map(|(line, _)| line);
    error.column = place.map(|(_, column)| column);
    error
}

/// Line and column of a stack line such as `at main (program.ts:3:10)`.
fn program_position(line: &str) -> Option<(u32, u32)> {
    // In V8 a stack begins with the message, which may contain anything.
    let (_, position) = line.trim_start().strip_prefix("at ")?.rsplit_once(FILE_NAME)?;
    let numbers = position.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = numbers.split(|c: char| !c.is_ascii_digit());
    let line = numbers.next()?.parse().ok()?;
    let column = numbers.next().and_then(|column| column.parse().ok()).unwrap_or(1);
    Some((line, column))
}

#[cfg(test)]
mod tests {
    use super::{TEXT_BYTES, shortened};

    #[test]
    fn a_text_is_not_truncated_in_the_middle_of_a_value() {
        for length in 0..30 {
            let start = "w ".repeat((TEXT_BYTES - length) / 2);
            let text = format!("{start}rosalind.whitcombe@mailbox.example {start}");
            let all = text.chars().count();
            let text = shortened(text);
            assert_eq!(text, format!("{start}… ({all} characters in all)"));
        }
    }
}
