//! Keyed hashes, and the maps and the filter built on them.
//!
//! Values and texts come from servers that may be hostile, and the maps treat equal hashes
//! as equal texts, so two different texts must not have the same hash. This is proven, not
//! assumed:
//!
//! * A text is mapped to numbers below 2³⁴, from which it can be read back: eight bytes become
//!   two numbers of 32 bits, and a larger number with the length ends the text.
//! * The numbers are multiplied by secret, random keys, one for each place, and added up
//!   modulo the prime `p = 2⁶¹ − 1`. When the keys are used up, the sum continues as the
//!   first number of the next block. So a text is a polynomial in the keys, different texts
//!   are different polynomials, and the degree `d` is the number of blocks of 1 kB. Two of
//!   them have the same value with a probability of at most `d / p` (Schwartz and Zippel).
//! * A hash is two such sums with independent keys. Two texts have one hash with a
//!   probability of `(d / p)²`: 2⁻¹²² up to 1 kB, 2⁻¹¹⁵ for the longest values (8 kB).
//! * Nobody sees a hash or a key, so a server that tries texts one after the other learns
//!   nothing from those that did not collide. A million values against 2⁴⁶ places of a text
//!   (64 lengths at each byte of a terabyte) collide with a probability below 2⁻⁴⁸.
//!
//! Every session has its own keys, so nobody can prepare values that share a bucket of a
//! map either.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::Arc;

/// A map by the hash of a text.
pub(crate) type HashMapOf<T> = HashMap<TextHash, T, BuildHasherDefault<AlreadyHashed>>;

/// The modulus, a prime.
const P: u64 = (1 << 61) - 1;
/// Numbers from here on end a text: its length is added.
const END: u64 = 1 << 32;
/// Numbers from here on stand for single items: a character between words, a type.
const SINGLE: u64 = 1 << 33;
/// One key for each number of a block, and one for the sum of the blocks before it. Chosen:
/// few values are longer, and the keys fit into the cache.
const KEYS: usize = 1 + 256;

/// The hash of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextHash([u64; 2]);

impl Hash for TextHash {
    /// Maps use the highest bits too, which are all zero in a number below 2⁶¹.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0] ^ self.0[1] << 3);
    }
}

/// The hash of the input so far, not yet reduced.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    sums: [u128; 2],
    /// The key of the next number.
    next: usize,
}

impl Sum {
    /// The empty sum. The first key is for the blocks before, of which there are none.
    pub(crate) const EMPTY: Self = Self { sums: [0; 2], next: 1 };

    #[inline]
    fn add(&mut self, keys: [u64; 2], number: u64) {
        self.sums[0] += u128::from(keys[0]) * u128::from(number);
        self.sums[1] += u128::from(keys[1]) * u128::from(number);
    }

    #[inline]
    pub(crate) fn hash(&self) -> TextHash {
        TextHash(self.sums.map(reduce))
    }
}

/// The keys of a session.
#[derive(Clone)]
pub(crate) struct Key {
    keys: Arc<[[u64; 2]; KEYS]>,
    /// For filters, whose timing may reveal something about it; so it is not one of the keys.
    factor: u64,
}

impl Key {
    pub(crate) fn random() -> Self {
        let state = RandomState::new();
        let key = |number: usize| state.hash_one(number) % P;
        let keys = std::array::from_fn(|place| [key(2 * place), key(2 * place + 1)]);
        Self { keys: Arc::new(keys), factor: state.hash_one("filter") | 1 }
    }

    /// Adds one number below 2³³.
    #[inline]
    pub(crate) fn add(&self, sum: &mut Sum, number: u64) {
        self.add_number(sum, SINGLE | number);
    }

    /// The hash of two numbers below 2³³.
    #[inline]
    pub(crate) fn pair(&self, a: u64, b: u64) -> TextHash {
        let mut sum = Sum::EMPTY;
        self.add(&mut sum, a);
        self.add(&mut sum, b);
        sum.hash()
    }

    /// The hash of up to eight bytes of a known length.
    #[inline]
    pub(crate) fn eight(&self, bytes: u64) -> TextHash {
        let mut sum = Sum::EMPTY;
        self.add_eight(&mut sum, bytes);
        sum.hash()
    }

    #[inline]
    fn add_number(&self, sum: &mut Sum, number: u64) {
        if sum.next == KEYS {
            *sum = self.next_block(*sum);
        }
        sum.add(self.keys[sum.next], number);
        sum.next += 1;
    }

