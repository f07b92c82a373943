//! A program that was submitted waits for its turn.
//!
//! In: a [`Submitted`] program. Out: an [`Admitted`] one, whose size is within bounds,
//! whose turn it is, and for which there are workers; or why not.

use std::sync::Arc;
use std::time::Instant;

use tidegate_model::{Limits, Program, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_sandbox::Pool;

use crate::admit::admission::Turn;
use crate::admit::sanitise;
use crate::consent::person::Person;
use crate::gateway::Gateway;

/// A program that is to run, and under which terms.
pub(crate) struct Submitted {
    pub(crate) id: RunId,
    pub(crate) program: Arc<Program>,
    pub(crate) person: Arc<Person>,
    pub(crate) permissions: Permissions,
    pub(crate) limits: Limits,
}

/// A program whose turn it is.
pub(crate) struct Admitted {
    pub(crate) run: Submitted,
    /// Where its worker will come from.
    pub(crate) workers: Arc<Pool>,
    pub(crate) turn: Turn,
    /// From here on its time counts.
    pub(crate) since: Instant,
    /// Nobody else can make one.
    _sealed: Sealed,
}

struct Sealed;

impl Gateway {
    /// Waits for the program's turn.
    pub(crate) async fn admit(&self, run: Submitted) -> Result<Admitted, RunError> {
        sanitise::program(&run.program.source, &self.settings.input)?;
        let session = &run.person.context().session;
        let turn = self.admission.enter(session, run.limits.time).await?;
        let workers = self.engines.workers_for(&run.program).await?;
        Ok(Admitted { run, workers, turn, since: Instant::now(), _sealed: Sealed })
    }
}
