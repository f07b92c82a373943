//! Findings about a program before it runs. They inform: they neither allow nor refuse
//! anything.

use serde::{Deserialize, Serialize};

/// Something in a program that a person may want to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name of the rule, built in or the user's, such as `python.process`.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Line of the program as written, from 1.
    pub line: u32,
    /// Column of the program as written, in characters, from 1.
    pub column: u32,
    /// The fact, with values in back-ticks and no full stop.
    pub message: String,
    /// What to do instead.
    pub suggestion: String,
}

/// How much a finding would matter without the jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Ordinary programs do it.
    Low,
    /// Few programs need it.
    Medium,
    /// Programs that try to escape do it.
    High,
    /// Only attacks do it.
    Critical,
}
