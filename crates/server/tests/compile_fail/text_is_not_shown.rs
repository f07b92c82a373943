//! Text becomes `Shown` by redaction, not by conversion.

use tidegate_gateway::Shown;

fn converted(value: String) -> Shown<String> {
    value.into()
}

fn main() {}
