//! Has a type checker check a program with one error.
//!
//! In: a checker that was found. Out: the finding about it.

use std::path::PathBuf;
use std::time::Instant;

use tidegate_typecheck::{Diagnostic, TypeCheckError, TypeChecker};

use super::finding::Finding;

/// For a kernel that does not confine the compiler.
const UNCONFINED: &str = "use Linux 5.13 or newer with Landlock enabled; an \
                                     unconfined checker is started only with \
                                     `sandbox.min_isolation = \"any\"`";

/// A checker, and a program that it must find one error in.
pub(super) struct Trial<'a> {
    /// The name of the finding.
    pub(super) name: &'static str,
    pub(super) place: PathBuf,
    /// Its version, or why it has none.
    pub(super) version: Result<String, String>,
    pub(super) checker: TypeChecker,
    pub(super) program: &'static str,
    pub(super) is_expected: fn(&Diagnostic) -> bool,
    /// What happens without it.
    pub(super) unchecked: &'static str,
    pub(super) remedy: &'a str,
}

impl Trial<'_> {
    pub(super) async fn run(self) -> Finding {
        let Self { name, remedy, .. } = self;
        let place = self.place.display();
        let version = match self.version {
            Ok(version) => version,
            Err(reason) => return Finding::problem(name, format!("`{place}` {reason}"), remedy),
        };
        let started = Instant::now();
        match self.checker.check(&[], self.program).await {
            Ok(errors) if matches!(&*errors, [one] if (self.is_expected)(one)) => {
                let took = started.elapsed().as_millis();
                Finding::ok(name, format!("{version} at `{place}` checked a program in {took} ms"))
            }
            Ok(errors) => {
                let count = errors.len();
                let found = format!("`{place}` found {count} errors in a program with one");
                Finding::problem(name, found, remedy)
            }
            Err(error @ TypeCheckError::Unconfined { .. }) => {
                let error = anyhow::Error::from(error);
                Finding::warning(name, format!("{error:#}; {}", self.unchecked), UNCONFINED)
            }
            Err(error) => {
                let error = anyhow::Error::from(error);
                Finding::problem(name, format!("`{place}` does not work: {error:#}"), remedy)
            }
        }
    }
}
