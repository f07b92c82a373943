//! Replaces values by tokens and tokens by values, on request: `sanitize_pii` and
//! `restore_pii` for clients, `tidegate pii` for people.
//!
//! Values that go to a client enter the model's context, so a person is asked unless the
//! configuration says otherwise, and the request is recorded like a run. The user at the
//! terminal has the key anyway.

use tidegate_model::{Decision, ErrorCode, RunError, RunId, RunRecord, Towards};
use tidegate_policy::subject_of_text;
use tidegate_privacy::{RestoreError, Restored, Token, find_tokens};

use super::Bridge;
use crate::answer::shown::{Approved, Sanitized, ShowResult, Shown, Unsanitized, show};
use crate::answer::stopwatch::{Stopwatch, outcome_of};
use crate::approvals::call_form::{MOST_LINES, code_lines};
use crate::approvals::form_text::{FormText, Lines};
use crate::approvals::person::Person;
use crate::approvals::questions::Question;
use crate::context::RunContext;
use crate::ids::new_run_id;
use crate::privacy::{Leaving, Redacted, unknown_tokens};
use crate::tokens;

impl Bridge {
    /// Replaces personal data in a text by tokens of the session.
    pub(crate) fn sanitize_pii(&self, text: &str, context: &RunContext) -> ShowResult<Sanitized> {
        let is_on = !self.privacy.is_off();
        let text = is_on.then_some(Unsanitized(text)).ok_or_else(is_off);
        self.answers.show_result(text, &context.principal)
    }

    /// Replaces the tokens in a text by real values, for the user at the terminal.
    pub(crate) fn reveal_pii(
        &self,
        text: &str,
        context: &RunContext,
    ) -> Result<Sanitized, RunError> {
        self.reveal(text, context).map(Sanitized::from)
    }

    fn reveal(&self, text: &str, context: &RunContext) -> Result<Restored<String>, RunError> {
        self.privacy.reveal(&context.principal, text).map_err(unknown)
    }

    /// Replaces the tokens in a text by real values, if a person approves.
    pub(crate) async fn restore_pii(&self, text: &str, context: &RunContext) -> ShowResult<String> {
        let clock = Stopwatch::start(self.recorder.now());
        let id = new_run_id(clock.started_at);
        let person = self.approvals.person(context);
        let restored = self.restore_for_model(text, &person, &id).await;
        let leaving = &mut self.privacy.leaving(&context.principal).keeping(&person.errors);
        let restored = match restored {
            Ok(text) => Ok(show(Approved(text), leaving)),
            Err(error) => Err(show(error, leaving)),
        };
        let bytes = restored.as_ref().map_or(0, Shown::bytes);
        let record = RunRecord {
            id,
            started_at: clock.started_at,
            kind: "restore_pii",
            program: None,
            outcome: outcome_of(restored.as_ref().err().map(|error| &**error)),
            duration: clock.elapsed(),
            tool_calls: 0,
            result_bytes: bytes,
            answer_tokens: tokens::estimate(usize::try_from(bytes).unwrap_or(usize::MAX)),
            handle: None,
        };
        match self.record(&person, record).await {
            Ok(()) => restored,
            Err(error) => Err(show(error, leaving)),
        }
    }

    async fn restore_for_model(
        &self,
        text: &str,
        person: &Person,
        run: &RunId,
    ) -> Result<String, RunError> {
        let context = person.context();
        if self.privacy.is_off() {
            return Err(is_off());
        }
        let mut found: Vec<Token> =
            find_tokens(text).into_iter().map(|found| found.token).collect();
        found.sort();
        found.dedup();
        if found.is_empty() {
            return Ok(text.to_owned());
        }
        // Nobody is asked about what cannot be restored.
        self.privacy.knows_all(&context.principal, text).map_err(unknown)?;
        match self.restore {
            Decision::Allow => {}
            Decision::Deny => {
                let message = "real values are not given to the model here";
                return Err(RunError::new(ErrorCode::RecipientDenied, message).with_hint(
                    "pass tokens on to tools, which get the real values; the user can change \
                     `privacy.restore`",
                ));
            }
            Decision::Ask => {
                // Exactly these tokens of exactly this session.
                let session = &self.privacy.session(&context.principal).name;
                let details =
                    restore_form(&found, text, &mut self.privacy.leaving(&context.principal));
                let title = Redacted::join(&[
                    &"show the model the real values of ",
                    &Redacted::trusted(listed(&found)),
                ]);
                let subject = subject_of_text("restore", &format!("{session}\0{text}"));
                let question = Question::new("restore", subject, title, details);
                self.approvals.ask(person, run, question).await?;
            }
        }
        let restored = self.reveal(text, context)?;
        self.privacy.note_restores(&context.principal, run, Towards::Model, &restored.counts);
        Ok(restored.value)
    }
}

/// What a person reads before the model gets real values: every token, and the text.
fn restore_form(found: &[Token], text: &str, leaving: &mut Leaving<'_>) -> FormText {
    let mut form = FormText::default();
    form.own(&[&"Approval is required because the model would see personal data."]);
    form.own(&[&"Tokens:"]);
    let tokens: Vec<String> = found.iter().map(ToString::to_string).collect();
    let mut lines = Lines::default();
    lines.quote(&Redacted::trusted(tokens.join(", ")));
    form.add_start(lines, MOST_LINES, "tokens");
    form.own(&[&"The text:"]);
    form.add_start(code_lines(text, leaving), MOST_LINES, "the text");
    form
}

fn unknown(error: RestoreError) -> RunError {
    match error {
        RestoreError::Unknown(tokens) | RestoreError::NotAllowed(tokens) => unknown_tokens(&tokens),
        error @ RestoreError::TooLong => RunError::new(ErrorCode::BadArgument, error.to_string()),
    }
}

fn listed(found: &[Token]) -> String {
    const NAMED: usize = 5;
    let names: Vec<String> = found.iter().take(NAMED).map(ToString::to_string).collect();
    match found.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

fn is_off() -> RunError {
    RunError::new(
        ErrorCode::BadArgument,
        "personal data is not replaced here: `privacy.mode` is off",
    )
    .with_hint("nothing needs to be sanitized or restored")
}
