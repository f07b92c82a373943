//! Errors in a rule, with the next step for its author.

use tidegate_model::Decision;

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule `{rule}` at {place}: {problem}")]
pub struct RuleError {
    /// The name of the rule.
    pub rule: String,
    /// Where the rule or its example is defined.
    pub place: String,
    /// What is wrong.
    pub problem: RuleProblem,
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleProblem {
    /// An invalid regular expression, or one that is too large.
    #[error("`{0}` is not a supported regular expression")]
    Expression(String),
    /// `sql` in an `allow` rule.
    #[error("`sql` is used in an `allow` rule, but detecting SQL verbs is only a best effort")]
    SqlAllows,
    /// An example fails.
    #[error("the example expects `{expected}`, got `{actual}` from {by}")]
    Example {
        /// What it expects.
        expected: Decision,
        /// What was decided.
        actual: Decision,
        /// What decided it.
        by: String,
    },
}

impl RuleProblem {
    /// What to do next.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Expression(_) => {
                "look-around and back-references are not supported, and the compiled expression \
                 must not exceed 256 KB"
            }
            Self::SqlAllows => {
                "use `sql` only in rules that ask or deny, and allow with a separate rule"
            }
            Self::Example { .. } => {
                "correct the rule or the example; `tidegate policy test` shows each step"
            }
        }
    }
}
