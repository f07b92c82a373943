//! May this program run, and where?
//!
//! In: a judged program. Out: the sandbox it runs in, or why it does not run. A person is
//! asked once for the whole program: for its risk, and for all tools that it can be seen
//! to call and that need their word, so that a loop of fifty writes is one question. The
//! answer is bound to the hash of exactly this program under exactly this profile.

use tidegate_model::{Backend, ErrorCode, Program, RunError, RunId, ToolRef, Word};
use tidegate_policy::{Why, subject_of_text};
use tidegate_store::ApprovalScope;

use crate::approval_form;
use crate::approvals::Matter;
use crate::gateway::Gateway;
use crate::judge::Judgement;
use crate::person::Person;

impl Gateway {
    /// Asks whoever must be asked, and chooses the sandbox.
    pub(crate) async fn consent(
        &self,
        person: &Person,
        run: &RunId,
        program: &Program,
        profiles: &[&str],
        judgement: &Judgement,
    ) -> Result<Backend, RunError> {
        person.set_level(judgement.level);
        if judgement.ruling.word == Word::Deny {
            return Err(denied(judgement));
        }
        // Before anybody is asked about something that cannot run.
        let backend = self.backend(judgement, person.wanted_backend())?;
        let asked: Vec<(&ToolRef, &Why)> =
            judgement.asked_tools().filter(|(tool, why)| !person.has_approved(tool, why)).collect();
        let tools: Vec<ToolRef> = asked.iter().map(|(tool, _)| (*tool).clone()).collect();
        let for_risk = judgement.ruling.word == Word::Ask;
        if tools.is_empty() && !for_risk {
            return Ok(backend);
        }
        let leaving = &mut self.privacy.leaving(&person.context().session);
        let matter = Matter {
            kind: "program",
            subject: subject_of_program(program, profiles, &tools),
            title: approval_form::title_of_program(program.language, &tools, judgement, leaving),
            details: approval_form::details_of_program(&program.source, judgement, leaving),
        };
        match self.ask(person, run, matter).await? {
            ApprovalScope::Once => person.approve_tools(tools),
            ApprovalScope::Session => {
                for (tool, why) in asked {
                    person.approve_for_session(tool.clone(), why.clone());
                }
            }
        }
        Ok(backend)
    }

    /// The first sandbox for a level that is there, and never one that is not listed.
    fn backend(&self, judgement: &Judgement, wanted: Option<Backend>) -> Result<Backend, RunError> {
        let listed = self.settings.risk.backends(judgement.level);
        // A run can ask for a stronger one than it needs, and not for a weaker one.
        let strong_enough = |backend: &&Backend| wanted.is_none_or(|wanted| **backend >= wanted);
        let mut candidates: Vec<Backend> = listed.iter().filter(strong_enough).copied().collect();
        let strongest = listed.iter().max();
        candidates.extend(wanted.filter(|wanted| strongest.is_none_or(|most| wanted > most)));
        let chosen = candidates.iter().copied().find(|backend| backend.is_available());
        chosen.ok_or_else(|| no_backend(judgement, &candidates, wanted))
    }
}

/// The hash of exactly what will run: language, engine, profiles, program, and the tools
/// that a yes is for.
fn subject_of_program(program: &Program, profiles: &[&str], tools: &[ToolRef]) -> String {
    let tools: Vec<String> = tools.iter().map(ToString::to_string).collect();
    let engine = program.engine.map(tidegate_model::Engine::as_str);
    let parts = (program.language.as_str(), engine, profiles, tools, &program.source);
    // Text and lists of text are always written.
    subject_of_text("program", &serde_json::to_string(&parts).unwrap_or_default())
}

fn denied(judgement: &Judgement) -> RunError {
    let message = format!(
        "the program may not run: its risk is {} ({} of 100), and {}",
        judgement.level,
        judgement.risk_score,
        approval_form::because(&judgement.ruling)
    );
    let error = RunError::new(ErrorCode::Denied, message);
    match judgement.issues.iter().max_by_key(|issue| issue.severity) {
        Some(worst) => RunError {
            line: Some(worst.line),
            column: Some(worst.column),
            ..error.with_hint(format!("{}; {}", worst.message, worst.suggestion))
        },
        None => error.with_hint("do it with fewer or milder tools"),
    }
}

fn no_backend(judgement: &Judgement, candidates: &[Backend], wanted: Option<Backend>) -> RunError {
    let names: Vec<&str> = candidates.iter().map(|backend| backend.as_str()).collect();
    if let Some(wanted) = wanted.filter(|wanted| !wanted.is_available()) {
        let message = format!("the sandbox `{}` is not available here", wanted.as_str());
        return RunError::new(ErrorCode::Isolation, message)
            .with_hint("ask for `process` or `strict`; a weaker one is never used instead");
    }
    let message = format!(
        "the program may not run here: its risk is {}, for which `{}` is needed, and this is not \
         available",
        judgement.level,
        names.join("` or `")
    );
    RunError::new(ErrorCode::Isolation, message)
        .with_hint(format!("the user can change `risk.{}`", judgement.level))
}
