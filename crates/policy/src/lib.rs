//! Decides which calls may happen.
//!
//! In: a resolved call, the tool's definition and what is granted. Out: a
//! [`Permit`] or a [`Denial`]. Pure: no clock, no disk, no network.
//!
//! Invariant: [`decide`](Policy::decide) is the only maker of a [`Permit`], and
//! the gateway's one way to the servers takes nothing else; a call that was not
//! decided on does not compile there. Direct calls, calls of programs and whatever comes later all pass
//! here.

mod alternatives;
mod arguments;
mod cost;
mod decide;
mod explain;
mod keys;
mod keywords;
mod mend;
mod place;
mod sample;
mod visits;
mod words;

pub use arguments::ArgumentProblem;
pub use decide::{Denial, Permit, Policy};
