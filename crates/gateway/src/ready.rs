//! What a run needs before it can begin: its rights, its turn, a worker with the
//! engine that the program asks for, and what can be told of the program meanwhile.

use tidegate_model::{Limits, Program, RunError, RunId};
use tidegate_python::Analysis;
use tidegate_sandbox::{Lease, Worker};

use crate::admission::Admitted;
use crate::context::RunContext;
use crate::explain_limit::start_error;
use crate::gateway::Gateway;
use crate::{explain, sanitise};

/// What a run has when it begins.
pub(crate) struct Ready {
    pub(crate) worker: Worker,
    pub(crate) reading: Option<Analysis>,
    /// Its turn and its place among the workers, given back when it has ended.
    pub(crate) _admitted: Admitted,
    pub(crate) _lease: Lease,
}

/// A program and what was read out of it.
pub(crate) struct Checked {
    pub(crate) program: Program,
    /// Of a program in Python that is understood; others are read by their worker.
    pub(crate) reading: Option<Analysis>,
}

impl Gateway {
    /// Waits for all of it.
    pub(crate) async fn ready(
        &self,
        program: &Program,
        limits: &Limits,
        id: &RunId,
        context: &RunContext,
    ) -> Result<Ready, RunError> {
        sanitise::program(&program.source, &self.settings.input)?;
        let mut admitted = self.admission.enter(&context.session, limits.time).await?;
        let workers = self.engines.workers_for(program).await?;
        // At the same time: neither waits for the other.
        let (taken, reading) = tokio::join!(workers.take(), self.python.read(program));
        let (worker, lease) = taken.map_err(|error| {
            tracing::error!(%error, run = %id, "no worker");
            explain::sandbox(&error, |limit| start_error(limit, &self.settings.limits))
        })?;
        admitted.started();
        Ok(Ready { worker, reading, _admitted: admitted, _lease: lease })
    }
}
