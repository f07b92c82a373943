//! Names of people under a key.
//!
//! In: a value, or the offset after `Name: `. Out: whether it is a name, and where it ends.

use tidegate_model::DataType;

use crate::byte_class::{DIGIT, LETTER, byte_at, run_end};
use crate::dictionary::{COMMON, GIVEN, STRONG_GIVEN, SURNAME, lookup_word};
use crate::keys::KeyClass;
use crate::lexicon::{COMPANY_WORD, LEGAL_FORM, Lexicon, PARTICLE, STOP_WORD};
use crate::person::context::with_suffix;
use crate::sequence::Sequence;

const MAX_WORDS: usize = 8;

/// Digits and characters that no name contains.
static NOT_IN_NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let signs = b"0123456789@/\\_{}<>=#|[";
    let mut index = 0;
    while index < signs.len() {
        table[signs[index] as usize] = true;
        index += 1;
    }
    table
};

/// Placeholders under a key for names.
const NO_NAME: [&str; 12] = [
    "null",
    "None",
    "N/A",
    "n/a",
    "none",
    "unknown",
    "Unknown",
    "undefined",
    "true",
    "false",
    "anonymous",
    "Anonymous",
];

/// Whether a value under a key for names can be one: nearly anything made of letters.
pub(crate) fn may_be_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    // 80 characters have at most 320 bytes.
    let fits = bytes.len() <= 80 || bytes.len() <= 320 && value.chars().count() <= 80;
    // Words are only counted if there may be too many.
    let blanks = || bytes.iter().filter(|byte| **byte <= b' ' || **byte >= 0x80).count();
    fits && !bytes.iter().any(|byte| NOT_IN_NAMES[usize::from(*byte)])
        && (bytes.iter().any(u8::is_ascii_alphabetic) || value.chars().any(char::is_alphabetic))
        && (blanks() < MAX_WORDS || value.split_whitespace().count() <= MAX_WORDS)
        && !NO_NAME.contains(&value)
}

/// Whether a value under a key for roles (`assignee`, `owner`) is a name.
pub(crate) fn looks_like_name(lexicon: Lexicon, value: &str) -> Option<DataType> {
    if !may_be_name(value) {
        return None;
    }
    let mut names = 0;
    let mut plain = 0;
    let mut lower = 0;
    let mut words = 0;
    for word in value.split([' ', ',', '-', '.', '\u{a0}']).filter(|word| word.len() > 1) {
        words += 1;
        let (flags, known) = lexicon.both(word);
        if flags & LEGAL_FORM != 0 && words > 1 {
            return None;
        }
        names += usize::from(known & (GIVEN | SURNAME) != 0);
        plain += usize::from(
            flags & PARTICLE == 0
                && ((known & COMMON != 0 && known & (GIVEN | SURNAME) == 0)
                    || flags & COMPANY_WORD != 0
                    || flags & STOP_WORD != 0 && known & GIVEN == 0),
        );
        lower += usize::from(
            word.chars().next().is_some_and(char::is_lowercase) && flags & PARTICLE == 0,
        );
    }
    let latin = value.chars().any(|c| c.is_ascii_alphabetic());
    let good = !latin
        || lower == 0
            && plain == 0
            && (names > 0 || words >= 2 || words == 1 && value.contains(". "))
        || lower == words
            && words <= 3
            && names == words
            && plain == 0
            && value
                .split_whitespace()
                .any(|w| lookup_word(w) & STRONG_GIVEN != 0 && lookup_word(w) & COMMON == 0);
    good.then_some(DataType::Person)
}

/// The end of a name after `Name: `; under a key that means a person for sure, nearly anything
/// is a name.
pub(crate) fn name_end(
    lexicon: Lexicon,
    text: &str,
    start: usize,
    class: KeyClass,
) -> Option<usize> {
    let sure = class == KeyClass::Person;
    let bytes = text.as_bytes();
    if run_end(bytes, start, DIGIT) > start {
        return None;
    }
    if byte_at(bytes, start) >= 0xE3 {
        let end = run_end(bytes, start, LETTER);
        return (sure && end - start <= 24).then_some(end);
    }
    let sequence = Sequence::read(lexicon, text, start);
    let words = sequence.words();
    let (first, last) = (words.first()?, words.last()?);
    let mut end = with_suffix(lexicon, text, words, last.end);
    if byte_at(bytes, end) == b'@' {
        return None;
    }
    if words.len() <= 3 && byte_at(bytes, end) == b',' && byte_at(bytes, end + 1) == b' ' {
        let second = Sequence::read(lexicon, text, end + 2);
        let given = second
            .words()
            .first()
            .is_some_and(|word| word.known & GIVEN != 0 && word.flags & STOP_WORD == 0);
        let next = byte_at(bytes, second.end());
        if given
            && second.words().len() <= 3
            && last.known & SURNAME != 0
            && matches!(next, 0 | b'\n' | b'\r' | b' ' | b';' | b'|' | b'<' | b'(')
        {
            end = second.end();
        }
    }
    let good = if sure {
        first.flags & STOP_WORD == 0 || first.known & GIVEN != 0 || words.len() >= 2
    } else {
        text.get(start..last.end).and_then(|value| looks_like_name(lexicon, value)).is_some()
    };
    (good && last.flags & LEGAL_FORM == 0).then_some(end)
}
