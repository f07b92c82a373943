//! One scan: what was found so far, and what the finders share.
//!
//! Finders look at a piece of the document and report places in that piece; `base` is
//! where the piece stands in the document.

use tidegate_model::DataType;

use super::class::{CLASS, LETTER, floor_char};
use super::keys::{KeyClass, classify};
use super::lexicon::Lexicon;
use super::options::Rules;
use super::words::short;

/// A find, before overlaps are settled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) data_type: DataType,
    /// Of two finds at one place the higher rank stays.
    pub(super) rank: u8,
}

/// Checked by form or check digit.
pub(super) const CHECKED: u8 = 9;
/// Labelled by its key.
pub(super) const LABELLED: u8 = 6;
/// A find in prose.
pub(super) const PROSE: u8 = 3;

/// How many keys are remembered; a power of two.
const CACHE: usize = 512;

pub(super) struct Run<'a> {
    pub(super) rules: &'a Rules,
    pub(super) lexicon: Lexicon,
    pub(super) out: Vec<Found>,
    pub(super) base: usize,
    /// The key says that the value names a thing or a place: names in it are not people.
    pub(super) quiet: bool,
    cache: Vec<(u64, KeyClass)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            lexicon: Lexicon::get(),
            out: Vec::new(),
            base: 0,
            quiet: false,
            cache: vec![(0, KeyClass::Unknown); CACHE],
        }
    }

    /// Notes a find in the piece at hand.
    pub(super) fn add(&mut self, start: usize, end: usize, data_type: DataType, rank: u8) {
        if start < end && self.rules.wants(data_type) {
            self.out.push(Found {
                start: start + self.base,
                end: end + self.base,
                data_type,
                rank,
            });
        }
    }

    /// The class of a key, remembered: the keys of a document repeat.
    pub(super) fn key(&mut self, key: &str) -> KeyClass {
        if key.len() > 64 || key.is_empty() {
            return KeyClass::Unknown;
        }
        let hash = raw_hash(key.as_bytes()) | 1;
        let rules = self.rules;
        let Some(slot) = self.cache.get_mut((hash >> 32) as usize & (CACHE - 1)) else {
            return KeyClass::Unknown;
        };
        if slot.0 != hash {
            *slot = (hash, classify(key, &|joined| rules.keys.contains(&joined)));
        }
        slot.1
    }

    /// The flags of the words before a place, on its line: at most `words` of them.
    pub(super) fn flags_before(&self, text: &str, at: usize, words: usize) -> u32 {
        let mut flags = 0;
        let mut end = at;
        for _ in 0..words {
            let Some((start, stop)) = word_before(text, end, at.saturating_sub(64)) else { break };
            flags |= self.lexicon.word_at(text, start, stop);
            end = start;
        }
        flags
    }

    /// The flags of the words behind a place, on its line.
    pub(super) fn flags_after(&self, text: &str, at: usize, words: usize) -> u32 {
        let bytes = text.as_bytes();
        let mut flags = 0;
        let mut start = at;
        for _ in 0..words {
            while bytes.get(start).is_some_and(|b| matches!(b, b' ' | b'(' | b',' | b'[' | b'"'))
                && start < at + 12
            {
                start += 1;
            }
            let end = super::class::run_end(bytes, start, LETTER);
            if end == start || end - start > 24 {
                break;
            }
            flags |= self.lexicon.word_at(text, start, end);
            start = end;
        }
        flags
    }
}

/// The word before a place and on its line, not further back than `limit`.
pub(super) fn word_before(text: &str, at: usize, limit: usize) -> Option<(usize, usize)> {
    let window = text.as_bytes().get(limit..at)?;
    let is_letter = |byte: &u8| CLASS[usize::from(*byte)] & LETTER != 0;
    let last = window.iter().rposition(|byte| is_letter(byte) || *byte == b'\n')?;
    if window[last] == b'\n' {
        return None;
    }
    let head = &window[..last];
    let before = head.iter().rposition(|byte| !is_letter(byte)).map_or(0, |place| place + 1);
    let end = limit + last + 1;
    let start = floor_char(text, limit + before);
    (start < end).then_some((start, end))
}

/// A fast hash of bytes as they are.
pub(super) fn raw_hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let (chunks, _) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash ^= hash >> 32;
    }
    // The last eight bytes, some of them again; of a shorter text all that it has.
    let last = bytes.last_chunk::<8>().map(|eight| u64::from_le_bytes(*eight));
    hash = (hash ^ last.or_else(|| short(bytes)).unwrap_or_default())
        .wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 29)
}

/// Sorts by the start, the longer first. The finds are nearly in order: a few steps of each
/// are cheaper than a sort, which is there for when the steps become many.
fn order(found: &mut [Found]) {
    let key = |find: &Found| (find.start, usize::MAX - find.end);
    let mut steps = found.len() * 4;
    for place in 1..found.len() {
        let mut at = place;
        while at > 0 && key(&found[at]) < key(&found[at - 1]) {
            if steps == 0 {
                found.sort_by_key(key);
                return;
            }
            found.swap(at - 1, at);
            steps -= 1;
            at -= 1;
        }
    }
}

/// Sorts the finds and settles overlaps: the higher rank stays, then the longer one; what
/// sticks out of the loser on one side stays too.
pub(super) fn settle(mut found: Vec<Found>) -> Vec<Found> {
    // Most texts have no overlaps at all: nothing to settle.
    if found.is_sorted_by(|one, next| one.end <= next.start) {
        return found;
    }
    order(&mut found);
    let mut settled: Vec<Found> = Vec::with_capacity(found.len());
    for mut find in found {
        loop {
            let Some(last) = settled.last_mut() else {
                settled.push(find);
                break;
            };
            if find.start >= last.end {
                settled.push(find);
                break;
            }
            let inner = find.end <= last.end;
            let stronger = find.rank > last.rank
                || (find.rank == last.rank && find.end - find.start > last.end - last.start);
            if !stronger {
                if inner {
                    break;
                }
                find.start = last.end;
                continue;
            }
            // The stronger one takes its part; the weaker keeps the part before it.
            let tail = Found { start: find.end, ..*last };
            if find.start > last.start {
                last.end = find.start;
                settled.push(find);
            } else {
                *last = find;
            }
            if inner && tail.start < tail.end {
                settled.push(tail);
            }
            break;
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(start: usize, end: usize, rank: u8) -> Found {
        Found { start, end, data_type: DataType::Custom, rank }
    }

    fn borders(found: Vec<Found>) -> Vec<(usize, usize)> {
        settle(found).iter().map(|find| (find.start, find.end)).collect()
    }

    #[test]
    fn the_higher_rank_stays_and_the_rest_of_the_lower_too() {
        assert_eq!(borders(vec![find(0, 10, 3), find(4, 6, 9)]), [(0, 4), (4, 6), (6, 10)]);
        assert_eq!(borders(vec![find(0, 10, 9), find(4, 16, 3)]), [(0, 10), (10, 16)]);
        assert_eq!(borders(vec![find(0, 10, 3), find(8, 16, 9)]), [(0, 8), (8, 16)]);
        assert_eq!(
            borders(vec![find(0, 10, 9), find(2, 5, 3), find(20, 25, 3)]),
            [(0, 10), (20, 25)]
        );
    }
}
