//! A set of pairs of bytes that rejects most candidates with one load.
//!
//! In: a list of texts, each of two bytes or more. Out: whether any of them begins (or ends)
//! with two given bytes, without a hundred comparisons.

/// A bit for every pair.
pub(crate) struct BytePairs([u64; 1024]);

impl BytePairs {
    pub(crate) const fn new() -> Self {
        Self([0; 1024])
    }

    pub(crate) const fn with(mut self, first: u8, second: u8) -> Self {
        let pair = (first as usize) << 8 | second as usize;
        self.0[pair >> 6] |= 1 << (pair & 63);
        self
    }

    /// The pairs that the texts begin with.
    pub(crate) const fn of_starts(texts: &[&str]) -> Self {
        let mut pairs = Self::new();
        let mut index = 0;
        while index < texts.len() {
            let bytes = texts[index].as_bytes();
            pairs = pairs.with(bytes[0], bytes[1]);
            index += 1;
        }
        pairs
    }

    /// The pairs that the texts end with.
    pub(crate) const fn of_ends(texts: &[&str]) -> Self {
        let mut pairs = Self::new();
        let mut index = 0;
        while index < texts.len() {
            let bytes = texts[index].as_bytes();
            pairs = pairs.with(bytes[bytes.len() - 2], bytes[bytes.len() - 1]);
            index += 1;
        }
        pairs
    }

    pub(crate) fn may(&self, first: u8, second: u8) -> bool {
        let pair = usize::from(first) << 8 | usize::from(second);
        self.0.get(pair >> 6).is_some_and(|bits| bits >> (pair & 63) & 1 == 1)
    }
}
