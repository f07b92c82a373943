//! The answer of a run, as the client gets it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{DataType, RunError, RunId};

/// The answer of `execute_code` and of `tidegate run --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Whether the program ended without an error.
    pub success: bool,
    /// The program's output, if it is small enough to be sent whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What the output is, in under 500 tokens.
    pub summary: String,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// What the type check noticed, which did not keep the program from running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the program printed, cut to a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
    /// The run's name in the store.
    pub run_id: RunId,
    /// Names the file with the whole output, if it was too large to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// What the run cost.
    pub metrics: Metrics,
    /// Whether personal data was replaced by tokens.
    pub pii_tokenized: bool,
    /// How many values of each type were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pii_counts: BTreeMap<DataType, u32>,
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// From the request to the end of the program.
    pub execution_ms: f64,
    /// Peak memory of the worker process, as it says itself.
    pub memory_bytes: u64,
    /// Tokens of `summary`, counted with o200k_base.
    pub tokens_in_summary: usize,
    /// Calls the program made.
    pub tool_calls: u32,
}
