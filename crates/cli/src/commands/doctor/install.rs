//! Installs TypeScript 7 into the state folder, with npm.
//!
//! In: the state folder. Out: a compiler in its place that reports its version.
//! Must stay true: an installed compiler is complete. npm writes to a folder next to its
//! place; the result is tried and then renamed in one step. An interrupted installation
//! leaves the old compiler or none, and the next installation cleans it up.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use tidegate_typecheck::{TYPESCRIPT_VERSION, install_folder, package_name};
use tokio::process::Command;

use super::finding::Finding;
use super::probe::version;
use crate::print;

const UNFINISHED: &str = ".unfinished-";

/// Installs it. The output of npm goes to standard error.
pub(super) async fn typescript(state_dir: &Path) -> anyhow::Result<()> {
    let place = install_folder(state_dir);
    let tools = place.parent().context("the folder for installed tools cannot be created")?;
    fs::create_dir_all(tools).with_context(|| format!("cannot make `{}`", tools.display()))?;
    let lock = File::create(tools.join("lock"))
        .context("cannot create the lock file for installed tools")?;
    if lock.try_lock().is_err() {
        bail!("another `tidegate doctor --fix` is running in `{}`", tools.display());
    }
    remove_unfinished(tools);
    let unfinished = tools.join(format!("{UNFINISHED}{}", std::process::id()));
    let installed = install(&unfinished).await;
    if installed.is_err() {
        // What is left is removed by the next installation.
        let _ = fs::remove_dir_all(&unfinished);
    }
    installed?;
    if place.exists() {
        fs::remove_dir_all(&place)
            .with_context(|| format!("cannot remove `{}`", place.display()))?;
    }
    fs::rename(&unfinished, &place).with_context(|| format!("cannot make `{}`", place.display()))
}

/// The finding for an installation that failed.
pub(super) fn failed(error: &anyhow::Error) -> Finding {
    Finding::problem(
        "fix",
        format!("TypeScript 7 was not installed: {error:#}"),
        "install Node.js, which brings npm, or put `tsc` of TypeScript 7 on PATH",
    )
}

/// Removes interrupted installations. We hold the lock, so none of them is running.
fn remove_unfinished(tools: &Path) {
    for entry in fs::read_dir(tools).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

async fn install(folder: &Path) -> anyhow::Result<()> {
    if let Err(reason) = version(Path::new("npm")).await {
        bail!("`npm` {reason}");
    }
    let package = format!("{}@{TYPESCRIPT_VERSION}", package_name());
    fs::create_dir(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    // Without it npm would look for a project in the folders above.
    fs::write(folder.join("package.json"), "{\"private\": true}\n").context("cannot write")?;
    print::note(format!("installing {package} with npm …"));
    let mut npm = Command::new("npm");
    npm.arg("install")
        .arg("--prefix")
        .arg(folder)
        .args(["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", &package])
        .current_dir(folder)
        .stdin(Stdio::null())
        // Standard output is for findings only.
        .stdout(Stdio::from(std::io::stderr()))
        .kill_on_drop(true);
    let status = npm.status().await.context("cannot start `npm`")?;
    if !status.success() {
        bail!("`npm install {package}` failed ({status}); see its output above");
    }
    let tsc = compiler_in(folder);
    match version(&tsc).await {
        Ok(_) => Ok(()),
        Err(reason) => bail!("`{}` {reason}", tsc.display()),
    }
}

fn compiler_in(folder: &Path) -> PathBuf {
    let name = format!("tsc{}", std::env::consts::EXE_SUFFIX);
    folder.join("node_modules").join(package_name()).join("lib").join(name)
}
