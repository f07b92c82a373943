//! The response to a run: what `execute_code` returns, as stored and as sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{DataType, RunError, RunId};

/// The answer of `execute_code` and of `tidegate run --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Whether the program succeeded.
    pub success: bool,
    /// The program's output, if it is small enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// A summary of the output in under 500 tokens.
    pub summary: String,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Warnings of the type check, which did not stop the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the program printed, truncated to a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
    /// The name of the run in the store.
    pub run_id: RunId,
    /// The name of the file with the whole output, if it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The cost of the run.
    pub metrics: Metrics,
    /// Whether personal data was replaced by tokens.
    pub pii_tokenized: bool,
    /// How many values of each type were replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pii_counts: BTreeMap<DataType, u32>,
}

/// The cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// From the request to the end of the program.
    pub execution_ms: f64,
    /// Peak memory of the worker process, as the worker reports it.
    pub memory_bytes: u64,
    /// Tokens of `summary`, counted with o200k_base.
    pub tokens_in_summary: usize,
    /// The number of calls that the program made.
    pub tool_calls: u32,
}
