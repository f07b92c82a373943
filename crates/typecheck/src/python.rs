//! What is particular to programs in Python.
//!
//! In: a program, and what ty or pyright reports about it. Out: our own files beside
//! it, and the errors that say something about it. Programs do what the checkers do
//! not know: `await` and `return` at the top, modules that are looked for elsewhere.
//! What is reported about that is dropped (`complaint.rs`).

mod complaint;
mod find;

pub use complaint::Complaint;
pub(crate) use complaint::{of_pyright, of_ty};
pub use find::{FoundPython, PythonChecker, find_python};

use serde_json::json;

use crate::diagnostic::{Code, Diagnostic, Name, Report, each_once};
use crate::refuse::PROGRAM_BYTES;

/// Declarations are written for this version. What a program is run with may be
/// older: what it lacks is found when it is run.
const VERSION: &str = "3.13";

const GLOBALS: &str = include_str!("python/globals.pyi");
const ANSWERS: &str = include_str!("python/answers.pyi");

fn own_files(settings: (&'static str, String)) -> Vec<(&'static str, String)> {
    vec![
        ("__builtins__.pyi", GLOBALS.to_owned()),
        ("tidegate_answers.pyi", ANSWERS.to_owned()),
        settings,
    ]
}

pub(crate) fn ty_files() -> Vec<(&'static str, String)> {
    // Its own root, so that nothing is looked for in the folders above.
    let text = format!("[environment]\npython-version = \"{VERSION}\"\nroot = [\".\"]\n");
    own_files(("ty.toml", text))
}

pub(crate) fn pyright_files() -> Vec<(&'static str, String)> {
    let settings = json!({
        "pythonVersion": VERSION,
        "include": ["program.py"],
        "typeCheckingMode": "basic",
        "useLibraryCodeForTypes": false,
        // Imports are looked up by the gateway, which knows the packages.
        "reportMissingImports": "none",
        // What may be `None` mostly is not: `re.match(…).group()`.
        "reportOptionalCall": "none",
        "reportOptionalContextManager": "none",
        "reportOptionalIterable": "none",
        "reportOptionalMemberAccess": "none",
        "reportOptionalOperand": "none",
        "reportOptionalSubscript": "none",
        "reportPossiblyUnbound": "none",
        "reportTypedDictNotRequiredAccess": "none",
        // Style.
        "reportFunctionMemberAccess": "none",
        "reportRedeclaration": "none",
        "reportUnusedCoroutine": "none",
        "reportUnusedExpression": "none",
    });
    own_files(("pyrightconfig.json", settings.to_string()))
}

/// Why a program is not checked. A relative import makes a checker look into the
/// folders above; the kernel keeps it from there where it can (see `confine`). The
/// rest of what a program can name lies in its own folder.
pub(crate) fn refusal(program: &str) -> Option<&'static str> {
    if program.len() > PROGRAM_BYTES {
        return Some("its text is longer than 1 MB");
    }
    let relative = |(at, _): (usize, &str)| {
        // Behind blanks, and lines that go on.
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
    let told: Vec<Diagnostic> = report
        .in_order()
        .filter_map(|item| {
            // Syntax: Python itself says it better, and knows what is allowed here.
            let Name::Rule(rule) = &item.code else { return None };
            let (complaint, message) = read(rule, &item.message)?;
            Some(item.told(Code::Python(complaint), message))
        })
        .collect();
    let is_vague = |one: &Diagnostic| {
        matches!(&one.code, Code::Python(Complaint::Mismatch { .. }))
            && told.iter().any(|other| other.code != one.code && lies_within(other, one))
    };
    each_once(told.iter().filter(|one| !is_vague(one)).cloned())
}

/// Whether one error is about a part of what the other is about, and says more.
fn lies_within(part: &Diagnostic, whole: &Diagnostic) -> bool {
    (whole.line, whole.column) <= (part.line, part.column)
        && (part.end_line, part.end_column) <= (whole.end_line, whole.end_column)
}
