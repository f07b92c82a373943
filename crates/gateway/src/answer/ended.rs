//! How a run ended, with real values: what the run floor hands over to be shown.

use tidegate_model::RunError;

/// How a run ended.
pub(crate) struct Ended {
    /// JSON text of the output, or why there is none.
    pub(crate) outcome: Outcome,
    /// What the program printed.
    pub(crate) logs: String,
    /// Peak memory of the worker, as it says itself, and no more than can be true.
    pub(crate) memory_bytes: u64,
    /// Calls the program made.
    pub(crate) tool_calls: u32,
    /// What its author is told beside the result.
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
    /// A run that did not begin.
    pub(crate) fn failed(error: RunError) -> Self {
        Self { outcome: Err(error), ..Self::default() }
    }
}
