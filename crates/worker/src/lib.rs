//! Runs one program and holds nothing.
//!
//! The guest side: entered first thing when the executable is started as
//! `tidegate worker`. It has one descriptor, speaks `wire` on it, runs exactly
//! one program and ends. It owns the engines and the globals a program sees; it has no
//! parser of programs, no credential, no URL, no environment. Everything here may fall
//! to a hostile program: nothing on the host side relies on this crate to behave.

mod channel;
mod confine;
mod engine;
mod enter;
mod exception;
mod globals;
mod host;
mod jobs;
mod python;
mod remedies;
mod runner;
mod script;
mod thrown;
mod v8;

pub use enter::enter;
pub use python::print_scripts;
