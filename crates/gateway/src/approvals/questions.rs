//! Opens a question to a person and waits for the answer.
//!
//! In: what will happen, as a hash of exactly that and as text for a person. Out: an
//! approval and its scope, or an error that says what the model can tell its user. Every
//! question is a row of the database, so it can be answered by the client that is asked,
//! by `tidegate approvals` in another process, or after this process has ended; the first
//! answer counts. Taking an approval uses it up. The reply of a client comes through this
//! process; an approval that is read from the row must be signed (`signed_answers.rs`).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tidegate_model::{
    AlertRecord, ApprovalRecord, ApprovalStep, ErrorCode, Event, Principal, PrincipalKey, RunError,
    RunId,
};
use tidegate_store::{
    Approval, ApprovalAnswer, ApprovalScope, ApprovalState, ClientForms, NewApproval, StoreError,
};

use super::Approvals;
use crate::answer::form::Form;
use crate::answer::shown::show;
use crate::approvals::form_text::FormText;
use crate::context::{Approver, Reply, RunContext, Yes};
use crate::digest::sha256_hex;
use crate::ids::short_id;
use crate::privacy::{Redacted, RedactedError};

/// How often the database is polled for an answer from elsewhere. Chosen: a person does
/// not notice the delay, and the machine hardly notices the load.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A question that a person must answer. Its texts go to the person, the database and the
/// model unchanged.
pub(crate) struct Question {
    /// `program` or `call`.
    pub(crate) kind: &'static str,
    /// Hash of exactly what will happen.
    pub(crate) subject: String,
    pub(crate) title: Redacted,
    /// All details, which are stored.
    details: Redacted,
    /// Those that a form has room for, if it leaves something out.
    short: Option<Redacted>,
}

impl Question {
    pub(crate) fn new(
        kind: &'static str,
        subject: String,
        title: Redacted,
        details: FormText,
    ) -> Self {
        let (details, short) = details.finish();
        Self { kind, subject, title, details, short }
    }

    /// The hash of the whole text.
    fn form_sha256(&self) -> String {
        sha256_hex(&format!("{}\n\n{}", self.title, self.details))
    }
}

/// A question that waits for its answer.
pub(crate) struct PendingQuestion {
    pub(crate) form: Form,
    /// The details that a form has room for, if it leaves something out.
    short: Option<Redacted>,
    /// What is asked, whatever its row says.
    asked: NewApproval,
}

impl PendingQuestion {
    /// The form as a client shows it.
    fn shown(&self) -> Form {
        let mut form = self.form.clone();
        if let Some(short) = &self.short {
            form.details = with_reference(short.clone(), &form.id);
        }
        form
    }

    pub(super) fn expires_at(&self) -> SystemTime {
        self.asked.expires_at
    }

    /// Asks through a row that exists already.
    fn set_row(&mut self, row: &NewApproval) {
        self.form.id.clone_from(&row.id);
        self.asked.id.clone_from(&row.id);
        self.asked.expires_at = row.expires_at;
    }
}

/// The state of a question when it is opened, before anybody is asked.
pub(crate) enum Opened {
    /// It was approved before.
    Approved(ApprovalScope),
    /// It waits for an answer.
    Pending(Box<PendingQuestion>),
}

impl Approvals {
    /// Opens a question, unless exactly this was answered before.
    pub(crate) async fn open_question(
        &self,
        principal: &Principal,
        requester: &PrincipalKey,
        run: &RunId,
        question: Question,
    ) -> Result<Opened, RedactedError> {
        let mut pending = self.new_question(requester, run, question);
        let earlier = self.stored.of_subject(&pending.asked.subject).await;
        let earlier = earlier.map_err(|error| not_stored(&error))?;
        let Some(earlier) = earlier.filter(|earlier| self.counts(earlier, &pending, principal))
        else {
            let asked = self.stored.ask(pending.asked.clone()).await;
            asked.map_err(|error| not_stored(&error))?;
            self.tell(principal, &pending, ApprovalStep::Asked);
            return Ok(Opened::Pending(Box::new(pending)));
        };
        pending.set_row(&earlier.asked);
        match earlier.state {
            ApprovalState::Denied => Err(self.denied(principal, &pending, earlier.decided_by)),
            ApprovalState::Approved if self.use_up(&pending).await? => {
                let by = earlier.decided_by;
                self.tell(principal, &pending, ApprovalStep::Approved { by });
                Ok(Opened::Approved(earlier.scope))
            }
            ApprovalState::Used => {
                let by = earlier.decided_by;
                self.tell(principal, &pending, ApprovalStep::Approved { by });
                Ok(Opened::Approved(earlier.scope))
            }
            _ => Ok(Opened::Pending(Box::new(pending))),
        }
    }

