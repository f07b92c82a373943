//! Sequences of capitalised words.
//!
//! In: the start of a capitalised word. Out: that word and those after it, up to `MAX_WORDS`,
//! with their flags. Initials, titles with a dot, particles (`van`, `de la`), hyphens and
//! apostrophes belong to the words; commas and line ends do not.

use crate::byte_class::{
    DIGIT, LETTER, LOWER, UNDER, WORD, byte_at, byte_before, class_at, run_end, upper_at,
};
use crate::byte_pairs::BytePairs;
use crate::dictionary::{COMMON, GIVEN, STRONG_GIVEN, STRONG_SURNAME, SURNAME, VERY_COMMON};
use crate::lexicon::{Lexicon, PARTICLE, STOP_WORD, TITLE};

pub(crate) const MAX_WORDS: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `Anna`, `O'Neil`, `Jean-Luc`, `McCray`.
    Capitalised,
    /// `ANNA`.
    AllCapitals,
    /// `J.` or `J`.
    Initial,
    /// `van`.
    Particle,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    pub(crate) flags: u32,
    pub(crate) known: u8,
    pub(crate) hyphen: bool,
    /// Ends like a German noun: `Rechnung`, `Möglichkeit`.
    pub(crate) noun: bool,
}

/// All zeros, which is fast to write.
const NONE: Word = Word {
    start: 0,
    end: 0,
    kind: Kind::Capitalised,
    flags: 0,
    known: 0,
    hyphen: false,
    noun: false,
};

pub(crate) struct Sequence {
    words: [Word; MAX_WORDS],
    count: usize,
}

impl Sequence {
    pub(crate) fn words(&self) -> &[Word] {
        self.words.get(..self.count).unwrap_or_default()
    }

    /// Where the last word ends.
    pub(crate) fn end(&self) -> usize {
        self.words().last().map_or(0, |word| word.end)
    }

    pub(crate) fn read(lexicon: Lexicon, text: &str, start: usize) -> Self {
        let mut sequence = Self::empty();
        sequence.fill(lexicon, text, start, None);
        sequence
    }

    pub(crate) fn empty() -> Self {
        Self { words: [NONE; MAX_WORDS], count: 0 }
    }

    /// Fills an empty sequence, which saves a copy. `first` holds the flags of the letters of
    /// the first word, if the caller has looked them up.
    pub(crate) fn fill(
        &mut self,
        lexicon: Lexicon,
        text: &str,
        start: usize,
        mut first: Option<(u32, u8)>,
    ) {
        let mut at = start;
        while self.count < MAX_WORDS {
            let position = if self.count > 0 { Position::Inside } else { Position::First };
            let Some(word) = read_word(lexicon, text, at, position, first.take()) else { break };
            if let Some(slot) = self.words.get_mut(self.count) {
                *slot = word;
            }
            self.count += 1;
            let Some(next) = gap(text, &word) else { break };
            at = next;
        }
        while self.words().last().is_some_and(|word| word.kind == Kind::Particle) {
            self.count -= 1;
        }
    }
}

/// Where the next word may begin: one space after this one.
fn gap(text: &str, word: &Word) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = word.end;
    if byte_at(bytes, at) == b'.' && (word.flags & TITLE != 0 || word.kind == Kind::Initial) {
        at += 1;
    }
    match byte_at(bytes, at) {
        b' ' => Some(at + 1),
        0xC2 if byte_at(bytes, at + 1) == 0xA0 => Some(at + 2),
        // `J.R. Smith`
        _ if word.kind == Kind::Initial && class_at(bytes, at) & LETTER != 0 => Some(at),
        _ => None,
    }
}

/// Endings of German nouns.
const NOUNS: &[&str] = &[
    "ung", "heit", "keit", "schaft", "nummer", "ungen", "tion", "ismus", "erei", "tät", "nis",
    "chen",
];
static NOUN_ENDS: BytePairs = BytePairs::of_ends(NOUNS);

/// Where in a sequence a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    First,
    /// After another word: particles (`van`) are allowed.
    Inside,
}

/// The word at `start`.
pub(crate) fn word_at(
    lexicon: Lexicon,
    text: &str,
    start: usize,
    position: Position,
) -> Option<Word> {
    read_word(lexicon, text, start, position, None)
}

