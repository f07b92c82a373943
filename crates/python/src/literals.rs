//! What the calls of tools are given, as far as it is written out.
//!
//! In: each call of a tool, with its arguments, while the program is followed. Out:
//! the same by the place of its brackets. Bounded: what is longer is not told.

use std::collections::{HashMap, HashSet};

use ruff_text_size::TextSize;
use serde_json::{Map, Value};

/// Longest literals of one call, and of all calls together, in bytes of JSON. As for
/// TypeScript.
const LONGEST: usize = 8 * 1024;
const ALL: usize = 128 * 1024;

/// What is known of calls of tools, by where their brackets open.
#[derive(Default)]
pub(crate) struct Noted {
    literals: HashMap<TextSize, Map<String, Value>>,
    repeated: HashSet<TextSize>,
    bytes: usize,
}

impl Noted {
    pub(crate) fn add(&mut self, at: TextSize, repeated: bool, literals: Map<String, Value>) {
        if repeated {
            self.repeated.insert(at);
        }
        if literals.is_empty() || self.bytes > ALL {
            return;
        }
        let bytes = serde_json::to_string(&literals).map_or(usize::MAX, |text| text.len());
        self.bytes = self.bytes.saturating_add(bytes);
        if bytes <= LONGEST && self.bytes <= ALL {
            self.literals.insert(at, literals);
        }
    }

    /// What one call is given, and whether it is made over and over.
    pub(crate) fn of(&self, at: TextSize) -> (Map<String, Value>, bool) {
        (self.literals.get(&at).cloned().unwrap_or_default(), self.repeated.contains(&at))
    }
}
