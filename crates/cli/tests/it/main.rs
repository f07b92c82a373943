//! Tests of the executable as users run it: real processes, real servers, real clients.
//! One binary, one file per subject.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    reason = "helpers of tests fail like tests, and take `json!` as it comes"
)]

mod agent_shell;
mod approvals;
mod bad_input;
mod bounds;
mod clients;
mod commands;
mod commands_jail;
mod conspiracy;
mod doctor;
mod doors;
mod effects;
mod endurance;
mod engines;
mod fairness;
mod forged;
mod jail;
mod layers;
mod learned;
mod limits;
mod named_paths;
mod narrowing;
mod network;
mod policy;
mod policy_paths;
mod privacy;
mod profiles;
mod programs;
mod python;
mod python_check;
mod python_types;
mod recommend;
mod repairs;
mod round_trip;
mod secrets;
mod shared_state;
mod skills;
mod support;
mod terminal;
mod typed;
mod untrusted;
mod upstream;
mod valid;
mod workflow;
