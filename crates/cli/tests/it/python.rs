//! Programs in Python: what works, what is refused, and how attacks end.
//!
//! The interpreter is the one that the gateway finds on this machine.

mod attacks;
mod commands;
mod examples;
mod forked;
mod guests;
pub(crate) mod library;
mod machine;
mod network;
mod runs;
