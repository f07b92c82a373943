//! Finds TypeScript's native compiler on this machine.
//!
//! In: the configured path, the state folder and `PATH`. Out: a native `tsc` of version 7 or
//! later, or why there is none. npm's `tsc` is a script for Node; the native compiler is in a
//! separate package beside it.
//! Invariant: nothing is started; versions are read from `package.json`.

use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The version that `tidegate doctor --fix` installs.
pub const TYPESCRIPT_VERSION: &str = "7.0.2";

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundTypeScript {
    /// A native compiler that can be used.
    Native {
        /// Its path.
        tsc: PathBuf,
    },
    /// A TypeScript version without a native compiler.
    TooOld {
        /// Its path.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// A file that is not a native compiler and does not lead to one.
    NotNative {
        /// Its path.
        path: PathBuf,
    },
    /// No compiler.
    Missing,
}

/// Finds a compiler: only the configured one if there is one, else the one installed in the
/// state folder, else the one on `PATH`.
pub fn find_typescript(
    configured: Option<&Path>,
    state_dir: &Path,
    path_variable: &OsStr,
) -> FoundTypeScript {
    if let Some(path) = configured {
        return at(path);
    }
    let installed = native_in(&install_folder(state_dir).join("node_modules"));
    if let FoundTypeScript::Native { .. } = at(&installed) {
        return FoundTypeScript::Native { tsc: installed };
    }
    let mut unusable = FoundTypeScript::Missing;
    for folder in std::env::split_paths(path_variable).filter(|folder| folder.is_absolute()) {
        match at(&folder.join(format!("tsc{EXE_SUFFIX}"))) {
            found @ FoundTypeScript::Native { .. } => return found,
            FoundTypeScript::Missing => {}
            found => {
                if unusable == FoundTypeScript::Missing {
                    unusable = found;
                }
            }
        }
    }
    unusable
}

/// Where `tidegate doctor --fix` installs it.
pub fn install_folder(state_dir: &Path) -> PathBuf {
    state_dir.join("tools/typescript")
}

/// The npm package with the native compiler for this machine.
pub fn package_name() -> String {
    let system = match OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("@typescript/typescript-{system}-{processor}")
}

fn native_in(node_modules: &Path) -> PathBuf {
    node_modules.join(package_name()).join("lib").join(format!("tsc{EXE_SUFFIX}"))
}

fn at(path: &Path) -> FoundTypeScript {
    let Ok(real) = path.canonicalize() else { return FoundTypeScript::Missing };
    if !real.is_file() {
        return FoundTypeScript::Missing;
    }
    // `…/typescript/bin/tsc`, `…/typescript-linux-x64/lib/tsc`
    let package = real.parent().and_then(Path::parent).and_then(|folder| {
        let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
        Some((folder.to_owned(), serde_json::from_str::<Package>(&text).ok()?))
    });
    if let Some((_, package)) = &package
        && package.name.starts_with("typescript")
        && package.major() < Some(7)
    {
        return FoundTypeScript::TooOld { path: path.to_owned(), version: package.version.clone() };
    }
    if is_native(&real) {
        return FoundTypeScript::Native { tsc: real };
    }
    // Its platform package: within the package, or beside it.
    let nested = package.iter().flat_map(|(folder, _)| {
        [folder.join("node_modules"), folder.parent().unwrap_or(folder).to_owned()]
    });
    let native = nested.map(|modules| native_in(&modules)).find(|tsc| is_native(tsc));
    native.map_or(FoundTypeScript::NotNative { path: path.to_owned() }, |tsc| {
        FoundTypeScript::Native { tsc }
    })
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

impl Package {
    fn major(&self) -> Option<u32> {
        self.version.split('.').next()?.parse().ok()
    }
}

/// Whether a file is an executable of ELF, Mach-O or PE, and not a script.
pub(crate) fn is_native(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok()
        && (start == *b"\x7fELF"
            || start[..2] == *b"MZ"
            || matches!(start, [0xcf | 0xce, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe]))
}

#[cfg(test)]
mod tests {
    use std::ffi::{OsStr, OsString};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use tempfile::TempDir;

    use super::{FoundTypeScript, find_typescript, install_folder, package_name};

    const NATIVE: &str = "\x7fELF and more";
    const SCRIPT: &str = "#!/usr/bin/env node\n";

    struct Machine(TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        /// Without symbolic links, as in results.
        fn path(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn write(&self, name: &str, content: &str) -> PathBuf {
            let path = self.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            path
        }

        /// npm's `typescript` in this folder, with `bin/tsc` on PATH.
        fn npm(&self, modules: &str, version: &str) {
            let package = format!(r#"{{"name": "typescript", "version": "{version}"}}"#);
            self.write(&format!("{modules}/typescript/package.json"), &package);
            let script = self.write(&format!("{modules}/typescript/bin/tsc"), SCRIPT);
            fs::create_dir_all(self.path("bin")).unwrap();
            symlink(script, self.path("bin/tsc")).unwrap();
        }

        fn native(&self, modules: &str) -> PathBuf {
            let folder = format!("{modules}/{}", package_name());
            let package = format!(r#"{{"name": "{}", "version": "7.0.2"}}"#, package_name());
            self.write(&format!("{folder}/package.json"), &package);
            self.write(&format!("{folder}/lib/tsc"), NATIVE)
        }

        fn found(&self, configured: Option<&Path>) -> FoundTypeScript {
            let path = [self.path("empty"), self.path("bin")];
            let path: OsString = std::env::join_paths(path).unwrap();
            find_typescript(configured, &self.path("state"), &path)
        }
    }

    #[test]
    fn the_one_in_the_state_folder_comes_before_the_one_on_the_path() {
        let machine = Machine::new();
        assert_eq!(machine.found(None), FoundTypeScript::Missing);
        machine.npm("lib", "7.0.2");
        let on_path = machine.native("lib");
        assert_eq!(machine.found(None), FoundTypeScript::Native { tsc: on_path });
        let modules = install_folder(Path::new("state")).join("node_modules");
        let installed = machine.native(modules.to_str().unwrap());
        assert_eq!(machine.found(None), FoundTypeScript::Native { tsc: installed });
    }

    #[test]
    fn the_platform_package_may_lie_within_the_package() {
        let machine = Machine::new();
        machine.npm("lib", "7.1.0");
        let tsc = machine.native("lib/typescript/node_modules");
        assert_eq!(machine.found(None), FoundTypeScript::Native { tsc });
    }

    #[test]
    fn an_old_one_is_reported_and_not_used() {
        let machine = Machine::new();
        machine.npm("lib", "5.9.3");
        machine.native("lib");
        let path = machine.path("bin/tsc");
        assert_eq!(machine.found(None), FoundTypeScript::TooOld { path, version: "5.9.3".into() });
    }

    #[test]
    fn a_script_that_leads_nowhere_is_reported() {
        let machine = Machine::new();
        let path = machine.write("bin/tsc", "#!/bin/sh\n");
        assert_eq!(machine.found(None), FoundTypeScript::NotNative { path });
    }

    #[test]
    fn the_configured_one_is_the_only_one() {
        let machine = Machine::new();
        machine.native(install_folder(Path::new("state")).join("node_modules").to_str().unwrap());
        let nowhere = machine.path("nowhere");
        assert_eq!(machine.found(Some(&nowhere)), FoundTypeScript::Missing);
        let own = machine.write("own/tsc", NATIVE);
        assert_eq!(machine.found(Some(&own)), FoundTypeScript::Native { tsc: own.clone() });
        assert_eq!(
            find_typescript(None, Path::new("/nowhere"), OsStr::new("")),
            FoundTypeScript::Missing
        );
    }
}
