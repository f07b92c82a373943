//! The gateway against compromised workers.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod crowd;
mod hostile_worker;
mod support;
