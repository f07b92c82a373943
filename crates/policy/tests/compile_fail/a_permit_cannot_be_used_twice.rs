//! A permit is for one call.

use tidegate_policy::Permit;

fn twice(permit: Permit) {
    let call = Permit::into_call;
    call(permit);
    call(permit);
}

fn main() {}
