//! Decides whether a program may run, and where.
//!
//! In: a [`Judged`] program. Out: a [`Consented`] one, with the sandbox it runs in; or an
//! error. No worker is held meanwhile. A person is asked once for the whole program: for
//! its risk, and for all tools that it visibly calls and that need approval, so that a loop
//! of fifty writes is one question. The answer is bound to the hash of exactly this program
//! under exactly this profile.

use std::time::Duration;

use tidegate_model::{Decision, ErrorCode, Executable, Program, RunError, SandboxKind, ToolRef};
use tidegate_policy::{RulingReason, subject_of_text};
use tidegate_store::ApprovalScope;

use super::Consent;
use crate::admit::queue::Turn;
use crate::admit::stage::{Admitted, Submitted};
use crate::approvals::questions::Question;
use crate::consent::program_form;
use crate::examine::judge::Judgement;
use crate::examine::stage::Judged;
use crate::explain::{because, no_such_sandbox};
use crate::tools::view::View;

/// A program that may run.
pub(crate) struct Consented {
    /// Its permissions and limits are those of its sandbox.
    pub(crate) run: Submitted,
    pub(crate) turn: Turn,
    pub(crate) sandbox: SandboxKind,
    pub(crate) executable: Option<Executable>,
    pub(crate) view: View,
    /// Warnings for its author, sent with the result.
    pub(crate) warnings: Vec<String>,
    /// How much of its time it has used.
    pub(crate) used: Duration,
    /// Only this module can make one.
    _sealed: Sealed,
}

struct Sealed;

impl Consent {
    /// Asks for the approvals that are needed, and chooses the sandbox.
    pub(crate) async fn consent(&self, judged: Judged) -> Result<Consented, RunError> {
        let Judged { admitted, prepared, view, judgement, mut warnings, since, .. } = judged;
        let Admitted { mut run, mut turn, .. } = admitted;
        let used = since.elapsed();
        let sandbox = self.approved_sandbox(&run, &judgement, &mut turn).await?;
        if sandbox != SandboxKind::Process {
            tracing::info!(run = %run.id, sandbox = sandbox.as_str(), "runs in another sandbox");
            warnings.push(runs_elsewhere(&judgement, sandbox));
            run.permissions = self.policy.grants().strict(&run.permissions);
            run.limits = self.policy.limits_of(&run.program, &run.permissions);
        }
        let (executable, _sealed) = (prepared.executable, Sealed);
        Ok(Consented { run, turn, sandbox, executable, view, warnings, used, _sealed })
    }

    /// The sandbox that the program runs in, once every approval that is needed was given.
    async fn approved_sandbox(
        &self,
        run: &Submitted,
        judgement: &Judgement,
        turn: &mut Turn,
    ) -> Result<SandboxKind, RunError> {
        let (person, program) = (&*run.person, &*run.program);
        person.set_level(judgement.level);
        if judgement.ruling.word == Decision::Deny {
            return Err(denied(judgement));
        }
        // Before anybody is asked about something that cannot run.
        let sandbox = self.sandbox(judgement, person.wanted_sandbox())?;
        let asked: Vec<(&ToolRef, &RulingReason)> =
            judgement.asked_tools().filter(|(tool, why)| !person.has_approved(tool, why)).collect();
        let tools: Vec<ToolRef> = asked.iter().map(|(tool, _)| (*tool).clone()).collect();
        let for_risk = judgement.ruling.word == Decision::Ask;
        if tools.is_empty() && !for_risk {
            return Ok(sandbox);
        }
        let question = {
            let leaving = &mut self.privacy.leaving(&person.context().principal);
            Question {
                kind: "program",
                subject: subject_of_program(program, &run.permissions.names(), &tools),
                title: program_form::title(program.language, &tools, judgement, leaving),
                details: program_form::details(&program.source, judgement, leaving),
            }
        };
        turn.started();
        match self.approvals.ask(person, &run.id, question).await? {
            ApprovalScope::Once => person.approve_tools(tools),
            ApprovalScope::Session => {
                for (tool, why) in asked {
                    person.approve_for_session(tool.clone(), why.clone());
                }
            }
        }
        Ok(sandbox)
    }

    /// The first available sandbox for a risk level, and never one that is not listed.
    fn sandbox(
        &self,
        judgement: &Judgement,
        wanted: Option<SandboxKind>,
    ) -> Result<SandboxKind, RunError> {
        let listed = self.risk.sandboxes(judgement.level);
        // A run can ask for a stronger one than it needs, but not for a weaker one.
        let strong_enough = |kind: &&SandboxKind| wanted.is_none_or(|wanted| **kind >= wanted);
        let mut candidates: Vec<SandboxKind> =
            listed.iter().filter(strong_enough).copied().collect();
        let strongest = listed.iter().max();
        candidates.extend(wanted.filter(|wanted| strongest.is_none_or(|most| wanted > most)));
        let is_here = |kind: &SandboxKind| self.sandboxes.contains(kind);
        let chosen = candidates.iter().copied().find(is_here);
        chosen.ok_or_else(|| match wanted.filter(|wanted| !is_here(wanted)) {
            Some(wanted) => no_such_sandbox(wanted),
            None => no_sandbox(judgement, &candidates),
        })
    }
}

/// The hash of exactly what will run: language, engine, profiles, program, and the tools
/// that an approval is for.
fn subject_of_program(program: &Program, profiles: &[&str], tools: &[ToolRef]) -> String {
    let tools: Vec<String> = tools.iter().map(ToString::to_string).collect();
    let engine = program.engine.map(tidegate_model::Engine::as_str);
    let parts = (program.language.as_str(), engine, profiles, tools, &program.source);
    // Serialising text and lists of text cannot fail.
    subject_of_text("program", &serde_json::to_string(&parts).unwrap_or_default())
}

/// Never silent: in another sandbox, a program's permissions differ from what its author
/// expects.
fn runs_elsewhere(judgement: &Judgement, sandbox: SandboxKind) -> String {
    let worst = judgement.issues.iter().max_by_key(|issue| issue.severity);
    let why = worst.map(|issue| format!(" (line {}: {})", issue.line, issue.message));
    format!(
        "the risk of the program is {}{}, so it ran in the sandbox `{}`",
        judgement.level,
        why.unwrap_or_default(),
        sandbox.as_str()
    )
}

fn denied(judgement: &Judgement) -> RunError {
    let message = format!(
        "the program may not run: its risk is {} ({} of 100), and {}",
        judgement.level,
        judgement.risk_score,
        because(&judgement.ruling)
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

fn no_sandbox(judgement: &Judgement, candidates: &[SandboxKind]) -> RunError {
    let names: Vec<&str> = candidates.iter().map(|kind| kind.as_str()).collect();
    let message = format!(
        "the program may not run here: its risk is {}, for which `{}` is needed, and this is not \
         available",
        judgement.level,
        names.join("` or `")
    );
    RunError::new(ErrorCode::Isolation, message)
        .with_hint(format!("the user can change `risk.{}`", judgement.level))
}
