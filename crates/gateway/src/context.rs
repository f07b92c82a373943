//! The context of a request: who makes it, how it is cancelled, how its progress is
//! reported, and how the person behind it is asked.

use std::pin::Pin;
use std::sync::Arc;

use tidegate_model::{Principal, RunOptions, SandboxKind};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::answer::form::Form;
use crate::answer::shown::Shown;

/// The context of a request.
#[derive(Clone)]
pub struct RunContext {
    /// The principal that makes the request.
    pub principal: Principal,
    /// Ends the run when the client gives up.
    pub cancelled: CancellationToken,
    /// Reports the run's progress to the client.
    pub progress: watch::Sender<Progress>,
    /// A narrower profile than the configured one.
    pub profile: Option<String>,
    /// Asks the person behind the client, if it can.
    pub approver: Option<Arc<dyn Approver>>,
    /// A stronger sandbox than the program needs.
    pub sandbox: Option<SandboxKind>,
    /// What else it asks for.
    pub options: RunOptions,
}

/// A person's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// Yes, this once.
    Once,
    /// Yes, exactly this for the rest of the session.
    Session,
    /// Yes, and every call of the same tools for the rest of the session, whatever its
    /// arguments.
    AllCalls,
    /// No.
    Deny,
    /// It is stored already, signed by the approver.
    Stored,
}

/// What a yes of an [`Approver`] is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yes {
    /// It is a reply to a form of a client, which anybody can be. The approver's key says
    /// whether it counts.
    Unsigned,
    /// It is stored and signed, and verified there: [`Reply::Stored`].
    Signed,
}

/// Asks the person behind a client.
pub trait Approver: Send + Sync {
    /// Its name for the record: `client`, `terminal`.
    fn name(&self) -> &'static str;

    /// What a yes from it is worth.
    fn yes(&self) -> Yes;

    /// Asks and waits for the answer; `None` if nobody could be asked. The future may be
    /// dropped at any time.
    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>>;
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tool calls that were started.
    pub calls_started: u32,
    /// Tool calls that were answered.
    pub calls_finished: u32,
}

impl Default for RunContext {
    fn default() -> Self {
        let (progress, _) = watch::channel(Progress::default());
        Self {
            principal: Principal::default(),
            cancelled: CancellationToken::new(),
            progress,
            profile: None,
            approver: None,
            sandbox: None,
            options: RunOptions::default(),
        }
    }
}
