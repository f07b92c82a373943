//! Finds the type checker, asks for its version and has it check a program.

use std::ffi::OsStr;
use std::path::Path;

use tidegate_config::{Environment, Settings};
use tidegate_typecheck::{Code, FoundTypeScript, TypeChecker, find_typescript};

use super::finding::Finding;
use super::probe::version;
use super::type_checker::Trial;

const NAME: &str = "type checker";
const INSTALL: &str = "`tidegate doctor --fix` installs TypeScript 7 with npm, or name one as \
                       `checks.tsc` (`mcpCodeExecution.tsc` in a client's file)";
/// Only a configured compiler is tried, so installing another one does not help.
const FIX: &str = "fix `checks.tsc` (`mcpCodeExecution.tsc` in a client's file), or leave \
                       it out to have one found";
/// TypeScript's number for "is not assignable to type".
const NOT_ASSIGNABLE: Code = Code::TypeScript(2322);

pub(super) async fn probe(settings: &Settings, environment: &Environment) -> Finding {
    let path_variable = OsStr::new(environment.get("PATH").unwrap_or_default());
    let configured = settings.checks.tsc.as_deref();
    let missing = |what: String| {
        let message = format!("{what}; programs run without a type check");
        match configured {
            // A configured checker is not optional.
            Some(_) => Finding::problem(NAME, message, FIX),
            None => Finding::warning(NAME, message, INSTALL),
        }
    };
    match find_typescript(configured, &settings.state_dir, path_variable) {
        FoundTypeScript::Native { tsc } => {
            let remedy = if configured.is_some() { FIX } else { INSTALL };
            attempt(&tsc, settings, remedy).await
        }
        FoundTypeScript::TooOld { path, version } => {
            missing(format!("`{}` is TypeScript {version}; version 7 is required", path.display()))
        }
        FoundTypeScript::NotNative { path } => {
            missing(format!("`{}` is a script without a native compiler", path.display()))
        }
        FoundTypeScript::Missing => missing(match configured {
            Some(path) => format!("there is no file `{}`", path.display()),
            None => "TypeScript 7 was not found".to_owned(),
        }),
    }
}

async fn attempt(tsc: &Path, settings: &Settings, remedy: &str) -> Finding {
    let folder = settings.state_dir.join("typecheck");
    let least = settings.sandbox.min_isolation;
    let trial = Trial {
        name: NAME,
        place: tsc.to_owned(),
        version: version(tsc).await,
        checker: TypeChecker::new(tsc.to_owned(), folder, least.into()),
        program: "const text: string = 1;",
        is_expected: |error| error.code == NOT_ASSIGNABLE,
        unchecked: "programs run without a type check",
        remedy,
    };
    trial.run().await
}
