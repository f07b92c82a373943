//! A permit is for one call, so there is one of it.

use tidegate_policy::Permit;

fn copied(permit: &Permit) -> Permit {
    Clone::clone(permit)
}

fn main() {}
