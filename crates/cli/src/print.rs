//! Prints for people and scripts: results on standard output, everything else on standard
//! error, with colours only on a terminal that wants them.
//!
//! `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb` are respected.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use serde_json::Value;
use tidegate_config::ConfigError;
use tidegate_gateway::{GatewayError, PolicyError};
use tidegate_model::{RunError, visible, visible_json};

use crate::passphrase::Refused;

/// Text of a program, safe for a terminal: characters that move the cursor, change colours,
/// reverse the reading direction or hide text are escaped. Scripts get the text unchanged,
/// since it is the program's result.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let on_terminal = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
    if on_terminal { visible(text) } else { Cow::Borrowed(text) }
}

/// Prints one line of results. Exits quietly if the reader is gone, as with `| head`.
pub(crate) fn line(text: impl Display) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Prints one JSON document of results.
pub(crate) fn json(value: &Value) {
    line(visible_json(&value.to_string()));
}

/// Prints something that is not a result.
pub(crate) fn note(text: impl Display) {
    // Nothing can be done if nobody reads standard error.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints an error message.
pub(crate) fn error(text: &str) {
    let text = match text.strip_prefix("error") {
        Some(rest) if has_colours(&std::io::stderr()) => format!("\x1b[1;31merror\x1b[0m{rest}"),
        _ => text.to_owned(),
    };
    note(text);
}

/// Prints why a run failed, and gives its exit code.
pub(crate) fn failed(failure: &RunError) -> ExitCode {
    error(&failure.to_string());
    ExitCode::from(failure.code.exit_code())
}

/// Whether output to this stream may have colours.
pub(crate) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Bold text, where colours are wanted.
pub(crate) fn bold(text: &str) -> String {
    if has_colours(&std::io::stdout()) { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// Coloured text, where colours are wanted.
pub(crate) fn painted(text: &str, colour: Colour) -> String {
    if !has_colours(&std::io::stdout()) {
        return text.to_owned();
    }
    let code = match colour {
        Colour::Green => 32,
        Colour::Yellow => 33,
        Colour::Red => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// The colour of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Colour {
    Green,
    Yellow,
    Red,
}

/// Prints an error with its causes, and gives its exit code.
pub(crate) fn failure(failed: &anyhow::Error) -> ExitCode {
    if let Some(config) = failed.downcast_ref::<ConfigError>() {
        error(&config.to_string());
        return ExitCode::from(2);
    }
    if let Some(Refused(text)) = failed.downcast_ref::<Refused>() {
        error(text);
        return ExitCode::from(3);
    }
    if let Some(usage) = failed.downcast_ref::<Usage>() {
        error(&format!("error: {}", usage.0));
        return ExitCode::from(2);
    }
    let policy = match failed.downcast_ref::<GatewayError>() {
        Some(GatewayError::Policy(policy)) => Some(policy),
        _ => failed.downcast_ref::<PolicyError>(),
    };
    if let Some(policy) = policy {
        error(&policy.to_string());
        return ExitCode::from(2);
    }
    if let Some(GatewayError::Patterns(patterns)) = failed.downcast_ref::<GatewayError>() {
        error(&patterns.to_string());
        return ExitCode::from(2);
    }
    let mut text = format!("error: {failed}");
    for cause in failed.chain().skip(1) {
        text.push_str(&format!("\n  because: {cause}"));
    }
    error(&text);
    ExitCode::FAILURE
}

/// Wrong usage: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// A line that says what takes long; removed when this is dropped. On a terminal only.
pub(crate) struct Spinner {
    on_terminal: bool,
}

impl Spinner {
    pub(crate) fn start(text: &str) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        if on_terminal {
            let _ = write!(std::io::stderr().lock(), "{text} …\r");
        }
        Self { on_terminal }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr().lock(), "\x1b[2K\r");
        }
    }
}

/// A number of things, such as `1 tool` and `2 tools`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The number with thousands separators.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::{counted, thousands};

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(counted(1, "tool"), "1 tool");
        assert_eq!(counted(0, "tool"), "0 tools");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
