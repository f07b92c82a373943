//! Inspects a program without running it: the pipeline stopped after `Judged`.
//!
//! In: a program. Out: the same judgement that a run would get, and the errors and warnings
//! of its checks.

use std::collections::BTreeSet;

use tidegate_model::{Decision, Prepared, Program, RunError};
use tidegate_policy::Permissions;

use super::Examiner;
use crate::examine::check::Examined;
use crate::examine::judge::Judgement;
use crate::examine::stage::{NotRead, READING_TIME};
use crate::tools::view::View;

/// The result of inspecting a program.
pub struct Inspected {
    /// Findings, risk and impact.
    pub judgement: Judgement,
    /// Why it would not run: it does not parse, its types are wrong, it names something
    /// that does not exist.
    pub errors: Vec<RunError>,
    /// Warnings that its author would get with the result.
    pub warnings: Vec<String>,
    /// Whether the rules say that it must not run.
    pub denied: bool,
}

impl Examiner {
    /// Examines a program as before a run. `modules` are the Python modules available here,
    /// if known.
    pub(crate) async fn inspect(
        &self,
        program: &Program,
        permissions: &Permissions,
        modules: Option<&BTreeSet<String>>,
    ) -> Result<Inspected, RunError> {
        let view = View::new(self.tools.catalog(), program.language);
        let (prepared, invalid) = match self.prepared(program, READING_TIME).await {
            Ok(prepared) => (prepared, None),
            // It does not parse, so nothing is known about it.
            Err(NotRead::Invalid(error)) => (Prepared::default(), Some(error)),
            Err(NotRead::Failed(error)) => return Err(error),
        };
        let examining = self.examine(&view, permissions, &program.source, &prepared, modules);
        let Examined { verdict, judgement } = examining.await;
        let (warnings, errors) = match (invalid, verdict) {
            (Some(error), _) | (None, Err(error)) => (Vec::new(), vec![error]),
            (None, Ok(warnings)) => (warnings, Vec::new()),
        };
        let denied = judgement.ruling.word == Decision::Deny;
        Ok(Inspected { judgement, errors, warnings, denied })
    }
}
