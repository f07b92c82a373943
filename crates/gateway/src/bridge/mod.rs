//! Bridge: decides and records everything that leaves a run or a request.
//!
//! Contains: calls of tools (`call.rs`), `fetch` (`fetch.rs`), host commands
//! (`commands.rs`) and skills (`skills.rs`), for programs (`request.rs`) and for requests
//! outside of a program (`direct.rs`); tokens and values of personal data on request
//! (`personal_data.rs`).
//! In: a request and its caller. Out: the answer or an error.
//! Invariant: nothing happens without a permit of the policy, and every request has a row
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
use tidegate_model::{Decision, Principal, RunRecord};
use tidegate_sandbox::CommandRunner;

use crate::answer::Answers;
use crate::approvals::Approvals;
use crate::policy::CurrentPolicy;
use crate::privacy::Privacy;
use crate::recorder::Recorder;
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
            recorder,
            egress: Egress::open(settings.network.clone())?,
            commands,
            input: settings.input,
            restore: settings.privacy.restore,
        })
    }

    /// Blocks `fetch` to this address, whatever the configuration allows.
    pub(crate) fn protect(&self, listening: SocketAddr) {
        self.egress.protect(listening);
    }

    /// Records a request that was answered.
    async fn record(&self, principal: &Principal, record: RunRecord) {
        self.recorder.run_ended(principal, record).await;
        self.tools.run_ended();
    }
}
