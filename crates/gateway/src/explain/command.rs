//! Explains refusals and failures of host commands to a model.
//!
//! As in `explain/mod.rs`: what to change, and no path of the host.

use std::error::Error;
use std::fmt::Write;

use tidegate_model::{ErrorCode, RunError, did_you_mean};
use tidegate_policy::CommandDenial;
use tidegate_sandbox::{CommandError, LimitHit};

use crate::explain;

/// A command that policy refused.
pub(crate) fn denial(denial: &CommandDenial, name: &str) -> RunError {
    let shown = name.escape_debug();
    let denied = |message: String| RunError::new(ErrorCode::CommandDenied, message);
    match denial {
        CommandDenial::Unknown(usable) => {
            let names: Vec<String> = usable.iter().map(|name| format!("`{name}`")).collect();
            let hint = match did_you_mean(name, usable.iter().map(String::as_str)) {
                Some(hint) => hint,
                None if usable.is_empty() => "call a tool of a server instead".into(),
                None => format!("there is {}", names.join(", ")),
            };
            denied(format!("there is no command `{shown}`")).with_hint(hint)
        }
        CommandDenial::Profile(refusal) => {
            let (reason, hint) = explain::refusal(refusal);
            denied(format!("`{shown}` may not be run: {reason}")).with_hint(hint)
        }
        CommandDenial::Count { least, most } => {
            let takes = match most {
                Some(most) => format!("{most}"),
                None => format!("at least {least} and at most 256"),
            };
            denied(format!("`{shown}` takes {takes} arguments"))
                .with_hint(format!("the user allows others under `args` of command `{shown}`"))
        }
        CommandDenial::TooLong => denied(format!("the arguments of `{shown}` are too long"))
            .with_hint("they may have 64 KiB; pass more as `input`"),
        CommandDenial::Character(index) => {
            denied(format!("argument {} of `{shown}` has a NUL or a line end", index + 1))
                .with_hint("pass such text as `input`")
        }
        CommandDenial::Argument(index) => {
            denied(format!("argument {} of `{shown}` is not allowed", index + 1))
                .with_hint(format!("the user allows others under `args` of command `{shown}`"))
        }
    }
}

/// A permitted command whose executable did not exist at startup.
pub(crate) fn missing(name: &str) -> RunError {
    RunError::new(ErrorCode::CommandFailed, format!("the executable of `{name}` does not exist"))
        .with_hint("the user must correct its `path` and restart tidegate")
}

/// A permitted command that did not run to its end.
pub(crate) fn failure(
    error: &CommandError,
    name: &str,
    limited: impl Fn(LimitHit) -> RunError,
) -> RunError {
    let failed = |message: String| RunError::new(ErrorCode::CommandFailed, message);
    match error {
        CommandError::Executable(_) => failed(format!("the executable of `{name}` cannot be used"))
            .with_hint("the user can find the reason in the log"),
        CommandError::Changed => {
            failed(format!("the executable of `{name}` has changed since tidegate started"))
                .with_hint("the user must restart tidegate if the change is intended")
        }
        // Only the log has the path: programs do not learn those of the host.
        CommandError::Grant(_) => failed(format!(
            "a path that `{name}` may read or write has changed since tidegate started"
        ))
        .with_hint("the user can find the path in the log"),
        CommandError::NotStarted(_) | CommandError::Jail(_) => {
            failed(format!("`{name}` could not be started"))
                .with_hint("the user can find the reason in the log")
        }
        CommandError::Isolation { wanted, report } => {
            explain::isolation(&format!("`{name}` is not run"), *wanted, report)
        }
        CommandError::Limit(hit) => limited(*hit),
    }
}

/// An error with its causes, for the log.
pub(crate) fn chain(error: &CommandError) -> String {
    let mut text = error.to_string();
    if let CommandError::Isolation { wanted, report } = error {
        for line in report.missing(*wanted) {
            let _ = write!(text, "; {}: {:?}", line.layer.as_str(), line);
        }
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
