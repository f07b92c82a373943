//! The checkers that `cargo xtask setup` installs.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{FoundPython, PythonChecker, find_python};

/// The compiler. If it is not installed, the test is reported as skipped, with the
/// reason.
pub(super) fn tsc(test: &str) -> Option<PathBuf> {
    Some(PathBuf::from(command(test, "tsc")?.remove(0)))
}

/// ty, in the same way.
pub(super) fn ty(test: &str) -> Option<PythonChecker> {
    let path = PathBuf::from(command(test, "ty")?.remove(0));
    match find_python(Some(&path), OsStr::new("")) {
        FoundPython::Checker(checker) => Some(checker),
        other => panic!("{other:?}"),
    }
}

/// pyright, with its Node.
pub(super) fn pyright(test: &str) -> Option<PythonChecker> {
    let mut words = command(test, "pyright")?.into_iter();
    let (node, script) = (PathBuf::from(words.next()?), PathBuf::from(words.next()?));
    match find_python(Some(&script), node.parent()?.as_os_str()) {
        FoundPython::Checker(checker) => Some(checker),
        other => panic!("{other:?}"),
    }
}

/// A command with its arguments.
fn command(test: &str, name: &str) -> Option<Vec<String>> {
    let path = std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from).unwrap_or_else(|_| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/test/equipment.json")
    });
    let Ok(content) = std::fs::read(&path) else {
        return skip(test, "the test equipment is not installed; run `cargo xtask setup`");
    };
    let equipment: Value = serde_json::from_slice(&content).unwrap();
    let piece = &equipment[name];
    let Some(command) = piece["command"].as_str() else {
        let reason = equipment["skipped"][name].as_str();
        return skip(test, reason.unwrap_or(&format!("`{name}` is not installed")));
    };
    let arguments = piece["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Some([command].into_iter().chain(arguments).map(str::to_owned).collect())
}

fn skip<T>(test: &str, reason: &str) -> Option<T> {
    eprintln!("skipped {test}: {reason}");
    if let Ok(list) = std::env::var("TIDEGATE_TEST_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        writeln!(file, "{test}: {reason}").unwrap();
    }
    None
}
