//! Decides whether a program may run, and where.
//!
//! In: a [`Judged`] program. Out: a [`Consented`] one, with the sandbox it runs in; or an
//! error. No worker is held meanwhile. A person is asked once for the whole program: for
//! its risk, and for all visible calls that need approval. The answer covers exactly these
//! calls; any other is asked about when it is made. It is bound to the hash of exactly this
//! program, under exactly this profile, as it was judged.

use std::time::Duration;

use tidegate_model::{
    Decision, ErrorCode, Executable, Program, RunError, SandboxKind, Stage, ToolCall,
};
use tidegate_policy::{CallSubject, RulingReason, Uses, subject_of_text};

use super::Consent;
use crate::admit::queue::Turn;
use crate::admit::stage::{Admitted, Submitted};
use crate::approvals::person::{ApprovedCall, Person};
use crate::approvals::questions::Question;
use crate::consent::program_form::{ProgramForm, action_lines, program_form};
use crate::examine::calls::AskedCall;
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
        let Judged { admitted, prepared, view, mut judgement, mut warnings, since, .. } = judged;
        let Admitted { mut run, mut turn, .. } = admitted;
        if run.person.context().options.needs_approval {
            judgement.ruling = judgement.ruling.at_least(Decision::Ask, || RulingReason::Request);
        }
        let used = since.elapsed();
        let sandbox = self.approved_sandbox(&run, &judgement, &mut turn).await?;
        if sandbox != SandboxKind::Process {
            tracing::info!(run = %run.id, sandbox = sandbox.as_str(), "runs in another sandbox");
            warnings.push(runs_elsewhere(&judgement, sandbox));
            let options = &run.person.context().options;
            run.permissions = self.policy.grants().strict(&run.permissions);
            run.limits = self.policy.limits_of(&run.program, &run.permissions, options);
        }
        let principal = &run.person.context().principal;
        self.recorder.passed(principal, &run.id, Stage::Consented { sandbox });
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
        let mut calls: Vec<ApprovedCall> =
            judgement.asked.iter().map(|asked| self.approved_call(person, asked)).collect();
        let for_risk = judgement.ruling.word == Decision::Ask;
        if !for_risk && calls.iter().all(|call| person.has_approved_all(call)) {
            return Ok(sandbox);
        }
        let subject = subject_of_program(program, &run.permissions.names(), judgement, &calls);
        if person.has_approved_program(&subject) {
            person.approve_program(&subject);
            return Ok(sandbox);
        }
        let question = {
            let leaving = &mut self.privacy.leaving(&person.context().principal);
            let form = program_form(program.language, &program.source, judgement, leaving);
            let ProgramForm { title, mut details, shown } = form;
            if let Some(action) = &person.context().options.action {
                details.add(&action_lines(action, leaving));
            }
            calls.truncate(shown);
            Question::new("program", subject.clone(), title, details)
        };
        turn.started();
        let scope = self.approvals.ask(person, &run.id, question).await?;
        person.approve(scope, &calls);
        person.approve_program(&subject);
        Ok(sandbox)
    }

    /// What the approval of a visible call covers. Like at the call itself, rules are about
    /// the values that tokens stand for.
    fn approved_call(&self, person: &Person, asked: &AskedCall) -> ApprovedCall {
        let arguments = asked.call.arguments.clone();
        let (principal, server) = (&person.context().principal, &asked.tool.server);
        let meant = |token| person.means(token);
        let restored = self.privacy.restore(principal, server, arguments, &meant);
        // Refused values, and those that are not known yet, are refused or asked about again
        // when the call is made.
        let is_exact = asked.call.is_literal() && restored.is_ok();
        let arguments = restored.map(|restored| restored.value).unwrap_or_default();
        let call = ToolCall { tool: asked.tool.clone(), arguments };
        let uses = if asked.call.repeated { Uses::Always } else { Uses::Times(1) };
        ApprovedCall {
            subject: CallSubject::of(&call, &asked.definition, &asked.why),
            exactly: is_exact.then_some(uses),
        }
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

/// The hash of exactly what was judged: language, engine, profiles, program, findings, risk,
/// calls, and for those that need approval the definitions of their tools and the reasons.
fn subject_of_program(
    program: &Program,
    profiles: &[&str],
    judgement: &Judgement,
    calls: &[ApprovedCall],
) -> String {
    let engine = program.engine.map(tidegate_model::Engine::as_str);
    let calls: Vec<&str> = calls.iter().map(|call| &*call.subject.any_arguments).collect();
    let judged = (judgement, judgement.ruling.why.to_string(), calls);
    let parts = (program.language.as_str(), engine, profiles, judged, &program.source);
    // Serialising plain data cannot fail.
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
