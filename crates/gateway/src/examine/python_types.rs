//! Type-checks a Python program against the tools it uses, before it runs.
//!
//! In: the program, where it uses which tools, and what it knows about the keys that it
//! reads. Out: an error that ends the run before it starts, or warnings that are sent
//! with its answer. As for TypeScript (`type_check.rs`), a second check without the types
//! of results tells what an error is about.
//! Invariant: `auto` refuses only what the call itself would refuse. Values can change on
//! their way to a tool, so a mismatch counts only where the value is written in place.

mod judge;
mod stubs;

use tidegate_catalog::{Catalog, ResultTypes};
use tidegate_config::TypeCheck;
use tidegate_model::{PythonNames, Reference, RunError};
use tidegate_typecheck::{Diagnostic, SourceFile, TypeCheckError, TypeChecker};

use self::judge::Judge;
use self::stubs::Stubs;
use crate::examine::type_check::in_characters;
use crate::examine::type_report::{Problem, verdict};

/// Larger declarations are not checked against. Chosen, as for TypeScript.
const DECLARATION_BYTES: usize = 4 * 1024 * 1024;

/// The Python type checker of a gateway, and its mode.
pub(crate) struct PythonTypes {
    checker: TypeChecker,
    mode: TypeCheck,
}

/// The input of a check.
pub(crate) struct PythonRequest<'a> {
    pub(crate) catalog: &'a Catalog,
    /// The source, with `\n` at the ends of its lines.
    pub(crate) text: &'a str,
    pub(crate) references: &'a [Reference],
    pub(crate) known: &'a PythonNames,
}

impl PythonTypes {
    pub(crate) fn new(checker: TypeChecker, mode: TypeCheck) -> Self {
        Self { checker, mode }
    }

    /// Warnings about a program, or why it must not run.
    pub(crate) async fn check(&self, request: &PythonRequest<'_>) -> Result<Vec<String>, RunError> {
        let stubs = Stubs::of(request);
        if stubs.are_empty() || self.mode == TypeCheck::Off {
            return Ok(Vec::new());
        }
        let judge = Judge { request, stubs: &stubs };
        match self.problems(&judge).await {
            Ok(problems) => {
                verdict(&problems, |one| judge.message(one), |one| judge.signature(one))
            }
            Err(error) => {
                // A check is an aid: without it the program runs as it is.
                tracing::debug!(%error, "the program is not type-checked");
                Ok(Vec::new())
            }
        }
    }

    async fn problems(&self, judge: &Judge<'_>) -> Result<Vec<Problem>, TypeCheckError> {
        let all = self.diagnostics(judge, ResultTypes::All).await?;
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let inputs = self.diagnostics(judge, ResultTypes::Ignored).await?;
        let declared = match judge.stubs.have_observed() {
            true => self.diagnostics(judge, ResultTypes::Declared).await?,
            false => all.clone(),
        };
        Ok(judge.problems(self.mode, &all, &declared, &inputs))
    }

    async fn diagnostics(
        &self,
        judge: &Judge<'_>,
        results: ResultTypes,
    ) -> Result<Vec<Diagnostic>, TypeCheckError> {
        let files: Vec<SourceFile> = judge.stubs.files(judge.request.catalog, results);
        let bytes: usize = files.iter().map(|file| file.text.len()).sum();
        if bytes > DECLARATION_BYTES {
            return Ok(Vec::new());
        }
        let text = judge.request.text;
        let found = self.checker.check(&files, text).await?;
        Ok(found.into_iter().filter_map(|one| in_characters(one, text)).collect())
    }
}
