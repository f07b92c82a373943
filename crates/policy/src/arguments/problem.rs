//! A problem with the arguments of a call, worded for the caller.

/// A problem with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentProblem {
    /// The path as a program writes it: `labels[0].name`. Empty for the whole object.
    pub path: String,
    /// The problem without the path: "must be a string, got a number".
    pub problem: String,
    /// What to write instead, if that is clear.
    pub hint: Option<String>,
}