/// The same; `first_part` holds the flags of its letters up to a hyphen or apostrophe, if
/// the caller has looked them up.
fn read_word(
    lexicon: Lexicon,
    text: &str,
    start: usize,
    position: Position,
    first_part: Option<(u32, u8)>,
) -> Option<Word> {
    let bytes = text.as_bytes();
    let end = run_end(bytes, start, LETTER);
    if end == start || end - start > 40 {
        return None;
    }
    if !upper_at(text, start) {
        return if position == Position::Inside {
            particle(lexicon, text, start, end)
        } else {
            None
        };
    }
    let (flags, known) = first_part.unwrap_or_else(|| lexicon.both_at(text, start, end));
    let mut word = Word { start, end, flags, known, ..NONE };
    join_parts(lexicon, text, &mut word)?;
    // `Version2`, `Foo_bar`: an identifier.
    if class_at(bytes, word.end) & (DIGIT | UNDER) != 0 {
        return None;
    }
    let letters = text.get(start..word.end)?;
    if position == Position::Inside
        && !word.hyphen
        && word.flags & PARTICLE != 0
        && CAPITAL_PARTICLES.contains(&letters)
    {
        return Some(Word { kind: Kind::Particle, known: 0, ..word });
    }
    let first_letter = letters.chars().next().map_or(1, char::len_utf8);
    word.kind = if word.end == start + first_letter {
        Kind::Initial
    } else if class_at(bytes, start + first_letter) & LOWER == 0
        && letters.chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
    {
        Kind::AllCapitals
    } else {
        Kind::Capitalised
    };
    word.noun = word.known == 0
        && NOUN_ENDS.may(byte_before(bytes, word.end - 1), byte_before(bytes, word.end))
        && NOUNS.iter().any(|end| letters.ends_with(end));
    Some(word)
}

/// Particles that are also written with a capital, as in `Vincent Van Gogh`.
const CAPITAL_PARTICLES: [&str; 21] = [
    "Van", "De", "Den", "Der", "Von", "Di", "Da", "Del", "La", "Le", "El", "Al", "Dos", "Du",
    "Bin", "Ter", "Ten", "St", "San", "Della", "Des",
];

/// A particle in lower case: `van`, `d'`.
fn particle(lexicon: Lexicon, text: &str, start: usize, end: usize) -> Option<Word> {
    if end - start > 5 {
        return None;
    }
    let flags = lexicon.word_at(text, start, end);
    let elided = byte_at(text.as_bytes(), end) == b'\'' && end - start <= 2;
    let end = end + usize::from(elided);
    (flags & PARTICLE != 0 && end - start <= 5).then_some(Word {
        start,
        end,
        kind: Kind::Particle,
        flags,
        ..NONE
    })
}

/// Extends a word over the parts after hyphens and apostrophes: `Jean-Luc`, `O'Neil`.
fn join_parts(lexicon: Lexicon, text: &str, word: &mut Word) -> Option<()> {
    let bytes = text.as_bytes();
    let start = word.start;
    for _ in 0..3 {
        let end = word.end;
        let (sign, width) = match byte_at(bytes, end) {
            b'-' => (b'-', 1),
            b'\'' => (b'\'', 1),
            0xE2 if text.get(end..end + 3) == Some("’") => (b'\'', 3),
            _ => break,
        };
        let next = run_end(bytes, end + width, LETTER);
        let part = text.get(end + width..next)?;
        let upper = upper_at(text, end + width);
        if part.is_empty()
            || sign == b'\'' && (part.len() == 1 || !upper && end - start > 2)
            || next - start > 48
            || sign == b'-' && !upper && part.len() < 3
        {
            break;
        }
        if sign == b'\'' {
            (word.flags, word.known) = lexicon.both(text.get(start..next)?);
        } else {
            word.hyphen = true;
            let (flags, known) = lexicon.both_at(text, end + width, next);
            word.known = joined(word.known, known);
            word.flags |= flags & !STOP_WORD;
        }
        word.end = next;
    }
    Some(())
}

/// The dictionary flags of two words joined by a hyphen.
fn joined(first: u8, second: u8) -> u8 {
    let names = GIVEN | SURNAME;
    if first & names != 0 && second & names != 0 {
        // Two names together are hardly a common word.
        (first | second) & !(COMMON | VERY_COMMON) | (first & second & (COMMON | VERY_COMMON))
    } else {
        (first | second) & !(STRONG_GIVEN | STRONG_SURNAME)
    }
}

/// Whether the byte before a word makes it part of a path, address or identifier.
pub(crate) fn inside_identifier(bytes: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).map_or(0, |at| byte_at(bytes, at));
    match before {
        b'/' | b'\\' | b'@' | b'#' | b'$' | b'&' | b'=' | b'%' => true,
        b'.' | b'-' | b':' | b'+' => start >= 2 && class_at(bytes, start - 2) & WORD != 0,
        _ => class_at(bytes, start.wrapping_sub(1)) & WORD != 0,
    }
}
