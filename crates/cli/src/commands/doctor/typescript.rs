//! Finds the type checker, asks for its version and lets it check a program.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use tidegate_config::Environment;
use tidegate_typecheck::{Found, TypeChecker, find};

use super::finding::Finding;
use super::probe::version;

const NAME: &str = "type checker";
const REMEDY: &str = "`tidegate doctor --fix` installs TypeScript 7 with npm";
/// TypeScript's number for "is not assignable to type".
const NOT_ASSIGNABLE: u32 = 2322;

pub(super) async fn probe(state_dir: &Path, environment: &Environment) -> Finding {
    let path_variable = OsStr::new(environment.get("PATH").unwrap_or_default());
    let missing = |what: String| {
        Finding::warning(NAME, format!("{what}; programs run without a type check"), REMEDY)
    };
    match find(None, state_dir, path_variable) {
        Found::Native { tsc } => attempt(&tsc, state_dir).await,
        Found::TooOld { path, version } => {
            missing(format!("`{}` is TypeScript {version}, 7 is needed", path.display()))
        }
        Found::NotNative { path } => {
            missing(format!("`{}` is a script and leads to no native compiler", path.display()))
        }
        Found::Missing => missing("TypeScript 7 was not found".to_owned()),
    }
}

async fn attempt(tsc: &Path, state_dir: &Path) -> Finding {
    let place = tsc.display();
    let version = match version(tsc).await {
        Ok(version) => version,
        Err(reason) => return Finding::problem(NAME, format!("`{place}` {reason}"), REMEDY),
    };
    let checker = TypeChecker::new(tsc.to_owned(), state_dir.join("typecheck"));
    let started = Instant::now();
    match checker.check(&[], "const text: string = 1;").await {
        Ok(errors) if errors.len() == 1 && errors[0].code == NOT_ASSIGNABLE => {
            let took = started.elapsed().as_millis();
            Finding::ok(NAME, format!("{version} at `{place}` checked a program in {took} ms"))
        }
        Ok(errors) => {
            let found = format!("`{place}` found {} errors in a program with one", errors.len());
            Finding::problem(NAME, found, REMEDY)
        }
        Err(error) => {
            let error = anyhow::Error::from(error);
            Finding::problem(NAME, format!("`{place}` does not work: {error:#}"), REMEDY)
        }
    }
}
