//! The end of a run with real values, as the run floor passes it on to be shown.
//!
//! Any stage that refuses a program ends its run too. Invariant: an [`Ended`] is made by the
//! functions here only; a private field keeps every other file from writing one down.

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
    _made_here: MadeHere,
}

struct MadeHere;

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

impl Ended {
    /// A run that has begun and done nothing yet: its worker's messages are added to it.
    pub(crate) fn begun() -> Self {
        Self {
            outcome: Ok(None),
            logs: String::new(),
            memory_bytes: 0,
            tool_calls: 0,
            warnings: Vec::new(),
            memory: HeldMemory::default(),
            _made_here: MadeHere,
        }
    }

    /// A run that was refused, or that has an error in place of its results.
    pub(crate) fn failed(error: RunError) -> Self {
        Self { outcome: Err(error), ..Self::begun() }
    }

    /// The same run with these texts in place of its own, and no share of any memory.
    pub(crate) fn with_texts(&self, outcome: Outcome, logs: String, warnings: Vec<String>) -> Self {
        let (memory_bytes, tool_calls) = (self.memory_bytes, self.tool_calls);
        Self { outcome, logs, warnings, memory_bytes, tool_calls, ..Self::begun() }
    }
}