    fn new_question(
        &self,
        requester: &PrincipalKey,
        run: &RunId,
        question: Question,
    ) -> PendingQuestion {
        let form_sha256 = question.form_sha256();
        let Question { kind, subject, title, details, short } = question;
        let now = self.recorder.now();
        let asked = NewApproval {
            id: short_id(),
            run_id: run.0.clone(),
            asked_by: requester.to_string(),
            kind: kind.to_owned(),
            subject,
            title: title.to_string(),
            details: details.to_string(),
            form_sha256,
            created_at: now,
            expires_at: now + self.settings.expires,
        };
        let form = Form { id: asked.id.clone(), run_id: run.clone(), title, details };
        PendingQuestion { form, short, asked }
    }

    /// Whether an earlier row about the same counts for this question.
    fn counts(&self, earlier: &Approval, pending: &PendingQuestion, principal: &Principal) -> bool {
        let asked = NewApproval {
            id: earlier.asked.id.clone(),
            expires_at: earlier.asked.expires_at,
            ..pending.asked.clone()
        };
        // A row cannot have more time than it was given.
        asked.expires_at <= self.recorder.now() + self.settings.expires
            && match earlier.state {
                ApprovalState::Pending => true,
                ApprovalState::Approved => self.signed.approves(earlier, &asked),
                // A no at a prompt is for the run that asked.
                ApprovalState::Denied => {
                    let at_prompt = earlier.decided_by.as_deref() == Some(AT_PROMPT);
                    !at_prompt || earlier.asked.run_id == asked.run_id
                }
                // Sessions that outlive a process keep in the database what was approved for them.
                ApprovalState::Used => {
                    matches!(principal, Principal::LocalUser | Principal::Session(_))
                        && earlier.scope != ApprovalScope::Once
                        && self.signed.approves(earlier, &asked)
                }
                ApprovalState::Expired => false,
            }
    }

    /// Uses up an approval. Returns whether there was one to use.
    async fn use_up(&self, pending: &PendingQuestion) -> Result<bool, RedactedError> {
        let PendingQuestion { asked, .. } = pending;
        let is_unused = self.signed.use_up(asked, self.recorder.now())
            && !self.stored.was_used(&asked.id).await.map_err(|error| not_stored(&error))?;
        let used = self.stored.use_up(&asked.id, &asked.subject).await;
        used.map(|used| used && is_unused).map_err(|error| not_stored(&error))
    }

    /// Records what happened to a question.
    fn tell(&self, principal: &Principal, pending: &PendingQuestion, step: ApprovalStep) {
        let approval = ApprovalRecord {
            at: self.recorder.now(),
            approval_id: pending.form.id.clone(),
            run_id: pending.form.run_id.clone(),
            kind: pending.asked.kind.clone(),
            subject_sha256: pending.asked.subject.clone(),
            form_sha256: pending.asked.form_sha256.clone(),
            step,
        };
        self.recorder.tell(principal, Event::Approval(approval));
    }

    fn denied(
        &self,
        principal: &Principal,
        pending: &PendingQuestion,
        by: Option<String>,
    ) -> RedactedError {
        self.tell(principal, pending, ApprovalStep::Denied { by });
        denied(&pending.form.title)
    }

