//! A permit is for one call, so it cannot be copied.

use tidegate_policy::Permit;

fn copied(permit: &Permit) -> Permit {
    Clone::clone(permit)
}

fn main() {}
