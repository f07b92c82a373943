//! Replaces this process with Python after it is confined.
//!
//! In: the path of Python, and the jail. Out: a Python process in which our scripts
//! (`python/`) implement the guest's side of the protocol. The scripts arrive over the
//! channel, since no file of ours is in the jail, and are already compiled
//! ([`print_scripts`]). It serves one program, or becomes a zygote: a process that imports
//! what programs need, runs none itself, and is forked for each (crate `zygote`).
//! Invariant: the confined process is the one that runs the program.

use std::convert::Infallible;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{chdir, execve};
use serde_json::json;
use tidegate_jail::{Origin, Spec, ZYGOTE_LIBRARY_PATH};
use tidegate_model::{IsolationReport, Layer, LayerReport, LayerState};
use tidegate_wire::{FromGuest, PROTOCOL_VERSION};

/// Our scripts, in the order of their dependencies. Only a zygote runs the last one.
const SCRIPTS: [(&str, &str); 9] = [
    ("channel", include_str!("python/channel.py")),
    ("values", include_str!("python/values.py")),
    ("program", include_str!("python/program.py")),
    ("api", include_str!("python/api.py")),
    ("fetch", include_str!("python/fetch.py")),
    ("failure", include_str!("python/failure.py")),
    ("files", include_str!("python/files.py")),
    ("worker", include_str!("python/worker.py")),
    ("zygote", include_str!("python/zygote.py")),
];

/// The library with which a zygote confines new processes; empty where it is unsupported.
const ZYGOTE_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/zygote.so"));

/// The layers without which a zygote could not jail its workers.
const REQUIRED_LAYERS: [Layer; 4] =
    [Layer::UserNamespace, Layer::PidNamespace, Layer::MountNamespace, Layer::PrivateRoot];

const START: &str = include_str!("python/start.py");

const COMPILE: &str = include_str!("python/compile.py");

/// The only folder that a program can write to.
const HOME: &str = "/tmp";

/// Isolated from the environment, without installed packages, without writing bytecode
/// files, and with text as UTF-8.
const OPTIONS: [&str; 6] = ["-I", "-S", "-B", "-X", "utf8", "-c"];

/// The Python to execute.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PythonWorker {
    pub(crate) program: PathBuf,
    pub(crate) packages: Option<PathBuf>,
    pub(crate) role: PythonRole,
}

/// The role of the Python process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PythonRole {
    /// Run one program.
    Worker,
    /// Be forked for each program.
    Zygote,
}

impl PythonWorker {
    /// Confines this process and executes Python. Returns only if that fails.
    pub(crate) fn enter(&self, spec: Spec) -> io::Result<Infallible> {
        match self.role {
            PythonRole::Worker => {
                let report = tidegate_jail::enter(spec, Origin::Started).seal();
                let hello = FromGuest::Hello { version: PROTOCOL_VERSION, report };
                let hello = hello.encode().map_err(io::Error::other)?;
                self.execute(&hello, "")
            }
            PythonRole::Zygote if ZYGOTE_LIBRARY.is_empty() => {
                Err(io::ErrorKind::Unsupported.into())
            }
            PythonRole::Zygote => {
                let report = tidegate_jail::enter(spec, Origin::Zygote(ZYGOTE_LIBRARY)).seal();
                if !can_make_jails(&report) {
                    return Err(io::ErrorKind::Unsupported.into());
                }
                self.execute(&[], ZYGOTE_LIBRARY_PATH)
            }
        }
    }

    fn execute(&self, hello: &[u8], library: &str) -> io::Result<Infallible> {
        chdir(HOME)?;
        let hello = hex::encode(hello);
        let path = |path: &Path| path.as_os_str().to_owned();
        let packages = self.packages.as_deref().map(path).unwrap_or_default();
        let options = OPTIONS.map(OsString::from).into_iter();
        let arguments = [path(&self.program)].into_iter().chain(options);
        let arguments = arguments.chain([START.into(), hello.into(), library.into(), packages]);
        let arguments: Vec<CString> = arguments.map(|one| text(&one)).collect::<io::Result<_>>()?;
        // `HOME` for libraries that need one; the same time zone as in the other engines.
        // One heap for all threads, since each heap reserves a part of the limited address
        // space; the same for the threads of libraries. No configuration for OpenSSL, which
        // fails if it finds one that it cannot read.
        let environment = [c"HOME=/tmp", c"TZ=UTC", c"LANG=C.UTF-8", c"OPENSSL_CONF="]
            .into_iter()
            .chain([c"MALLOC_ARENA_MAX=1", c"OPENBLAS_NUM_THREADS=1", c"OMP_NUM_THREADS=1"])
            .map(CStr::to_owned);
        let environment: Vec<CString> = environment.collect();
        Ok(execve(&text(self.program.as_os_str())?, &arguments, &environment)?)
    }
}

fn text(value: &OsStr) -> io::Result<CString> {
    Ok(CString::new(value.as_bytes())?)
}

fn can_make_jails(report: &IsolationReport) -> bool {
    let holds = |line: &&LayerReport| line.state == LayerState::Enforced;
    let enforced: Vec<Layer> = report.0.iter().filter(holds).map(|line| line.layer).collect();
    REQUIRED_LAYERS.iter().all(|layer| enforced.contains(layer))
}

/// Executes a Python that compiles our scripts and prints them. Returns only if that fails.
/// It never sees a program.
pub fn print_scripts(python: &OsStr) -> io::Error {
    // JSON strings are also valid Python strings.
    let script = format!("SCRIPTS = {}\n{COMPILE}", json!(SCRIPTS));
    Command::new(python).args(OPTIONS).arg(script).env_clear().exec()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{COMPILE, SCRIPTS};

    #[test]
    fn our_scripts_fit_into_one_argument() {
        // Linux limits an argument to 128 KB.
        let length = json!(SCRIPTS).to_string().len() + COMPILE.len();
        assert!(length < 120 * 1024, "{length} bytes");
    }
}
