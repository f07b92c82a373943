//! What would come of a program, without running it: the pipeline stopped after reading.
//!
//! In: a program. Out: the same judgement that a run would get, and what its checks would
//! say.

use tidegate_model::{Prepared, Program, RunError, Word};

use crate::admit::sanitise;
use crate::context::RunContext;
use crate::examine::check::Examined;
use crate::examine::judge::Judgement;
use crate::examine::stage::{NotRead, READING_TIME};
use crate::gateway::Gateway;
use crate::tools::view::View;

/// What was found out about a program.
pub struct Inspected {
    /// Findings, risk and impact.
    pub judgement: Judgement,
    /// Why it would not run: it does not parse, its types are wrong, it names what is not
    /// there.
    pub errors: Vec<RunError>,
    /// What its author would be told beside the result.
    pub warnings: Vec<String>,
    /// Whether the rules say that it must not run.
    pub denied: bool,
}

impl Gateway {
    /// Looks at a program as before a run.
    pub async fn inspect(
        &self,
        program: &Program,
        context: &RunContext,
    ) -> Result<Inspected, RunError> {
        let permissions = self.permissions(context.profile.as_deref())?;
        let limits = self.limits_of(program, Some(&permissions));
        sanitise::program(&program.source, &self.settings.input)?;
        let _turn = self.admission.enter(&context.session, limits.time).await?;
        let view = View::new(self.catalog(), program.language);
        let (prepared, invalid) = match self.prepared(program, READING_TIME).await {
            Ok(prepared) => (prepared, None),
            // It does not parse, so nothing is known of it.
            Err(NotRead::Invalid(error)) => (Prepared::default(), Some(error)),
            Err(NotRead::Failed(error)) => return Err(error),
        };
        let Examined { verdict, judgement } =
            self.examine(&view, &permissions, &program.source, &prepared).await;
        let (warnings, errors) = match (invalid, verdict) {
            (Some(error), _) | (None, Err(error)) => (Vec::new(), vec![error]),
            (None, Ok(warnings)) => (warnings, Vec::new()),
        };
        let denied = judgement.ruling.word == Word::Deny;
        Ok(Inspected { judgement, errors, warnings, denied })
    }
}
