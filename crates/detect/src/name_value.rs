//! Names of people that a key names.
//!
//! In: a value, or the place behind `Name: `. Out: whether it is a name, and its end.

use tidegate_model::DataType;

use super::class::{DIGIT, LETTER, byte_at, run_end};
use super::cue::with_suffix;
use super::lexicon::{COMPANY_WORD, LEGAL_FORM, Lexicon, PARTICLE, STOP};
use super::sequence::Sequence;
use super::words::{GIVEN, PLAIN, STRONG_GIVEN, SURNAME, known_word};

const MOST_WORDS: usize = 8;

/// Digits, and signs that no name has.
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

/// Whether a value under a key for names can be one: nearly anything of letters.
pub(super) fn may_be_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    // 80 characters have at most 320 bytes.
    let fits = bytes.len() <= 80 || bytes.len() <= 320 && value.chars().count() <= 80;
    // At most so many words; they are counted only if there may be more.
    let blanks = || bytes.iter().filter(|byte| **byte <= b' ' || **byte >= 0x80).count();
    fits && !bytes.iter().any(|byte| NOT_IN_NAMES[usize::from(*byte)])
        && (bytes.iter().any(u8::is_ascii_alphabetic) || value.chars().any(char::is_alphabetic))
        && (blanks() < MOST_WORDS || value.split_whitespace().count() <= MOST_WORDS)
        && !matches!(
            value,
            "null"
                | "None"
                | "N/A"
                | "n/a"
                | "none"
                | "unknown"
                | "Unknown"
                | "undefined"
                | "true"
                | "false"
                | "anonymous"
                | "Anonymous"
        )
}

/// Whether a value under a key for roles (`assignee`, `owner`) is a name.
pub(super) fn looks_like_name(lexicon: Lexicon, value: &str) -> Option<DataType> {
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
                && ((known & PLAIN != 0 && known & (GIVEN | SURNAME) == 0)
                    || flags & COMPANY_WORD != 0
                    || flags & STOP != 0 && known & GIVEN == 0),
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
                .any(|w| known_word(w) & STRONG_GIVEN != 0 && known_word(w) & PLAIN == 0);
    good.then_some(DataType::Person)
}

/// The end of a name behind `Name: `; `sure` if the key can only mean a person.
pub(super) fn read_labelled(
    lexicon: Lexicon,
    text: &str,
    start: usize,
    sure: bool,
) -> Option<usize> {
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
            .is_some_and(|word| word.known & GIVEN != 0 && word.flags & STOP == 0);
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
        first.flags & STOP == 0 || first.known & GIVEN != 0 || words.len() >= 2
    } else {
        text.get(start..last.end).and_then(|value| looks_like_name(lexicon, value)).is_some()
    };
    (good && last.flags & LEGAL_FORM == 0).then_some(end)
}
