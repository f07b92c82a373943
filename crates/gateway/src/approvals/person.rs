//! The person behind one run: what they approved, and what the run needs to ask them.
//!
//! In: the context of a request, and what was approved for its session. Out: the run's risk
//! level and approvals, for the policy, and notes for the program's author.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};

use tidegate_model::{ErrorCode, PrincipalKey, RiskLevel, RunError, SandboxKind};
use tidegate_policy::{Approved, CallContext, CallSubject, Uses};
use tidegate_privacy::{Token, find_tokens};
use tidegate_store::ApprovalScope;
use tokio::sync::Mutex;

use crate::approvals::effects::Effects;
use crate::approvals::journal::Journal;
use crate::approvals::run_clock::RunClock;
use crate::context::RunContext;
use crate::privacy::RedactedErrors;

/// The most notes for the author of a program. Chosen: more are not read.
const MOST_NOTES: usize = 20;

/// The person behind one run.
pub(crate) struct Person {
    pub(super) context: RunContext,
    /// The principal whose approvals count; for a resumed run, the one that started it.
    pub(super) requester: PrincipalKey,
    /// The level of the program, as an index into [`RiskLevel::ALL`].
    level: AtomicU8,
    pub(super) granted: Granted,
    /// The tokens of personal data that its author wrote into the program.
    tokens: OnceLock<BTreeSet<Token>>,
    pub(crate) calls: CallNotes,
    /// Errors about a person's answers, which are redacted already.
    pub(crate) errors: Arc<RedactedErrors>,
    /// Held while a question is asked.
    pub(super) asking: Mutex<()>,
    /// Set when there is a worker whose clock can be stopped.
    clock: std::sync::Mutex<Option<Arc<RunClock>>>,
    /// `None` for a call outside of a program: its client makes it again.
    pub(crate) journal: Option<Journal>,
}

/// What is noted about the calls of a run, for its answer and its record.
#[derive(Default)]
pub(crate) struct CallNotes {
    /// For the author of the program.
    warnings: std::sync::Mutex<BTreeSet<String>>,
    /// What it has sent that may have had an effect.
    pub(crate) effects: Effects,
    /// How many had the name of no tool.
    pub(crate) unresolved: AtomicU32,
}

/// The person's approvals.
pub(super) struct Granted {
    /// For this run; stored with its journal.
    pub(super) run: Arc<Approved>,
    /// For the session of the requester.
    session: Arc<Approved>,
}

/// A call that a form shows.
pub(crate) struct ApprovedCall {
    pub(crate) subject: CallSubject,
    /// How often exactly this call is shown; none if its arguments are computed at run time.
    pub(crate) exactly: Option<Uses>,
}

impl Person {
    pub(crate) fn new(
        context: &RunContext,
        requester: PrincipalKey,
        session: Arc<Approved>,
        journal: Option<Journal>,
    ) -> Self {
        let run = journal.as_ref().map(Journal::approved).unwrap_or_default();
        Self {
            context: context.clone(),
            requester,
            // The worst, until the program is judged.
            level: AtomicU8::new(u8::MAX),
            granted: Granted { run, session },
            tokens: OnceLock::new(),
            calls: CallNotes::default(),
            errors: Arc::default(),
            asking: Mutex::default(),
            clock: std::sync::Mutex::default(),
            journal,
        }
    }

    pub(crate) fn context(&self) -> &RunContext {
        &self.context
    }

    /// From now on only tokens in this program stand for a value. Others came with data, and
    /// its author could have any value restored elsewhere by writing a token.
    pub(crate) fn set_source(&self, source: &str) {
        let tokens = find_tokens(source).into_iter().map(|found| found.token);
        // One program per run.
        let _ = self.tokens.set(tokens.collect());
    }

    /// Whether a token in the arguments of a call was written by the author of the call.
    pub(crate) fn wrote_token(&self, token: Token) -> bool {
        self.tokens.get().is_none_or(|tokens| tokens.contains(&token))
    }

    /// Sets the clock that stops while a person is asked.
    pub(crate) fn set_clock(&self, clock: Arc<RunClock>) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock);
    }

    pub(super) fn clock(&self) -> Option<Arc<RunClock>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the risk level of the program.
    pub(crate) fn set_level(&self, level: RiskLevel) {
        let index =
            RiskLevel::ALL.iter().position(|&one| one == level).unwrap_or(RiskLevel::ALL.len());
        self.level.store(u8::try_from(index).unwrap_or(u8::MAX), Ordering::Relaxed);
    }

    pub(crate) fn call_context(&self) -> CallContext<'_> {
        let index = usize::from(self.level.load(Ordering::Relaxed));
        let level = RiskLevel::ALL.get(index).copied().unwrap_or(RiskLevel::Critical);
        CallContext { level, run: &self.granted.run, session: &self.granted.session }
    }

    /// Adds a note for the author of the program, once. Servers and programs can cause any
    /// number of them.
    pub(crate) fn note(&self, note: String) {
        let mut notes = self.calls.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MOST_NOTES {
            notes.insert(note);
        }
    }

    /// The notes about the calls of the run.
    pub(crate) fn take_notes(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.calls.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The requested sandbox.
    pub(crate) fn wanted_sandbox(&self) -> Option<SandboxKind> {
        self.context.sandbox
    }

    /// Whether a call is approved.
    pub(super) fn has_approved(&self, call: &CallSubject) -> bool {
        self.granted.run.has_call(call) || self.granted.session.has_call(call)
    }

    /// Whether a visible call is approved, whatever its arguments will be.
    pub(crate) fn has_approved_all(&self, call: &ApprovedCall) -> bool {
        match call.exactly {
            Some(_) => self.has_approved(&call.subject),
            None => {
                let tool = &call.subject.any_arguments;
                self.granted.run.has(tool) || self.granted.session.has(tool)
            }
        }
    }

    /// Approves what a person was shown. The only place where an answer becomes approvals.
    pub(crate) fn approve(&self, scope: ApprovalScope, calls: &[ApprovedCall]) {
        let Granted { run, session } = &self.granted;
        for ApprovedCall { subject, exactly } in calls {
            match (scope, exactly) {
                (ApprovalScope::Once, Some(uses)) => run.approve(&subject.exact, *uses),
                (ApprovalScope::Session, Some(_)) => {
                    // The run too: it may be resumed by another process.
                    for approved in [run, session] {
                        approved.approve(&subject.exact, Uses::Always);
                    }
                }
                (ApprovalScope::Once | ApprovalScope::Session, None) => {}
                (ApprovalScope::AllCalls, _) => {
                    for approved in [run, session] {
                        approved.approve(&subject.any_arguments, Uses::Always);
                    }
                }
            }
        }
    }

    /// Whether this run has the approval of its program already. It was resumed then.
    pub(crate) fn has_approved_program(&self, subject: &str) -> bool {
        self.granted.run.has(subject)
    }

    /// Remembers that this run has the approval of its program.
    pub(crate) fn approve_program(&self, subject: &str) {
        self.granted.run.approve(subject, Uses::Always);
        self.granted.run.approve_program();
    }

    /// The run has ended. It can resume later only if it waits for a person, or if its client
    /// left while it did.
    pub(crate) async fn ended(&self, error: Option<&RunError>) {
        let goes_on = matches!(
            error.map(|error| error.code),
            Some(ErrorCode::ApprovalPending | ErrorCode::Cancelled)
        );
        match &self.journal {
            Some(journal) if goes_on => journal.release(),
            // It has ended, whoever owns it.
            Some(journal) => drop(journal.forget().await),
            None => {}
        }
    }
}
