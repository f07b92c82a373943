//! Opens a question to a person and waits for the answer.
//!
//! In: what is to happen, as the hash of exactly that and as text for a person. Out: an
//! approval and its scope, or an error that says what the model can tell its user. Every
//! question is a row of the database, so it can be answered by the client that is asked,
//! by `tidegate approvals` in another process, or after this process has ended; the first
//! answer counts. Taking an approval uses it up.

use std::time::{Duration, SystemTime};

use tidegate_model::{ErrorCode, RunError, RunId};
use tidegate_store::{ApprovalScope, ApprovalState, NewApproval, StoreError};

use super::Approvals;
use crate::answer::form::Form;
use crate::answer::shown::show;
use crate::context::{Reply, RunContext};
use crate::ids::short_id;
use crate::privacy::{Redacted, RedactedError};

/// How often the database is looked at for an answer from elsewhere. Chosen: a person
/// does not feel it, and the machine hardly.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What a person must approve. Its texts go to the person, the database and the model as
/// they are.
pub(crate) struct Question {
    /// `program` or `call`.
    pub(crate) kind: &'static str,
    /// Hash of exactly what will happen.
    pub(crate) subject: String,
    pub(crate) title: Redacted,
    pub(crate) details: Redacted,
}

/// A question that waits for its answer.
pub(crate) struct PendingQuestion {
    pub(crate) form: Form,
    pub(crate) expires_at: SystemTime,
    subject: String,
}

/// A question when it is opened, before anybody is asked.
pub(crate) enum Opened {
    /// It was approved before.
    Approved(ApprovalScope),
    /// It waits for an answer.
    Pending(PendingQuestion),
}

impl Approvals {
    /// Opens a question, unless exactly this was answered before.
    pub(crate) fn open_question(
        &self,
        run: &RunId,
        question: Question,
    ) -> Result<Opened, RedactedError> {
        let now = SystemTime::now();
        let approvals = self.store.approvals().map_err(|error| not_kept(&error))?;
        let earlier = approvals.of_subject(&question.subject, now).map_err(|e| not_kept(&e))?;
        let (id, expires_at) = match earlier {
            Some(earlier) if earlier.state == ApprovalState::Denied => {
                return Err(denied(&question.title));
            }
            Some(earlier) => {
                let (id, until) = (&earlier.asked.id, earlier.asked.expires_at);
                if earlier.state == ApprovalState::Approved
                    && approvals.take(id, &question.subject, now).map_err(|e| not_kept(&e))?
                {
                    return Ok(Opened::Approved(earlier.scope));
                }
                (id.clone(), until)
            }
            None => {
                let new = NewApproval {
                    id: short_id(),
                    run_id: run.0.clone(),
                    kind: question.kind.to_owned(),
                    subject: question.subject.clone(),
                    title: question.title.to_string(),
                    details: question.details.to_string(),
                    created_at: now,
                    expires_at: now + self.settings.expires,
                };
                approvals.ask(&new).map_err(|error| not_kept(&error))?;
                (new.id, new.expires_at)
            }
        };
        let Question { subject, title, details, .. } = question;
        let form = Form { id, run_id: run.clone(), title, details };
        Ok(Opened::Pending(PendingQuestion { form, expires_at, subject }))
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
            found = self.answered_elsewhere(pending) => found,
            // It is too late for an answer, whether or not the look at it came first.
            () = tokio::time::sleep(settings.expires) => Err(expired(&pending.form.title)),
        }
    }

    /// What the client's user answers; if it cannot ask, or cannot after all, that others
    /// were not quick enough.
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
                self.take_reply(&pending.form.id, reply, approver_name(context))?;
                self.answered_elsewhere(pending).await
            }
            None if settings.pending => {
                tokio::time::sleep(settings.wait).await;
                Err(still_pending(pending))
            }
            None => Err(nobody(&pending.form.title)),
        }
    }

    /// Looks until there is an answer, whoever gave it.
    async fn answered_elsewhere(
        &self,
        pending: &PendingQuestion,
    ) -> Result<ApprovalScope, RedactedError> {
        loop {
            let now = SystemTime::now();
            let approvals = self.store.approvals().map_err(|error| not_kept(&error))?;
            let found = approvals.find(&pending.form.id, now).map_err(|error| not_kept(&error))?;
            match found.map(|found| (found.state, found.scope)) {
                Some((ApprovalState::Pending, _)) => {}
                Some((ApprovalState::Approved, scope)) => {
                    let taken = approvals.take(&pending.form.id, &pending.subject, now);
                    // Somebody else did exactly this with it in between.
                    return match taken.map_err(|error| not_kept(&error))? {
                        true => Ok(scope),
                        false => Err(used(&pending.form.title)),
                    };
                }
                Some((ApprovalState::Denied, _)) => return Err(denied(&pending.form.title)),
                Some((ApprovalState::Used, _)) => return Err(used(&pending.form.title)),
                Some((ApprovalState::Expired, _)) | None => {
                    return Err(expired(&pending.form.title));
                }
            }
            drop(approvals);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    fn take_reply(&self, id: &str, reply: Reply, by: &str) -> Result<(), RedactedError> {
        let approvals = self.store.approvals().map_err(|error| not_kept(&error))?;
        let scope = match reply {
            Reply::Session => ApprovalScope::Session,
            Reply::Once | Reply::Deny => ApprovalScope::Once,
        };
        let yes = reply != Reply::Deny;
        let answered = approvals.answer(id, yes, scope, by, SystemTime::now());
        answered.map(|_| ()).map_err(|error| not_kept(&error))
    }
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

fn still_pending(pending: &PendingQuestion) -> RedactedError {
    let Form { id, run_id, title, .. } = &pending.form;
    let id = Redacted::trusted(id);
    let left = pending.expires_at.duration_since(SystemTime::now()).unwrap_or_default().as_secs();
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

fn not_kept(error: &StoreError) -> RedactedError {
    tracing::error!(%error, "an approval could not be kept");
    RedactedError::new(
        ErrorCode::Internal,
        &[&"this needs a person's approval, which could not be kept"],
    )
    .with_hint(&[&"the user can see why in the log"])
}

/// Whether something is only waiting: its run can go on later.
pub(crate) fn is_pending(error: &RunError) -> bool {
    error.code == ErrorCode::ApprovalPending
}
