//! Asks the person behind a run.
//!
//! In: a call or a program that the rules mark `ask`. Out: success, after which deciding
//! on it again gives a permit, or an error. A run asks one question at a time: once all
//! calls of a tool are approved, the other forty-nine of fifty need no question. Meanwhile the clock of the run is stopped, and the run is parked.

use tidegate_model::{ErrorCode, RunError, RunId};
use tidegate_policy::{NeedsApproval, Uses, subject_of_text};
use tidegate_store::ApprovalScope;

use super::Approvals;
use crate::approvals::call_form;
use crate::approvals::person::{ApprovedCall, Person};
use crate::approvals::questions::{Opened, PendingQuestion, Question};

impl Approvals {
    /// Asks about a call that needs approval. After approval, the call is decided on
    /// again.
    pub(crate) async fn ask_about_call(
        &self,
        person: &Person,
        run: &RunId,
        asked: &NeedsApproval,
    ) -> Result<(), RunError> {
        let tool = &asked.call.tool;
        let _turn = person.asking.lock().await;
        let leaving = &mut self.privacy.leaving(&person.context.principal);
        if person.granted.run.is_refused(tool) {
            return Err(person.errors.add(call_form::refused_before(tool, leaving)));
        }
        // While this call waited for its turn, all calls of the tool may have been
        // approved.
        if person.has_approved(&asked.subject) {
            return Ok(());
        }
        let title = call_form::title_of_call(asked, leaving);
        let details = call_form::details_of_call(asked, person.call_context().level, leaving);
        let question = Question::new("call", asked.subject.exact.clone(), title, details);
        match self.ask(person, run, question).await {
            Ok(scope) => {
                let subject = asked.subject.clone();
                person.approve(scope, &[ApprovedCall { subject, exactly: Some(Uses::Times(1)) }]);
            }
            Err(error) => {
                if error.code == ErrorCode::ApprovalDenied {
                    person.granted.run.refuse(tool.clone());
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Asks, with the clock of the run stopped and the run parked.
    pub(crate) async fn ask(
        &self,
        person: &Person,
        run: &RunId,
        mut question: Question,
    ) -> Result<ApprovalScope, RunError> {
        let subject = format!("{}\0{}", person.requester, question.subject);
        question.subject = subject_of_text("asked", &subject);
        let (principal, requester) = (&person.context.principal, &person.requester);
        let opened = self.open_question(principal, requester, run, question).await;
        let pending = match opened.map_err(|error| person.errors.add(error))? {
            Opened::Approved(scope) => return Ok(scope),
            Opened::Pending(pending) => pending,
        };
        let Some(journal) = &person.journal else {
            return self.answer_in_time(person, &pending).await;
        };
        journal.park(pending.expires_at()).await?;
        let answer = journal.with_lease(self.answer_in_time(person, &pending)).await;
        let waits = matches!(&answer, Err(error) if error.code == ErrorCode::ApprovalPending);
        if !waits {
            journal.forget().await?;
        }
        answer
    }

    /// Waits for the answer, with the clock of the run stopped.
    async fn answer_in_time(
        &self,
        person: &Person,
        pending: &PendingQuestion,
    ) -> Result<ApprovalScope, RunError> {
        let waiting = self.answer_to(pending, &person.context);
        let answer = match person.clock() {
            Some(clock) => clock.stopped_during(waiting).await,
            None => waiting.await,
        };
        answer.map_err(|error| person.errors.add(error))
    }
}
