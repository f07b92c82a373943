//! Finds a type checker for Python on this machine.
//!
//! In: the configured path and `PATH`. Out: ty, else pyright with the Node that it needs, or
//! why there is none. ty is one native executable; pyright is an npm package whose scripts
//! run in Node, one of them as a language server.
//! Invariant: nothing is started.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::confine::Confinement;
use crate::dialect::Dialect;
use crate::find::is_native;
use crate::launch::Launch;

/// The library folders of a machine: ty and Node do not bring their own libraries.
const LIBRARIES: [&str; 5] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store"];
/// Further files that the loader and Node read.
const ALSO: [&str; 2] = ["/etc/ld.so.cache", "/dev/null"];

const PYRIGHT_SERVER: &str = "langserver.index.js";

/// A checker that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PythonChecker {
    /// ty.
    Ty {
        /// Its executable.
        path: PathBuf,
    },
    /// pyright, as a package of npm.
    Pyright {
        /// The folder of the package.
        package: PathBuf,
        /// Its version.
        version: String,
        /// The Node that runs it.
        node: PathBuf,
    },
}

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPython {
    /// A checker that can be used.
    Checker(PythonChecker),
    /// A file that is neither ty itself nor part of pyright's package.
    Unknown {
        /// Its path.
        path: PathBuf,
    },
    /// pyright without a Node on `PATH`.
    NoNode {
        /// The path of pyright.
        path: PathBuf,
    },
    /// No checker.
    Missing,
}

/// Finds a checker: only the configured one if there is one, else `ty` on `PATH`, else
/// `pyright` on `PATH`.
pub fn find_python(configured: Option<&Path>, path_variable: &OsStr) -> FoundPython {
    if let Some(path) = configured {
        return at(path, path_variable);
    }
    let mut unusable = FoundPython::Missing;
    for name in ["ty", "pyright"] {
        for folder in folders(path_variable) {
            match at(&folder.join(format!("{name}{EXE_SUFFIX}")), path_variable) {
                found @ FoundPython::Checker(_) => return found,
                FoundPython::Missing => {}
                found => {
                    if unusable == FoundPython::Missing {
                        unusable = found;
                    }
                }
            }
        }
    }
    unusable
}

impl PythonChecker {
    /// The file that is started.
    pub fn place(&self) -> PathBuf {
        match self {
            Self::Ty { path } => path.clone(),
            Self::Pyright { package, .. } => package.join(PYRIGHT_SERVER),
        }
    }

    pub(crate) fn launch(&self, confinement: Confinement) -> Launch {
        let (dialect, runtime) = match self {
            Self::Ty { .. } => (Dialect::Ty, None),
            Self::Pyright { node, .. } => (Dialect::Pyright, Some(node.clone())),
        };
        let programs = LIBRARIES.iter().chain(&ALSO).map(PathBuf::from);
        let programs = programs.filter(|place| place.exists()).collect();
        let (compiler, deadline) = (self.place(), dialect.deadline());
        Launch { dialect, compiler, runtime, programs, deadline, confinement }
    }
}

fn folders(path_variable: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path_variable).filter(|folder| folder.is_absolute())
}

fn at(path: &Path, path_variable: &OsStr) -> FoundPython {
    let Some(real) = path.canonicalize().ok().filter(|real| real.is_file()) else {
        return FoundPython::Missing;
    };
    let is_ty = real.file_stem() == Some(OsStr::new("ty"));
    if is_ty && is_native(&real) {
        return FoundPython::Checker(PythonChecker::Ty { path: real });
    }
    let unknown = || FoundPython::Unknown { path: path.to_owned() };
    // `…/pyright/index.js`, `…/pyright/langserver.index.js`
    let Some((package, version)) = pyright_package(&real) else { return unknown() };
    let node = folders(path_variable)
        .filter_map(|folder| folder.join(format!("node{EXE_SUFFIX}")).canonicalize().ok())
        .find(|node| is_native(node));
    match node {
        Some(node) => FoundPython::Checker(PythonChecker::Pyright { package, version, node }),
        None => FoundPython::NoNode { path: path.to_owned() },
    }
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// The folder and version of the package that a script belongs to.
fn pyright_package(script: &Path) -> Option<(PathBuf, String)> {
    let folder = script.parent()?;
    let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
    let package: Package = serde_json::from_str(&text).ok()?;
    let is_whole = package.name == "pyright" && folder.join(PYRIGHT_SERVER).is_file();
    is_whole.then(|| (folder.to_owned(), package.version))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use tempfile::TempDir;

    use super::{FoundPython, PythonChecker, find_python};

    const NATIVE: &str = "\x7fELF and more";

    struct Machine(TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn write(&self, name: &str, content: &str) -> PathBuf {
            let path = self.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            path
        }

        /// npm's `pyright`, with its script on PATH.
        fn pyright(&self) -> PathBuf {
            let package = r#"{"name": "pyright", "version": "1.1.414"}"#;
            self.write("lib/node_modules/pyright/package.json", package);
            self.write("lib/node_modules/pyright/langserver.index.js", "");
            let script = self.write("lib/node_modules/pyright/index.js", "#!/usr/bin/env node\n");
            fs::create_dir_all(self.path("bin")).unwrap();
            symlink(&script, self.path("bin/pyright")).unwrap();
            script.parent().unwrap().to_owned()
        }

        fn found(&self, configured: Option<&Path>) -> FoundPython {
            let path = [self.path("shims"), self.path("bin")];
            let path: OsString = std::env::join_paths(path).unwrap();
            find_python(configured, &path)
        }
    }

    #[test]
    fn ty_comes_before_pyright_and_pyright_needs_node() {
        let machine = Machine::new();
        assert_eq!(machine.found(None), FoundPython::Missing);
        let package = machine.pyright();
        let path = machine.path("bin/pyright");
        assert_eq!(machine.found(None), FoundPython::NoNode { path });
        let node = machine.write("bin/node", NATIVE);
        let pyright = PythonChecker::Pyright { package, version: "1.1.414".into(), node };
        assert_eq!(machine.found(None), FoundPython::Checker(pyright));
        let ty = PythonChecker::Ty { path: machine.write("bin/ty", NATIVE) };
        assert_eq!(machine.found(None), FoundPython::Checker(ty));
    }

    #[test]
    fn a_script_named_ty_is_skipped_and_reported_if_there_is_nothing_else() {
        let machine = Machine::new();
        let path = machine.write("shims/ty", "#!/bin/sh\n");
        assert_eq!(machine.found(None), FoundPython::Unknown { path });
        let ty = PythonChecker::Ty { path: machine.write("bin/ty", NATIVE) };
        assert_eq!(machine.found(None), FoundPython::Checker(ty));
    }

    #[test]
    fn the_configured_one_is_the_only_one() {
        let machine = Machine::new();
        machine.write("bin/ty", NATIVE);
        let nowhere = machine.path("nowhere/ty");
        assert_eq!(machine.found(Some(&nowhere)), FoundPython::Missing);
        let other = machine.write("own/mypy", NATIVE);
        assert_eq!(machine.found(Some(&other)), FoundPython::Unknown { path: other.clone() });
        let own = machine.write("own/ty", NATIVE);
        let ty = PythonChecker::Ty { path: own.clone() };
        assert_eq!(machine.found(Some(&own)), FoundPython::Checker(ty));
    }
}
