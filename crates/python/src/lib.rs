//! Analyses Python programs before they run, with a real parser.
//!
//! In: the source as written. Out: a [`Prepared`](tidegate_model::Prepared): the servers and
//! tools that the program uses, its imports, and what else it does, as facts for the rules
//! of `validate`; or `None` if the source does not parse. Pure: no clock, no disk, no
//! network.
//!
//! Security never depends on this crate. The jail and the decision on each call limit what a
//! program can do; the analysis reports problems earlier and in better words. Python itself
//! reports syntax errors.
//! Invariant: no source makes it panic, overflow a stack or take long (see [`prepare`]).

mod analysis;
mod bindings;
mod builtins;
mod depth;
mod encoded;
mod facts;
mod fence;
mod imports;
mod key_hints;
mod lines;
mod literal_arguments;
mod lookalikes;
mod measures;
mod references;
mod repeats;
mod resolver;
mod shape;
mod tool_calls;

pub use analysis::{LONGEST_SOURCE, STACK_BYTES, prepare};
