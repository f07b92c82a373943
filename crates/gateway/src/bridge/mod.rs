//! Bridge: decides and records everything that leaves a run or a request.
//!
//! Contains: calls of tools (`call.rs`), `fetch` (`fetch.rs`), host commands
//! (`commands.rs`) and skills (`skills.rs`), for programs (`request.rs`) and for requests
//! outside of a program (`direct.rs`); tokens and values of personal data on request
//! (`personal_data.rs`).
//! In: a request and its caller. Out: the answer or an error.
//! Invariant: nothing happens without a permit of the policy, nothing that may have an effect
//! is sent before it is on record, and every request has a row
//! in the record, whether it was made, refused, failed or cancelled.

pub(crate) mod call;
mod commands;
mod direct;
mod fetch;
mod personal_data;
pub(crate) mod request;
pub(crate) mod skills;

use std::net::SocketAddr;
use std::sync::Arc;

use tidegate_config::{Input, Settings};
use tidegate_egress::{Egress, OpenError};
use tidegate_model::{Decision, ErrorCode, RunError, RunRecord, ToolRef};
use tidegate_sandbox::CommandRunner;

use crate::answer::Answers;
use crate::approvals::Approvals;
use crate::approvals::person::Person;
use crate::bridge::call::Caller;
use crate::policy::CurrentPolicy;
use crate::privacy::Privacy;
use crate::recorder::{NotRecorded, Recorder};
use crate::tools::Tools;

/// Decides on requests to the outside, makes them, and records them.
pub(crate) struct Bridge {
    pub(crate) policy: Arc<CurrentPolicy>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) privacy: Arc<Privacy>,
    approvals: Arc<Approvals>,
    answers: Arc<Answers>,
    pub(crate) recorder: Recorder,
    egress: Egress,
    /// None if there is no command to run.
    commands: Option<CommandRunner>,
    input: Input,
    /// Whether the model may have real values.
    restore: Decision,
}

/// The floors below.
pub(crate) struct Below {
    pub(crate) policy: Arc<CurrentPolicy>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) privacy: Arc<Privacy>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) answers: Arc<Answers>,
}

impl Bridge {
    /// Opens the network for programs. `commands` runs the commands of the host.
    pub(crate) fn open(
        settings: &Settings,
        recorder: Recorder,
        commands: Option<CommandRunner>,
        below: Below,
    ) -> Result<Self, OpenError> {
        let Below { policy, tools, privacy, approvals, answers } = below;
        Ok(Self {
            policy,
            tools,
            privacy,
            approvals,
            answers,
            egress: Egress::open(settings.network.clone(), recorder.clock())?,
            recorder,
            commands,
            input: settings.input,
            restore: settings.privacy.restore,
        })
    }

    /// Blocks `fetch` to this address, whatever the configuration allows.
    pub(crate) fn protect(&self, listening: SocketAddr) {
        self.egress.protect(listening);
    }

    /// Records a request that was answered. If that fails, an error takes the place of its
    /// answer.
    async fn record(&self, person: &Person, record: RunRecord) -> Result<(), RunError> {
        let recorded = self.recorder.run_ended(&person.context().principal, record).await;
        self.tools.run_ended();
        recorded.map_err(|NotRecorded| person.calls.effects.not_recorded())
    }

    /// Called before a run sends something that may have an effect. An error means that it may
    /// not be sent: it could not be recorded.
    async fn about_to(&self, caller: &Caller<'_>, tool: &ToolRef) -> Result<(), RunError> {
        if let Some(journal) = &caller.person.journal {
            journal.send(caller.entry, true).await?;
        }
        self.record_effect(caller, tool).await?;
        match &caller.person.journal {
            Some(journal) => journal.is_alone().await,
            None => Ok(()),
        }
    }

    /// The same for what may happen again when the run resumes.
    async fn record_effect(&self, caller: &Caller<'_>, tool: &ToolRef) -> Result<(), RunError> {
        let principal = &caller.person.context().principal;
        let recorded = self.recorder.about_to(principal, caller.run, tool).await;
        recorded.map_err(|NotRecorded| not_sent())?;
        caller.person.calls.effects.add(tool);
        Ok(())
    }
}

fn not_sent() -> RunError {
    let message = "the call could not be recorded, so it was not sent";
    RunError::new(ErrorCode::Internal, message).with_hint(
        "tell the user: Tidegate cannot write its record, see the log; calls that change nothing \
         still work",
    )
}
