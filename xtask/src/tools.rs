//! Finds the programs of this machine that the equipment needs.
//!
//! Out: the real path and version of each, or the reason why it cannot be used.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) type Found<T> = Result<T, String>;

/// Major and minor version; only these are compared.
pub(crate) type Version = (u32, u32);

#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
}

pub(crate) struct Machine {
    pub(crate) node: Found<Program>,
    pub(crate) npm: Found<Program>,
    pub(crate) python: Found<Program>,
    pub(crate) git: Found<Program>,
}

impl Machine {
    pub(crate) fn look() -> Self {
        let git = version_of(Path::new("git"), &["--version"])
            .map(|version| Program { path: "git".into(), version })
            .map_err(|reason| format!("git is missing: {reason}"));
        let npm = version_of(Path::new("npm"), &["--version"])
            .map(|version| Program { path: "npm".into(), version })
            .map_err(|reason| format!("npm is missing: {reason}"));
        Self { node: node(), npm, python: python(), git }
    }
}

fn node() -> Found<Program> {
    real_path("node", &["-p", "process.execPath + '\\n' + process.versions.node"])
        .map_err(|reason| format!("Node is missing: {reason}"))
}

fn python() -> Found<Program> {
    // Python reports its own path, since `python3` can be a wrapper that picks a version by
    // its current folder.
    let ask = "import sys, platform; print(sys.executable); print(platform.python_version())";
    real_path("python3", &["-c", ask]).map_err(|reason| format!("Python 3 is missing: {reason}"))
}

/// Runs a program that prints its own path and its version, one per line.
fn real_path(name: &str, arguments: &[&str]) -> Found<Program> {
    let output = answer_of(Path::new(name), arguments)?;
    let mut lines = output.lines();
    match (lines.next(), lines.next().and_then(parse_version)) {
        (Some(path), Some(version)) => Ok(Program { path: path.into(), version }),
        _ => Err(format!("`{name}` did not print a path and a version")),
    }
}

pub(crate) fn version_of(program: &Path, arguments: &[&str]) -> Found<Version> {
    let output = answer_of(program, arguments)?;
    output
        .split_whitespace()
        .find_map(parse_version)
        .ok_or_else(|| format!("`{}` gave no version", program.display()))
}

/// The stdout of a program, or a reason in one line.
fn answer_of(program: &Path, arguments: &[&str]) -> Found<String> {
    let name = program.display();
    match Command::new(program).args(arguments).stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(format!("`{name}` ended with {}", output.status)),
        Err(error) => Err(format!("cannot start `{name}`: {error}")),
    }
}

/// Whether a Python can import a module.
pub(crate) fn has_module(python: &Path, module: &str) -> bool {
    answer_of(python, &["-c", &format!("import {module}")]).is_ok()
}

fn parse_version(text: &str) -> Option<Version> {
    let mut numbers = text.trim_start_matches('v').split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
        _ => None,
    }
}

/// The platform as Node packages name it, for example `linux-x64`.
pub(crate) fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(parse_version("v20.20.2"), Some((20, 20)));
        assert_eq!(parse_version("3.11.7"), Some((3, 11)));
        assert_eq!(parse_version("git"), None);
        assert!(parse_version("22.9.0") < parse_version("22.19.0"));
    }
}
