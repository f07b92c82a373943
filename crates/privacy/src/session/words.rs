//! Finds known names in a text: whole words, one after the other.
//!
//! A trie whose steps are hashes: each prefix of a known name, word by word, is in one map.
//! At each word of a text the trie is followed as far as possible, so that a text costs the
//! same whether one name is known or a hundred thousand with the same first word. Words are
//! compared folded (see [`super::canonical`]); any whitespace counts as one space, and so does
//! `+` (as in a URL); other characters between words must match.

use super::canonical::{fold_into, is_word_char};
use super::entries::{Id, KnownValue, Rule};
use super::escapes::is_word;
use super::hash::{Filter, HashMapOf, Key, Sum, TextHash, load_some};

/// Names of more words are not in this index.
const MOST_WORDS: usize = 12;
/// No name has a longer word. A text may, and each word is read once for every word before it.
const LONGEST_WORD: usize = 96;
/// Characters between two words of a name.
const LONGEST_BREAK: usize = 6;

/// Makes eight bytes equal that differ only in case, and some others; for filters.
const CASE: u64 = 0x2020_2020_2020_2020;

struct TrieNode {
    /// The name that ends here, or [`NO_NAME`]. Small, since there are many.
    name: KnownValue,
    /// A longer name continues from here.
    more: bool,
}

const NO_NAME: KnownValue = KnownValue { id: Id::MAX, rule: Rule::Detected };

/// The known names.
pub(crate) struct WordIndex {
    key: Key,
    steps: HashMapOf<TrieNode>,
    /// The first bytes of first words.
    firsts: Filter,
}

/// The end of a part of a name, and the hash of the name so far.
struct PartialName {
    end: usize,
    sum: Sum,
}

