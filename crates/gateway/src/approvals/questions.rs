//! Opens a question to a person and waits for the answer.
//!
//! In: what will happen, as a hash of exactly that and as text for a person. Out: an
//! approval and its scope, or an error that says what the model can tell its user. Every
//! question is a row of the database, so it can be answered by the client that is asked,
//! by `tidegate approvals` in another process, or after this process has ended; the first
//! answer counts. Taking an approval uses it up.

use std::time::{Duration, SystemTime};

use tidegate_model::{ApprovalRecord, ApprovalStep, ErrorCode, Event, Principal, RunError, RunId};
use tidegate_store::{
    Approval, ApprovalAnswer, ApprovalScope, ApprovalState, NewApproval, StoreError,
};

use super::Approvals;
use crate::answer::form::Form;
use crate::answer::shown::show;
use crate::approvals::form_text::FormText;
use crate::context::{Reply, RunContext};
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
    pub(crate) expires_at: SystemTime,
    kind: &'static str,
    subject: String,
    form_sha256: String,
}

/// The state of a question when it is opened, before anybody is asked.
pub(crate) enum Opened {
    /// It was approved before.
    Approved(ApprovalScope),
    /// It waits for an answer.
    Pending(PendingQuestion),
}

impl Approvals {
    /// Opens a question, unless exactly this was answered before.
    pub(crate) async fn open_question(
        &self,
        principal: &Principal,
        run: &RunId,
        question: Question,
    ) -> Result<Opened, RedactedError> {
        let earlier = self.stored.of_subject(&question.subject).await;
        let earlier = earlier.map_err(|error| not_stored(&error))?;
        let (id, expires_at) = match &earlier {
            Some(earlier) => (earlier.asked.id.clone(), earlier.asked.expires_at),
            None => self.ask_anew(run, &question).await?,
        };
        let form_sha256 = question.form_sha256();
        let Question { kind, subject, title, details, short } = question;
        let details = match short {
            Some(short) => with_reference(short, &id),
            None => details,
        };
        let form = Form { id, run_id: run.clone(), title, details };
        let pending = PendingQuestion { form, expires_at, kind, subject, form_sha256 };
        let Some(earlier) = earlier else {
            self.tell(principal, &pending, ApprovalStep::Asked);
            return Ok(Opened::Pending(pending));
        };
        match earlier.state {
            ApprovalState::Denied => Err(self.denied(principal, &pending, &earlier)),
            ApprovalState::Approved if self.use_up(&pending).await? => {
                let by = earlier.decided_by;
                self.tell(principal, &pending, ApprovalStep::Approved { by });
                Ok(Opened::Approved(earlier.scope))
            }
            _ => Ok(Opened::Pending(pending)),
        }
    }

    async fn ask_anew(
        &self,
        run: &RunId,
        question: &Question,
    ) -> Result<(String, SystemTime), RedactedError> {
        let now = self.recorder.now();
        let (id, expires_at) = (short_id(), now + self.settings.expires);
        let new = NewApproval {
            id: id.clone(),
            run_id: run.0.clone(),
            kind: question.kind.to_owned(),
            subject: question.subject.clone(),
            title: question.title.to_string(),
            details: question.details.to_string(),
            form_sha256: question.form_sha256(),
            created_at: now,
            expires_at,
        };
        self.stored.ask(new).await.map_err(|error| not_stored(&error))?;
        Ok((id, expires_at))
    }

    /// Uses up an approval. Returns whether there was one to use.
    async fn use_up(&self, pending: &PendingQuestion) -> Result<bool, RedactedError> {
        let used = self.stored.use_up(&pending.form.id, &pending.subject).await;
        used.map_err(|error| not_stored(&error))
    }

    /// Records what happened to a question.
    fn tell(&self, principal: &Principal, pending: &PendingQuestion, step: ApprovalStep) {
        let approval = ApprovalRecord {
            at: self.recorder.now(),
            approval_id: pending.form.id.clone(),
            run_id: pending.form.run_id.clone(),
            kind: pending.kind.to_owned(),
            subject_sha256: pending.subject.clone(),
            form_sha256: pending.form_sha256.clone(),
            step,
        };
        self.recorder.tell(principal, Event::Approval(approval));
    }

    fn denied(
        &self,
        principal: &Principal,
        pending: &PendingQuestion,
        approval: &Approval,
    ) -> RedactedError {
        let by = approval.decided_by.clone();
        self.tell(principal, pending, ApprovalStep::Denied { by });
        denied(&pending.form.title)
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
        if context.approver.is_some() || settings.pending {
            tracing::warn!(
                id = pending.form.id,
                title = %pending.form.title,
                "waits for `tidegate approvals`"
            );
        }
        tokio::select! {
            answer = self.answer_of_client(pending, context) => answer,
            found = self.answered_elsewhere(pending, &context.principal) => found,
            // The question has expired, whether or not the poll has seen it.
            () = tokio::time::sleep(settings.expires) => {
                Err(self.expired(&context.principal, pending))
            }
        }
    }

