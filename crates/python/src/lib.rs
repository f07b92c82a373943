//! Reads programs in Python before they run, with a real parser.
//!
//! In: the source as written. Out: a [`Prepared`](tidegate_model::Prepared): which servers and tools the
//! program uses, what it imports, and what else it does, as facts for the rules of
//! `validate`; or nothing, if the source is not understood. Pure: no clock, no disk, no network.
//!
//! Nothing relies on it for safety. What a program may do is decided by the jail
//! and at each call; this only tells sooner and in better words. A syntax error is
//! told by Python itself.
//! Must stay true: no source makes it panic, overflow a stack, or take long
//! ([`prepare`] says how).

mod alike;
mod analysis;
mod bindings;
mod depth;
mod encoded;
mod facts;
mod fence;
mod hints;
mod imports;
mod literals;
mod meanings;
mod measures;
mod references;
mod repeats;
mod shape;
mod written;

pub use analysis::{LONGEST_SOURCE, STACK_BYTES, prepare};
