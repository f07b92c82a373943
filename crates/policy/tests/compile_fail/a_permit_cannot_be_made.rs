//! Only `Policy::decide` makes a permit.

use tidegate_model::ToolCall;
use tidegate_policy::Permit;

fn forged(call: ToolCall) -> Permit {
    Permit { call }
}

fn main() {}
