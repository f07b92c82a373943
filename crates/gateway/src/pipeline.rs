//! From a request to its answer, stage by stage.
//!
//! `Submitted -> Admitted -> Read -> Judged -> Consented -> Ended -> Shown`: each arrow is a
//! floor, and only that floor can make the type it leads to; a run that a stage refuses is
//! `Ended` with the error. Calls leave through the bridge, inside a run or outside of one
//! (`bridge/direct.rs`). Both are recorded on disk before they are answered.

use std::sync::Arc;

use tidegate_model::{Program, ProgramRecord, Response, RunError, RunId, RunRecord};

use crate::admit::stage::Submitted;
use crate::answer::ended::Ended;
use crate::answer::shown::{ShowResult, Shown};
use crate::answer::stopwatch::{Stopwatch, outcome_of};
use crate::approvals::journal::Identity;
use crate::approvals::person::Person;
use crate::context::RunContext;
use crate::digest::sha256_hex;
use crate::examine::inspect::Inspected;
use crate::gateway::Gateway;
use crate::recorder::NotRecorded;
use crate::run;

impl Gateway {
    /// Runs a program and answers as `execute_code` does.
    pub async fn execute(
        self: &Arc<Self>,
        program: Program,
        context: &RunContext,
    ) -> Shown<Response> {
        let _lease = self.begin_request(&context.principal);
        let (identity, person) = self.approvals.new_run(program, context);
        self.execute_as(identity, &person, context).await
    }

    /// Resumes a run that waits for a person. Its process may be this one or one that has
    /// ended.
    pub async fn resume(
        self: &Arc<Self>,
        id: &RunId,
        context: &RunContext,
    ) -> ShowResult<Response> {
        let _lease = self.begin_request(&context.principal);
        let taken = self.approvals.take_over(id, context).await;
        let (identity, person) =
            taken.map_err(|error| self.answers.show(error, &context.principal))?;
        Ok(self.execute_as(identity, &person, context).await)
    }

    /// Examines a program as before a run, and stops after `Judged`.
    pub async fn inspect(
        &self,
        program: &Program,
        context: &RunContext,
    ) -> Result<Inspected, RunError> {
        let (permissions, _turn) = self.admission.admit_inspection(program, context).await?;
        self.examiner.inspect(program, &permissions, self.runner.workers.python_modules()).await
    }

    async fn execute_as(
        self: &Arc<Self>,
        identity: Identity,
        person: &Arc<Person>,
        context: &RunContext,
    ) -> Shown<Response> {
        let clock = Stopwatch::start(self.bridge.recorder.now());
        let (id, language) = (identity.id.clone(), identity.program.language);
        let source_sha256 = sha256_hex(&identity.program.source);
        let action = self.privacy.recorded_action(&context.principal, &identity.options);
        let program = ProgramRecord { language: language.as_str(), source_sha256, action };
        let mut ended = match self.admission.submit(identity, person) {
            Ok(submitted) => self.stages(submitted).await,
            Err(error) => Ended::failed(error),
        };
        // The execution ends here; the time to build the answer is not the program's.
        let execution_ms = clock.elapsed_ms();
        if !self.privacy.is_off() {
            ended.warnings.extend(person.take_notes());
        }
        let (principal, errors) = (&context.principal, &person.errors);
        let shown = self.answers.show_run(ended, id.clone(), execution_ms, principal, errors);
        let (response, result_bytes) = shown.await;
        person.ended(response.error.as_ref()).await;
        let record = RunRecord {
            id: id.clone(),
            started_at: clock.started_at,
            kind: "execute_code",
            program: Some(program),
            outcome: outcome_of(response.error.as_ref()),
            duration: clock.elapsed(),
            tool_calls: response.metrics.tool_calls,
            result_bytes,
            answer_tokens: response.metrics.tokens_in_summary,
            handle: response.handle.clone(),
        };
        let recorded = self.bridge.recorder.run_ended(principal, record).await;
        self.tools.run_ended();
        match recorded {
            Ok(()) => response,
            Err(NotRecorded) => {
                let error = person.calls.effects.not_recorded();
                self.answers.show_failed_run(error, id, execution_ms, principal)
            }
        }
    }

    /// Runs all stages of a submitted program. Each stage makes the type that the next one
    /// takes, and nothing else can make it.
    async fn stages(self: &Arc<Self>, submitted: Submitted) -> Ended {
        let client_gone = submitted.person.context().cancelled.clone();
        let consented = async {
            let admitted = self.admission.admit(submitted).await?;
            self.runner.workers.prepare(&admitted.run.program).await?;
            let read = self.examiner.read(admitted).await?;
            let judged = self.examiner.judge(read, self.runner.workers.python_modules()).await?;
            self.consent.consent(judged).await
        };
        let consented = tokio::select! {
            consented = consented => consented,
            () = client_gone.cancelled() => Err(run::cancelled()),
        };
        match consented {
            Ok(consented) => self.runner.run(consented).await,
            Err(error) => Ended::failed(error),
        }
    }
}
