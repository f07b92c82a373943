//! Tests of the executable as users have it: real processes, real servers, real
//! clients. One binary, one file per subject.

mod bad_input;
mod clients;
mod commands;
mod endurance;
mod layers;
mod programs;
mod support;
mod upstream;
mod workflow;
