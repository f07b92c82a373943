//! The dictionary of names and common words: whether a word is a name, a common word, a place, a
//! month.
//!
//! In: a word as written in the text. Out: flags. Letters are folded first (case and accents),
//! so that `JOSÉ`, `José` and `jose` are one word. The table is made by `data/make.py`; `hash`
//! and `fold` must stay the same in both.

pub(crate) const GIVEN: u8 = 1;
pub(crate) const SURNAME: u8 = 2;
/// A given name in several countries, or a frequent one.
pub(crate) const STRONG_GIVEN: u8 = 4;
pub(crate) const STRONG_SURNAME: u8 = 8;
/// A common word of some language.
pub(crate) const COMMON: u8 = 16;
pub(crate) const PLACE: u8 = 32;
/// A month or a day of the week.
pub(crate) const CALENDAR: u8 = 64;
/// Among the three thousand most frequent English words.
pub(crate) const VERY_COMMON: u8 = 128;

static NAMES: &[u8] = include_bytes!("../data/names.bin");
static FOLD: &[u8] = include_bytes!("../data/fold.bin");

/// The flags of the word with this hash.
pub(crate) fn lookup(hash: u64) -> u8 {
    let (slots, _) = NAMES.as_chunks::<4>();
    let count = slots.len();
    let mut index = ((hash >> 32).wrapping_mul(count as u64) >> 32) as usize;
    let print = (hash & 0xFF_FFFF) as u32;
    for _ in 0..count {
        let slot = slots.get(index).map_or(0, |slot| u32::from_le_bytes(*slot));
        if slot == 0 {
            return 0;
        }
        if slot >> 8 == print {
            return (slot & 0xFF) as u8;
        }
        index = if index + 1 == count { 0 } else { index + 1 };
    }
    0
}

/// The flags of a word.
pub(crate) fn lookup_word(word: &str) -> u8 {
    lookup(hash(word))
}

/// The hash of the folded word. Apostrophes are ignored.
pub(crate) fn hash(word: &str) -> u64 {
    let bytes = word.as_bytes();
    if let Some(chunk) = short(bytes)
        && chunk & 0x8080_8080_8080_8080 == 0
        && !has_apostrophe(chunk)
    {
        // Lower-case letters and digits have this bit set; capitals get it here.
        let keep = u64::MAX >> (64 - bytes.len() * 8);
        return finish(step(START, chunk | (0x2020_2020_2020_2020 & keep)), bytes.len());
    }
    if let Some(hash) = long(bytes) {
        return hash;
    }
    let mut state = Hasher::new();
    for character in word.chars() {
        state.folded(character);
    }
    state.finish()
}

/// The hash of nine bytes or more of ASCII without apostrophes: the same result as letter by
/// letter, eight at a time.
fn long(bytes: &[u8]) -> Option<u64> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let last = if rest.is_empty() {
        0
    } else {
        u64::from_le_bytes(*bytes.last_chunk::<8>()?) >> (64 - rest.len() * 8)
    };
    let mut state = START;
    for chunk in chunks {
        state = step(state, small(u64::from_le_bytes(*chunk))?);
    }
    if !rest.is_empty() {
        state = step(state, small(last)?);
    }
    Some(finish(state, bytes.len()))
}

/// Eight bytes of ASCII in lower case.
fn small(chunk: u64) -> Option<u64> {
    let mut bytes = chunk.to_le_bytes();
    bytes.make_ascii_lowercase();
    (bytes.is_ascii() && !has_apostrophe(chunk)).then(|| u64::from_le_bytes(bytes))
}

