//! The type checkers that this machine has.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use tidegate_config::{Checks, Settings, TypeCheck};
use tidegate_typecheck::{FoundPython, FoundTypeScript, TypeChecker, find_python, find_typescript};

use crate::examine::python_types::PythonTypes;
use crate::examine::type_check::Types;

/// The type checker, if it is wanted and there is a compiler.
pub(super) fn type_checker(
    settings: &Settings,
    environment: &BTreeMap<String, String>,
) -> Option<Types> {
    let Checks { types, tsc, .. } = &settings.checks;
    if *types == TypeCheck::Off {
        return None;
    }
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find_typescript(tsc.as_deref(), &settings.state_dir, path) {
        FoundTypeScript::Native { tsc } => {
            let folder = settings.state_dir.join("types");
            let checker = TypeChecker::new(tsc, folder, settings.sandbox.min_isolation.into());
            Some(Types::new(checker, *types))
        }
        found => {
            tracing::info!(?found, "programs are not type-checked; see `tidegate doctor`");
            None
        }
    }
}

/// The type checker of Python, in the same way.
pub(super) fn python_type_checker(
    settings: &Settings,
    environment: &BTreeMap<String, String>,
) -> Option<PythonTypes> {
    let Checks { types, python, .. } = &settings.checks;
    if *types == TypeCheck::Off {
        return None;
    }
    let path = environment.get("PATH").map(OsStr::new).unwrap_or_default();
    match find_python(python.as_deref(), path) {
        FoundPython::Checker(checker) => {
            let folder = settings.state_dir.join("types");
            let least = settings.sandbox.min_isolation;
            let checker = TypeChecker::python(&checker, folder, least.into());
            Some(PythonTypes::new(checker, *types))
        }
        found => {
            tracing::info!(
                ?found,
                "programs in Python are not type-checked; see `tidegate doctor`"
            );
            None
        }
    }
}
