//! Becomes Python: the process that was confined is the one that runs the program.
//!
//! In: where Python is, and the report of the jail. The guest's side of the
//! protocol is then spoken by our scripts (`python/`), which come as an argument,
//! since nothing of ours lies in the jail.

use std::convert::Infallible;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::{chdir, execve};
use serde_json::json;
use tidegate_model::IsolationReport;
use tidegate_wire::{FromGuest, VERSION};

/// Our scripts, in the order in which they need each other.
const SCRIPTS: [(&str, &str); 8] = [
    ("channel", include_str!("python/channel.py")),
    ("values", include_str!("python/values.py")),
    ("program", include_str!("python/program.py")),
    ("api", include_str!("python/api.py")),
    ("fetch", include_str!("python/fetch.py")),
    ("failure", include_str!("python/failure.py")),
    ("files", include_str!("python/files.py")),
    ("worker", include_str!("python/worker.py")),
];

const START: &str = include_str!("python/start.py");

/// The one folder that a program can write.
const HOME: &str = "/tmp";

/// Alone, without what is installed, nothing written beside modules, and text is
/// UTF-8.
const OPTIONS: [&str; 6] = ["-I", "-S", "-B", "-X", "utf8", "-c"];

/// Which Python.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Python {
    pub(crate) program: PathBuf,
    pub(crate) packages: Option<PathBuf>,
}

impl Python {
    /// Becomes it. Returns only if that fails.
    pub(crate) fn become_it(&self, report: IsolationReport) -> io::Result<Infallible> {
        chdir(HOME)?;
        let hello = FromGuest::Hello { version: VERSION, report };
        let hello = hello.encode().map_err(io::Error::other)?;
        let hello: String = hello.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = |path: &Path| path.as_os_str().to_owned();
        let packages = self.packages.as_deref().map(path).unwrap_or_default();
        let options = OPTIONS.map(OsString::from).into_iter();
        let arguments = [path(&self.program)].into_iter().chain(options);
        let arguments = arguments.chain([script().into(), hello.into(), packages]);
        let arguments: Vec<CString> = arguments.map(|one| text(&one)).collect::<io::Result<_>>()?;
        // A place of its own for what asks for one; times as everywhere else.
        // One heap for all threads: of several, each would reserve a part of the
        // address space that is limited, for libraries as well.
        let environment = [c"HOME=/tmp", c"TZ=UTC", c"LANG=C.UTF-8"]
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

/// Our scripts as one text. JSON texts are texts of Python too.
fn script() -> String {
    let scripts = json!(SCRIPTS.map(|(name, source)| [name, source]));
    format!("SCRIPTS = {scripts}\n{START}")
}

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn our_scripts_fit_into_one_argument() {
        // Linux takes 128 KB.
        assert!(script().len() < 120 * 1024, "{} bytes", script().len());
    }
}
