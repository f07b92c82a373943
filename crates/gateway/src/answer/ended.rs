//! The end of a run with real values, as the run floor passes it on to be shown.

use tidegate_model::RunError;

/// How a run ended.
pub(crate) struct Ended {
    /// JSON text of the output, or why there is none.
    pub(crate) outcome: Outcome,
    /// What the program printed.
    pub(crate) logs: String,
    /// Peak memory of the worker as it reports itself, capped at a plausible value.
    pub(crate) memory_bytes: u64,
    /// Calls the program made.
    pub(crate) tool_calls: u32,
    /// Warnings for its author, sent with the result.
    pub(crate) warnings: Vec<String>,
}

/// JSON text of the output, or why there is none.
pub(crate) type Outcome = Result<Option<String>, RunError>;

impl Default for Ended {
    fn default() -> Self {
        let (logs, warnings) = (String::new(), Vec::new());
        Self { outcome: Ok(None), logs, memory_bytes: 0, tool_calls: 0, warnings }
    }
}

impl Ended {
    /// A run that did not start.
    pub(crate) fn failed(error: RunError) -> Self {
        Self { outcome: Err(error), ..Self::default() }
    }
}
