//! Decides which calls may happen.
//!
//! In: a resolved call, the tool's definition and what is granted. Out: a
//! [`Permit`] or a [`Denial`]. Pure: no clock, no disk, no network.
//!
//! Invariant: [`decide`](Policy::decide) is the only maker of a [`Permit`], and
//! the gateway's one way to the servers takes nothing else; a call that was not
//! decided on does not compile there. Direct calls, calls of programs and whatever comes later all pass
//! here. Host commands have a permit of their own (`commands.rs`).

mod alternatives;
mod arguments;
mod commands;
mod cost;
mod decide;
mod explain;
mod keys;
mod keywords;
mod mend;
mod permissions;
mod place;
mod sample;
mod visits;
mod words;

pub use arguments::ArgumentProblem;
pub use commands::{CommandDenial, CommandPermit};
pub use decide::{Denial, Grants, Permit, Policy};
pub use permissions::{Permissions, Refusal, Rule};
