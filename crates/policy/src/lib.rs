//! Decides which calls may happen.
//!
//! In: a resolved call, the tool's definition and what is granted. Out: a
//! [`Permit`] or a [`Denial`]. Pure: no clock, no disk, no network.
//!
//! Invariant: only [`decide`](Policy::decide) makes a [`Permit`], and the gateway's only
//! path to the servers accepts nothing else, so an undecided call does not compile there.
//! Direct calls and calls from programs take the same path. Host commands have their own
//! permit (`commands.rs`).

mod approved;
mod arguments;
mod commands;
mod decide;
mod effect;
mod explanation;
mod permissions;
mod risk;
mod rules;
mod shell;
mod sql;

pub use approved::{Approved, CallSubject, Uses, subject_of_text};
pub use arguments::problem::ArgumentProblem;
pub use commands::{CommandDenial, CommandPermit};
pub use decide::{CallContext, Denial, Grants, NeedsApproval, Permit, Policy};
pub use effect::CallEffect;
pub use explanation::{ExplainRequest, Explanation};
pub use permissions::{Permissions, ProfileRefusal, ProfileRule};
pub use risk::risk;
pub use rules::{
    RuleError, RuleEvaluation, RuleInput, RuleMatch, RulePart, RuleProblem, Rules, Ruling,
    RulingReason, Specificity,
};
