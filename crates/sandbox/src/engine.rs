//! Finds Deno and Node on this machine.
//!
//! In: a configured path, `PATH` and the home folder. Out: the engine's own executable with
//! its version, or why there is none. Each candidate is run and asked for its path: the file
//! on `PATH` is often a link or a launcher (npm, nvm, volta), and only the real file can be
//! granted to a jail.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use thiserror::Error;
use tidegate_model::Engine;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a candidate may take to answer. Chosen far above the usual tenth of a second: a
/// launcher may search for the engine first.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// An external engine, found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalEngine {
    /// Which one.
    pub engine: Engine,
    /// Its executable, absolute and without symbolic links.
    pub program: PathBuf,
    /// Its version, as reported by itself.
    pub version: String,
    major: u32,
}

/// Why there is no engine.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EngineError {
    /// No file has its name.
    #[error("there is no `{}` {place}", engine.as_str())]
    Missing {
        /// Which one.
        engine: Engine,
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
    #[error("`{}` has version `{version}`; at least `{least}` is required", program.display())]
    TooOld {
        /// The file.
        program: PathBuf,
        /// Its version.
        version: String,
        /// The oldest supported version.
        least: u32,
    },
}

/// Finds an engine: only the configured one if there is one, else the first that works.
pub async fn find_engine(
    engine: Engine,
    configured: Option<&Path>,
    path_variable: &OsStr,
    home: Option<&Path>,
) -> Result<ExternalEngine, EngineError> {
    let name = format!("{}{}", engine.as_str(), std::env::consts::EXE_SUFFIX);
    let (candidates, place) = match configured {
        Some(path) => (vec![path.to_owned()], format!("at `{}`", path.display())),
        None => {
            // The folder of Deno's own installer, which is not on PATH in all shells.
            let own = home.filter(|_| engine == Engine::Deno).map(|home| home.join(".deno/bin"));
            let folders = std::env::split_paths(path_variable).filter(|path| path.is_absolute());
            let place = match &own {
                Some(own) => format!("on PATH or in `{}`", own.display()),
                None => "on PATH".to_owned(),
            };
            (folders.chain(own).map(|folder| folder.join(&name)).collect(), place)
        }
    };
    let mut unusable = EngineError::Missing { engine, place };
    for candidate in candidates.iter().filter(|candidate| candidate.is_file()) {
        match probe(engine, candidate).await {
            Ok(found) => return Ok(found),
            Err(error) => {
                if matches!(unusable, EngineError::Missing { .. }) {
                    unusable = error;
                }
            }
        }
    }
    Err(unusable)
}

impl ExternalEngine {
    /// The arguments of `tidegate worker` that select this engine.
    pub fn worker_arguments(&self, memory_bytes: u64) -> Vec<OsString> {
        let major = self.major.to_string();
        let memory = memory_bytes.to_string();
        let program = self.program.as_os_str();
        ["--engine", self.engine.as_str(), "--major", &major, "--memory", &memory, "--program"]
            .into_iter()
            .map(OsString::from)
            .chain([program.to_owned()])
            .collect()
    }
}

/// The oldest version with everything that programs get. Deno 1 and Node 18 are end-of-life,
/// and `JSON.parse` of Node 18 cannot read exact integers.
fn least_version(engine: Engine) -> u32 {
    match engine {
        Engine::Deno => 2,
        Engine::Node | Engine::QuickJs => 20,
    }
}

/// Asks a candidate for its own file and its version.
async fn probe(engine: Engine, candidate: &Path) -> Result<ExternalEngine, EngineError> {
    let broken = |reason: String| EngineError::Broken { program: candidate.to_owned(), reason };
    let mut command = Command::new(candidate);
    match engine {
        Engine::Deno => command.args([
            "eval",
            "--quiet",
            "--no-config",
            "console.log(Deno.execPath() + '\\n' + Deno.version.deno)",
        ]),
        Engine::Node | Engine::QuickJs => {
            command.args(["-p", "process.execPath + '\\n' + process.versions.node"])
        }
    };
    // The user's own options for Node may print more, or break the probe.
    command.env_remove("NODE_OPTIONS").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(PROBE_TIMEOUT, command.output())
        .await
        .map_err(|_| broken(format!("no answer in {PROBE_TIMEOUT:?}")))?
        .map_err(|error| broken(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = said.lines();
    let (Some(program), Some(version)) = (lines.next(), lines.next()) else {
        return Err(broken(format!("it ended with {}", output.status)));
    };
    let program = Path::new(program).canonicalize().map_err(|error| broken(error.to_string()))?;
    let major = version.split('.').next().and_then(|number| number.parse().ok());
    let major: u32 = major.ok_or_else(|| broken(format!("its version is `{version}`")))?;
    let least = least_version(engine);
    if major < least {
        return Err(EngineError::TooOld { program, version: version.to_owned(), least });
    }
    Ok(ExternalEngine { engine, program, version: version.to_owned(), major })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};

    use tidegate_model::Engine;

    use super::{EngineError, ExternalEngine, find_engine};

    /// A folder with a `node` that runs this script.
    fn launcher(script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node");
        // A file that this process has open for writing may be open in the child of
        // another test for a moment, and cannot be started then.
        let written = std::process::Command::new("/bin/sh")
            .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .arg(script)
            .status();
        assert!(written.unwrap().success());
        (folder, path)
    }

    async fn find(path: &Path) -> Result<ExternalEngine, EngineError> {
        find_engine(Engine::Node, None, path.as_os_str(), None).await
    }

    #[tokio::test]
    async fn a_launcher_leads_to_the_real_file() {
        let (folder, _) = launcher("printf '/bin/sh\\n22.1.0\\n'");
        let program = Path::new("/bin/sh").canonicalize().unwrap();
        let found = find(folder.path()).await.unwrap();
        let expected = ExternalEngine {
            engine: Engine::Node,
            program: program.clone(),
            version: "22.1.0".to_owned(),
            major: 22,
        };
        assert_eq!(found, expected);
        let line = ["--engine", "node", "--major", "22", "--memory", "64", "--program"];
        let arguments = found.worker_arguments(64);
        assert_eq!(arguments[..7], line);
        assert_eq!(arguments[7], program);
    }

    #[tokio::test]
    async fn an_engine_that_is_old_or_broken_is_named() {
        let (old, _) = launcher("printf '/bin/sh\\n18.20.0\\n'");
        let program = Path::new("/bin/sh").canonicalize().unwrap();
        let version = "18.20.0".to_owned();
        let error = find(old.path()).await.unwrap_err();
        assert_eq!(error, EngineError::TooOld { program, version, least: 20 });
        let (broken, path) = launcher("exit 7");
        let reason = "it ended with exit status: 7".to_owned();
        let error = find(broken.path()).await.unwrap_err();
        assert_eq!(error, EngineError::Broken { program: path, reason });
    }

    #[tokio::test]
    async fn what_was_looked_for_is_said() {
        let empty = tempfile::tempdir().unwrap();
        let home = Path::new("/nowhere");
        let message = |engine, configured| async move {
            find_engine(engine, configured, OsStr::new("/none"), Some(home))
                .await
                .unwrap_err()
                .to_string()
        };
        assert_eq!(message(Engine::Node, None).await, "there is no `node` on PATH");
        assert_eq!(
            message(Engine::Deno, None).await,
            "there is no `deno` on PATH or in `/nowhere/.deno/bin`"
        );
        let path = Some(Path::new("/none/deno"));
        assert_eq!(message(Engine::Deno, path).await, "there is no `deno` at `/none/deno`");
        assert!(find(empty.path()).await.is_err());
    }
}
