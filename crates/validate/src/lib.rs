//! Matches the facts about a program against rules, which are data.
//!
//! In: a [`Reading`](tidegate_model::reading::Reading) from a front end that parsed the
//! program, and rule files: the built-in ones in `patterns/` and those of the user. Out:
//! findings. This crate decides nothing and does no I/O: the jail is the security boundary,
//! findings only inform a person or the policy beforehand.
//!
//! Invariant: rules match facts, never text. Strings, comments and templates produce no
//! facts. The `bad` and `good` programs of a rule are its tests.

mod backtracking;
mod condition;
mod findings;
mod index;
mod path_pattern;
mod rule;
mod rule_file;
mod rule_file_error;
mod rules;
mod thresholds;

pub use rule::{Example, Expected};
pub use rule_file_error::RuleFileError;
pub use rules::ValidationRules;