/// The hash of the word at `start..end`. Faster than hashing the word alone, since eight bytes
/// can be read at once.
#[inline]
pub(crate) fn hash_at(text: &str, start: usize, end: usize) -> u64 {
    let length = end.saturating_sub(start);
    if (1..=8).contains(&length)
        && let Some(eight) = text.as_bytes().get(start..).and_then(<[u8]>::first_chunk::<8>)
    {
        let keep = u64::MAX >> (64 - length * 8);
        let chunk = u64::from_le_bytes(*eight) & keep;
        if chunk & 0x8080_8080_8080_8080 == 0 && !has_apostrophe(chunk) {
            return finish(step(START, chunk | (0x2020_2020_2020_2020 & keep)), length);
        }
    }
    hash(text.get(start..end).unwrap_or_default())
}

/// Whether one of the bytes is an apostrophe.
fn has_apostrophe(chunk: u64) -> bool {
    let zeros = chunk ^ 0x2727_2727_2727_2727;
    zeros.wrapping_sub(0x0101_0101_0101_0101) & !zeros & 0x8080_8080_8080_8080 != 0
}

/// One to eight bytes as a number, without a loop.
pub(crate) fn short(bytes: &[u8]) -> Option<u64> {
    let length = bytes.len();
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) if length <= 8 => Some(
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << ((length - 4) * 8),
        ),
        (None, _) => match *bytes {
            [a] => Some(u64::from(a)),
            [a, b] => Some(u64::from(u16::from_le_bytes([a, b]))),
            [a, b, c] => Some(u64::from(u32::from_le_bytes([a, b, c, 0]))),
            _ => None,
        },
        _ => None,
    }
}

const START: u64 = 0xCBF2_9CE4_8422_2325;

fn step(state: u64, chunk: u64) -> u64 {
    let state = (state ^ chunk).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    state ^ (state >> 32)
}

fn finish(state: u64, length: usize) -> u64 {
    let state = (state ^ length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state ^ (state >> 32)
}

/// The folded letter: without case and accents.
pub(crate) fn fold(character: char) -> char {
    let code = character as usize;
    let place = match code {
        0..0x80 => return character.to_ascii_lowercase(),
        0xC0..0x250 => code - 0xC0,
        0x1E00..0x1F00 => code - 0x1E00 + 0x190,
        _ => {
            let mut lower = character.to_lowercase();
            return match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => character,
            };
        }
    };
    FOLD.get(place).map_or(character, |&byte| char::from(byte))
}

/// A hash over folded letters, eight bytes at a time.
pub(crate) struct Hasher {
    state: u64,
    chunk: u64,
    length: usize,
}

impl Hasher {
    pub(crate) fn new() -> Self {
        Self { state: START, chunk: 0, length: 0 }
    }

    fn byte(&mut self, byte: u8) {
        self.chunk |= u64::from(byte) << (self.length % 8 * 8);
        self.length += 1;
        if self.length.is_multiple_of(8) {
            self.state = step(self.state, self.chunk);
            self.chunk = 0;
        }
    }

    pub(crate) fn folded(&mut self, character: char) {
        if character.is_ascii() {
            if character != '\'' {
                self.byte(character.to_ascii_lowercase() as u8);
            }
            return;
        }
        if character == '’' {
            return;
        }
        let mut buffer = [0; 4];
        for &byte in fold(character).encode_utf8(&mut buffer).as_bytes() {
            self.byte(byte);
        }
    }

    pub(crate) fn finish(&self) -> u64 {
        let rest =
            if self.length.is_multiple_of(8) { self.state } else { step(self.state, self.chunk) };
        finish(rest, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case_and_with_or_without_accents() {
        for word in ["José", "JOSE", "jose", "Müller", "muller", "Иван", "O'Brien", "O’Brien"]
        {
            assert_ne!(lookup_word(word) & (GIVEN | SURNAME), 0, "{word}");
        }
    }

    #[test]
    fn plain_words_places_and_months_are_told_apart() {
        assert_eq!(lookup_word("Elizabeth") & COMMON, 0);
        assert_ne!(lookup_word("Invoice") & COMMON, 0);
        assert_ne!(lookup_word("September") & CALENDAR, 0);
        assert_ne!(lookup_word("Germany") & PLACE, 0);
        assert_eq!(lookup_word("Xqzzkwv"), 0);
    }
}
