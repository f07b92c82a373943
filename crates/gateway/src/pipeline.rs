//! From a request to its answer, stage by stage.
//!
//! [`Gateway::execute`] runs a program; a call outside of one is made in `direct.rs`.
//! Both decide calls in the same place (`bridge.rs`) and both are on disk before they
//! answer.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use tidegate_model::{ErrorCode, Program, Response, RunError, RunId};
use tidegate_store::{Outcome, RunRecord};

use crate::admit::stage::Submitted;
use crate::answer::shown::{EndedRun, ShowResult, Shown};
use crate::consent::parking::{Identity, Journal};
use crate::consent::person::Person;
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::run::{self, Ended};
use crate::run_id::new_run_id;

impl Gateway {
    /// Runs a program and answers as `execute_code` does.
    pub async fn execute(
        self: &Arc<Self>,
        program: Program,
        context: &RunContext,
    ) -> Shown<Response> {
        let identity = Identity {
            id: new_run_id(),
            program,
            profile: context.profile.clone(),
            session: context.session.0.to_string(),
            tokens_of: self.privacy.session(&context.session).name.clone(),
            asker: self.asker(context),
            sandbox: context.sandbox,
        };
        let journal = Journal::new(self.vaults.clone(), identity.clone());
        self.execute_as(identity, journal, context).await
    }

    /// Goes on with a run that waits for a person, in this process or in one that has
    /// gone.
    pub async fn resume(
        self: &Arc<Self>,
        id: &RunId,
        context: &RunContext,
    ) -> ShowResult<Response> {
        let (identity, journal) =
            self.unpark(id, context).map_err(|error| self.show(error, context))?;
        Ok(self.execute_as(identity, journal, context).await)
    }

    /// A run goes on within the profile that it has, and within no other: a person may have
    /// approved it as it is.
    pub(crate) fn goes_on_within(
        &self,
        asked: Option<&str>,
        kept: Option<&str>,
    ) -> Result<(), RunError> {
        let configured = self.settings.permissions.profile.as_str();
        let kept = kept.unwrap_or(configured);
        if asked.is_none_or(|asked| asked == kept) {
            return Ok(());
        }
        let message =
            format!("the run has the profile `{kept}`, and cannot go on with another one");
        Err(RunError::new(ErrorCode::BadArgument, message)
            .with_hint("leave `profile` out, or send the program again with the one you want"))
    }

    async fn execute_as(
        self: &Arc<Self>,
        identity: Identity,
        journal: Journal,
        context: &RunContext,
    ) -> Shown<Response> {
        let clock = Clock::start();
        let (id, language) = (identity.id.clone(), identity.program.language);
        let source_sha256 = Some(sha256_hex(&identity.program.source));
        let context = &RunContext { sandbox: identity.sandbox, ..context.clone() };
        let person = self.person_of(&identity, journal, context);
        let mut ended = match self.submitted(identity, &person) {
            Ok(submitted) => self.stages(submitted).await,
            Err(error) => Ended::failed(error),
        };
        // The execution ends here; wording its result is our own affair.
        let execution_ms = rounded_ms(clock.elapsed());
        if !self.privacy.is_off() {
            ended.warnings.extend(person.take_notes());
        }
        let outputs = Arc::clone(&self.outputs);
        let ended = EndedRun { ended, id: id.clone(), execution_ms, outputs };
        let (response, result_bytes) = self.show_run(ended, &person).await;
        person.ended(response.error.as_ref());
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "execute_code",
            language: Some(language.as_str()),
            source_sha256,
            outcome: outcome_of(response.error.as_ref()),
            duration: clock.elapsed(),
            tool_calls: response.metrics.tool_calls,
            result_bytes,
            answer_tokens: response.metrics.tokens_in_summary,
            handle: response.handle.clone(),
        };
        self.keep_record(record).await;
        response
    }

    /// The person behind a run, who may be asked.
    fn person_of(
        &self,
        identity: &Identity,
        journal: Journal,
        context: &RunContext,
    ) -> Arc<Person> {
        let session = self.approved_for(&identity.asker);
        let person = Person::new(context, identity.asker.clone(), session, Some(journal));
        person.set_source(&identity.program.source);
        Arc::new(person)
    }

    /// The terms of a run: what it may do, and how much of it.
    fn submitted(&self, run: Identity, person: &Arc<Person>) -> Result<Submitted, RunError> {
        let permissions = self.permissions(run.profile.as_deref())?;
        let limits = self.limits_of(&run.program, Some(&permissions));
        let (id, program, person) = (run.id, Arc::new(run.program), Arc::clone(person));
        Ok(Submitted { id, program, person, permissions, limits })
    }

    /// From a submitted program to its end. Each stage makes the type that the next one
    /// takes, and nobody else can.
    async fn stages(self: &Arc<Self>, submitted: Submitted) -> Ended {
        let cancelled = submitted.person.context().cancelled.clone();
        let consented = async {
            let admitted = self.admit(submitted).await?;
            let read = self.read(admitted).await?;
            let judged = self.judged(read).await?;
            self.consent(judged).await
        };
        let consented = tokio::select! {
            consented = consented => consented,
            () = cancelled.cancelled() => Err(run::cancelled()),
        };
        match consented {
            Ok(consented) => self.run(consented).await,
            Err(error) => Ended::failed(error),
        }
    }

    pub(crate) async fn keep_record(&self, record: RunRecord) {
        let id = record.id.clone();
        if let Err(error) = self.store.record_run(record).await {
            // The run has happened; refusing its answer would not undo it.
            tracing::error!(%error, run = %id, "run not recorded");
        }
        self.together.outdate();
    }
}

pub(crate) struct Clock {
    pub(crate) wall: SystemTime,
    monotonic: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { wall: SystemTime::now(), monotonic: Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.monotonic.elapsed()
    }
}

/// To a tenth: more digits say nothing and cost tokens.
fn rounded_ms(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 10_000.0).round() / 10.0
}

pub(crate) fn outcome_of(error: Option<&RunError>) -> Outcome {
    error.map_or(Outcome::Succeeded, |error| Outcome::Failed(error.code))
}

pub(crate) fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
