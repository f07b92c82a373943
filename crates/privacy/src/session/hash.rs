//! Keyed hashes, and what is built on them: maps and a filter.
//!
//! The values and the texts come from servers that may be hostile. The key is new for
//! every session, so nobody can prepare values that fall on one place, or two texts
//! with one hash: equal hashes are taken for equal texts.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// From a hash of ours to whatever.
pub(crate) type HashTo<T> = HashMap<u64, T, BuildHasherDefault<AlreadyHashed>>;

/// The key of a session.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    first: u64,
    second: u64,
}

impl Key {
    pub(crate) fn random() -> Self {
        let state = RandomState::new();
        Self { first: state.hash_one(1), second: state.hash_one(2) | 1 }
    }

    /// A hash of two numbers, in this order.
    #[inline]
    pub(crate) fn mix(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a ^ self.first) * u128::from(b ^ self.second);
        (product as u64) ^ ((product >> 64) as u64)
    }

    /// A hash of a text, where case does not count in ASCII.
    #[inline]
    pub(crate) fn folded(self, bytes: &[u8]) -> u64 {
        let (chunks, _) = bytes.as_chunks::<8>();
        let start =
            chunks.iter().fold(0, |hash, chunk| self.mix(hash, lower(u64::from_le_bytes(*chunk))));
        self.finish(start, bytes)
    }

    /// Ends the hash of a text, when all whole chunks of it went in.
    #[inline]
    fn finish(self, hash: u64, text: &[u8]) -> u64 {
        self.mix(self.mix(hash, lower(last_eight(text))), text.len() as u64 | 1 << 56)
    }

    /// A hash of a text in which case counts.
    #[inline]
    pub(crate) fn exact(self, salt: u64, bytes: &[u8]) -> u64 {
        let (chunks, _) = bytes.as_chunks::<8>();
        let start =
            chunks.iter().fold(salt, |hash, chunk| self.mix(hash, u64::from_le_bytes(*chunk)));
        self.mix(self.mix(start, last_eight(bytes)), bytes.len() as u64 | 1 << 56)
    }

    /// The hashes of the beginnings of a text that have these lengths, from short to
    /// long: as cheap as the longest of them alone.
    #[inline]
    pub(crate) fn beginnings(
        self,
        text: &[u8],
        lengths: impl Iterator<Item = usize>,
        mut each: impl FnMut(usize, u64),
    ) {
        let mut hash = 0;
        let mut done = 0;
        for length in lengths {
            if length > text.len() {
                return;
            }
            while done + 8 <= length {
                hash = self.mix(hash, lower(load(&text[done..done + 8])));
                done += 8;
            }
            each(length, self.finish(hash, &text[..length]));
        }
    }
}

/// The last eight bytes of a text as a number. Of a shorter one all of them, some twice:
/// with its length, it is as good.
#[inline]
fn last_eight(text: &[u8]) -> u64 {
    if let Some(eight) = text.last_chunk::<8>() {
        return u64::from_le_bytes(*eight);
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    load(text)
}

/// Up to eight bytes as a number.
#[inline]
pub(crate) fn load(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*chunk);
    }
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The bytes from `start` on, at most eight and at most `length`, as a number.
#[inline]
pub(crate) fn load_some(bytes: &[u8], start: usize, length: usize) -> u64 {
    match bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
        Some(chunk) if length >= 8 => u64::from_le_bytes(*chunk),
        Some(chunk) => u64::from_le_bytes(*chunk) & ((1 << (8 * length)) - 1),
        None => load(bytes.get(start..bytes.len().min(start + length)).unwrap_or_default()),
    }
}

/// Eight bytes with `A` to `Z` in lower case, all at once.
#[inline]
pub(crate) fn lower(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let after_z = low + (0x7f - b'Z' as u64) * ONES;
    let upper = (from_a ^ after_z) & !bytes & (0x80 * ONES);
    bytes | upper >> 2
}

