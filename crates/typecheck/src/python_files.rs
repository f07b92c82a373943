//! The files that a Python checker needs beside a program.
//!
//! In: nothing. Out: names and texts: the globals of programs, and the settings of ty or
//! pyright.

use serde_json::json;

/// The version that declarations are written for. Programs may run with an older version;
/// features that it lacks are reported at run time.
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
    // The folder is its own root, so that nothing is searched in the folders above.
    let text = format!("[environment]\npython-version = \"{VERSION}\"\nroot = [\".\"]\n");
    own_files(("ty.toml", text))
}

pub(crate) fn pyright_files() -> Vec<(&'static str, String)> {
    let settings = json!({
        "pythonVersion": VERSION,
        "include": ["program.py"],
        "typeCheckingMode": "basic",
        "useLibraryCodeForTypes": false,
        // The gateway looks up imports, since it knows the packages.
        "reportMissingImports": "none",
        // A value that may be `None` usually is not: `re.match(…).group()`.
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
