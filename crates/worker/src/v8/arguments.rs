//! Which engine a worker is to use: the arguments of `tidegate worker`.
//!
//! `worker`, or `worker --engine NAME --program PATH --major N --memory BYTES`, or
//! `worker --python PATH [--packages FOLDER] [--zygote yes]`. They come
//! from the gateway (`sandbox::engine`, `sandbox::python`), which has found the program and
//! asked it for its version.

use std::ffi::OsString;
use std::path::PathBuf;

use tidegate_model::Engine;

use crate::python::{Python, Role};

/// An engine and, if it is not our own, where it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one in this executable.
    QuickJs,
    /// One that is started as a child.
    External(External),
    /// Python, which this process becomes.
    Python(Python),
}

/// A program that is an engine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct External {
    pub(crate) engine: Engine,
    pub(crate) program: PathBuf,
    /// First number of its version: options differ.
    pub(crate) major: u32,
    pub(crate) memory_bytes: u64,
}

impl Choice {
    /// Reads the arguments behind `worker`. Nothing if they are not ours.
    pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut arguments = arguments.into_iter();
        let (mut engine, mut program, mut major, mut memory) = (None, None, None, None);
        let (mut python, mut packages, mut role) = (None, None, Role::Worker);
        while let Some(name) = arguments.next() {
            let value = arguments.next()?;
            match name.to_str()? {
                "--engine" => {
                    let word = value.to_str()?;
                    engine = Some(Engine::ALL.into_iter().find(|one| one.as_str() == word)?);
                }
                "--program" => program = Some(PathBuf::from(value)),
                "--major" => major = Some(value.to_str()?.parse().ok()?),
                "--memory" => memory = Some(value.to_str()?.parse().ok()?),
                "--python" => python = Some(PathBuf::from(value)),
                "--packages" => packages = Some(PathBuf::from(value)),
                "--zygote" => role = Role::Zygote,
                _ => return None,
            }
        }
        if let Some(program) = python {
            return Some(Self::Python(Python { program, packages, role }));
        }
        match engine {
            None | Some(Engine::QuickJs) => Some(Self::QuickJs),
            Some(engine) => Some(Self::External(External {
                engine,
                program: program?,
                major: major?,
                memory_bytes: memory?,
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use tidegate_model::Engine;

    use super::{Choice, External};

    fn read(line: &str) -> Option<Choice> {
        Choice::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn an_engine_of_the_machine_needs_all_of_its_arguments() {
        let external = External {
            engine: Engine::Node,
            program: "/usr/bin/node".into(),
            major: 20,
            memory_bytes: 64,
        };
        let line = "--engine node --program /usr/bin/node --major 20 --memory 64";
        assert_eq!(read(line), Some(Choice::External(external)));
        assert_eq!(read(""), Some(Choice::QuickJs));
        assert_eq!(read("--engine quickjs"), Some(Choice::QuickJs));
        for wrong in ["--engine node", "--engine bun", "--engine", "--other x", "--major x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
