//! `tidegate bench`: hot paths as ratios to something measured in the same run.
//!
//! Machines are noisy and differ, so a time alone says little: every figure has a
//! yardstick, and samples of both alternate.
//!
//! In: a [`Suite`], and a [`Setup`] from the measured executable. Out: a
//! [`Report`]. One file per suite; `slow_server` is the server that `crowd` waits for.

mod arguments;
mod crowd;
mod deadline;
mod decision;
mod discovery;
mod echo;
mod engines;
mod fair;
mod hello;
mod memory;
mod privacy;
mod python;
mod report;
mod samples;
mod search;
mod setup;
mod slow_server;
mod start;
mod suite;
mod types;
mod validation;

pub use report::Report;
pub use setup::Setup;
pub use slow_server::serve as serve_slowly;
pub use suite::{Suite, run};
