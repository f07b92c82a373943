//! The parts of a check that are specific to Python.
//!
//! In: a program, and what ty or pyright reports about it. Out: the errors that apply.
//! Programs use features that the checkers do not know: `await` and `return` at the top
//! level, modules that are found elsewhere. Errors about those are dropped
//! (`complaint.rs`).

mod find;

pub use find::{FoundPython, PythonChecker, find_python};

use crate::complaint::Complaint;
use crate::diagnostic::{Code, Diagnostic, ItemCode, Report, deduplicated};
use crate::unchecked::PROGRAM_BYTES;

/// Why a program is not checked. A relative import makes a checker read the folders above,
/// which the kernel prevents where it can (see `confine`). All other modules that a program
/// can name are in its own folder.
pub(crate) fn refusal(program: &str) -> Option<&'static str> {
    if program.len() > PROGRAM_BYTES {
        return Some("its text is longer than 1 MB");
    }
    let relative = |(at, _): (usize, &str)| {
        // After blanks and line continuations.
        let rest =
            program[at + "from".len()..].trim_start_matches([' ', '\t', '\x0c', '\\', '\r', '\n']);
        rest.starts_with('.')
    };
    program.match_indices("from").any(relative).then_some("it has a relative import")
}

/// The errors of a report, as `read` understands them.
pub(crate) fn errors(
    report: Report,
    read: fn(&str, &str) -> Option<(Complaint, String)>,
) -> Vec<Diagnostic> {
    let reported: Vec<Diagnostic> = report
        .in_order()
        .filter_map(|item| {
            // Syntax errors have no rule. Python reports them better, and knows which syntax
            // is allowed here.
            let ItemCode::Rule(rule) = &item.code else { return None };
            let (complaint, message) = read(rule, &item.message)?;
            Some(item.to_diagnostic(Code::Python(complaint), message))
        })
        .collect();
    let is_vague = |one: &Diagnostic| {
        matches!(&one.code, Code::Python(Complaint::Mismatch { .. }))
            && reported.iter().any(|other| other.code != one.code && lies_within(other, one))
    };
    deduplicated(reported.iter().filter(|one| !is_vague(one)).cloned())
}

/// Whether one error covers a part of the other, and so is more specific.
fn lies_within(part: &Diagnostic, whole: &Diagnostic) -> bool {
    (whole.line, whole.column) <= (part.line, part.column)
        && (part.end_line, part.end_column) <= (whole.end_line, whole.end_column)
}
