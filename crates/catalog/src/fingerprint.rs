//! Short fingerprints of definitions.

use sha2::{Digest, Sha256};
use tidegate_model::ToolDef;

/// SHA-256 of a tool's definition. Whatever is learned about a tool counts only
/// for the definition it was learned with.
pub fn definition_hash(tool: &ToolDef) -> String {
    let text = serde_json::to_vec(tool).unwrap_or_default();
    sha256_hex(&[&text])
}

/// SHA-256 as lower-case hex.
pub(crate) fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // Lengths keep `ab|c` and `a|bc` apart.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
