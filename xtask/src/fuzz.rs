//! Runs each fuzz target of `fuzz/` for a fixed time.
//!
//! In: seconds for each target. Out: success only if no target found anything.
//! A round starts from the corpus of earlier rounds, which is in the cache. An input that
//! breaks something is kept in `fuzz/artifacts`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::progress::Progress;
use crate::project::Project;
use crate::tools::version_of;

/// For `cargo xtask test`: enough to run the seeds and the corpus, and to find shallow
/// bugs. For more, run `cargo xtask fuzz 3600`.
pub(crate) const SHORT_SECONDS: u32 = 5;

const VERSION: &str = "0.13.2";

const TARGETS: [&str; 5] = ["wire", "program", "python", "config", "network"];

pub(crate) fn run(project: &Project, progress: &Progress, seconds: u32) -> Result<()> {
    let fuzzer = fuzzer(project, progress)?;
    let mut found = Vec::new();
    for target in TARGETS {
        let corpus = project.cache.join("fuzz-corpus").join(target);
        fs::create_dir_all(&corpus)
            .with_context(|| format!("cannot make `{}`", corpus.display()))?;
        let seeds = project.root.join("fuzz/seeds").join(target);
        let mut command = Command::new(&fuzzer);
        command
            .current_dir(&project.root)
            .env("CARGO_TARGET_DIR", project.cache.join("fuzz-target"))
            // Without a sanitizer it builds with the toolchain of the project;
            // outside of `jail` and `worker` there is no unsafe code to watch.
            .args(["fuzz", "run", "--sanitizer", "none", target])
            .args([&corpus, &seeds])
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=8192", "-verbosity=0"]);
        if let Err(error) = progress.run(&format!("fuzz {target}"), &mut command) {
            progress.say(&format!("FAILED: {error:#}"));
            found.push(target);
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    bail!("fuzzing found something in: {}; see `fuzz/artifacts`", found.join(", "))
}

/// `cargo-fuzz`, installed into the cache if it is not there.
fn fuzzer(project: &Project, progress: &Progress) -> Result<PathBuf> {
    let kept = project.cache.join("bin/cargo-fuzz");
    if version_of(&kept, &["--version"]).is_ok() {
        return Ok(kept);
    }
    let mut install = project.cargo();
    install.args(["install", "cargo-fuzz", "--version", VERSION, "--locked", "--root"]);
    install.arg(&project.cache);
    progress.run_quietly("installing cargo-fuzz", &mut install)?;
    usable(&kept)
}

fn usable(path: &Path) -> Result<PathBuf> {
    match version_of(path, &["--version"]) {
        Ok(_) => Ok(path.to_owned()),
        Err(reason) => bail!("`{}` cannot be used: {reason}", path.display()),
    }
}
