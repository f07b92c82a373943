//! Runs one program, and holds no secrets.
//!
//! The guest side, entered first when the executable is started as `tidegate worker`. It has
//! one descriptor, speaks `wire` on it, runs exactly one program and exits. It owns the
//! engines and the globals of a program; it has no parser of programs, no credential, no URL
//! and no environment.
//! Invariant: a hostile program may take over everything here, so nothing on the host side
//! relies on this crate.

mod channel;
mod confine;
mod engine;
mod enter;
mod exception;
mod globals;
mod hints;
mod host;
mod jobs;
mod python;
mod runner;
mod script;
mod thrown;
mod v8;

pub use enter::enter;
pub use python::print_scripts;
