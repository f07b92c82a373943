//! A `Shown` value cannot be changed after it was redacted.

use tidegate_gateway::Shown;

fn changed(shown: &mut Shown<String>, raw: &str) {
    shown.push_str(raw);
}

fn main() {}
