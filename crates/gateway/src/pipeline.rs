//! From a request to its answer, stage by stage.
//!
//! [`Gateway::execute`] runs a program; a call outside of one is made in `direct.rs`.
//! Both decide calls in the same place (`bridge.rs`) and both are on disk before they
//! answer.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use tidegate_model::{Backend, ErrorCode, Isolation, Limits, Program, Response, RunError, RunId};
use tidegate_policy::Permissions;
use tidegate_store::{Outcome, RunRecord};

use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::parking::{self, Identity, Journal};
use crate::person::Person;
use crate::ready::{Checked, Ready};
use crate::run::Terms;
use crate::run_id::new_run_id;
use crate::{explain, result, run};

impl Gateway {
    /// Runs a program and answers as `execute_code` does.
    pub async fn execute(self: &Arc<Self>, program: Program, context: &RunContext) -> Response {
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
    ) -> Result<Response, RunError> {
        let mut found = parking::find(&self.vaults, id, &context.session.0)?;
        // Before it is taken out: what is refused here can go on elsewhere.
        self.goes_on_within(context.profile.as_deref(), found.identity.profile.as_deref())?;
        let tokens_of = self.privacy.go_on_with(&context.session, &found.identity.tokens_of)?;
        found.identity.tokens_of = tokens_of;
        found.identity.sandbox = found.identity.sandbox.max(context.sandbox);
        let (identity, journal) = found.take(&self.vaults)?;
        Ok(self.execute_as(identity, journal, context).await)
    }

    /// A run goes on within the profile that it has, and within no other: a person may have
    /// approved it as it is.
    fn goes_on_within(&self, asked: Option<&str>, kept: Option<&str>) -> Result<(), RunError> {
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
    ) -> Response {
        let clock = Clock::start();
        let Identity { id, program, profile, asker, sandbox, .. } = identity;
        let context = &RunContext { sandbox, ..context.clone() };
        let session = self.approved_for(&asker);
        let person = Person::new(context, asker, session, Some(journal));
        person.set_source(&program.source);
        let person = Arc::new(person);
        let source_sha256 = Some(sha256_hex(&program.source));
        let language = program.language;
        let permissions = self.permissions(profile.as_deref());
        let mut limits = self.limits_of(&program, permissions.as_ref().ok());
        let mut ended = match permissions {
            Ok(permissions) => {
                self.run_somewhere(program, permissions, &mut limits, &id, &person).await
            }
            Err(error) => run::Ended::failed(error),
        };
        // The execution ends here; wording its result is our own affair.
        let execution_ms = rounded_ms(clock.elapsed());
        if !self.privacy.is_off() {
            ended.warnings.extend(person.take_notes());
        }
        let (ended, shown) = self.shown(&context.session, ended).await;
        let made = result::respond(&shown, &ended, &id, &limits, &self.outputs);
        let mut response = made.response;
        self.watch_volume(&context.session, &id, &shown.ended, &response);
        response.metrics.execution_ms = execution_ms;
        person.ended(response.error.as_ref());
        let record = RunRecord {
            id,
            started_at: clock.wall,
            kind: "execute_code",
            language: Some(language.as_str()),
            source_sha256,
            outcome: outcome_of(response.error.as_ref()),
            duration: clock.elapsed(),
            tool_calls: ended.tool_calls,
            result_bytes: made.result_bytes,
            answer_tokens: response.metrics.tokens_in_summary,
            handle: response.handle.clone(),
        };
        self.keep_record(record).await;
        response
    }

    /// Runs a program in the first sandbox, which reads it, or in the one that it is then
    /// found to need.
    async fn run_somewhere(
        self: &Arc<Self>,
        program: Program,
        mut permissions: Permissions,
        limits: &mut Limits,
        id: &RunId,
        person: &Arc<Person>,
    ) -> run::Ended {
        let context = person.context();
        let mut here = Backend::Process;
        loop {
            let ready = tokio::select! {
                ready = self.ready(&program, limits, id, context) => ready,
                () = context.cancelled.cancelled() => Err(run::cancelled()),
            };
            let Ready { worker, reading, _admitted, _lease } = match ready {
                Ok(ready) => ready,
                Err(error) => return run::Ended::failed(error),
            };
            if here == Backend::Strict && worker.report.level() < Isolation::Strict {
                return run::Ended::failed(explain::not_strict(&worker.report));
            }
            let checked = Checked { program: program.clone(), reading };
            let permissions_here = permissions.clone();
            let terms = Terms { permissions: permissions_here, limits, id, person, here };
            match run::run(self, worker, checked, terms).await {
                Ok(ended) => return ended,
                Err(backend) => {
                    tracing::info!(run = %id, backend = backend.as_str(), "runs elsewhere");
                    here = backend;
                    permissions = self.policy.strict(&permissions);
                    *limits = self.limits_of(&program, Some(&permissions));
                }
            }
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
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
