//! Rejects oversized input before parsing it.
//!
//! In: untrusted programs, names and arguments. Out: nothing, or an error that names the
//! limit. Names with hidden characters need no check here: a name that matches no tool
//! calls nothing, and every shown text makes these characters visible
//! (`model/src/hidden.rs`).

use serde_json::{Map, Value};
use tidegate_config::Input;
use tidegate_model::{ErrorCode, RunError};

/// The most bytes of a tool's name including its server's. The name of a server has at
/// most 64 characters, that of a tool at most 256 bytes.
const NAME_BYTES: usize = 600;

/// The most levels of arrays and objects in arguments. Chosen: JSON parsers stop at 128,
/// and the message around the arguments adds some.
const MAX_LEVELS: usize = 100;

/// Refuses a program that is too long to be read by a person or a checker.
pub(crate) fn program(source: &str, input: &Input) -> Result<(), RunError> {
    let most = input.program_bytes;
    if source.len() as u64 <= most {
        return Ok(());
    }
    let message =
        format!("the program has {} bytes; `program` in `[input]` allows {most}", source.len());
    let hint = "put data into files of `./workspace` or get it from tools, not into the program";
    Err(RunError::new(ErrorCode::BadArgument, message).with_hint(hint))
}

/// Refuses a name that is too long for any tool.
pub(crate) fn name(name: &str) -> Result<(), RunError> {
    if name.len() <= NAME_BYTES {
        return Ok(());
    }
    let message = format!("the tool name has {} bytes; the maximum is {NAME_BYTES}", name.len());
    let hint = "write `server__tool`, as `searchTools` shows it";
    Err(RunError::new(ErrorCode::UnknownTool, message).with_hint(hint))
}

/// Refuses arguments that are too long; `bytes` is their length as JSON.
pub(crate) fn length(tool: &str, bytes: u64, input: &Input) -> Result<(), RunError> {
    let most = input.argument_bytes;
    if bytes <= most {
        return Ok(());
    }
    let message = format!(
        "the arguments of `{tool}` have {bytes} bytes; `arguments` in `[input]` allows {most}"
    );
    Err(RunError::new(ErrorCode::BadArgument, message).with_hint("send them in several calls"))
}

/// Refuses arguments that are nested too deeply.
pub(crate) fn depth(tool: &str, arguments: &Map<String, Value>) -> Result<(), RunError> {
    let fits = arguments.values().all(|value| is_within(value, MAX_LEVELS - 1));
    if fits { Ok(()) } else { Err(too_deep(tool)) }
}

/// Refuses text that could not be parsed as JSON, if it is nested too deeply.
pub(crate) fn depth_of_text(tool: &str, text: &str) -> Result<(), RunError> {
    let (mut level, mut deepest) = (0_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                level += 1;
                deepest = deepest.max(level);
            }
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    if deepest > MAX_LEVELS { Err(too_deep(tool)) } else { Ok(()) }
}

fn is_within(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|item| is_within(item, levels - 1)),
        Value::Object(fields) => {
            levels > 0 && fields.values().all(|field| is_within(field, levels - 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn too_deep(tool: &str) -> RunError {
    let message = format!(
        "the arguments of `{tool}` are nested deeper than {MAX_LEVELS} levels of lists and objects"
    );
    RunError::new(ErrorCode::BadArgument, message).with_hint("send a flatter value, or text")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use tidegate_config::Input;

    use super::{depth, depth_of_text, length, name, program};

    const INPUT: Input = Input { program_bytes: 10, argument_bytes: 20 };

    fn described(refused: Result<(), tidegate_model::RunError>) -> String {
        refused.unwrap_err().to_string()
    }

    #[test]
    fn a_program_and_arguments_up_to_the_limit_pass_and_one_byte_more_does_not() {
        assert_eq!(program("0123456789", &INPUT), Ok(()));
        assert_eq!(
            described(program("0123456789a", &INPUT)),
            "error[call.bad_argument]: the program has 11 bytes; `program` in `[input]` allows \
             10\nhint: put data into files of `./workspace` or get it from tools, not into the \
             program"
        );
        assert_eq!(length("a__b", 20, &INPUT), Ok(()));
        assert_eq!(
            described(length("a__b", 21, &INPUT)),
            "error[call.bad_argument]: the arguments of `a__b` have 21 bytes; `arguments` in \
             `[input]` allows 20\nhint: send them in several calls"
        );
    }

    #[test]
    fn a_name_longer_than_any_is_refused_without_showing_it() {
        assert_eq!(name(&"x".repeat(600)), Ok(()));
        assert_eq!(
            described(name(&"x".repeat(601))),
            "error[call.unknown_tool]: the tool name has 601 bytes; the maximum is 600\nhint: \
             write `server__tool`, as `searchTools` shows it"
        );
    }

    #[test]
    fn arguments_of_a_hundred_levels_pass_and_one_more_does_not() {
        let nested = |levels: usize| {
            let mut value = Value::from(1);
            for level in 1..levels {
                value = if level % 2 == 0 { json!([value]) } else { json!({"a": value}) };
            }
            Map::from_iter([("a".to_owned(), value)])
        };
        let expected = "error[call.bad_argument]: the arguments of `t` are nested deeper than 100 \
                       levels of lists and objects\nhint: send a flatter value, or text";
        assert_eq!(depth("t", &nested(100)), Ok(()));
        assert_eq!(described(depth("t", &nested(101))), expected);
        let text = |levels| serde_json::to_string(&nested(levels)).unwrap();
        assert_eq!(depth_of_text("t", &text(100)), Ok(()));
        assert_eq!(described(depth_of_text("t", &text(101))), expected);
        let quoted = json!({"a": "[".repeat(500) + "\\\"" + &"{".repeat(500)}).to_string();
        assert_eq!(depth_of_text("t", &quoted), Ok(()));
    }
}
