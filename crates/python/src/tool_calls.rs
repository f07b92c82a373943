//! The literal arguments of tool calls.
//!
//! In: each tool call with its arguments, while the program is evaluated. Out: the same, by
//! the offset of the opening parenthesis. Bounded: larger literals are dropped.

use std::collections::{HashMap, HashSet};

use ruff_text_size::TextSize;
use serde_json::{Map, Value};

/// Maximum bytes of JSON for the literals of one call, and of all calls together. The same as
/// for TypeScript.
const MAX_CALL_BYTES: usize = 8 * 1024;
const MAX_TOTAL_BYTES: usize = 128 * 1024;

/// Literals and repetition of tool calls, by the offset of their opening parenthesis.
#[derive(Default)]
pub(crate) struct ToolCallLiterals {
    literals: HashMap<TextSize, Map<String, Value>>,
    repeated: HashSet<TextSize>,
    bytes: usize,
}

impl ToolCallLiterals {
    pub(crate) fn add(&mut self, at: TextSize, repeated: bool, literals: Map<String, Value>) {
        if repeated {
            self.repeated.insert(at);
        }
        if literals.is_empty() || self.bytes > MAX_TOTAL_BYTES {
            return;
        }
        let bytes = serde_json::to_string(&literals).map_or(usize::MAX, |text| text.len());
        self.bytes = self.bytes.saturating_add(bytes);
        if bytes <= MAX_CALL_BYTES && self.bytes <= MAX_TOTAL_BYTES {
            self.literals.insert(at, literals);
        }
    }

    /// The literal arguments of one call, and whether it is repeated.
    pub(crate) fn of(&self, at: TextSize) -> (Map<String, Value>, bool) {
        (self.literals.get(&at).cloned().unwrap_or_default(), self.repeated.contains(&at))
    }
}
