//! Finds known values anywhere in a text, including in the middle of a word.
//!
//! At each place, six bytes of the text are tested against a filter of the first bytes of
//! all values. If they pass, a lookup gives the lengths of the values that begin with them,
//! and the hash of the text is looked up for each length. A place costs at most one lookup
//! for each length from 6 to 68, whatever the values are. Longer values are looked up by
//! their first 64 bytes in the same way; for them, all places together may read
//! [`LONG_WORK`] times the text. In a text made to exceed that, those 64 bytes are replaced
//! as if the value continued: nothing leaks, and the work stays linear.

use super::entries::{Id, KnownValue};
use super::hash::{Filter, HashMapOf, Key, TextHash, load};

/// The shortest value that is searched for.
pub(crate) const SHORTEST: usize = 6;
/// The longest. A private key of 4096 bits has 3,300 bytes.
pub(crate) const LONGEST: usize = 8192;
/// Lengths from [`SHORTEST`] up to this have a bit each.
const LONGEST_WITH_BIT: usize = SHORTEST + 62;
/// Longer values are grouped by this many of their first bytes.
const LONG_HEAD: usize = 64;
/// Lengths of long values that begin alike; values of further lengths are not found.
const MOST_LENGTHS: usize = 512;
/// How often the bytes of a text may be read for long values, on average.
pub(crate) const LONG_WORK: usize = 16;

/// Words of bits for all pairs of bytes.
const PAIRS: usize = 1 << 10;
const SIX_BYTES: u64 = (1 << 48) - 1;
const CASE: u64 = 0x2020_2020_2020_2020;
const HAS_LONG: u64 = 1 << 63;

struct LongHead {
    first: Id,
    lengths: Vec<usize>,
}

/// The known values, by their text.
pub(crate) struct SubstringIndex {
    key: Key,
    /// The first bytes of values that match anywhere.
    filter: Filter,
    /// The first two bytes of those: one load rejects most places.
    pairs: Vec<u64>,
    /// The first bytes of values that match only as a whole.
    whole: Filter,
    /// A bit for the first six bits of each value: the first character of its base64.
    sextets: u64,
    /// By the first six bytes, a bit for each length.
    heads: HashMapOf<u64>,
    long: HashMapOf<LongHead>,
    values: HashMapOf<KnownValue>,
}

