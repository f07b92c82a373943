//! The checks before a commit: format, lints, dependency rules, structure, forbidden
//! words.
//!
//! All of them run even after a failure, so that one round shows everything.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::forbidden;
use crate::progress::{Progress, output_of};
use crate::project::Project;
use crate::structure;
use crate::tools::version_of;

/// A system without the layers of a jail.
const ANOTHER_SYSTEM: &str = "x86_64-apple-darwin";

pub(crate) fn run(project: &Project, progress: &Progress) -> Result<()> {
    let mut failures = Vec::new();
    let mut note = |what: &str, result: Result<()>| {
        if let Err(error) = result {
            progress.say(&format!("FAILED: {error:#}"));
            failures.push(what.to_owned());
        }
    };
    note("format", progress.run("format", project.cargo().args(["fmt", "--all", "--check"])));
    let mut clippy = project.cargo();
    clippy.args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ]);
    note("lints", progress.run("lints", &mut clippy));
    note("another system", another_system(project, progress));
    note("dependencies", dependencies(project, progress));
    note("forbidden words", words(project, progress));
    note("structure", structure::run(project, progress));
    if failures.is_empty() {
        progress.say("check: all good");
        return Ok(());
    }
    bail!("failed: {}", failures.join(", "))
}

/// On a system without any layer of a jail, the program must still build, so that it can
/// refuse with a reason. Nothing is linked, so the C parts need no compiler.
fn another_system(project: &Project, progress: &Progress) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", ANOTHER_SYSTEM]);
    if !output_of(&mut rustc).is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
        progress.say(&format!(
            "skipped: another system: its library is not installed; install it with `rustup target add {ANOTHER_SYSTEM}`",
        ));
        return Ok(());
    }
    let mut clippy = project.cargo();
    for tool in ["CC", "AR"] {
        clippy.env(format!("{tool}_{}", ANOTHER_SYSTEM.replace('-', "_")), "true");
    }
    clippy.args(["clippy", "--package", "tidegate-cli", "--target", ANOTHER_SYSTEM]);
    clippy.args(["--", "-D", "warnings"]);
    progress.run("another system", &mut clippy)
}

fn dependencies(project: &Project, progress: &Progress) -> Result<()> {
    let Some(deny) = cargo_deny(&project.cache) else {
        progress.say(&format!(
            "skipped: dependency rules: cargo-deny is not installed; install it with `cargo install cargo-deny --locked --root {}`",
            project.cache.display()
        ));
        return Ok(());
    };
    let mut command = Command::new(deny);
    command.current_dir(&project.root).args([
        "--all-features",
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]);
    progress.run("dependencies", &mut command)
}

fn cargo_deny(cache: &Path) -> Option<PathBuf> {
    let places = [PathBuf::from("cargo-deny"), cache.join("bin/cargo-deny")];
    places.into_iter().find(|place| version_of(place, &["--version"]).is_ok())
}

fn words(project: &Project, progress: &Progress) -> Result<()> {
    progress.say("forbidden words");
    let places = forbidden::find(project)?;
    if !places.is_empty() {
        bail!("forbidden words:\n{}", places.join("\n"));
    }
    Ok(())
}
