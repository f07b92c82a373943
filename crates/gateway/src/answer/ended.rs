//! The end of a run with real values, as the run floor passes it on to be shown.

use tidegate_model::RunError;
use tidegate_sandbox::FrameMemory;

use crate::answer::log_memory::LogMemory;

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
    /// Its shares of bounded memory.
    pub(crate) memory: HeldMemory,
}

/// Shares of bounded memory, held until the run is answered.
#[derive(Default)]
pub(crate) struct HeldMemory {
    /// Of the memory for large outputs.
    pub(crate) output: Option<FrameMemory>,
    /// Of the memory for what programs print.
    pub(crate) logs: Option<LogMemory>,
}

/// JSON text of the output, or why there is none.
pub(crate) type Outcome = Result<Option<String>, RunError>;

impl Default for Ended {
    fn default() -> Self {
        let (logs, warnings) = (String::new(), Vec::new());
        let memory = HeldMemory::default();
        Self { outcome: Ok(None), logs, memory_bytes: 0, tool_calls: 0, warnings, memory }
    }
}

impl Ended {
    /// A run that did not start.
    pub(crate) fn failed(error: RunError) -> Self {
        Self { outcome: Err(error), ..Self::default() }
    }
}
