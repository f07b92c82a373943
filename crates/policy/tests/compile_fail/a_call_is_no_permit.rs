//! A call becomes a permit by a decision, not by a conversion.

use tidegate_model::ToolCall;
use tidegate_policy::Permit;

fn converted(call: ToolCall) -> Permit {
    call.into()
}

fn main() {}
