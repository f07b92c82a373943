//! The form that a person reads before they approve or deny.

use tidegate_model::RunId;

use crate::privacy::Redacted;

/// The question to a person, in the order in which they read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The id of the question, as `tidegate approvals` takes it.
    pub id: String,
    /// The run that waits.
    pub run_id: RunId,
    /// One line: what will happen.
    pub title: Redacted,
    /// The rest, line by line: why approval is needed, risk, impact, code or arguments.
    pub details: Redacted,
}

impl Form {
    /// The whole form.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.title, self.details)
    }
}
