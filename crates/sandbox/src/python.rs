//! Finds Python on this machine, and those of its files that a program may see.
//!
//! In: a configured path, `PATH`, a virtual environment with packages. Out: the interpreter,
//! its standard library and the libraries that these load; or why there is none. The file on
//! `PATH` is often a launcher (pyenv) or belongs to a virtual environment, so each candidate
//! is run and asked for its real path.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;
use tidegate_jail::{Access, Grant, Link, LinkPolicy};
use tokio::process::Command;
use tokio::time::timeout;

use crate::loader::needed_files_and;

/// How long a candidate may take to answer. Chosen far above the usual tenth of a second: a
/// launcher may search for Python first.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// The oldest supported version. Older ones get no security fixes, and their `ast` lacks
/// features that the guest needs.
const MIN_VERSION: (u32, u32) = (3, 9);

const PROBE_SCRIPT: &str = include_str!("probe_python.py");

/// Modules of the standard library that need a display, a terminal or a network service.
/// They and their libraries are not granted.
const EXCLUDED_MODULES: [&str; 8] =
    ["_tkinter", "_curses", "_curses_panel", "readline", "nis", "_dbm", "_gdbm", "_ssl"];

/// Folders inside the standard library that are not part of it.
const NON_LIBRARY_FOLDERS: [&str; 3] = ["site-packages", "dist-packages", "test"];

/// The time zones, for `zoneinfo`.
const ZONES: &str = "/usr/share/zoneinfo";

/// Folders that a program finds at the root. They are links into its own writable folder.
const ROOT_FOLDERS: [&str; 3] = ["workspace", "servers", "skills"];

/// A Python that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Python {
    /// Its executable, absolute and without symbolic links.
    pub program: PathBuf,
    /// Its version, as reported by itself.
    pub version: String,
    /// The folder of installed packages, if any may be imported.
    pub packages: Option<PathBuf>,
    /// The modules of its standard library, without submodules; empty if it does not list
    /// them.
    pub modules: BTreeSet<String>,
    /// Its standard library.
    library: Vec<PathBuf>,
    /// The guest's scripts, compiled by this Python. A worker is sent these first.
    pub(crate) scripts: Vec<u8>,
    /// The libraries that the executable and the standard library load.
    files: Vec<PathBuf>,
    /// Folders inside the standard library that are not part of it.
    pub(crate) hidden: Vec<PathBuf>,
}

/// Why there is no Python.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PythonError {
    /// No file has its name.
    #[error("there is no Python {place}")]
    Missing {
        /// Where we looked for it.
        place: String,
    },
    /// It does not report its version.
    #[error("`{}` does not run: {reason}", program.display())]
    Broken {
        /// The file.
        program: PathBuf,
        /// What happened.
        reason: String,
    },
    /// It is too old to run programs.
    #[error(
        "`{}` has version `{version}`; at least `{}.{}` is required",
        program.display(), MIN_VERSION.0, MIN_VERSION.1
    )]
    TooOld {
        /// The file.
        program: PathBuf,
        /// Its version.
        version: String,
    },
    /// The configured packages are not for this Python.
    #[error("`{}` has no packages for Python {version}", folder.display())]
    NoPackages {
        /// The virtual environment.
        folder: PathBuf,
        /// The version of Python.
        version: String,
    },
}

/// Finds Python: only the configured one if there is one, else the first that works.
/// `packages` is a virtual environment whose packages may be imported; `executable scripts`
/// prints the compiled scripts of the guest.
pub async fn find_python(
    executable: &Path,
    configured: Option<&Path>,
    packages: Option<&Path>,
    path_variable: &OsStr,
) -> Result<Python, PythonError> {
    let (candidates, place) = match configured {
        Some(path) => (vec![path.to_owned()], format!("at `{}`", path.display())),
        None => {
            let folders = std::env::split_paths(path_variable).filter(|path| path.is_absolute());
            let folders: Vec<PathBuf> = folders.collect();
            // The Python of the environment first: its packages may be compiled for it.
            let own = packages.map(|folder| folder.join("bin/python3"));
            let named = |name: &'static str| folders.iter().map(move |folder| folder.join(name));
            let all = own.into_iter().chain(named("python3")).chain(named("python"));
            (all.collect(), "on PATH".to_owned())
        }
    };
    let mut unusable = PythonError::Missing { place };
    for candidate in candidates.iter().filter(|candidate| candidate.is_file()) {
        match probe(executable, candidate, packages).await {
            Ok(found) => return Ok(found),
            Err(error) => {
                if matches!(unusable, PythonError::Missing { .. }) {
                    unusable = error;
                }
            }
        }
    }
    Err(unusable)
}

/// The output of the probe.
#[derive(Deserialize)]
struct ProbeOutput {
    program: PathBuf,
    version: (u32, u32, u32),
    implementation: String,
    library: Vec<PathBuf>,
    #[serde(default)]
    modules: BTreeSet<String>,
}

