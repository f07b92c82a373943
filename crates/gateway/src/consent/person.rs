//! Between a run and the person it belongs to: what they approved, and how they are asked.
//!
//! In: a call or a program that the rules say to ask about. Out: the right to decide on
//! it again, which then gives a permit, or why it does not happen. One question of a run
//! at a time: of fifty calls of one tool, forty-nine need no question after "for this
//! session". The clock of the run stands still meanwhile, and the run is kept.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};

use tidegate_model::{Backend, ErrorCode, Level, RunError, RunId, ToolRef};
use tidegate_policy::{
    Approved, CallContext, NeedsApproval, RulingReason, subject_of_call, subject_of_text,
};
use tidegate_privacy::{Token, find_tokens};
use tidegate_store::ApprovalScope;
use tokio::sync::Mutex;

use crate::consent::approval_form;
use crate::consent::approvals::{Asked, Matter, Opened};
use crate::consent::parking::Journal;
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::privacy::RedactedErrors;
use crate::run::RunClock;

/// What stands between one run and its person.
pub(crate) struct Person {
    context: RunContext,
    /// Whose questions these are; of a run that goes on, who asked first.
    asker: String,
    /// The level of the program, as an index into [`Level::ALL`].
    level: AtomicU8,
    approved: Approved,
    session: Arc<Approved>,
    /// The tokens of personal data that its author wrote into the program.
    tokens: OnceLock<BTreeSet<Token>>,
    /// What the author of the program should know about its calls.
    notes: std::sync::Mutex<BTreeSet<String>>,
    /// What the run is told of a person's answers.
    pub(crate) errors: RedactedErrors,
    /// Held by whoever asks.
    asking: Mutex<()>,
    /// Set when there is a worker whose clock can be stopped.
    clock: std::sync::Mutex<Option<Arc<RunClock>>>,
    /// None for a call that is no program's: it is made again by its client.
    pub(crate) journal: Option<Journal>,
}

impl Person {
    pub(crate) fn new(
        context: &RunContext,
        asker: String,
        session: Arc<Approved>,
        journal: Option<Journal>,
    ) -> Self {
        Self {
            context: context.clone(),
            asker,
            // The worst, until it was looked at.
            level: AtomicU8::new(u8::MAX),
            approved: Approved::default(),
            session,
            tokens: OnceLock::new(),
            notes: std::sync::Mutex::default(),
            errors: RedactedErrors::default(),
            asking: Mutex::default(),
            clock: std::sync::Mutex::default(),
            journal,
        }
    }

    pub(crate) fn context(&self) -> &RunContext {
        &self.context
    }

    /// From now on only tokens of this program stand for a value: others came with somebody's
    /// data, who could have anything restored elsewhere by writing a token.
    pub(crate) fn set_source(&self, source: &str) {
        let tokens = find_tokens(source).into_iter().map(|found| found.token);
        // One program per run.
        let _ = self.tokens.set(tokens.collect());
    }

    /// Whether a token in the arguments of a call was written by the author of the call.
    pub(crate) fn means(&self, token: Token) -> bool {
        self.tokens.get().is_none_or(|tokens| tokens.contains(&token))
    }

