//! An error of the handler that was not redacted does not compile.

use tidegate_gateway::Shown;
use tidegate_model::RunError;
use tidegate_server::ToolResult;

fn answer(answered: Result<ToolResult, RunError>) -> Result<ToolResult, Shown<RunError>> {
    Ok(answered?)
}

fn main() {}
