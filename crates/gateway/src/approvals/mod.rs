//! Approvals: asks people, remembers what they approved, and parks runs that wait for them.
//!
//! Lives here: questions as rows of the database (`questions.rs`), the person behind a run
//! (`person.rs`) and how they are asked (`ask.rs`), what they read about a call
//! (`call_form.rs`), the clock that stops meanwhile (`clock.rs`), and the journal with
//! which a run resumes in another process (`journal.rs`).
//! In: a call or a program that needs approval. Out: an approval and its scope, or an error
//! for the model.
//! Must stay true: an answer counts for exactly the question that was asked, and for the
//! asker it was given to.

mod ask;
pub(crate) mod call_form;
pub(crate) mod clock;
pub(crate) mod journal;
pub(crate) mod person;
pub(crate) mod questions;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tidegate_config::Approvals as Settings;
use tidegate_model::{ErrorCode, Program, RunError, RunId};
use tidegate_policy::Approved;
use tidegate_store::Approvals as StoredApprovals;

use crate::context::RunContext;
use crate::ids::new_run_id;
use crate::privacy::{Privacy, Vaults};
use crate::recorder::Recorder;
use journal::{Identity, Journal};
use person::Person;

/// Asks people, and knows what they approved.
pub(crate) struct Approvals {
    settings: Settings,
    /// The configured profile, which a run has that names none.
    profile: String,
    stored: StoredApprovals,
    recorder: Recorder,
    vaults: Vaults,
    privacy: Arc<Privacy>,
    /// What people approved for sessions, by who asked.
    sessions: Mutex<HashMap<String, Arc<Approved>>>,
    /// The name of this process, for questions of a client that has it to itself.
    own_name: String,
}

impl Approvals {
    pub(crate) fn new(
        settings: Settings,
        profile: String,
        vaults: Vaults,
        privacy: Arc<Privacy>,
    ) -> Self {
        Self {
            settings,
            profile,
            stored: vaults.store.approvals(),
            recorder: Recorder::new(&vaults.store),
            own_name: new_run_id(vaults.now()).0,
            vaults,
            privacy,
            sessions: Mutex::default(),
        }
    }

    /// Whose question it is if a request needs approval: the answer is for them and for
    /// nobody else.
    fn asker(&self, context: &RunContext) -> String {
        match &*context.session.0 {
            "" if context.by_hand => "by hand".to_owned(),
            "" => format!("process {}", self.own_name),
            name => format!("session {name}"),
        }
    }

    /// What a person has approved for the session of whoever asks.
    fn approved_for(&self, asker: &str) -> Arc<Approved> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(sessions.entry(asker.to_owned()).or_default())
    }

    /// The person behind a request that is no program.
    pub(crate) fn person(&self, context: &RunContext) -> Person {
        let asker = self.asker(context);
        let session = self.approved_for(&asker);
        Person::new(context, asker, session, None)
    }

    /// The person behind a run.
    pub(crate) fn person_of_run(
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

    /// A new run, with an empty journal.
    pub(crate) fn new_run(&self, program: Program, context: &RunContext) -> (Identity, Journal) {
        let identity = Identity {
            id: new_run_id(self.recorder.now()),
            program,
            profile: context.profile.clone(),
            session: context.session.0.to_string(),
            tokens_of: self.privacy.session(&context.session).name.clone(),
            asker: self.asker(context),
            sandbox: context.sandbox,
        };
        let journal = Journal::new(self.vaults.clone(), identity.clone());
        (identity, journal)
    }

    /// Takes a parked run over, to resume it in this process.
    pub(crate) async fn unpark(
        &self,
        id: &RunId,
        context: &RunContext,
    ) -> Result<(Identity, Journal), RunError> {
        let mut found = journal::find(&self.vaults, id, &context.session.0).await?;
        // Before it is taken: what is refused here can resume elsewhere.
        self.has_profile(context.profile.as_deref(), found.identity.profile.as_deref())?;
        let tokens_of = self.privacy.go_on_with(&context.session, &found.identity.tokens_of)?;
        found.identity.tokens_of = tokens_of;
        found.identity.sandbox = found.identity.sandbox.max(context.sandbox);
        found.take(&self.vaults).await
    }

    /// A run resumes within its own profile and within no other: a person may have
    /// approved it as it is.
    fn has_profile(&self, asked: Option<&str>, own: Option<&str>) -> Result<(), RunError> {
        let own = own.unwrap_or(&self.profile);
        if asked.is_none_or(|asked| asked == own) {
            return Ok(());
        }
        let message = format!("the run has the profile `{own}`, and cannot go on with another one");
        Err(RunError::new(ErrorCode::BadArgument, message)
            .with_hint("leave `profile` out, or send the program again with the one you want"))
    }

    /// Other processes can resume at once what waits here.
    pub(crate) async fn release_runs(&self) {
        if let Err(error) = self.vaults.store.parked_runs().release_all().await {
            tracing::warn!(%error, "runs that wait can go on only in some seconds");
        }
    }
}