impl SubstringIndex {
    pub(crate) fn new(key: Key) -> Self {
        Self {
            filter: Filter::new(&key),
            pairs: vec![0; PAIRS],
            whole: Filter::new(&key),
            sextets: 0,
            heads: HashMapOf::default(),
            long: HashMapOf::default(),
            values: HashMapOf::default(),
            key,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Reserves space for this many more.
    pub(crate) fn reserve(&mut self, values: usize) {
        self.values.reserve(values);
        self.heads.reserve(values / 2);
    }

    /// Whether a value begins with these six bits.
    #[inline]
    pub(crate) fn has_sextet(&self, sextet: u8) -> bool {
        self.sextets >> (sextet & 63) & 1 == 1
    }

    /// Whether a text may be the first six bytes of a value, in lower case.
    pub(crate) fn may_begin(&self, bytes: &[u8]) -> bool {
        let six = first_six(bytes);
        self.filter.has(six) || self.whole.has(six)
    }

    /// Adds a text that matches only as a whole; see [`Self::whole`].
    /// Returns the value that the text then stands for.
    pub(crate) fn add_whole(&mut self, text: &str, value: KnownValue) -> Option<Id> {
        if text.len() < SHORTEST {
            return None;
        }
        self.whole.add(first_six(text.as_bytes()));
        Some(self.add_value(text.as_bytes(), value))
    }

    /// Adds a text that matches anywhere, and as a whole. Returns the value it then stands for.
    pub(crate) fn add(&mut self, text: &str, value: KnownValue) -> Option<Id> {
        let bytes = text.as_bytes();
        if !(SHORTEST..=LONGEST).contains(&bytes.len()) {
            return None;
        }
        let id = self.add_value(bytes, value);
        let six = first_six(bytes);
        let lengths = self.heads.entry(self.key.eight(six)).or_default();
        if *lengths == 0 {
            self.filter.add(six);
            self.pairs[six as usize >> 6 & (PAIRS - 1)] |= 1 << (six & 63);
        }
        if bytes.len() <= LONGEST_WITH_BIT {
            *lengths |= 1 << (bytes.len() - SHORTEST);
            return Some(id);
        }
        *lengths |= HAS_LONG;
        let long = self.long.entry(self.key.folded(&bytes[..LONG_HEAD]));
        let long = long.or_insert(LongHead { first: value.id, lengths: Vec::new() });
        if let Err(place) = long.lengths.binary_search(&bytes.len())
            && long.lengths.len() < MOST_LENGTHS
        {
            long.lengths.insert(place, bytes.len());
        }
        Some(id)
    }

    /// The first of two values with the same text keeps it.
    fn add_value(&mut self, bytes: &[u8], value: KnownValue) -> Id {
        // In either case of its first letter.
        self.sextets |= 1 << (bytes[0].to_ascii_lowercase() >> 2);
        self.sextets |= 1 << (bytes[0].to_ascii_uppercase() >> 2);
        let known = self.values.entry(self.key.folded(bytes)).or_insert(value);
        if known.id == value.id {
            *known = value;
        }
        known.id
    }

    /// The value that is equal to all of these bytes.
    pub(crate) fn whole(&self, bytes: &[u8]) -> Option<KnownValue> {
        self.values.get(&self.key.folded(bytes)).copied()
    }

    /// Calls `found` with values, from left to right: at each place the longest that
    /// `accept` accepts, if it ends after all before it.
    pub(crate) fn find(
        &self,
        bytes: &[u8],
        accept: impl Fn(usize, usize, KnownValue) -> bool,
        mut found: impl FnMut(usize, usize, Id),
    ) {
        let mut work = LONG_WORK * bytes.len();
        let mut done = 0;
        let mut look = |at: usize, six: u64| {
            if let Some((end, id)) = self.at(bytes, at, six, &accept, &mut work)
                && end > done
            {
                done = end;
                found(at, end, id);
            }
        };
        let whole = bytes.array_windows::<8>();
        let last = whole.len();
        let pairs = self.pairs.first_chunk::<PAIRS>().unwrap_or(&[u64::MAX; PAIRS]);
        for (at, window) in whole.enumerate() {
            let six = (u64::from_le_bytes(*window) | CASE) & SIX_BYTES;
            let pair = pairs[six as usize >> 6 & (PAIRS - 1)] >> (six & 63);
            if pair & 1 == 1 && self.filter.has(six) {
                look(at, six);
            }
        }
        for at in last..(bytes.len() + 1).saturating_sub(SHORTEST) {
            let six = first_six(&bytes[at..]);
            if self.filter.has(six) {
                look(at, six);
            }
        }
    }

    fn at(
        &self,
        bytes: &[u8],
        start: usize,
        six: u64,
        accept: impl Fn(usize, usize, KnownValue) -> bool,
        work: &mut usize,
    ) -> Option<(usize, Id)> {
        let lengths = *self.heads.get(&self.key.eight(six))?;
        let text = &bytes[start..];
        let mut longest = None;
        let mut look = |length: usize, hash: TextHash| {
            if let Some(value) = self.values.get(&hash)
                && accept(start, start + length, *value)
            {
                longest = Some((start + length, value.id));
            }
        };
        let with_bit = bits(lengths & !HAS_LONG).map(|bit| bit + SHORTEST);
        self.key.beginnings(text, with_bit, &mut look);
        if lengths & HAS_LONG != 0
            && text.len() >= LONG_HEAD
            && let Some(long) = self.long.get(&self.key.folded(&text[..LONG_HEAD]))
        {
            let read = long.lengths.last().map_or(0, |most| *most.min(&text.len()));
            if *work < read {
                return Some((start + LONG_HEAD, long.first));
            }
            *work -= read;
            self.key.beginnings(text, long.lengths.iter().copied(), &mut look);
        }
        longest
    }
}

/// The first six bytes as a number, ignoring case.
#[inline]
fn first_six(bytes: &[u8]) -> u64 {
    (load(bytes) | CASE) & SIX_BYTES
}

/// Which bits are set, from low to high.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.checked_sub(1)?;
        Some(lowest as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::SubstringIndex;
    use crate::session::entries::{Id, KnownValue, Rule};
    use crate::session::hash::Key;

    fn found(values: &[String], text: &str) -> Vec<(usize, usize, Id)> {
        let mut index = SubstringIndex::new(Key::random());
        for (id, value) in (0..).zip(values) {
            assert_eq!(index.add(value, KnownValue { id, rule: Rule::Anywhere }), Some(id));
        }
        let mut seen = Vec::new();
        index.find(text.as_bytes(), |_, _, _| true, |start, end, id| seen.push((start, end, id)));
        seen
    }

    #[test]
    fn values_of_every_length_are_found_anywhere_the_longest_first() {
        let alphabet: String = (0..2000).map(|n| char::from(b'a' + (n * n % 26) as u8)).collect();
        let lengths = [6, 7, 8, 9, 15, 16, 17, 23, 24, 63, 64, 65, 68, 69, 70, 200, 2000];
        let values: Vec<String> =
            lengths.iter().map(|length| alphabet[..*length].to_owned()).collect();
        for (id, value) in (0..).zip(&values) {
            for before in ["", "x", "12345678"] {
                for after in ["", "!", " and more"] {
                    let text = format!("{before}{}{after}", value.to_uppercase());
                    let expected = (before.len(), before.len() + value.len(), id);
                    assert_eq!(found(&values, &text), [expected], "{text}");
                }
            }
        }
    }

    #[test]
    fn a_text_made_to_cost_time_has_the_beginnings_of_long_values_replaced() {
        let value = format!("{}b", "a".repeat(8000));
        let text = "a".repeat(100_000);
        let seen = found(&[value], &text);
        assert!(seen.iter().all(|(start, end, _)| end - start == 64));
        assert!(seen.len() > 1000);
    }
}
