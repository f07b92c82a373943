//! Turns the type errors of a program, in either language, into an error or warnings.
//!
//! In: errors, each with its severity. Out: an error that ends the run before it starts,
//! or warnings that are sent with its answer.

use tidegate_model::{ErrorCode, RunError, visible};
use tidegate_typecheck::Diagnostic;

/// How many problems are reported.
const MAX_REPORTED: usize = 3;

/// Longer signatures are not put into an error.
const SIGNATURE_BYTES: usize = 1500;

/// The severity of a type error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The program must not run.
    Error,
    /// It is reported with the answer.
    Warning,
}

/// A type error that counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) diagnostic: Diagnostic,
    pub(crate) severity: Severity,
    /// Whether it is about observed types of results, not about declared ones.
    pub(crate) observed: bool,
}

impl Problem {
    pub(crate) fn new(mut diagnostic: Diagnostic, severity: Severity) -> Self {
        // It contains names and values from a server's schema.
        diagnostic.message = visible(&diagnostic.message).into_owned();
        Self { diagnostic, severity, observed: false }
    }
}

/// One error if the program must not run, otherwise the warnings. `word` words a
/// diagnostic; `signature` gives the signature of the tool whose arguments it is about.
pub(crate) fn verdict(
    problems: &[Problem],
    word: impl Fn(&Diagnostic) -> String,
    signature: impl Fn(&Diagnostic) -> Option<String>,
) -> Result<Vec<String>, RunError> {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    let errors: Vec<&Diagnostic> = errors.map(|problem| &problem.diagnostic).collect();
    if let [first, rest @ ..] = errors.as_slice() {
        let mut message = word(first);
        for other in rest.iter().take(MAX_REPORTED - 1) {
            message.push_str(&format!("; line {}: {}", other.line, word(other)));
        }
        if rest.len() >= MAX_REPORTED {
            message.push_str("; and more");
        }
        let error = RunError::new(ErrorCode::Type, message).with_hint(hint(signature(first)));
        return Err(RunError { line: Some(first.line), column: Some(first.column), ..error });
    }
    let warning = |problem: &Problem| {
        let source = if problem.observed { " (as observed in earlier results)" } else { "" };
        format!("line {}: {}{source}", problem.diagnostic.line, word(&problem.diagnostic))
    };
    Ok(problems.iter().take(MAX_REPORTED).map(warning).collect())
}

fn hint(signature: Option<String>) -> String {
    let again = "no part of the program has run; correct it and send it again";
    match signature.filter(|signature| signature.len() <= SIGNATURE_BYTES) {
        Some(signature) => format!("{again}:\n{signature}"),
        None => again.to_owned(),
    }
}