    /// From now on this clock stops while a person is asked.
    pub(crate) fn set_clock(&self, clock: Arc<RunClock>) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock);
    }

    fn clock(&self) -> Option<Arc<RunClock>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How risky the program was found to be.
    pub(crate) fn set_level(&self, level: Level) {
        let index = Level::ALL.iter().position(|&one| one == level).unwrap_or(Level::ALL.len());
        self.level.store(u8::try_from(index).unwrap_or(u8::MAX), Ordering::Relaxed);
    }

    pub(crate) fn standing(&self) -> CallContext<'_> {
        let index = usize::from(self.level.load(Ordering::Relaxed));
        let level = Level::ALL.get(index).copied().unwrap_or(Level::Critical);
        CallContext { level, run: &self.approved, session: &self.session }
    }

    /// Something the author of the program should know, once.
    pub(crate) fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }

    /// What was noted of the calls of the run.
    pub(crate) fn take_notes(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The sandbox that was asked for.
    pub(crate) fn wanted_backend(&self) -> Option<Backend> {
        self.context.sandbox
    }

    /// Whether every call of this tool that is asked about for this reason has a yes.
    pub(crate) fn has_approved(&self, tool: &ToolRef, why: &RulingReason) -> bool {
        self.approved.has_tool(tool, why) || self.session.has_tool(tool, why)
    }

    /// Every call of these tools by this run is approved.
    pub(crate) fn approve_tools(&self, tools: impl IntoIterator<Item = ToolRef>) {
        self.approved.approve_tools(tools);
    }

    /// Every call of this tool by the session is approved that is asked about for this
    /// reason.
    pub(crate) fn approve_for_session(&self, tool: ToolRef, why: RulingReason) {
        self.session.approve_by(tool, why);
    }

    /// The run has ended: it goes on later only if it waits for a person, or if its
    /// client went while it did.
    pub(crate) fn ended(&self, error: Option<&RunError>) {
        let goes_on = matches!(
            error.map(|error| error.code),
            Some(ErrorCode::ApprovalPending | ErrorCode::Cancelled)
        );
        match &self.journal {
            Some(journal) if goes_on => journal.release(),
            // It has ended, whoever has it.
            Some(journal) => drop(journal.forget()),
            None => {}
        }
    }
}

impl Gateway {
    /// The person behind a request that is no program.
    pub(crate) fn person(&self, context: &RunContext) -> Person {
        let asker = self.asker(context);
        let session = self.approved_for(&asker);
        Person::new(context, asker, session, None)
    }

    /// Asks about a call that needs it. After a yes the call is decided on again.
    pub(crate) async fn ask_about_call(
        &self,
        person: &Person,
        run: &RunId,
        asked: &NeedsApproval,
    ) -> Result<(), RunError> {
        let tool = &asked.call.tool;
        let _turn = person.asking.lock().await;
        let leaving = &mut self.privacy.leaving(&person.context.session);
        if person.approved.is_refused(tool) {
            return Err(person.errors.add(approval_form::refused_before(tool, leaving)));
        }
        // While this one waited for its turn, another may have been approved for all.
        if person.has_approved(tool, &asked.ruling.why) {
            return Ok(());
        }
        let matter = Matter {
            kind: "call",
            subject: subject_of_call(&asked.call),
            title: approval_form::title_of_call(asked, leaving),
            details: approval_form::details_of_call(asked, person.standing().level, leaving),
        };
        match self.ask(person, run, matter).await {
            Ok(ApprovalScope::Once) => person.approved.approve_call(&asked.call),
            Ok(ApprovalScope::Session) => {
                person.approve_for_session(tool.clone(), asked.ruling.why.clone());
            }
            Err(error) => {
                if error.code == ErrorCode::ApprovalDenied {
                    person.approved.refuse(tool.clone());
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Asks, with the clock of the run stopped and the run kept.
    pub(crate) async fn ask(
        &self,
        person: &Person,
        run: &RunId,
        matter: Matter,
    ) -> Result<ApprovalScope, RunError> {
        let subject = subject_of_text("asked", &format!("{}\0{}", person.asker, matter.subject));
        let matter = Matter { subject, ..matter };
        let opened = self.open_question(run, matter);
        let asked = match opened.map_err(|error| person.errors.add(error))? {
            Opened::Answered(scope) => return Ok(scope),
            Opened::Waiting(asked) => asked,
        };
        let Some(journal) = &person.journal else {
            return self.answer_in_time(person, &asked).await;
        };
        journal.keep(asked.expires_at)?;
        let answer = journal.alive_during(self.answer_in_time(person, &asked)).await;
        let waits = matches!(&answer, Err(error) if error.code == ErrorCode::ApprovalPending);
        if !waits {
            journal.forget()?;
        }
        answer
    }

    /// Waits for the answer, with the clock of the run stopped.
    async fn answer_in_time(
        &self,
        person: &Person,
        asked: &Asked,
    ) -> Result<ApprovalScope, RunError> {
        let waiting = self.answer_to(asked, &person.context);
        let answer = match person.clock() {
            Some(clock) => clock.stopped_during(waiting).await,
            None => waiting.await,
        };
        answer.map_err(|error| person.errors.add(error))
    }
}
