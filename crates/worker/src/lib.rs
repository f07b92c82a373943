//! Runs one program and holds nothing.
//!
//! The guest side: entered first thing when the executable is started as
//! `tidegate worker`. It has one descriptor, speaks `wire` on it, runs exactly
//! one program and ends. It owns the engine (QuickJS), the TypeScript front end
//! (oxc) and the globals a program sees; it has no credential, no URL, no
//! environment. Everything here may fall to a hostile program: nothing on the
//! host side relies on this crate to behave.

mod channel;
mod check_text;
mod confine;
mod engine;
mod enter;
mod exception;
mod facts;
mod fence;
mod globals;
mod host;
mod jobs;
mod lines;
mod meanings;
mod nesting;
mod program;
mod python;
mod references;
mod remedies;
mod runner;
mod script;
mod source_map;
mod thrown;
mod unawaited;
mod v8;
mod written;

pub use enter::enter;
pub use program::{Check, Prepared, prepare};
pub use python::print_scripts;
pub use references::Reference;
pub use written::Written;
