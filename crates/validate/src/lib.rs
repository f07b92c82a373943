//! Judges what was read out of a program, by rules that are data.
//!
//! In: a [`Reading`](tidegate_model::reading::Reading), made by a front end that
//! parsed the program, and rule files: ours in `patterns/`, and those of users. Out:
//! findings. Nothing is allowed or refused here, and nothing is read or written:
//! the jail is the wall, this is what a person or a policy is told before.
//!
//! A rule is about facts, never about text: what stands in a string, a comment or
//! a template has no fact. Its `bad` and `good` programs are its tests.

mod backtracking;
mod condition;
mod error;
mod file;
mod findings;
mod index;
mod path_pattern;
mod rule;
mod rules;
mod thresholds;

pub use error::RuleError;
pub use rule::{Example, Expected};
pub use rules::Rules;
