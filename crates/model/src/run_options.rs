//! What one run asks for beside its program. Each option can only narrow what is configured.

use serde::{Deserialize, Serialize};

/// What one run asks for. It keeps them when it is resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Less memory than the configured limit.
    pub memory_bytes: Option<u64>,
    /// Whether a person approves the program in any case.
    pub needs_approval: bool,
    /// What the program is for, in the words of its author: a label for people.
    pub action: Option<String>,
}

impl RunOptions {
    /// The most characters of an action that are shown and recorded.
    pub const ACTION_CHARS: usize = 200;
}
