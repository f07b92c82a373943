//! Parses the arguments of `tidegate worker`, which select an engine.
//!
//! In: nothing, or `--engine NAME --program PATH --major N --memory BYTES`, or
//! `--python PATH [--packages FOLDER] [--zygote yes]`. They come from the gateway
//! (`sandbox::engine`, `sandbox::python`), which has found the program and its version.
//! Out: an engine choice, or `None` for anything else.

use std::ffi::OsString;
use std::path::PathBuf;

use tidegate_model::Engine;

use crate::python::{PythonRole, PythonWorker};

/// The engine of a worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// The one in this executable.
    QuickJs,
    /// An external engine, started as a child.
    External(ExternalEngine),
    /// Python, which replaces this process.
    Python(PythonWorker),
}

/// An external engine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExternalEngine {
    pub(crate) engine: Engine,
    pub(crate) program: PathBuf,
    /// Its major version, on which its options depend.
    pub(crate) major: u32,
    pub(crate) memory_bytes: u64,
}

impl EngineChoice {
    /// Parses the arguments after `worker`. `None` if they are invalid.
    pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut arguments = arguments.into_iter();
        let (mut engine, mut program, mut major, mut memory) = (None, None, None, None);
        let (mut python, mut packages, mut role) = (None, None, PythonRole::Worker);
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
                "--zygote" => role = PythonRole::Zygote,
                _ => return None,
            }
        }
        if let Some(program) = python {
            return Some(Self::Python(PythonWorker { program, packages, role }));
        }
        match engine {
            None | Some(Engine::QuickJs) => Some(Self::QuickJs),
            Some(engine) => Some(Self::External(ExternalEngine {
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

    use super::{EngineChoice, ExternalEngine};

    fn read(line: &str) -> Option<EngineChoice> {
        EngineChoice::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn an_external_engine_needs_all_of_its_arguments() {
        let external = ExternalEngine {
            engine: Engine::Node,
            program: "/usr/bin/node".into(),
            major: 20,
            memory_bytes: 64,
        };
        let line = "--engine node --program /usr/bin/node --major 20 --memory 64";
        assert_eq!(read(line), Some(EngineChoice::External(external)));
        assert_eq!(read(""), Some(EngineChoice::QuickJs));
        assert_eq!(read("--engine quickjs"), Some(EngineChoice::QuickJs));
        for wrong in ["--engine node", "--engine bun", "--engine", "--other x", "--major x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