    #[inline]
    fn add_eight(&self, sum: &mut Sum, bytes: u64) {
        let (low, high) = (bytes & 0xffff_ffff, bytes >> 32);
        if let Some([first, second]) = self.keys[sum.next..].first_chunk::<2>() {
            sum.add(*first, low);
            sum.add(*second, high);
            sum.next += 2;
        } else {
            self.add_number(sum, low);
            self.add_number(sum, high);
        }
    }

    /// Adds the end of a text, after all whole chunks of it.
    #[inline]
    fn add_end(&self, sum: &mut Sum, last: u64, length: usize) {
        self.add_eight(sum, last);
        self.add_number(sum, END | (length as u64 & (END - 1)));
    }

    /// By value, so that the sum stays in registers elsewhere.
    #[cold]
    fn next_block(&self, sum: Sum) -> Sum {
        let [a, b] = sum.hash().0;
        let [first, second] = self.keys[0];
        let sums = [u128::from(first) * u128::from(a), u128::from(second) * u128::from(b)];
        Sum { sums, next: 1 }
    }

    /// The hash of a text, ignoring ASCII case.
    #[inline]
    pub(crate) fn folded(&self, bytes: &[u8]) -> TextHash {
        let mut sum = Sum::EMPTY;
        self.add_folded(&mut sum, bytes);
        sum.hash()
    }

    /// Adds a text, ignoring ASCII case.
    #[inline]
    pub(crate) fn add_folded(&self, sum: &mut Sum, bytes: &[u8]) {
        for chunk in bytes.as_chunks::<8>().0 {
            self.add_eight(sum, lower(u64::from_le_bytes(*chunk)));
        }
        self.add_end(sum, lower(last_eight(bytes)), bytes.len());
    }

    /// The case-sensitive hash of a text, preceded by a number.
    #[inline]
    pub(crate) fn exact(&self, number: u64, bytes: &[u8]) -> TextHash {
        let mut sum = Sum::EMPTY;
        self.add(&mut sum, number);
        for chunk in bytes.as_chunks::<8>().0 {
            self.add_eight(&mut sum, u64::from_le_bytes(*chunk));
        }
        self.add_end(&mut sum, last_eight(bytes), bytes.len());
        sum.hash()
    }

    /// The hashes of the prefixes of a text with these lengths, in increasing order: as cheap as
    /// the longest of them alone.
    #[inline]
    pub(crate) fn beginnings(
        &self,
        text: &[u8],
        lengths: impl Iterator<Item = usize>,
        mut each: impl FnMut(usize, TextHash),
    ) {
        let mut sum = Sum::EMPTY;
        let mut done = 0;
        for length in lengths {
            if length > text.len() {
                return;
            }
            while done + 8 <= length {
                self.add_eight(&mut sum, lower(load(&text[done..done + 8])));
                done += 8;
            }
            let mut whole = sum;
            self.add_end(&mut whole, lower(last_eight(&text[..length])), length);
            each(length, whole.hash());
        }
    }
}

/// A number below 2¹²⁴ modulo [`P`]. A sum is: a product of two numbers below `P` has 122
/// bits, and those of 256 numbers below 2³⁴ have 103 together.
#[inline]
fn reduce(number: u128) -> u64 {
    let sum = (number as u64 & P) + (number >> 61) as u64;
    let sum = (sum & P) + (sum >> 61);
    if sum >= P { sum - P } else { sum }
}

