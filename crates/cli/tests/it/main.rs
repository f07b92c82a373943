//! Tests of the executable as users have it: real processes, real servers, real
//! clients. One binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail like tests; clippy only excuses the tests themselves"
)]

mod bad_input;
mod clients;
mod commands;
mod endurance;
mod layers;
mod programs;
mod support;
mod upstream;
mod workflow;
