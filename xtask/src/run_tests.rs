//! Runs every test of the project.
//!
//! In: arguments for `cargo test`. Out: success only if every test that ran has passed, and
//! at the end a list of skipped tests with the reasons.
//! Tests find the equipment through `TIDEGATE_TEST_EQUIPMENT` (a path). A test that skips
//! something adds a line `what: why` to the file in `TIDEGATE_TEST_SKIPPED`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::equipment::Equipment;
use crate::fuzz;
use crate::progress::Progress;
use crate::project::Project;
use crate::setup::{self, Verify};
use crate::tools::Machine;

pub(crate) fn run(project: &Project, progress: &Progress, rest: &[String]) -> Result<()> {
    let equipment = setup::run(project, progress, Verify::AfterInstall)?;
    // Lines of the last run must not count for this one.
    fs::write(project.skipped_file(), "").context("cannot empty the list of skipped tests")?;

    let mut failures = Vec::new();
    let mut note = |what: &str, result: Result<()>| {
        if let Err(error) = result {
            progress.say(&format!("FAILED: {error:#}"));
            failures.push(what.to_owned());
        }
    };
    note("cargo test", progress.run("cargo test", &mut cargo_test(project, rest)));
    let mut skipped = Vec::new();
    // Arguments select Rust tests, so only those are wanted.
    if rest.is_empty() {
        for (what, command) in scripts(project) {
            match command {
                Ok(mut command) => note(what, progress.run(what, &mut command)),
                Err(reason) => skipped.push(format!("{what}: {reason}")),
            }
        }
        note("fuzzing", fuzz::run(project, progress, fuzz::SHORT_SECONDS));
    } else {
        skipped.push("tests in JavaScript and Python: `cargo test` was given arguments".to_owned());
    }

    report_skipped(project, progress, &equipment, skipped)?;
    if failures.is_empty() {
        progress.say("test: all passed");
        return Ok(());
    }
    bail!("failed: {}", failures.join(", "))
}

pub(crate) fn cargo_test(project: &Project, rest: &[String]) -> Command {
    let mut command = project.cargo();
    command
        .args(["test", "--workspace", "--all-features", "--no-fail-fast"])
        .args(rest)
        .env("TIDEGATE_TEST_EQUIPMENT", project.equipment_file())
        .env("TIDEGATE_TEST_SKIPPED", project.skipped_file());
    command
}

/// The tests that are not written in Rust.
fn scripts(project: &Project) -> Vec<(&'static str, Result<Command, String>)> {
    let machine = Machine::look();
    let mut all = Vec::new();
    let prelude = project.root.join("crates/worker/src/prelude/prelude_test.mjs");
    if prelude.exists() {
        let node = machine.node.map(|node| script(&node.path, &["--test"], &prelude));
        all.push(("prelude tests", node));
    }
    let hostile = project.testing("test_hostile_server.py");
    // -B: write no compiled files next to the sources.
    all.push((
        "hostile server tests",
        machine.python.map(|python| script(&python.path, &["-B"], &hostile)),
    ));
    all
}

fn script(program: &Path, options: &[&str], path: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(options).arg(path);
    command
}

fn report_skipped(
    project: &Project,
    progress: &Progress,
    equipment: &Equipment,
    mut skipped: Vec<String>,
) -> Result<()> {
    skipped.extend(
        equipment.skipped.iter().map(|(name, reason)| format!("equipment {name}: {reason}")),
    );
    let from_tests = fs::read_to_string(project.skipped_file())
        .context("cannot read the list of skipped tests")?;
    skipped.extend(from_tests.lines().map(str::to_owned));
    if skipped.is_empty() {
        progress.say("skipped: nothing");
    }
    for one in &skipped {
        progress.say(&format!("skipped: {one}"));
    }
    // Where everything can be installed, a skipped test is a failure.
    if !skipped.is_empty() && std::env::var_os("TIDEGATE_TEST_STRICT").is_some() {
        bail!("{} skipped, and TIDEGATE_TEST_STRICT is set", skipped.len());
    }
    Ok(())
}
