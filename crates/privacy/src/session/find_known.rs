//! The index of known values, and the search for them.
//!
//! In: values, then a text. Out: where known values occur. A text is read twice: once
//! by bytes, for values that match anywhere, and once by words, whose boundaries are computed
//! for 64 bytes at a time. Both are linear, whatever values are known.

use tidegate_model::DataType;

use super::canonical::core;
use super::encoded::{self, encoded_at};
use super::entries::{Entries, Entry, Id, KnownValue, Rule};
use super::escapes::is_word;
use super::hash::Key;
use super::known_numbers::{NumberIndex, dialled, with_prefix};
use super::masks::Masks;
use super::substrings::{self, SubstringIndex};
use super::words::{WordIndex, char_at, words_in};

/// A number with fewer digits must stand alone: with many known numbers, one of them
/// would soon occur inside some other number.
const DISTINCTIVE_DIGITS: usize = 10;
/// The fewest characters of a value in base64 or hexadecimal.
const SHORTEST_CODE: usize = 8;

/// A known value in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) id: Id,
}

/// How a text is found by its bytes; in encoded form it is always found as a whole.
#[derive(Clone, Copy)]
enum Match {
    Whole,
    Anywhere,
}

/// The known values.
pub(crate) struct Index {
    substrings: SubstringIndex,
    words: WordIndex,
    numbers: NumberIndex,
    longest: usize,
}

impl Index {
    pub(crate) fn new(key: Key) -> Self {
        Self {
            substrings: SubstringIndex::new(key.clone()),
            words: WordIndex::new(key.clone()),
            numbers: NumberIndex::new(key),
            longest: 0,
        }
    }

    /// The length of the longest value.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// Reserves space for this many more names and other values.
    pub(crate) fn reserve(&mut self, names: usize, others: usize) {
        self.words.reserve(names);
        self.substrings.reserve(names + others);
    }

    /// The value with this canonical form, if it is searched for by it.
    pub(crate) fn get(&self, data_type: DataType, canonical: &str) -> Option<Id> {
        let value = match data_type {
            DataType::Person | DataType::Org | DataType::Address => self.words.get(canonical),
            _ => self.substrings.whole(canonical.as_bytes()),
        };
        value.map(|value| value.id)
    }

    /// Adds a value by its rule. Returns whether [`Self::get`] is certain to find it.
    pub(crate) fn add(&mut self, id: Id, entry: &Entry, value: &str, canonical: &str) -> bool {
        let known = KnownValue { id, rule: entry.rule };
        self.longest = self.longest.max(value.len().min(substrings::LONGEST));
        match entry.rule {
            Rule::Detected => false,
            Rule::SameCase => self.words.add(canonical, known) == Some(id),
            Rule::Anywhere | Rule::Words => {
                self.add_searched(entry.data_type, known, value, canonical)
            }
        }
    }

    fn add_searched(
        &mut self,
        data_type: DataType,
        known: KnownValue,
        value: &str,
        canonical: &str,
    ) -> bool {
        let mut name = None;
        let is_name = matches!(data_type, DataType::Person | DataType::Org | DataType::Address);
        let how = match data_type {
            DataType::Phone
            | DataType::Ssn
            | DataType::NationalId
            | DataType::CreditCard
            | DataType::Iban => self.add_number(canonical, known),
            _ if is_name && known.rule == Rule::Words => {
                name = self.words.add(canonical, known);
                if name.is_some() { Match::Whole } else { Match::Anywhere }
            }
            _ => Match::Anywhere,
        };
        let mut text = self.add_text(value, how, known);
        if !value.eq_ignore_ascii_case(canonical) {
            text = self.add_text(canonical, how, known);
        }
        (if is_name { name } else { text }) == Some(known.id)
    }

    /// Adds a number for any grouping of its digits. Returns how its text is to be found.
    fn add_number(&mut self, canonical: &str, known: KnownValue) -> Match {
        let number = canonical.strip_prefix('+').unwrap_or(canonical);
        let number = number.split('x').next().unwrap_or(number);
        let is_number = self.numbers.add(number, known.id);
        for way in dialled(canonical) {
            self.numbers.add(&way, known.id);
        }
        let digits = number.bytes().filter(u8::is_ascii_digit).count();
        if is_number && digits < DISTINCTIVE_DIGITS && digits == number.len() {
            return Match::Whole;
        }
        self.substrings.add(number, known);
        Match::Anywhere
    }

    /// Returns the value that the text then stands for.
    fn add_text(&mut self, text: &str, how: Match, known: KnownValue) -> Option<Id> {
        match how {
            Match::Whole if text.len() > encoded::LONGEST => None,
            Match::Whole => self.substrings.add_whole(text, known),
            Match::Anywhere => {
                if !text.is_ascii() {
                    self.substrings.add(&text.to_lowercase(), known);
                    self.substrings.add(&text.to_uppercase(), known);
                }
                self.substrings.add(text, known)
            }
        }
    }

    /// The phone number that is dialled like this, if it is known in another form.
    pub(crate) fn phone(&self, entries: &Entries, canonical: &str) -> Option<Id> {
        let (end, id) = self.numbers.digits_at(canonical.as_bytes(), 0)?;
        let is_phone = entries.get(id)?.data_type == DataType::Phone;
        (end == canonical.len() && is_phone).then_some(id)
    }

