//! Finds known numbers in a text, however their digits are grouped.
//!
//! A number begins at the start of a run of digits and ends at the end of one; between runs
//! are single separators (`555-123 4567`, `(555) 123.4567`). Numbers with letters (an IBAN,
//! many national numbers) begin and end with a word. At every place, no more is read than
//! the length of the longest known number.

use super::entries::Id;
use super::escapes::is_word;
use super::hash::{HashMapOf, Key, Sum};

/// The fewest digits of a number that is searched for: shorter ones are years, prices, counts.
pub(crate) const FEWEST: usize = 7;
/// An IBAN has at most 34 characters; phone numbers 15, with their `00`.
const MOST: usize = 36;
/// `) ` and `) -` are separators.
const LONGEST_BREAK: usize = 3;

/// The known numbers.
pub(crate) struct NumberIndex {
    key: Key,
    ids: HashMapOf<Id>,
    /// A bit for each length of known numbers, of digits only and with letters.
    digits: u64,
    mixed: u64,
    /// A bit for each pair of bytes that a number with letters begins with.
    pairs: Vec<u64>,
}

impl NumberIndex {
    pub(crate) fn new(key: Key) -> Self {
        Self { key, ids: HashMapOf::default(), digits: 0, mixed: 0, pairs: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn has_digits(&self) -> bool {
        self.digits != 0
    }

    pub(crate) fn has_mixed(&self) -> bool {
        self.mixed != 0
    }

    /// Adds a number without its separators. Returns whether it can be found.
    pub(crate) fn add(&mut self, number: &str, id: Id) -> bool {
        let bytes = number.as_bytes();
        let fits = (FEWEST..=MOST).contains(&bytes.len());
        if !fits || !bytes.iter().all(u8::is_ascii_alphanumeric) {
            return false;
        }
        let mut sum = Sum::EMPTY;
        bytes.iter().for_each(|&byte| self.add_byte(&mut sum, byte));
        self.ids.entry(sum.hash()).or_insert(id);
        if bytes.iter().all(u8::is_ascii_digit) {
            self.digits |= 1 << bytes.len();
        } else {
            self.mixed |= 1 << bytes.len();
            self.pairs.resize(0x400, 0);
            let (word, bit) = pair(bytes[0], bytes[1]);
            self.pairs[word] |= bit;
        }
        true
    }

    fn add_byte(&self, sum: &mut Sum, byte: u8) {
        self.key.add(sum, u64::from(byte.to_ascii_lowercase()));
    }

    /// The longest known number of digits that begins with the run of digits at `start`.
    pub(crate) fn digits_at(&self, bytes: &[u8], start: usize) -> Option<(usize, Id)> {
        // Most runs of digits are too short for a number and need not be hashed.
        let fewest = self.digits.trailing_zeros() as usize;
        let few = bytes[start..].iter().take(fewest).take_while(|byte| byte.is_ascii_digit());
        let end = start + few.count();
        if end - start < fewest && after_break(bytes, end) == end {
            return None;
        }
        self.longest(bytes, start, self.digits, |byte| byte.is_ascii_digit())
    }

    /// The longest known number with letters that begins with the word at `start`.
    pub(crate) fn mixed_at(&self, bytes: &[u8], start: usize) -> Option<(usize, Id)> {
        let first = *bytes.get(start)?;
        let second = bytes[start + 1..].iter().take(1 + LONGEST_BREAK).find(|byte| is_word(**byte));
        let (word, bit) = pair(first, *second?);
        if self.pairs.get(word)? & bit == 0 {
            return None;
        }
        self.longest(bytes, start, self.mixed, is_word)
    }

    /// `same` says which bytes belong to a number. The number ends between two bytes of which
    /// only the first belongs to it.
    #[inline]
    fn longest(
        &self,
        bytes: &[u8],
        start: usize,
        lengths: u64,
        same: impl Fn(u8) -> bool,
    ) -> Option<(usize, Id)> {
        let most = (u64::BITS - lengths.leading_zeros()) as usize;
        let (mut at, mut count, mut sum) = (start, 0, Sum::EMPTY);
        let mut longest = None;
        while let Some(&byte) =
            bytes.get(at).filter(|byte| byte.is_ascii_alphanumeric() && same(**byte))
        {
            self.add_byte(&mut sum, byte);
            count += 1;
            at += 1;
            if count > most {
                break;
            }
            if bytes.get(at).is_some_and(|next| same(*next)) {
                continue;
            }
            if lengths >> count & 1 == 1
                && let Some(id) = self.ids.get(&sum.hash())
            {
                longest = Some((at, *id));
            }
            at = after_break(bytes, at);
        }
        longest
    }
}

/// The start of a number, including the characters before its first digit: `+`, and the
/// bracket that closes inside it.
pub(crate) fn with_prefix(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut start = start;
    if bytes[..start].ends_with(b"(") && bytes[start..end].contains(&b')') {
        start -= 1;
    }
    if bytes[..start].ends_with(b"+") {
        start -= 1;
    }
    start
}

fn after_break(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    for _ in 0..LONGEST_BREAK {
        at += match &bytes[at..] {
            [b' ' | b'-' | b'.' | b'/' | b'(' | b')' | b'_', ..] => 1,
            // No-break space; thin spaces, hyphens and dashes of other lengths.
            [0xc2, 0xa0, ..] => 2,
            [0xe2, 0x80, 0x89 | 0x90..=0x94 | 0xaf, ..] => 3,
            _ => break,
        };
    }
    at
}

fn pair(first: u8, second: u8) -> (usize, u64) {
    let fold = |byte: u8| usize::from(byte.to_ascii_lowercase());
    let pair = fold(first) << 8 | fold(second);
    (pair >> 6, 1 << (pair & 63))
}

/// Other ways to dial an international number: with `00`, and inside its country
/// with and without a leading zero. `number` is its canonical form.
pub(crate) fn dialled(number: &str) -> Vec<String> {
    let Some(digits) = number.strip_prefix('+') else { return Vec::new() };
    let mut ways = vec![format!("00{digits}")];
    if let Some(national) = digits.get(country_code_length(digits)..)
        // Short ones are other people's numbers in other places.
        && national.len() >= 8
    {
        ways.push(national.to_owned());
        ways.push(format!("0{national}"));
    }
    ways
}

/// By the zones of ITU-T E.164: 1 and 7 are whole zones, the countries with two digits
/// are listed, all others have three.
fn country_code_length(digits: &str) -> usize {
    let number = |length: usize| digits.get(..length).and_then(|code| code.parse::<u32>().ok());
    if matches!(number(1), Some(1 | 7)) {
        return 1;
    }
    match number(2) {
        Some(
            20
            | 27
            | 30..=34
            | 36
            | 39..=41
            | 43..=49
            | 51..=58
            | 60..=66
            | 81
            | 82
            | 84
            | 86
            | 90..=95
            | 98,
        ) => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::{NumberIndex, dialled, with_prefix};
    use crate::session::hash::Key;

    #[test]
    fn a_number_is_found_however_it_is_separated() {
        let mut index = NumberIndex::new(Key::random());
        assert!(index.add("5551234567", 0));
        assert!(index.add("DE89370400440532013000", 1));
        assert!(index.add("QQ123456C", 2));
        assert!(!index.add("12345", 3));
        for text in ["5551234567", "555-123-4567", "555) 123.4567", "555\u{a0}123\u{2011}4567"] {
            assert_eq!(index.digits_at(text.as_bytes(), 0), Some((text.len(), 0)), "{text}");
        }
        for text in ["5551234567x", "555 123 4567, 8"] {
            assert_eq!(index.digits_at(text.as_bytes(), 0).map(|(_, id)| id), Some(0), "{text}");
        }
        for text in ["55512345678", "555, 1234567", "555    1234567", "155512345"] {
            assert_eq!(index.digits_at(text.as_bytes(), 0), None, "{text}");
        }
        for text in ["DE89370400440532013000", "de89 3704 0044 0532 0130 00"] {
            assert_eq!(index.mixed_at(text.as_bytes(), 0), Some((text.len(), 1)), "{text}");
        }
        assert_eq!(index.mixed_at(b"QQ 12 34 56 C", 0), Some((13, 2)));
        assert_eq!(index.mixed_at(b"QQ 12 34 56 Cx", 0), None);
    }

    #[test]
    fn a_number_has_its_plus_and_its_bracket() {
        assert_eq!(with_prefix(b"x+(555) 123", 3, 11), 1);
        assert_eq!(with_prefix(b"(555 123)", 1, 8), 1);
        assert_eq!(with_prefix(b"+1 555", 1, 6), 0);
    }

    #[test]
    fn an_international_number_is_dialled_in_four_ways() {
        assert_eq!(dialled("+15551234567"), ["0015551234567", "5551234567", "05551234567"]);
        assert_eq!(dialled("+493012345678"), ["00493012345678", "3012345678", "03012345678"]);
        assert_eq!(dialled("+3531234"), ["003531234"]);
        assert_eq!(dialled("5551234567"), [""; 0]);
    }
}
