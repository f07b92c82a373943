//! A submitted program waits for its turn.
//!
//! In: a run and the person behind it, which make a [`Submitted`] program. Out: an
//! [`Admitted`] one, whose size is within bounds and whose turn has come; or an error.

use std::sync::Arc;

use tidegate_model::{Limits, Program, RunError, RunId, Stage};
use tidegate_policy::Permissions;

use super::Admission;
use crate::admit::queue::Turn;
use crate::approvals::journal::Identity;
use crate::approvals::person::Person;
use crate::context::RunContext;
use crate::input_limits;

/// A program to run, and its terms.
pub(crate) struct Submitted {
    pub(crate) id: RunId,
    pub(crate) program: Arc<Program>,
    pub(crate) person: Arc<Person>,
    pub(crate) permissions: Permissions,
    pub(crate) limits: Limits,
    /// Only this module can make one.
    _sealed: Sealed,
}

/// A program whose turn it is.
pub(crate) struct Admitted {
    pub(crate) run: Submitted,
    pub(crate) turn: Turn,
    /// Only this module can make one.
    _sealed: Sealed,
}

struct Sealed;

impl Admission {
    /// The terms of a run: its permissions and its limits.
    pub(crate) fn submit(
        &self,
        run: Identity,
        person: &Arc<Person>,
    ) -> Result<Submitted, RunError> {
        let permissions = self.policy.permissions(run.profile.as_deref())?;
        let limits = self.policy.limits_of(&run.program, &permissions, &run.options);
        let (id, program, person) = (run.id, Arc::new(run.program), Arc::clone(person));
        Ok(Submitted { id, program, person, permissions, limits, _sealed: Sealed })
    }

    /// Waits for the program's turn.
    pub(crate) async fn admit(&self, run: Submitted) -> Result<Admitted, RunError> {
        input_limits::program(&run.program.source, &self.input)?;
        let principal = &run.person.context().principal;
        let turn = self.queue.enter(principal, run.limits.time).await?;
        let profiles = run.permissions.names().into_iter().map(str::to_owned).collect();
        self.recorder.passed(principal, &run.id, Stage::Admitted { profiles });
        Ok(Admitted { run, turn, _sealed: Sealed })
    }

    /// Waits for the turn of a program that is only inspected. Returns its permissions
    /// and the turn.
    pub(crate) async fn admit_inspection(
        &self,
        program: &Program,
        context: &RunContext,
    ) -> Result<(Permissions, Turn), RunError> {
        let permissions = self.policy.permissions(context.profile.as_deref())?;
        let limits = self.policy.limits_of(program, &permissions, &context.options);
        input_limits::program(&program.source, &self.input)?;
        let turn = self.queue.enter(&context.principal, limits.time).await?;
        Ok((permissions, turn))
    }
}