    /// The row says yes, and the person did not.
    fn forged(&self, principal: &Principal, pending: &PendingQuestion) -> RedactedError {
        let id = &pending.form.id;
        tracing::error!(id, "an approval without the approver's signature does not count");
        let alert = AlertRecord {
            at: self.recorder.now(),
            run_id: pending.form.run_id.clone(),
            kind: "forged-approval".to_owned(),
            detail: format!("approval `{id}` was stored without the approver's signature"),
        };
        self.recorder.tell(principal, Event::Alert(alert));
        let fact = "the stored approval was not signed by the approver, so it does not count: ";
        RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, &pending.form.title])
            .with_hint(&[&FINAL])
    }

    fn expired(&self, principal: &Principal, pending: &PendingQuestion) -> RedactedError {
        self.tell(principal, pending, ApprovalStep::Expired);
        expired(&pending.form.title)
    }

    /// Waits for the answer to a question.
    pub(crate) async fn answer_to(
        &self,
        pending: &PendingQuestion,
        context: &RunContext,
    ) -> Result<ApprovalScope, RedactedError> {
        let settings = &self.settings;
        if self.approver(context).is_some() || settings.pending {
            tracing::warn!(
                id = pending.form.id,
                title = %pending.form.title,
                "waits for `tidegate approvals`"
            );
        }
        let reply = tokio::select! {
            reply = self.reply_of_client(pending, context) => reply?,
            found = self.answered_elsewhere(pending, &context.principal) => return found,
            // The question has expired, whether or not the poll has seen it.
            () = tokio::time::sleep(settings.expires) => {
                return Err(self.expired(&context.principal, pending));
            }
        };
        // After the poll has ended: it would take this answer for one from elsewhere, which
        // needs a signature.
        self.take_reply(pending, reply, context).await
    }

    /// The reply of the client's user. If the client cannot ask, an error: at once, or
    /// after a wait if others can answer meanwhile.
    async fn reply_of_client(
        &self,
        pending: &PendingQuestion,
        context: &RunContext,
    ) -> Result<Reply, RedactedError> {
        let reply = match self.approver(context) {
            Some(approver) => {
                let form = {
                    let leaving = &mut self.privacy.leaving(&context.principal);
                    show(pending.shown(), leaving)
                };
                approver.ask(&form).await
            }
            None => None,
        };
        let settings = &self.settings;
        match reply {
            Some(reply) => Ok(reply),
            None if settings.pending => {
                tokio::time::sleep(settings.wait).await;
                Err(self.still_pending(pending, &context.principal))
            }
            None => Err(nobody(&pending.form.title)),
        }
    }

    /// Who can be asked through this request. A client whose reply would not count is one that
    /// cannot ask.
    fn approver<'a>(&self, context: &'a RunContext) -> Option<&'a Arc<dyn Approver>> {
        context.approver.as_ref().filter(|approver| match approver.yes() {
            Yes::Signed => true,
            Yes::Unsigned => self.signed.client_forms() == ClientForms::Count,
        })
    }

    /// Polls until there is an answer, whoever gave it.
    async fn answered_elsewhere(
        &self,
        pending: &PendingQuestion,
        principal: &Principal,
    ) -> Result<ApprovalScope, RedactedError> {
        loop {
            let found = self.stored.find(&pending.form.id).await;
            let Some(found) = found.map_err(|error| not_stored(&error))? else {
                return Err(self.expired(principal, pending));
            };
            match found.state {
                ApprovalState::Pending => {}
                ApprovalState::Approved if !self.signed.approves(&found, &pending.asked) => {
                    return Err(self.forged(principal, pending));
                }
                ApprovalState::Approved if self.use_up(pending).await? => {
                    let by = found.decided_by;
                    self.tell(principal, pending, ApprovalStep::Approved { by });
                    return Ok(found.scope);
                }
                // Another run has used it for exactly this, perhaps in between.
                ApprovalState::Approved | ApprovalState::Used => {
                    return Err(used(&pending.form.title));
                }
                ApprovalState::Denied => {
                    return Err(self.denied(principal, pending, found.decided_by));
                }
                ApprovalState::Expired => return Err(self.expired(principal, pending)),
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Takes the reply that the approver of this process gave. If the question was answered
    /// before, that answer counts.
    async fn take_reply(
        &self,
        pending: &PendingQuestion,
        reply: Reply,
        context: &RunContext,
    ) -> Result<ApprovalScope, RedactedError> {
        let answer = match reply {
            Reply::Session => ApprovalAnswer::Approve(ApprovalScope::Session),
            Reply::AllCalls => ApprovalAnswer::Approve(ApprovalScope::AllCalls),
            Reply::Once => ApprovalAnswer::Approve(ApprovalScope::Once),
            Reply::Deny => ApprovalAnswer::Deny,
            Reply::Stored => return self.answered_elsewhere(pending, &context.principal).await,
        };
        // Whoever was asked: an unsigned yes counts only if the approver's key lets it count.
        let asked = self.approver(context).map(|approver| approver.yes());
        if matches!(answer, ApprovalAnswer::Approve(_)) && asked != Some(Yes::Unsigned) {
            return Err(self.still_pending(pending, &context.principal));
        }
        let (id, by) = (&pending.form.id, approver_name(context));
        let answered = self.stored.answer(id, answer, by, None).await;
        let answered = answered.map_err(|error| not_stored(&error))?;
        let principal = &context.principal;
        if !answered.is_some_and(|answered| answered.is_first) {
            return self.answered_elsewhere(pending, principal).await;
        }
        let by = Some(by.to_owned());
        match answer {
            ApprovalAnswer::Deny => Err(self.denied(principal, pending, by)),
            ApprovalAnswer::Approve(scope) => {
                self.use_up(pending).await?;
                self.tell(principal, pending, ApprovalStep::Approved { by });
                Ok(scope)
            }
        }
    }

    fn still_pending(&self, pending: &PendingQuestion, principal: &Principal) -> RedactedError {
        let Form { id, run_id, title, .. } = &pending.form;
        let id = Redacted::trusted(id);
        let now = self.recorder.now();
        let left = pending.expires_at().duration_since(now).unwrap_or_default().as_secs();
        let (left, unit) = if left < 120 { (left, " seconds") } else { (left / 60, " minutes") };
        let setup = match self.signed.key() {
            Some(_) => "",
            None => "`tidegate approvals setup` in a terminal, once, then ",
        };
        let fact = "this waits for a person's approval: ";
        let error = RedactedError::new(ErrorCode::ApprovalPending, &[&fact, title]);
        let approve =
            Redacted::join(&[&setup, &"`tidegate approvals approve ", &id, &"` (within "]);
        match principal {
            Principal::LocalUser => error.with_hint(&[
                &"run ",
                &approve,
                &left,
                &unit,
                &"), then `tidegate run --resume ",
                run_id,
                &"`",
            ]),
            Principal::Process | Principal::Session(_) | Principal::Token(_) => error.with_hint(&[
                &"tell the user: ",
                &approve,
                &left,
                &unit,
                &"); only they can, since it asks for their passphrase; after that call \
                  `execute_code` with `resume: \"",
                run_id,
                &"\"` instead of `code`; if you called another tool, repeat that call",
            ]),
        }
    }
}

/// Details that leave something out, and where all of it is.
fn with_reference(mut short: Redacted, id: &str) -> Redacted {
    let id = Redacted::trusted(id);
    short.push(&[
        &"This form is truncated. `tidegate approvals show ",
        &id,
        &"` prints all of it.\n",
    ]);
    short
}
/// How a person answers who says no at the prompt of `tidegate run`.
const AT_PROMPT: &str = "terminal";

fn approver_name(context: &RunContext) -> &'static str {
    context.approver.as_ref().map_or("", |approver| approver.name())
}

/// For the model: it ends here, and nothing that it can write changes that.
const FINAL: &str = "do not retry it or work around it: tell the user that it was not approved, \
                     and ask what they want instead";

fn denied(title: &Redacted) -> RedactedError {
    RedactedError::new(ErrorCode::ApprovalDenied, &[&"a person was asked and said no: ", title])
        .with_hint(&[&FINAL])
}

fn expired(title: &Redacted) -> RedactedError {
    let fact = "a person was asked and did not answer in time: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title]).with_hint(&[&FINAL])
}

fn used(title: &Redacted) -> RedactedError {
    let fact = "the approval was already used by another run of this: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title])
        .with_hint(&[&"an approval can be used once; ask the user before you retry it"])
}

fn nobody(title: &Redacted) -> RedactedError {
    let fact = "this needs a person's approval, and nobody can be asked: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title]).with_hint(&[
        &"the user's client cannot ask, or its forms do not count, and `approvals.pending` is off; \
          the user can allow it in policy.toml",
    ])
}

fn not_stored(error: &StoreError) -> RedactedError {
    tracing::error!(%error, "an approval could not be stored");
    RedactedError::new(
        ErrorCode::Internal,
        &[&"this needs a person's approval, which could not be stored"],
    )
    .with_hint(&[&"the user can find the reason in the log"])
}

/// Whether a request only waits, so that its run can resume later.
pub(crate) fn is_pending(error: &RunError) -> bool {
    error.code == ErrorCode::ApprovalPending
}
