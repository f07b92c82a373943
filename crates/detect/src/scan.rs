//! The state of one scan: the candidates so far, and what the detectors share.
//!
//! Detectors look at a piece of the document and report offsets in that piece; `base` is the
//! offset of the piece in the document.

use tidegate_model::DataType;

use crate::byte_class::{CLASS, LETTER, floor_char};
use crate::dictionary::short;
use crate::keys::{KeyClass, classify};
use crate::lexicon::Lexicon;
use crate::options::Rules;

/// A possible span, before overlaps are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) data_type: DataType,
    /// Of two overlapping candidates the higher rank wins.
    pub(crate) rank: u8,
}

/// Validated by format or check digit.
pub(crate) const CHECKED: u8 = 9;
/// Classed by its key.
pub(crate) const KEYED: u8 = 6;
/// Found in prose.
pub(crate) const PROSE: u8 = 3;

/// How many keys are cached; a power of two.
const CACHE: usize = 512;

pub(crate) struct Scan<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) lexicon: Lexicon,
    pub(crate) out: Vec<Candidate>,
    pub(crate) base: usize,
    /// The key says that the value names a thing or a place: names in it are not people.
    pub(crate) names_suppressed: bool,
    cache: Vec<(u64, KeyClass)>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            lexicon: Lexicon::get(),
            out: Vec::new(),
            base: 0,
            names_suppressed: false,
            cache: vec![(0, KeyClass::Unknown); CACHE],
        }
    }

    /// Adds a candidate in the current piece.
    pub(crate) fn add(&mut self, start: usize, end: usize, data_type: DataType, rank: u8) {
        if start < end && self.rules.wants(data_type) {
            self.out.push(Candidate {
                start: start + self.base,
                end: end + self.base,
                data_type,
                rank,
            });
        }
    }

    /// The class of a key, cached: the keys of a document repeat.
    pub(crate) fn key(&mut self, key: &str) -> KeyClass {
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

    /// The flags of up to `words` words before an offset, on its line.
    pub(crate) fn flags_before(&self, text: &str, at: usize, words: usize) -> u32 {
        let mut flags = 0;
        let mut end = at;
        for _ in 0..words {
            let Some((start, stop)) = word_before(text, end, at.saturating_sub(64)) else { break };
            flags |= self.lexicon.word_at(text, start, stop);
            end = start;
        }
        flags
    }

    /// The flags of up to `words` words after an offset, on its line.
    pub(crate) fn flags_after(&self, text: &str, at: usize, words: usize) -> u32 {
        let bytes = text.as_bytes();
        let mut flags = 0;
        let mut start = at;
        for _ in 0..words {
            while bytes.get(start).is_some_and(|b| matches!(b, b' ' | b'(' | b',' | b'[' | b'"'))
                && start < at + 12
            {
                start += 1;
            }
            let end = crate::byte_class::run_end(bytes, start, LETTER);
            if end == start || end - start > 24 {
                break;
            }
            flags |= self.lexicon.word_at(text, start, end);
            start = end;
        }
        flags
    }
}

/// The word before an offset and on its line, not further back than `limit`.
pub(crate) fn word_before(text: &str, at: usize, limit: usize) -> Option<(usize, usize)> {
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

/// A fast hash of the raw bytes.
pub(crate) fn raw_hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let (chunks, _) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash ^= hash >> 32;
    }
    // The last eight bytes, which may overlap the last chunk; for a shorter text, all of it.
    let last = bytes.last_chunk::<8>().map(|eight| u64::from_le_bytes(*eight));
    hash = (hash ^ last.or_else(|| short(bytes)).unwrap_or_default())
        .wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 29)
}
