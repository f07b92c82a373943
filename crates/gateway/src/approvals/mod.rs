//! Approvals: asks people, remembers what they approved, and parks runs that wait for them.
//!
//! Contains: questions as rows of the database (`questions.rs`), the person behind a run
//! (`person.rs`) and how they are asked (`ask.rs`), what they read about a call
//! (`call_form.rs`, `arguments.rs`, `form_text.rs`), the clock that stops meanwhile
//! (`run_clock.rs`), the journal with which a run resumes in another process
//! (`journal.rs`), what was approved for the
//! rest of a session (`session_approvals.rs`), and whether a stored answer is the person's
//! (`signed_answers.rs`).
//! A run begins here too: its identity, its journal and its person are made together.
//! In: a call or a program that needs approval. Out: an approval and its scope, or an error
//! for the model.
//! Invariant: an answer counts for exactly the question that was asked, and for the
//! principal it was given to.

pub(crate) mod arguments;
mod ask;
pub(crate) mod call_form;
pub(crate) mod effects;
pub(crate) mod form_text;
pub(crate) mod journal;
pub(crate) mod person;
pub(crate) mod questions;
mod resume;
pub(crate) mod run_clock;
mod session_approvals;
mod signed_answers;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegate_config::{Approvals as Questions, Settings};
use tidegate_model::{Principal, PrincipalKey, Program};
use tidegate_store::{Approvals as StoredApprovals, StoreError};

use crate::context::RunContext;
use crate::ids::new_run_id;
use crate::privacy::{Privacy, Vaults};
use crate::recorder::Recorder;
use journal::{Identity, Journal};
use person::Person;
use session_approvals::SessionApprovals;
use signed_answers::SignedAnswers;

/// Asks people, and remembers what they approved.
pub(crate) struct Approvals {
    settings: Questions,
    /// The configured profile, for runs that name none.
    profile: String,
    stored: StoredApprovals,
    signed: SignedAnswers,
    recorder: Recorder,
    vaults: Vaults,
    privacy: Arc<Privacy>,
    sessions: Mutex<SessionApprovals>,
    /// The random name of this process, which distinguishes its client from those of other
    /// processes.
    process: String,
}

impl Approvals {
    pub(crate) fn new(
        settings: &Settings,
        vaults: Vaults,
        privacy: Arc<Privacy>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            settings: settings.approvals.clone(),
            profile: settings.permissions.profile.clone(),
            stored: vaults.store.approvals(),
            signed: SignedAnswers::open(vaults.state_dir.clone())?,
            recorder: Recorder::new(&vaults.store),
            process: new_run_id(vaults.now()).0,
            vaults,
            privacy,
            sessions: Mutex::default(),
        })
    }

    /// The key of a request's principal, which approvals are bound to.
    fn requester(&self, context: &RunContext) -> PrincipalKey {
        context.principal.key(&self.process)
    }

    /// Forgets what was approved for sessions that have ended.
    pub(crate) fn retain_sessions(&self, is_open: impl Fn(&Principal) -> bool) {
        self.sessions().retain(is_open);
    }

    #[cfg(test)]
    pub(crate) fn session_count(&self) -> usize {
        self.sessions().own_count()
    }

    fn sessions(&self) -> MutexGuard<'_, SessionApprovals> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The person behind a request that runs no program.
    pub(crate) fn person(&self, context: &RunContext) -> Person {
        let requester = self.requester(context);
        let session = self.sessions().of(&context.principal);
        Person::new(context, requester, session, None)
    }

    /// A new run, with an empty journal, and the person behind it.
    pub(crate) fn new_run(
        &self,
        program: Program,
        context: &RunContext,
    ) -> (Identity, Arc<Person>) {
        let identity = Identity {
            id: new_run_id(self.recorder.now()),
            program,
            profile: context.profile.clone(),
            session: context.principal.storage_key().into_owned(),
            tokens_of: self.privacy.session(&context.principal).name.clone(),
            requester: self.requester(context),
            sandbox: context.sandbox,
            options: context.options.clone(),
        };
        let journal = Journal::new(self.vaults.clone(), identity.clone());
        let person = self.person_of_run(&identity, journal, context);
        (identity, person)
    }

    /// The person behind a run.
    fn person_of_run(
        &self,
        identity: &Identity,
        journal: Journal,
        context: &RunContext,
    ) -> Arc<Person> {
        let (sandbox, options) = (identity.sandbox, identity.options.clone());
        let context = &RunContext { sandbox, options, ..context.clone() };
        let session = match identity.requester == self.requester(context) {
            true => self.sessions().of(&context.principal),
            false => self.sessions().of_other_process(&identity.requester),
        };
        let person = Person::new(context, identity.requester.clone(), session, Some(journal));
        person.set_source(&identity.program.source);
        Arc::new(person)
    }
}