/// A hasher for keys that are hashes.
#[derive(Default)]
pub(crate) struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = load(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Says of most numbers that were never added that they were not.
pub(crate) struct Filter {
    factor: u64,
    words: Vec<u64>,
    shift: u32,
    /// How many of the added were not there.
    new: usize,
    /// The hashes of all that were added, for when it grows.
    added: Vec<u64>,
}

impl Filter {
    pub(crate) fn new(key: Key) -> Self {
        Self { factor: key.second, words: vec![0; 64], shift: 64 - 6, new: 0, added: Vec::new() }
    }

    /// About one in 200 numbers that were not added passes.
    pub(crate) fn add(&mut self, number: u64) {
        let hash = self.hash(number);
        // Always: what passes now by chance may not pass when the filter has grown.
        self.added.push(hash);
        if self.has(number) {
            return;
        }
        self.set(hash);
        self.new += 1;
        // At least 16 bits for each: with many more it would not stay in the cache.
        if self.new * 16 > self.words.len() * 64 {
            self.words = vec![0; self.words.len() * 2];
            self.shift -= 1;
            let added = std::mem::take(&mut self.added);
            for hash in &added {
                self.set(*hash);
            }
            self.added = added;
        }
    }

    fn set(&mut self, hash: u64) {
        self.words[(hash >> self.shift) as usize] |= bit(hash, 42) | bit(hash, 36) | bit(hash, 30);
    }

    /// The bits are asked for one by one: most often the first says no, and to test one
    /// bit is a single instruction.
    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        let hash = self.hash(number);
        let word = self.words[(hash >> self.shift) as usize];
        word & bit(hash, 42) != 0 && word & bit(hash, 36) != 0 && word & bit(hash, 30) != 0
    }

    /// High bits of a product depend on all of the number.
    #[inline]
    fn hash(&self, number: u64) -> u64 {
        number.wrapping_mul(self.factor)
    }
}

#[inline]
fn bit(hash: u64, from: u32) -> u64 {
    1 << (hash >> from & 63)
}

#[cfg(test)]
mod tests {
    use super::{Filter, Key, load, load_some, lower};

    #[test]
    fn only_the_letters_of_ascii_are_lowered() {
        for byte in 0..=u8::MAX {
            let eight = u64::from_le_bytes([byte; 8]);
            assert_eq!(lower(eight).to_le_bytes(), [byte.to_ascii_lowercase(); 8]);
        }
    }

    #[test]
    fn beginnings_have_the_hash_of_the_text_alone() {
        let key = Key::random();
        let text = b"The quick brown fox jumps over the lazy dog";
        let mut seen = Vec::new();
        key.beginnings(text, (1..60).step_by(3), |length, hash| seen.push((length, hash)));
        let alone: Vec<(usize, u64)> = (1..=text.len())
            .step_by(3)
            .map(|length| (length, key.folded(&text[..length])))
            .collect();
        assert_eq!(seen, alone);
        assert_eq!(key.folded(b"JANE@X.ORG"), key.folded(b"jane@x.org"));
        assert_ne!(key.folded(b"jane"), key.folded(b"jane\0"));
        assert_ne!(key.exact(0, b"Jane"), key.exact(0, b"jane"));
        assert_eq!(load_some(b"xab..", 1, 2), load(b"ab"));
        assert_eq!(load_some(b"xab........", 1, 2), load(b"ab"));
        assert_eq!(load_some(b"x12345678..", 1, 9), load(b"12345678"));
        assert_eq!(load(b"ab"), u64::from_le_bytes(*b"ab\0\0\0\0\0\0"));
    }

    #[test]
    fn a_filter_passes_all_that_was_added_and_little_else() {
        let mut filter = Filter::new(Key::random());
        for number in 0..100_000_u64 {
            filter.add(number * number);
        }
        assert!((0..100_000_u64).all(|number| filter.has(number * number)));
        let others =
            (0..100_000_u64).filter(|number| filter.has(number * number + 0x1234_5678_9abc));
        assert!(others.count() < 6_000);
    }
}
