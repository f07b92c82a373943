//! Turns a thrown value into a failure that the gateway can report, for every engine.
//!
//! In: what the engine could read of the thrown value. Out: its cause, and the line in the
//! program as written.
//! Invariant: the program chooses no error code. Its text is reported as its own; an error of
//! the gateway is reported by the request that it answered.

use tidegate_model::{LineMap, whole_words};
use tidegate_wire::{Cause, EngineLimit, Failure, Fault, Question, Thrown};

use crate::hints;
use crate::host::Host;

/// Name of the program in stack traces.
pub(crate) const FILE_NAME: &str = "program.ts";

/// The longest message or hint in bytes: a program that puts a whole answer into an error
/// must not flood the model's context.
const TEXT_BYTES: usize = 2000;

/// Describes a thrown value.
pub(crate) fn explain(thrown: Thrown, map: &LineMap) -> Failure {
    if let Some(id) = thrown.request {
        return placed(Failure::new(Cause::Answered { id }), thrown.stack.as_deref(), map);
    }
    if !thrown.is_object {
        let text = thrown.text.map_or_else(|| "a value without text".into(), shortened);
        return Failure::of(Fault::Threw, text).with_hint("throw an `Error` to get the line");
    }
    let name = thrown.name.map(shortened).unwrap_or_default();
    let message = thrown.message.map(shortened).unwrap_or_default();
    let mut failure = match limit_of(&name, &message) {
        Some(limit) => limit.into(),
        None => Failure::of(Fault::Threw, titled(&name, message)),
    };
    if let Some(hint) = thrown.hint {
        failure = failure.with_hint(shortened(hint));
    }
    placed(failure, thrown.stack.as_deref(), map)
}

/// The limit that an engine reports with such an error.
fn limit_of(name: &str, message: &str) -> Option<EngineLimit> {
    match (name, message) {
        ("InternalError", "out of memory") | ("RangeError", "Array buffer allocation failed") => {
            Some(EngineLimit::Memory)
        }
        ("InternalError" | "RangeError", "stack overflow" | "Maximum call stack size exceeded") => {
            Some(EngineLimit::Stack)
        }
        _ => None,
    }
}

fn titled(name: &str, message: String) -> String {
    let message = match name {
        "" | "Error" | "ToolError" | "FetchError" => message,
        _ => format!("{name}: {message}"),
    };
    if message.is_empty() { "an empty error".into() } else { message }
}

/// An error at compile time that the parser missed is still a syntax error. At run time a
/// `SyntaxError` comes from `JSON.parse` and the like.
pub(crate) fn as_syntax_error(mut failure: Failure) -> Failure {
    if let Cause::Program(complaint) = &mut failure.cause
        && complaint.fault == Fault::Threw
        && let Some(message) = complaint.message.strip_prefix("SyntaxError: ")
    {
        complaint.message = message.to_owned();
        complaint.fault = Fault::Syntax;
    }
    failure
}

/// An error while the output is converted: `JSON.stringify` throws for a cycle.
pub(crate) fn as_bad_output(mut failure: Failure) -> Failure {
    match &mut failure.cause {
        Cause::Program(complaint) if complaint.fault == Fault::Threw => {
            complaint.fault = Fault::BadOutput;
            failure.with_hint("return plain data: objects, lists, text, numbers, booleans, null")
        }
        _ => failure,
    }
}

/// An unhandled rejection after the program has ended.
pub(crate) fn as_rejection(failure: Failure) -> Failure {
    match failure.complaint() {
        Some(complaint) if complaint.hint.is_none() => {
            failure.with_hint("await the promise, or catch its error")
        }
        _ => failure,
    }
}

/// No pending work can settle the promise that the program awaits.
pub(crate) fn stuck() -> Failure {
    Failure::new(Cause::Stuck)
}

/// The engine or the gateway is gone, or one of them broke the protocol. In the latter case
/// nobody receives this.
pub(crate) fn lost() -> Failure {
    Failure::new(Cause::Engine)
}

/// Adds a hint on what to write instead, if the error is a known mistake.
pub(crate) fn with_mistake_hint(failure: Failure, source: &str, host: &Host) -> Failure {
    let complaint = failure
        .complaint()
        .filter(|complaint| complaint.hint.is_none() && complaint.fault == Fault::Threw);
    let Some(complaint) = complaint else { return failure };
    let (kind, message) = complaint.message.split_once(": ").unwrap_or_default();
    let hint = if let Some(name) = message.strip_suffix(" is not defined")
        && kind == "ReferenceError"
        && name.len() <= 100
    {
        Some(hints::undefined_name(name, &servers(host)))
    } else {
        let line = failure.line.and_then(|line| source.lines().nth(line as usize - 1));
        hints::wrong_value(kind, message, line.unwrap_or_default())
            .or_else(|| hints::environment(source).map(str::to_owned))
    };
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// The names of all servers, for a hint.
fn servers(host: &Host) -> Vec<String> {
    let answer = host.ask(Question::Servers, String::new());
    let names = answer.ok().and_then(|(_, outcome)| outcome.ok());
    names.and_then(|names| serde_json::from_str(&names).ok()).unwrap_or_default()
}

fn shortened(text: String) -> String {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let head = whole_words(&text, TEXT_BYTES);
    format!("{head}… ({} characters in all)", text.chars().count())
}

/// Adds the innermost position in the program's own code.
pub(crate) fn placed(mut failure: Failure, stack: Option<&str>, map: &LineMap) -> Failure {
    let place = stack
        .and_then(|stack| stack.lines().find_map(program_position))
        .and_then(|(line, column)| map.origin(line, column));
    failure.line = place.map(|(line, _)| line);
    failure.column = place.map(|(_, column)| column);
    failure
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
