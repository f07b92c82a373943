//! A program's `commands.run`: decided, run in a jail of its own, and recorded.

use tidegate_model::{ErrorCode, RunError, RunId};

use crate::gateway::Gateway;

impl Gateway {
    /// Runs a host command for a program. `request` and the answer are JSON text.
    pub(crate) async fn command(
        &self,
        _run: &RunId,
        name: &str,
        _request: &str,
    ) -> Result<String, RunError> {
        let name = &name[..name.floor_char_boundary(100)];
        let message = format!("there is no command `{}`", name.escape_debug());
        Err(RunError::new(ErrorCode::CommandDenied, message)
            .with_hint("call a tool of a server instead"))
    }
}
