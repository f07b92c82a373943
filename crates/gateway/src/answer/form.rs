//! The form that a person reads before they approve or deny.

use tidegate_model::RunId;

use crate::privacy::Redacted;

/// What a person is asked, in the order in which they read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The name of the question, as `tidegate approvals` takes it.
    pub id: String,
    /// The run that waits.
    pub run_id: RunId,
    /// One line: what is to happen.
    pub title: Redacted,
    /// The rest, line by line: why it is asked, risk, impact, code or arguments.
    pub details: Redacted,
}

impl Form {
    /// All of it.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.title, self.details)
    }
}
