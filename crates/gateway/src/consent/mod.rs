//! Consent: the rules and the person decide whether a judged program runs, and where.
//!
//! Contains: the stage `Judged -> Consented` (`stage.rs`), the choice of the sandbox by
//! `[risk]`, and what a person reads about a program (`program_form.rs`).
//! In: a judged program. Out: a program that may run, with its sandbox, permissions and
//! limits; or a refusal.
//! Invariant: a program never runs in a sandbox that is not listed for its risk.

mod program_form;
pub(crate) mod stage;

use std::sync::Arc;

use tidegate_config::RiskTable;
use tidegate_model::SandboxKind;

use crate::approvals::Approvals;
use crate::policy::CurrentPolicy;
use crate::privacy::Privacy;
use crate::recorder::Recorder;

/// Decides whether programs run, and where.
pub(crate) struct Consent {
    risk: RiskTable,
    /// The kinds that workers are registered for.
    sandboxes: Vec<SandboxKind>,
    policy: Arc<CurrentPolicy>,
    privacy: Arc<Privacy>,
    approvals: Arc<Approvals>,
    recorder: Recorder,
}

impl Consent {
    pub(crate) fn new(
        risk: RiskTable,
        sandboxes: Vec<SandboxKind>,
        policy: Arc<CurrentPolicy>,
        privacy: Arc<Privacy>,
        approvals: Arc<Approvals>,
        recorder: Recorder,
    ) -> Self {
        Self { risk, sandboxes, policy, privacy, approvals, recorder }
    }
}
