//! Only the gateway makes a `Shown`.

use tidegate_gateway::Shown;

fn forged(value: String) -> Shown<String> {
    Shown { value, bytes: 0 }
}

fn main() {}