/// The last eight bytes of a text as a number. For a shorter one all its bytes, some twice:
/// together with the length, this is just as good.
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
fn lower(bytes: u64) -> u64 {
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

/// A Bloom filter: rejects most numbers that were never added.
pub(crate) struct Filter {
    factor: u64,
    words: Vec<u64>,
    shift: u32,
    /// How many of the added numbers were not in the filter before.
    new: usize,
    /// The hashes of all that were added, for when it grows.
    added: Vec<u64>,
}

impl Filter {
    pub(crate) fn new(key: &Key) -> Self {
        Self { factor: key.factor, words: vec![0; 64], shift: 64 - 6, new: 0, added: Vec::new() }
    }

    /// About one in 200 numbers that were not added passes.
    pub(crate) fn add(&mut self, number: u64) {
        let hash = self.hash(number);
        // Always: a number that passes now by chance may not pass after the filter has grown.
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

    /// Tests the bits one by one: mostly the first one is zero, and testing one bit is a single
    /// instruction.
    #[inline]
    pub(crate) fn has(&self, number: u64) -> bool {
        let hash = self.hash(number);
        let word = self.words[(hash >> self.shift) as usize];
        word & bit(hash, 42) != 0 && word & bit(hash, 36) != 0 && word & bit(hash, 30) != 0
    }

    /// The high bits of a product depend on all of the number.
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
    use super::{END, Filter, KEYS, Key, P, SINGLE, Sum, TextHash};
    use super::{last_eight, load, load_some, lower};

    /// The numbers of a text, as the proof has them.
    fn numbers(text: &[u8]) -> Vec<u64> {
        let chunks = text.chunks_exact(8).map(load);
        let halves = chunks.chain([last_eight(text)]).flat_map(|eight| {
            let (low, high) = (eight as u32, (eight >> 32) as u32);
            [u64::from(low), u64::from(high)]
        });
        halves.chain([END + text.len() as u64]).collect()
    }

    /// The text that has these numbers.
    fn read_back(numbers: &[u64]) -> Vec<u8> {
        let length = (numbers[numbers.len() - 1] - END) as usize;
        let halves = &numbers[..numbers.len() - 1];
        let bytes: Vec<u8> = halves.iter().flat_map(|half| (*half as u32).to_le_bytes()).collect();
        let (chunks, last) = bytes.split_at(bytes.len() - 8);
        let rest = length - chunks.len();
        match length {
            0..4 => last[..length].to_vec(),
            4..8 => [&last[..4], &last[8 - (length - 4)..]].concat(),
            _ => [chunks, &last[8 - rest..]].concat(),
        }
    }

    /// The value of the polynomial with these numbers, computed without optimizations.
    fn expected(key: &Key, numbers: &[u64]) -> TextHash {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b) % u128::from(P);
        TextHash([0, 1].map(|lane| {
            numbers.chunks(KEYS - 1).fold(0, |before, block| {
                let of_block = block.iter().zip(&key.keys[1..]);
                let sum: u128 = of_block.map(|(number, keys)| product(keys[lane], *number)).sum();
                ((sum + product(key.keys[0][lane], before)) % u128::from(P)) as u64
            })
        }))
    }

    #[test]
    fn a_hash_is_two_values_of_the_polynomial_of_the_text() {
        let letters: Vec<u8> = (0..=255).cycle().take(8192).collect();
        let largest = [255; 8192];
        for key in [Key::random(), Key::random()] {
            for length in (0..80).chain(1000..1050).chain([8191, 8192]) {
                for text in [&letters[..length], &largest[..length]] {
                    let exact = [&[SINGLE + 7], &numbers(text)[..]].concat();
                    assert_eq!(key.exact(7, text), expected(&key, &exact));
                    let folded = numbers(&text.to_ascii_lowercase());
                    assert_eq!(key.folded(text), expected(&key, &folded));
                }
            }
            let mut sum = Sum::EMPTY;
            key.add_folded(&mut sum, b"Jane");
            key.add(&mut sum, 32);
            key.add_folded(&mut sum, b"Doe");
            let several = [&numbers(b"jane")[..], &[SINGLE + 32], &numbers(b"doe")].concat();
            assert_eq!(sum.hash(), expected(&key, &several));
            assert_eq!(key.pair(3, 4), expected(&key, &[SINGLE + 3, SINGLE + 4]));
            assert_eq!(key.eight(3 << 32 | 4), expected(&key, &[4, 3]));
        }
    }

    #[test]
    fn a_text_can_be_read_back_from_its_numbers() {
        let text: Vec<u8> = (1..=255).collect();
        for length in 0..=text.len() {
            assert_eq!(read_back(&numbers(&text[..length])), &text[..length]);
        }
        // The end of a text differs from the numbers before it, and from single numbers.
        assert!(numbers(&[255; 20]).iter().rev().skip(1).all(|number| *number < END));
        assert!(END + u64::from(u32::MAX) < SINGLE);
    }

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
        let alone: Vec<(usize, TextHash)> = (1..=text.len())
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
        let mut filter = Filter::new(&Key::random());
        for number in 0..100_000_u64 {
            filter.add(number * number);
        }
        assert!((0..100_000_u64).all(|number| filter.has(number * number)));
        let others =
            (0..100_000_u64).filter(|number| filter.has(number * number + 0x1234_5678_9abc));
        assert!(others.count() < 6_000);
    }
}
