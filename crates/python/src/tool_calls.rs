//! The arguments of tool calls, as far as they are known.
//!
//! In: each tool call with its arguments, while the program is evaluated. Out: the same, by
//! the offset of the opening parenthesis. Bounded: larger literals are dropped.

use std::collections::{HashMap, HashSet};

use ruff_text_size::TextSize;
use tidegate_model::KnownArguments;

/// Maximum bytes of JSON for the arguments of one call, and of all calls together. The same as
/// for TypeScript.
const MAX_CALL_BYTES: usize = 8 * 1024;
const MAX_TOTAL_BYTES: usize = 128 * 1024;

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct ToolCallFacts {
    /// Server and tool, as far as they are known.
    pub(crate) tool: Option<(String, String)>,
    pub(crate) arguments: KnownArguments,
}

/// Tool calls, by the offset of their opening parenthesis.
#[derive(Default)]
pub(crate) struct ToolCalls {
    calls: HashMap<TextSize, ToolCallFacts>,
    repeated: HashSet<TextSize>,
    bytes: usize,
}

impl ToolCalls {
    pub(crate) fn add(&mut self, at: TextSize, repeated: bool, mut call: ToolCallFacts) {
        if repeated {
            self.repeated.insert(at);
        }
        let bytes = serde_json::to_string(&call.arguments).map_or(usize::MAX, |text| text.len());
        self.bytes = self.bytes.saturating_add(bytes);
        // A function may be evaluated several times: its arguments may differ.
        let differs = self.calls.get(&at).is_some_and(|known| known.arguments != call.arguments);
        if bytes > MAX_CALL_BYTES || self.bytes > MAX_TOTAL_BYTES || differs {
            call.arguments = KnownArguments::unknown();
        }
        self.calls.insert(at, call);
    }

    /// The tool of a call, as far as it is known.
    pub(crate) fn tool(&self, at: TextSize) -> Option<&(String, String)> {
        self.calls.get(&at)?.tool.as_ref()
    }

    /// The arguments of one call, and whether it is repeated.
    pub(crate) fn of(&self, at: TextSize) -> (KnownArguments, bool) {
        let known = self.calls.get(&at).map(|call| call.arguments.clone());
        (known.unwrap_or_else(KnownArguments::unknown), self.repeated.contains(&at))
    }
}
