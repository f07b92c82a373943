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
mod approved;
mod arguments;
mod commands;
mod cost;
mod decide;
mod effect;
mod explain;
mod explanation;
mod keys;
mod keywords;
mod mend;
mod permissions;
mod place;
mod risk;
mod rules;
mod sample;
mod visits;
mod words;

pub use approved::{Approved, subject_of_call, subject_of_text};
pub use arguments::ArgumentProblem;
pub use commands::{CommandDenial, CommandPermit};
pub use decide::{Denial, Grants, NeedsApproval, Permit, Policy, Standing};
pub use explanation::{Explanation, Question};
pub use permissions::{Permissions, Refusal, Rule};
pub use risk::risk;
pub use rules::{
    Considered, Fit, RuleError, RulePart, RuleProblem, Rules, Ruling, Specificity, Subject, Why,
    destroying_sql,
};