async fn probe(
    executable: &Path,
    candidate: &Path,
    packages: Option<&Path>,
) -> Result<Python, PythonError> {
    let broken = |reason: String| PythonError::Broken { program: candidate.to_owned(), reason };
    let output = output_of(Command::new(candidate).args(["-I", "-S", "-c", PROBE_SCRIPT])).await;
    let output = output.map_err(broken)?;
    let probed: ProbeOutput = serde_json::from_slice(&output.stdout)
        .map_err(|_| broken(format!("it ended with {}", output.status)))?;
    let (major, minor, micro) = probed.version;
    let (version, program) = (format!("{major}.{minor}.{micro}"), probed.program);
    if probed.implementation != "cpython" {
        return Err(broken(format!("it is `{}`, not CPython", probed.implementation)));
    }
    if (major, minor) < MIN_VERSION {
        return Err(PythonError::TooOld { program, version });
    }
    let packages = match packages {
        None => None,
        Some(folder) => {
            let found = folder.join(format!("lib/python{major}.{minor}/site-packages"));
            let found = found.canonicalize().ok().filter(|found| found.is_dir());
            let folder = folder.to_owned();
            let version = version.clone();
            Some(found.ok_or(PythonError::NoPackages { folder, version })?)
        }
    };
    let library = without_links(&probed.library).map_err(|error| broken(error.to_string()))?;
    let mut extensions = extensions(&library);
    extensions.extend(packages.iter().flat_map(|folder| libraries_below(folder)));
    let mut compile = Command::new(executable);
    compile.arg("scripts").arg(&program);
    let files = needed_files_and(&program, &extensions, &[]);
    let (files, scripts) = tokio::join!(files, output_of(&mut compile));
    let files = files.map_err(|error| broken(error.to_string()))?;
    let scripts = scripts.map_err(broken)?;
    if !scripts.status.success() {
        return Err(broken(format!("it could not compile our scripts: {}", scripts.status)));
    }
    // Files of the standard library and the packages are granted with their folders.
    let granted = |file: &PathBuf| library.iter().chain(&packages).any(|one| file.starts_with(one));
    let files: Vec<PathBuf> = files.into_iter().filter(|file| !granted(file)).collect();
    let hidden = library.iter().flat_map(|one| NON_LIBRARY_FOLDERS.map(|name| one.join(name)));
    let hidden = hidden.filter(|folder| !packages.iter().any(|one| one.starts_with(folder)));
    Ok(Python {
        files,
        hidden: hidden.filter(|folder| folder.is_dir()).collect(),
        program,
        version,
        packages,
        modules: probed.modules,
        library,
        scripts: scripts.stdout,
    })
}

/// The output of a short-lived command.
async fn output_of(command: &mut Command) -> Result<Output, String> {
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(PROBE_TIMEOUT, command.output()).await;
    output
        .map_err(|_| format!("no answer in {PROBE_TIMEOUT:?}"))?
        .map_err(|error| error.to_string())
}

fn without_links(folders: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        folders.iter().map(|folder| folder.canonicalize()).collect::<Result<_, _>>()?;
    found.sort();
    found.dedup();
    Ok(found)
}

/// The compiled modules of the standard library.
fn extensions(library: &[PathBuf]) -> Vec<PathBuf> {
    let folders = library.iter().map(|folder| folder.join("lib-dynload"));
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let wanted = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let module = name.split('.').next().unwrap_or_default();
        name.ends_with(".so") && !EXCLUDED_MODULES.contains(&module)
    };
    entries.map(|entry| entry.path()).filter(wanted).collect()
}

/// The compiled modules of installed packages.
fn libraries_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Links are skipped: they are neither a folder nor a file.
            let kind = entry.file_type().ok();
            if kind.is_some_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else if kind.is_some_and(|kind| kind.is_file())
                && entry.path().extension() == Some(OsStr::new("so"))
            {
                found.push(entry.path());
            }
        }
    }
    found
}

impl Python {
    /// The arguments of `tidegate worker` that select this Python.
    pub(crate) fn worker_arguments(&self) -> Vec<OsString> {
        let mut arguments = vec!["--python".into(), self.program.clone().into_os_string()];
        if let Some(packages) = &self.packages {
            arguments.extend(["--packages".into(), packages.clone().into_os_string()]);
        }
        arguments
    }

    /// The files of the host that programs can see.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        let zones = Some(PathBuf::from(ZONES)).filter(|zones| zones.is_dir());
        let read = [&self.program].into_iter().chain(&self.library).chain(&self.files);
        let null =
            Grant { path: "/dev/null".into(), access: Access::Device, links: LinkPolicy::Followed };
        read.chain(&self.packages)
            .chain(&zones)
            .map(|path| Grant::read(path))
            .chain([null])
            .collect()
    }

    /// Links such as `/workspace`, which lead into the writable folder.
    #[expect(clippy::unused_self, reason = "beside `grants`, which does")]
    pub(crate) fn links(&self) -> Vec<Link> {
        let link = |name: &str| Link {
            path: Path::new("/").join(name),
            target: Path::new("/tmp").join(name),
        };
        ROOT_FOLDERS.map(link).into()
    }
}
