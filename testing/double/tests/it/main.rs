//! The gateway against workers that are not on its side.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod crowd;
mod hostile_worker;
mod support;
