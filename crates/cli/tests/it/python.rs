//! Programs in Python: what works, what is refused, and what attacks come to.
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
