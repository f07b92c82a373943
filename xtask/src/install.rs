//! Installs one part of the equipment, completely or not at all.
//!
//! In: a name, a fingerprint of the wanted content, and a way to make it. Out: the folder
//! with the part.
//! Must stay true: an installed part is complete. It is made in a folder next to its place,
//! with the stamp inside, and renamed in one step, so an interruption leaves the old part
//! or none.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result, bail};

use crate::pins::{NpmPins, check_python, fingerprint};
use crate::progress::Progress;
use crate::project::Project;
use crate::tools::{Program, has_module, platform};

const STAMP: &str = "stamp";
const UNFINISHED: &str = ".unfinished-";

pub(crate) struct Installer<'a> {
    project: &'a Project,
    progress: &'a Progress,
    /// Held until the installer is dropped, so that two set-ups in one cache do not collide.
    _lock: File,
}

/// A part in its place.
pub(crate) struct Part {
    pub(crate) folder: PathBuf,
    pub(crate) age: Age,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    New,
    Kept,
}

impl<'a> Installer<'a> {
    pub(crate) fn open(project: &'a Project, progress: &'a Progress) -> Result<Self> {
        let cache = &project.cache;
        fs::create_dir_all(cache).with_context(|| format!("cannot make `{}`", cache.display()))?;
        let lock =
            File::create(cache.join("lock")).context("cannot make the lock of the test cache")?;
        if lock.try_lock().is_err() {
            progress.say("waiting for another set-up in the same cache");
            lock.lock().context("cannot lock the test cache")?;
        }
        // We hold the lock, so every unfinished folder is left from an interruption. An npm
        // or pip that outlived its set-up may still write there, so this may fail; our own
        // folder has another name, so that does not matter.
        for entry in fs::read_dir(cache).context("cannot read the test cache")?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(Self { project, progress, _lock: lock })
    }

    /// npm packages from the list `testing/pins/<name>.txt`.
    pub(crate) fn npm(&self, name: &str, npm: &Program) -> Result<Part> {
        let text = self.pin_list(name)?;
        let platform = platform();
        let pins =
            NpmPins::parse(&text, &platform).with_context(|| format!("in the list `{name}`"))?;
        self.part(name, &fingerprint(&[&text, &platform]), |folder| {
            // Without it npm would install into the nearest project above.
            fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
            let mut command = Command::new(&npm.path);
            command
                .current_dir(folder)
                .args([
                    "install",
                    "--no-package-lock",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                ])
                .args(["--loglevel=error", &format!("--before={}", pins.before)])
                .args(&pins.packages);
            let what = format!("{name}: npm installs {}", pins.packages.join(", "));
            self.progress.run_quietly(&what, &mut command).map(drop)
        })
    }

    /// A Python environment from the list `testing/pins/<name>.txt`.
    pub(crate) fn python(&self, name: &str, python: &Program) -> Result<Part> {
        let text = self.pin_list(name)?;
        check_python(&text).with_context(|| format!("in the list `{name}`"))?;
        let base = format!("{} {:?}", python.path.display(), python.version);
        self.part(name, &fingerprint(&[&text, &base]), |folder| {
            let mut pip = self.environment(name, python, folder)?;
            pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-input"])
                // Runs no build scripts of third parties.
                .args(["--only-binary=:all:", "--no-compile", "--requirement"])
                .arg(self.pin_path(name));
            self.progress.run_quietly(&format!("{name}: pip installs the list"), &mut pip)?;
            self.compile(name, folder)
        })
    }

    /// Compiles the modules: without that a server takes seconds to start, every time if
    /// Python may not write compiled files. pip is not used for it, since it would put the
    /// name of the unfinished folder into every traceback.
    fn compile(&self, name: &str, folder: &Path) -> Result<()> {
        let mut compile = Command::new(folder.join("bin/python"));
        compile
            .args(["-m", "compileall", "-q", "-j", "0", "-s"])
            .arg(folder)
            .arg("-p")
            .arg(self.project.cache.join(name))
            .arg(folder.join("lib"));
        self.progress.run_quietly(&format!("{name}: compiles the modules"), &mut compile).map(drop)
    }

    /// Makes an empty environment, and returns a pip that installs into it.
    fn environment(&self, name: &str, python: &Program, folder: &Path) -> Result<Command> {
        let mut venv = Command::new(&python.path);
        venv.args(["-m", "venv"]);
        let inside = folder.join("bin/python");
        let pip = if has_module(&python.path, "ensurepip") {
            let mut pip = Command::new(&inside);
            pip.args(["-m", "pip"]);
            pip
        } else if has_module(&python.path, "venv") && has_module(&python.path, "pip") {
            venv.arg("--without-pip");
            let mut pip = Command::new(&python.path);
            pip.args(["-m", "pip", "--python"]).arg(&inside);
            pip
        } else {
            bail!(
                "`{}` has neither the module `ensurepip` nor `venv` with `pip`; on Debian, install `python3-venv`",
                python.path.display()
            );
        };
        self.progress
            .run_quietly(&format!("{name}: a new Python environment"), venv.arg(folder))?;
        Ok(pip)
    }

    fn part(
        &self,
        name: &str,
        wanted: &str,
        make: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Part> {
        let folder = self.project.cache.join(name);
        if fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == wanted) {
            return Ok(Part { folder, age: Age::Kept });
        }
        let unfinished = self.project.cache.join(format!("{UNFINISHED}{name}-{}", process::id()));
        fs::create_dir(&unfinished)
            .with_context(|| format!("cannot make `{}`", unfinished.display()))?;
        make(&unfinished)?;
        fs::write(unfinished.join(STAMP), wanted).context("cannot write the stamp")?;
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove `{}`", folder.display()))?;
        }
        fs::rename(&unfinished, &folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(Part { folder, age: Age::New })
    }

    fn pin_list(&self, name: &str) -> Result<String> {
        let path = self.pin_path(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    }

    fn pin_path(&self, name: &str) -> PathBuf {
        self.project.testing("pins").join(format!("{name}.txt"))
    }
}
