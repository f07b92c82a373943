//! Finds the type checker for Python and has it check a program.

use std::ffi::OsStr;

use tidegate_config::{Environment, Settings};
use tidegate_typecheck::{FoundPython, PythonChecker, TypeChecker, find_python};

use super::finding::Finding;
use super::probe::version;
use super::type_checker::Trial;

const NAME: &str = "type checker of Python";
const INSTALL: &str = "install ty (`uv tool install ty`, `pip install ty`) or pyright (`npm install -g pyright`) \
                       and put it on PATH, or name it as `checks.python` \
                       (`mcpCodeExecution.pythonChecker` in a client's file)";
/// Only a configured checker is tried, if there is one.
const FIX: &str = "fix `checks.python` (`mcpCodeExecution.pythonChecker` in a client's \
                       file), or leave it out to have one found";

pub(super) async fn probe(settings: &Settings, environment: &Environment) -> Finding {
    let path_variable = OsStr::new(environment.get("PATH").unwrap_or_default());
    let configured = settings.checks.python.as_deref();
    let missing = |what: String| {
        let message = format!("{what}; programs in Python run without a type check");
        match configured {
            // A configured checker is not optional.
            Some(_) => Finding::problem(NAME, message, FIX),
            None => Finding::warning(NAME, message, INSTALL),
        }
    };
    match find_python(configured, path_variable) {
        FoundPython::Checker(checker) => {
            let remedy = if configured.is_some() { FIX } else { INSTALL };
            attempt(&checker, settings, remedy).await
        }
        FoundPython::Unknown { path } => {
            missing(format!("`{}` is neither ty itself nor npm's pyright", path.display()))
        }
        FoundPython::NoNode { path } => {
            missing(format!("`{}` needs Node, which is not on PATH", path.display()))
        }
        FoundPython::Missing => missing(match configured {
            Some(path) => format!("there is no file `{}`", path.display()),
            None => "neither ty nor pyright was found".to_owned(),
        }),
    }
}

async fn attempt(checker: &PythonChecker, settings: &Settings, remedy: &str) -> Finding {
    let version = match checker {
        PythonChecker::Ty { path } => version(path).await,
        PythonChecker::Pyright { version, .. } => Ok(format!("pyright {version}")),
    };
    let folder = settings.state_dir.join("typecheck");
    let least = settings.sandbox.min_isolation;
    let trial = Trial {
        name: NAME,
        place: checker.place(),
        version,
        checker: TypeChecker::python(checker, folder, least.into()),
        program: "text: str = 1\n",
        is_expected: |_| true,
        unchecked: "programs in Python run without a type check",
        remedy,
    };
    trial.run().await
}