    /// All known values in a text; they may overlap.
    pub(crate) fn find(&self, entries: &Entries, bytes: &[u8], hits: &mut Vec<Hit>) {
        if !self.substrings.is_empty() {
            self.substrings.find(
                bytes,
                |start, end, value| matches_rule(entries, bytes, start, end, value),
                |start, end, id| hits.push(Hit { start, end, id }),
            );
        }
        if !self.words.is_empty() || !self.substrings.is_empty() || !self.numbers.is_empty() {
            Search { index: self, entries, bytes, hits, words_done: 0, digits_done: 0 }.run();
        }
    }
}

/// The search by words.
struct Search<'a> {
    index: &'a Index,
    entries: &'a Entries,
    bytes: &'a [u8],
    hits: &'a mut Vec<Hit>,
    /// The end of the last hit.
    words_done: usize,
    digits_done: usize,
}

impl Search<'_> {
    fn run(&mut self) {
        let has_digits = self.index.numbers.has_digits();
        let mut before = Masks::default();
        for (number, block) in self.bytes.chunks(64).enumerate() {
            let masks = Masks::of(block);
            let base = number * 64;
            for bit in masks.word_starts(before) {
                let length = masks.word_length(bit);
                let start = base + bit;
                let mut end = start + length;
                let mut ascii = masks.is_ascii(bit, length);
                if bit + length == 64 {
                    end += self.bytes[end..].iter().take_while(|byte| is_word(**byte)).count();
                    ascii = self.bytes[start..end].is_ascii();
                }
                self.words(start, end, ascii);
            }
            if has_digits {
                for bit in masks.digit_starts(before) {
                    self.digits(base + bit);
                }
            }
            before = masks;
        }
    }

    fn words(&mut self, start: usize, end: usize, ascii: bool) {
        if ascii {
            if self.index.words.may_begin(self.bytes, start, end) {
                self.name(start);
            }
            self.code(start, end);
            return;
        }
        let bytes = self.bytes;
        words_in(&bytes[start..end], |word| {
            let word = start + word;
            self.name(word);
            let ascii = bytes[word..end].iter().take_while(|byte| byte.is_ascii()).count();
            self.code(word, word + ascii);
        });
    }

    fn name(&mut self, start: usize) {
        // Names that begin inside a found name are skipped: the last word of one that extends
        // beyond it can still match on its own.
        if self.index.words.is_empty() || start < self.words_done {
            return;
        }
        let (entries, bytes) = (self.entries, self.bytes);
        let accept = |end, name| matches_rule(entries, bytes, start, end, name);
        if let Some((mut end, id)) = self.index.words.name_at(bytes, start, accept) {
            // The canonical form has no punctuation at its ends; `Acme Inc.` does.
            if bytes.get(end) == Some(&b'.')
                && entries.get(id).is_some_and(|entry| entries.value(entry).ends_with('.'))
            {
                end += 1;
            }
            self.word_hit(start, end, id);
        }
    }

    /// A value in base64 or hexadecimal, or a number with letters.
    fn code(&mut self, start: usize, end: usize) {
        let continues = matches!(self.bytes.get(end), Some(b'+' | b'/' | b'-' | b'_'));
        if (end - start >= SHORTEST_CODE || continues)
            && !self.index.substrings.is_empty()
            && let Some((end, id)) = encoded_at(self.bytes, start, end, &self.index.substrings)
        {
            self.word_hit(start, end, id);
        } else if self.index.numbers.has_mixed()
            && let Some((end, id)) = self.index.numbers.mixed_at(self.bytes, start)
        {
            self.word_hit(start, end, id);
        }
    }

    /// A hit that ends before an earlier one is inside it.
    fn word_hit(&mut self, start: usize, end: usize, id: Id) {
        if end > self.words_done {
            self.words_done = end;
            self.hits.push(Hit { start, end, id });
        }
    }

    fn digits(&mut self, start: usize) {
        let Some((end, id)) = self.index.numbers.digits_at(self.bytes, start) else { return };
        if end <= self.digits_done {
            return;
        }
        let number = &self.bytes[start..end];
        let digits = number.iter().filter(|byte| byte.is_ascii_digit()).count();
        if digits >= DISTINCTIVE_DIGITS || is_whole(self.bytes, start, end) {
            self.digits_done = end;
            self.hits.push(Hit { start: with_prefix(self.bytes, start, end), end, id });
        }
    }
}

/// Whether the bytes of a text are the value, by its rule.
#[inline]
fn matches_rule(
    entries: &Entries,
    bytes: &[u8],
    start: usize,
    end: usize,
    value: KnownValue,
) -> bool {
    let is_same = |entry: &Entry| bytes[start..end] == *core(entries.value(entry)).as_bytes();
    match value.rule {
        Rule::Detected => false,
        Rule::Anywhere => true,
        Rule::Words => is_whole(bytes, start, end),
        Rule::SameCase => is_whole(bytes, start, end) && entries.get(value.id).is_some_and(is_same),
    }
}

/// Whether no letter or digit is adjacent.
fn is_whole(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    !is_letter(char_before(bytes, start)) && !is_letter(char_at(bytes, end))
}

fn char_before(bytes: &[u8], at: usize) -> Option<char> {
    let first = (1..=4.min(at)).find(|back| bytes[at - back] & 0xc0 != 0x80)?;
    char_at(bytes, at - first)
}
