//! Short fingerprints of definitions.

use sha2::{Digest, Sha256};

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
