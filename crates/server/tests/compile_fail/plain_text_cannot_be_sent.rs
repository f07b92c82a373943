//! An arm of the handler that returns plain text does not compile.

use tidegate_server::ToolResult;

fn text(raw: String) -> ToolResult {
    raw.into()
}

fn main() {}
