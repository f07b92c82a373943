//! The compiler that `cargo xtask setup` installs.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The compiler. If it is not there, the test is reported as skipped, with the
/// reason.
pub(super) fn tsc(test: &str) -> Option<PathBuf> {
    let path = std::env::var("TIDEGATE_TEST_EQUIPMENT").map(PathBuf::from).unwrap_or_else(|_| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/test/equipment.json")
    });
    let Ok(content) = std::fs::read(&path) else {
        return skip(test, "the test equipment is not installed; run `cargo xtask setup`");
    };
    let equipment: Value = serde_json::from_slice(&content).unwrap();
    match equipment["tsc"]["command"].as_str() {
        Some(command) => Some(PathBuf::from(command)),
        None => {
            skip(test, equipment["skipped"]["tsc"].as_str().unwrap_or("`tsc` is not installed"))
        }
    }
}

fn skip(test: &str, reason: &str) -> Option<PathBuf> {
    eprintln!("skipped {test}: {reason}");
    if let Ok(list) = std::env::var("TIDEGATE_TEST_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        writeln!(file, "{test}: {reason}").unwrap();
    }
    None
}
