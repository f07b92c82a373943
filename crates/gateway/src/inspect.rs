//! What would come of a program, without running it.
//!
//! In: a program. Out: the same judgement that a run would get, and what its checks would
//! say. A program in TypeScript is read by a worker, in its jail; it asks what it asks
//! before every run, and is ended instead of being answered.

use std::sync::Arc;
use std::time::Duration;

use tidegate_model::{ErrorCode, Language, Program, RunError};
use tidegate_policy::Permissions;
use tidegate_sandbox::{End, Worker};
use tidegate_wire::{FromGuest, Question, Start, ToGuest};

use crate::check::{CheckRequest, Examined};
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::judge::Judgement;
use crate::ready::Ready;
use crate::run_id::new_run_id;
use crate::view::View;

/// How long a worker may take to read a program. Chosen: a thousand times what it takes.
const READING_TIME: Duration = Duration::from_secs(10);

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
        self: &Arc<Self>,
        program: &Program,
        context: &RunContext,
    ) -> Result<Inspected, RunError> {
        let permissions = self.permissions(context.profile.as_deref())?;
        let limits = self.limits_of(program, Some(&permissions));
        let view = View::new(self.catalog(), program.language);
        let examined = if program.language == Language::Python {
            let reading = self.python.read(program).await;
            self.examine_python(&view, &permissions, program, reading).await
        } else {
            let id = new_run_id();
            let Ready { worker, _admitted, _lease, .. } =
                self.ready(program, &limits, &id, context).await?;
            self.examine_in(worker, program, &view, &permissions).await?
        };
        let Examined { verdict, judgement } = examined;
        let (warnings, errors) = match verdict {
            Ok(warnings) => (warnings, Vec::new()),
            Err(error) => (Vec::new(), vec![error]),
        };
        let denied = judgement.ruling.word == tidegate_model::Word::Deny;
        Ok(Inspected { judgement, errors, warnings, denied })
    }

    async fn examine_in(
        &self,
        worker: Worker,
        program: &Program,
        view: &View,
        permissions: &Permissions,
    ) -> Result<Examined, RunError> {
        let Worker { mut reader, mut writer, life, report: _ } = worker;
        let start = ToGuest::Start(Start {
            source: program.source.clone(),
            time_ms: u32::try_from(READING_TIME.as_millis()).unwrap_or(u32::MAX),
            cpu_ms: u32::try_from(READING_TIME.as_millis()).unwrap_or(u32::MAX),
            memory_bytes: self.settings.limits.memory_bytes,
            output_bytes: 0,
        });
        let read = async {
            writer.send(&start).await.map_err(|_| not_read())?;
            reader.next().await.map_err(|_| not_read())
        };
        let said = tokio::time::timeout(READING_TIME, read).await.unwrap_or(Err(not_read()));
        life.end(End::Now).await;
        match said? {
            FromGuest::Ask { question: Question::Check, body, .. } => {
                self.examine_said(view, permissions, &body).await
            }
            // It does not parse, so nothing is known of it.
            FromGuest::Failed { error, .. } => {
                let nothing = self.examine(view, permissions, CheckRequest::default()).await;
                Ok(Examined { verdict: Err(error.clipped()), ..nothing })
            }
            _ => Err(not_read()),
        }
    }
}

fn not_read() -> RunError {
    RunError::new(ErrorCode::WorkerDied, "the program could not be read").with_hint(
        "the user can see why in the log; a program that is nested very deeply does this",
    )
}
