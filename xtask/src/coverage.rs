//! Measures how many lines the tests execute.
//!
//! In: arguments for `cargo test`, none for all tests. Out: lines, executed lines and their
//! share for each crate and in total, on standard output; the chore fails if a test does.
//! `demo` and `bench` are not counted: they are for people to look at and run.
//! Must stay true: nothing stays in the project folder; builds and counters go to the cache.
//!
//! A process writes its counters when it exits. Processes that are jailed (readers, workers,
//! host commands) cannot write files and are killed when their work is done, so their lines
//! count only as far as unit tests execute them in the test process. A process whose
//! environment is cleared writes into its current folder; those files are collected.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::progress::{Progress, output_of};
use crate::project::Project;
use crate::setup::{self, Verify};
use crate::tools::version_of;

const VERSION: &str = "0.9.1";

/// Crates whose lines are not counted, besides what is not in `crates`.
const NOT_COUNTED: [&str; 2] = ["demo", "bench"];

pub(crate) fn run(project: &Project, progress: &Progress, rest: &[String]) -> Result<()> {
    setup::run(project, progress, Verify::AfterInstall)?;
    install_llvm_tools(progress)?;
    let tool = installed_tool(project, progress)?;
    let folder = project.cache.join("coverage");
    // Counters of an earlier, interrupted run would count for this one.
    progress
        .run("counters", tool_command(project, &tool, &folder).args(["clean", "--profraw-only"]))?;
    remove_stray_counters(project)?;

    let mut tests = tool_command(project, &tool, &folder);
    tests
        .args(["--no-report", "--workspace", "--all-features", "--no-fail-fast"])
        .args(rest)
        .env("TIDEGATE_TEST_EQUIPMENT", project.equipment_file())
        .env("TIDEGATE_TEST_SKIPPED", project.skipped_file());
    let tested = progress.run("tests with counters", &mut tests);
    collect_stray_counters(project, &folder)?;

    let mut report = tool_command(project, &tool, &folder);
    report.args(["report", "--lcov"]);
    let lcov = progress.run_quietly("report", &mut report)?;
    let table = table(&lines_by_crate(&lcov, &project.root));
    io::stdout().write_all(table.as_bytes()).context("cannot print the table")?;
    tested
}

/// `cargo llvm-cov`, started directly so that no other version on PATH is used.
fn tool_command(project: &Project, tool: &Path, folder: &Path) -> Command {
    let mut command = Command::new(tool);
    command.current_dir(&project.root).arg("llvm-cov").env("CARGO_LLVM_COV_TARGET_DIR", folder);
    command
}

/// The reader of the counters. It must be of the same version as the compiler.
fn install_llvm_tools(progress: &Progress) -> Result<()> {
    let library = output_of(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let reader = Path::new(library.trim()).with_file_name("bin").join("llvm-profdata");
    if reader.exists() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", "llvm-tools"]);
    progress.run("llvm-tools", &mut rustup)
}

fn installed_tool(project: &Project, progress: &Progress) -> Result<PathBuf> {
    let tool = project.cache.join("bin/cargo-llvm-cov");
    if version_of(&tool, &["llvm-cov", "--version"]).is_err() {
        let mut install = project.cargo();
        install.args(["install", "cargo-llvm-cov", "--version", VERSION, "--locked", "--root"]);
        install.arg(&project.cache);
        progress.run_quietly("installing cargo-llvm-cov", &mut install)?;
    }
    Ok(tool)
}

/// Counters of processes with a cleared environment, in their current folder.
fn stray_counters(project: &Project) -> Result<Vec<PathBuf>> {
    let files = project.files()?.into_iter();
    let stray = files.filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.starts_with("default_") && name.ends_with(".profraw")
    });
    Ok(stray.map(|path| project.root.join(path)).collect())
}

fn remove_stray_counters(project: &Project) -> Result<()> {
    for path in stray_counters(project)? {
        fs::remove_file(&path).with_context(|| format!("cannot remove `{}`", path.display()))?;
    }
    Ok(())
}

fn collect_stray_counters(project: &Project, folder: &Path) -> Result<()> {
    for (number, path) in stray_counters(project)?.iter().enumerate() {
        // Copied, since the cache may be on another file system.
        let place = folder.join(format!("stray-{number}.profraw"));
        fs::copy(path, &place).with_context(|| format!("cannot copy `{}`", path.display()))?;
        fs::remove_file(path).with_context(|| format!("cannot remove `{}`", path.display()))?;
    }
    Ok(())
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Lines {
    all: usize,
    executed: usize,
}

/// Reads a report in the format of `lcov`: `SF:path`, `LF:lines`, `LH:executed lines`.
fn lines_by_crate(lcov: &str, root: &Path) -> BTreeMap<String, Lines> {
    let mut crates: BTreeMap<String, Lines> = BTreeMap::new();
    let mut current = None;
    for line in lcov.lines() {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let number = || value.parse::<usize>().unwrap_or(0);
        match (key, &current) {
            ("SF", _) => current = counted_crate(Path::new(value), root),
            ("LF", Some(name)) => crates.entry(String::clone(name)).or_default().all += number(),
            ("LH", Some(name)) => {
                crates.entry(String::clone(name)).or_default().executed += number();
            }
            _ => {}
        }
    }
    crates
}

fn counted_crate(path: &Path, root: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    let counted = rest.starts_with("src/") && !NOT_COUNTED.contains(&name);
    counted.then(|| name.to_owned())
}

fn table(crates: &BTreeMap<String, Lines>) -> String {
    let total = crates.values().fold(Lines::default(), |sum, one| Lines {
        all: sum.all + one.all,
        executed: sum.executed + one.executed,
    });
    let mut text = format!("{:12}{:>9}{:>10}{:>9}\n", "crate", "lines", "executed", "");
    let rows = crates.iter().map(|(name, lines)| (name.as_str(), *lines));
    for (name, lines) in rows.chain([("total", total)]) {
        // Rounded down, so that 100.0 means all lines.
        let tenths = (lines.executed * 1000).checked_div(lines.all).unwrap_or(0);
        let (whole, tenth) = (tenths / 10, tenths % 10);
        text += &format!("{name:12}{:>9}{:>10}{whole:>5}.{tenth} %\n", lines.all, lines.executed);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{lines_by_crate, table};

    #[test]
    fn lines_are_summed_by_crate_and_in_total() {
        let lcov = "SF:/p/crates/a/src/lib.rs\nDA:1,5\nLF:10\nLH:9\nend_of_record\n\
                    SF:/p/crates/a/src/b.rs\nLF:10\nLH:10\nend_of_record\n\
                    SF:/p/crates/b/src/lib.rs\nLF:3\nLH:1\nend_of_record\n\
                    SF:/p/crates/demo/src/lib.rs\nLF:100\nLH:0\nend_of_record\n\
                    SF:/p/crates/a/tests/it.rs\nLF:100\nLH:0\nend_of_record\n\
                    SF:/p/xtask/src/main.rs\nLF:100\nLH:0\nend_of_record\n";
        let expected = "crate           lines  executed         \n\
                        a                  20        19   95.0 %\n\
                        b                   3         1   33.3 %\n\
                        total              23        20   86.9 %\n";
        assert_eq!(table(&lines_by_crate(lcov, Path::new("/p"))), expected);
    }
}
