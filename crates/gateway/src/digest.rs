//! Digests of text, for records and file names.

use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal digits.
pub(crate) fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