impl WordIndex {
    pub(crate) fn new(key: Key) -> Self {
        Self { firsts: Filter::new(&key), key, steps: HashMapOf::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Reserves space for this many more.
    pub(crate) fn reserve(&mut self, names: usize) {
        self.steps.reserve(2 * names);
    }

    /// Adds a name by its canonical form. Returns the name that the form then stands for; `None`
    /// if it cannot be found: it must begin with a word and not have too many words.
    pub(crate) fn add(&mut self, canonical: &str, name: KnownValue) -> Option<Id> {
        let bytes = canonical.as_bytes();
        let mut path = [Sum::EMPTY.hash(); MOST_WORDS];
        let count = self.path(bytes, &mut path)?;
        let mut id = None;
        for (index, hash) in path[..count].iter().enumerate() {
            let known = self.steps.len();
            let step = self.steps.entry(*hash).or_insert(TrieNode { name: NO_NAME, more: false });
            if index + 1 < count {
                step.more = true;
            } else if step.name == NO_NAME || step.name.id == name.id {
                step.name = name;
            }
            id = Some(step.name.id);
            if index == 0 && self.steps.len() > known {
                let first = bytes.iter().take_while(|byte| is_word(**byte)).count();
                self.firsts.add(first_bytes(bytes, 0, first));
            }
        }
        id
    }

    /// The name with this canonical form.
    pub(crate) fn get(&self, canonical: &str) -> Option<KnownValue> {
        let mut path = [Sum::EMPTY.hash(); MOST_WORDS];
        let count = self.path(canonical.as_bytes(), &mut path)?;
        let step = self.steps.get(path.get(count.checked_sub(1)?)?)?;
        (step.name != NO_NAME).then_some(step.name)
    }

    /// The hash after each word of a name, and how many there are.
    fn path(&self, bytes: &[u8], path: &mut [TextHash; MOST_WORDS]) -> Option<usize> {
        let mut before = PartialName { end: 0, sum: Sum::EMPTY };
        for (count, place) in path.iter_mut().enumerate() {
            let word = self.word_after(bytes, &before)?;
            *place = word.sum.hash();
            if word.end == bytes.len() {
                return Some(count + 1);
            }
            before = self.break_after(bytes, &word)?;
        }
        None
    }

    /// Whether an ASCII word may be the first of a name.
    #[inline]
    pub(crate) fn may_begin(&self, bytes: &[u8], start: usize, end: usize) -> bool {
        self.firsts.has(first_bytes(bytes, start, end))
    }

    /// The longest name that begins with the word at `start` and that `accept` accepts: its end,
    /// and its id.
    pub(crate) fn name_at(
        &self,
        bytes: &[u8],
        start: usize,
        accept: impl Fn(usize, KnownValue) -> bool,
    ) -> Option<(usize, Id)> {
        let mut longest = None;
        let mut before = PartialName { end: start, sum: Sum::EMPTY };
        for _ in 0..MOST_WORDS {
            let Some(word) = self.word_after(bytes, &before) else { break };
            let Some(step) = self.steps.get(&word.sum.hash()) else { break };
            if step.name != NO_NAME && accept(word.end, step.name) {
                longest = Some((word.end, step.name.id));
            }
            if !step.more {
                break;
            }
            let Some(next) = self.break_after(bytes, &word) else { break };
            before = next;
        }
        longest
    }

    fn word_after(&self, bytes: &[u8], before: &PartialName) -> Option<PartialName> {
        let start = before.end;
        let limit = bytes.len().min(start + LONGEST_WORD);
        let ascii =
            bytes[start..limit].iter().take_while(|byte| is_word(**byte) && byte.is_ascii());
        let end = start + ascii.count();
        if bytes.get(end).is_none_or(u8::is_ascii) {
            let fits = end > start && end < start + LONGEST_WORD;
            return fits.then(|| self.with_word(before, end, &bytes[start..end]));
        }
        let mut end = start;
        while let Some(char) = char_at(&bytes[..limit], end).filter(|char| is_word_char(*char)) {
            end += char.len_utf8();
        }
        let word = str::from_utf8(&bytes[start..end]).ok()?;
        if word.is_empty() || end + 4 > start + LONGEST_WORD {
            return None;
        }
        let mut folded = String::with_capacity(word.len());
        fold_into(&mut folded, word);
        Some(self.with_word(before, end, folded.as_bytes()))
    }

    fn with_word(&self, before: &PartialName, end: usize, word: &[u8]) -> PartialName {
        let mut sum = before.sum;
        self.key.add_folded(&mut sum, word);
        PartialName { end, sum }
    }

    /// The characters between two words: their end is where the next word begins.
    fn break_after(&self, bytes: &[u8], word: &PartialName) -> Option<PartialName> {
        let start = word.end;
        let mut at = start;
        let mut sum = word.sum;
        let mut blank = false;
        for _ in 0..LONGEST_BREAK {
            let char = char_at(bytes, at)?;
            if is_word_char(char) {
                return (at > start).then_some(PartialName { end: at, sum });
            }
            let is_blank = char.is_whitespace() || (char == '+' && at == start);
            if !(is_blank && blank) {
                let code = match char {
                    _ if is_blank => ' ',
                    '’' | 'ʼ' => '\'',
                    other => other,
                };
                self.key.add(&mut sum, u64::from(code));
            }
            blank = is_blank;
            at += char.len_utf8();
        }
        None
    }
}

/// The starts of words in bytes with non-ASCII characters, where punctuation and letters
/// look alike.
pub(crate) fn words_in(bytes: &[u8], mut each: impl FnMut(usize)) {
    let mut at = 0;
    let mut inside = false;
    while at < bytes.len() {
        let (length, is_word) = match char_at(bytes, at) {
            Some(char) => (char.len_utf8(), is_word_char(char)),
            None => (1, false),
        };
        if is_word && !inside {
            each(at);
        }
        inside = is_word;
        at += length;
    }
}

/// The character at a place, if there is a whole one.
pub(crate) fn char_at(bytes: &[u8], at: usize) -> Option<char> {
    let first = *bytes.get(at)?;
    let length = match first {
        0..0x80 => return Some(char::from(first)),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
        _ => return None,
    };
    str::from_utf8(bytes.get(at..at + length)?).ok()?.chars().next()
}

#[inline]
fn first_bytes(bytes: &[u8], start: usize, end: usize) -> u64 {
    load_some(bytes, start, end - start) | CASE
}

#[cfg(test)]
mod tests {
    use super::{WordIndex, words_in};
    use crate::session::entries::{KnownValue, Rule};
    use crate::session::hash::Key;

    fn index(names: &[&str]) -> WordIndex {
        let mut index = WordIndex::new(Key::random());
        for (id, name) in (0..).zip(names) {
            assert_eq!(index.add(name, KnownValue { id, rule: Rule::Words }), Some(id));
        }
        index
    }

    #[test]
    fn the_longest_name_is_found_in_any_case_and_spacing() {
        let index = index(&["jane", "jane doe", "jane doe-smith", "jörg o'neill"]);
        let at = |text: &str| index.name_at(text.as_bytes(), 0, |_, _| true);
        assert_eq!(at("Jane is"), Some((4, 0)));
        assert_eq!(at("JANE   DOE is"), Some((10, 1)));
        assert_eq!(at("jane\u{a0}doe"), Some((9, 1)));
        assert_eq!(at("jane+doe"), Some((8, 1)));
        assert_eq!(at("Jane Doe-Smith"), Some((14, 2)));
        assert_eq!(at("Jane Doe Smith"), Some((8, 1)));
        assert_eq!(at("JÖRG O’NEILL"), Some(("JÖRG O’NEILL".len(), 3)));
        assert_eq!(at("Janet Doe"), None);
        assert!(index.may_begin(b"JANE DOE", 0, 4));
        assert!(index.may_begin(b"x Jane", 2, 6));
    }

    #[test]
    fn words_beyond_ascii_begin_after_punctuation_beyond_ascii() {
        let text = "“Jane”—Jörg, x";
        let mut seen = Vec::new();
        words_in(text.as_bytes(), |at| seen.push(&text[at..]));
        assert_eq!(seen, ["Jane”—Jörg, x", "Jörg, x", "x"]);
    }
}
