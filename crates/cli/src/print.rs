//! What people and scripts see: standard output for results, standard error for
//! everything else, colours only on a terminal and only if they are wanted there.
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

/// Text of a program for a terminal: what would move its cursor, change its colours,
/// turn the direction of reading or hide is shown, not done. Scripts get it as it is:
/// it is the program's result.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let seen = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
    if seen { visible(text) } else { Cow::Borrowed(text) }
}

/// One line of results. A reader that has gone away ends us quietly, as `head`
/// expects.
pub(crate) fn line(text: impl Display) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// One JSON document of results.
pub(crate) fn json(value: &Value) {
    line(visible_json(&value.to_string()));
}

/// Something that is not a result.
pub(crate) fn note(text: impl Display) {
    // Nobody reads standard error: nothing to be done.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A message for people about something that failed.
pub(crate) fn error(text: &str) {
    let text = match text.strip_prefix("error") {
        Some(rest) if has_colours(&std::io::stderr()) => format!("\x1b[1;31merror\x1b[0m{rest}"),
        _ => text.to_owned(),
    };
    note(text);
}

/// Tells why something failed, with the exit code for it.
pub(crate) fn failed(failure: &RunError) -> ExitCode {
    error(&failure.to_string());
    ExitCode::from(failure.code.exit_code())
}

/// Whether what is written there may have colours.
pub(crate) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Bold on a terminal.
pub(crate) fn bold(text: &str) -> String {
    if has_colours(&std::io::stdout()) { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

/// Green, yellow or red on a terminal.
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

/// Prints an error with its causes and gives the exit code for it.
pub(crate) fn failure(failed: &anyhow::Error) -> ExitCode {
    if let Some(config) = failed.downcast_ref::<ConfigError>() {
        error(&config.to_string());
        return ExitCode::from(2);
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

/// Shows what takes long, on a terminal only, and wipes it at the end.
pub(crate) struct Spinner(bool);

impl Spinner {
    pub(crate) fn start(text: &str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        if terminal {
            let _ = write!(std::io::stderr().lock(), "{text} …\r");
        }
        Self(terminal)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if self.0 {
            let _ = write!(std::io::stderr().lock(), "\x1b[2K\r");
        }
    }
}

/// A number with thousands separators.
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
    use super::thousands;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
