//! Text becomes a `Shown` by being redacted, not by a conversion.

use tidegate_gateway::Shown;

fn converted(value: String) -> Shown<String> {
    value.into()
}

fn main() {}
