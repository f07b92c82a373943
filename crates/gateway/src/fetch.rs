//! A program's `fetch`: decided, made and recorded outside of the sandbox.

use tidegate_model::{ErrorCode, RunError, RunId};

use crate::gateway::Gateway;

impl Gateway {
    /// Makes a request of a program. `request` and the answer are JSON text.
    pub(crate) async fn fetch(&self, _run: &RunId, _request: &str) -> Result<String, RunError> {
        Err(RunError::new(ErrorCode::FetchDenied, "programs have no network")
            .with_hint("call a tool of a server instead"))
    }
}