    /// The reply of the client's user. If the client cannot ask, an error: at once, or
    /// after a wait if others can answer meanwhile.
    async fn answer_of_client(
        &self,
        pending: &PendingQuestion,
        context: &RunContext,
    ) -> Result<ApprovalScope, RedactedError> {
        let reply = match &context.approver {
            Some(approver) => {
                let form = {
                    let leaving = &mut self.privacy.leaving(&context.principal);
                    show(pending.form.clone(), leaving)
                };
                approver.ask(&form).await
            }
            None => None,
        };
        let settings = &self.settings;
        match reply {
            Some(reply) => {
                self.take_reply(&pending.form.id, reply, approver_name(context)).await?;
                self.answered_elsewhere(pending, &context.principal).await
            }
            None if settings.pending => {
                tokio::time::sleep(settings.wait).await;
                Err(still_pending(pending, self.recorder.now()))
            }
            None => Err(nobody(&pending.form.title)),
        }
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
                ApprovalState::Approved if self.use_up(pending).await? => {
                    let by = found.decided_by;
                    self.tell(principal, pending, ApprovalStep::Approved { by });
                    return Ok(found.scope);
                }
                // Another run has used it for exactly this, perhaps in between.
                ApprovalState::Approved | ApprovalState::Used => {
                    return Err(used(&pending.form.title));
                }
                ApprovalState::Denied => return Err(self.denied(principal, pending, &found)),
                ApprovalState::Expired => return Err(self.expired(principal, pending)),
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn take_reply(&self, id: &str, reply: Reply, by: &str) -> Result<(), RedactedError> {
        let answer = match reply {
            Reply::Session => ApprovalAnswer::Approve(ApprovalScope::Session),
            Reply::AllCalls => ApprovalAnswer::Approve(ApprovalScope::AllCalls),
            Reply::Once => ApprovalAnswer::Approve(ApprovalScope::Once),
            Reply::Deny => ApprovalAnswer::Deny,
        };
        let answered = self.stored.answer(id, answer, by).await;
        answered.map(|_| ()).map_err(|error| not_stored(&error))
    }
}

/// Details that leave something out, and where all of it is.
fn with_reference(mut short: Redacted, id: &str) -> Redacted {
    let id = Redacted::trusted(id);
    short.push(&[
        &"Not everything has room here. `tidegate approvals show ",
        &id,
        &"` prints all of it.\n",
    ]);
    short
}

fn approver_name(context: &RunContext) -> &'static str {
    context.approver.as_ref().map_or("", |approver| approver.name())
}

/// For the model: it ends here, and nothing that it can write changes that.
const FINAL: &str = "do not try it again, nor by another way: tell the user that it was not \
                     approved, and ask what they want instead";

fn denied(title: &Redacted) -> RedactedError {
    RedactedError::new(ErrorCode::ApprovalDenied, &[&"a person was asked and said no: ", title])
        .with_hint(&[&FINAL])
}

fn expired(title: &Redacted) -> RedactedError {
    let fact = "a person was asked and did not answer in time: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title]).with_hint(&[&FINAL])
}

fn used(title: &Redacted) -> RedactedError {
    let fact = "the approval was used for another run of the same: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title])
        .with_hint(&[&"an approval is for one time; ask the user before you try it again"])
}

fn nobody(title: &Redacted) -> RedactedError {
    let fact = "this needs a person's approval, and nobody can be asked: ";
    RedactedError::new(ErrorCode::ApprovalDenied, &[&fact, title]).with_hint(&[
        &"the user's client cannot ask, and `approvals.pending` is off; the user can allow it in \
          policy.toml",
    ])
}

fn still_pending(pending: &PendingQuestion, now: SystemTime) -> RedactedError {
    let Form { id, run_id, title, .. } = &pending.form;
    let id = Redacted::trusted(id);
    let left = pending.expires_at.duration_since(now).unwrap_or_default().as_secs();
    let (left, unit) = if left < 120 { (left, " seconds") } else { (left / 60, " minutes") };
    RedactedError::new(
        ErrorCode::ApprovalPending,
        &[&"this waits for a person's approval: ", title],
    )
    .with_hint(&[
        &"tell the user: `tidegate approvals show ",
        &id,
        &"`, then `tidegate approvals approve ",
        &id,
        &"` (within ",
        &left,
        &unit,
        &"); after that call `execute_code` with `resume: \"",
        run_id,
        &"\"` instead of `code`, or repeat the same `call_tool`",
    ])
}

fn not_stored(error: &StoreError) -> RedactedError {
    tracing::error!(%error, "an approval could not be kept");
    RedactedError::new(
        ErrorCode::Internal,
        &[&"this needs a person's approval, which could not be kept"],
    )
    .with_hint(&[&"the user can see why in the log"])
}

/// Whether a request only waits, so that its run can resume later.
pub(crate) fn is_pending(error: &RunError) -> bool {
    error.code == ErrorCode::ApprovalPending
}
