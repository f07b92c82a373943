//! Capitalised words that stand together.
//!
//! In: the start of a capitalised word. Out: that word and those behind it, up to
//! `MAX_WORDS`, with what is known of each. Initials, titles with a dot, particles
//! (`van`, `de la`), hyphens and apostrophes belong to the words; commas and line ends
//! do not.

use super::class::{
    DIGIT, LETTER, LOWER, UNDER, WORD, byte_at, byte_before, class_at, run_end, upper_at,
};
use super::lexicon::{Lexicon, PARTICLE, STOP, TITLE};
use super::prefix::Pairs;
use super::words::{GIVEN, PLAIN, STRONG_GIVEN, STRONG_SURNAME, SURNAME, VERY_PLAIN};

pub(super) const MAX_WORDS: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    pub(super) flags: u32,
    pub(super) known: u8,
    pub(super) hyphen: bool,
    /// Ends like a German noun: `Rechnung`, `Möglichkeit`.
    pub(super) noun: bool,
}

/// All zeros, which are quick to write.
const NONE: Word = Word {
    start: 0,
    end: 0,
    kind: Kind::Capitalised,
    flags: 0,
    known: 0,
    hyphen: false,
    noun: false,
};

pub(super) struct Sequence {
    words: [Word; MAX_WORDS],
    count: usize,
}

impl Sequence {
    pub(super) fn words(&self) -> &[Word] {
        self.words.get(..self.count).unwrap_or_default()
    }

    /// Where the last word ends.
    pub(super) fn end(&self) -> usize {
        self.words().last().map_or(0, |word| word.end)
    }

    pub(super) fn read(lexicon: Lexicon, text: &str, start: usize) -> Self {
        let mut sequence = Self::empty();
        sequence.fill(lexicon, text, start, None);
        sequence
    }

    pub(super) fn empty() -> Self {
        Self { words: [NONE; MAX_WORDS], count: 0 }
    }

    /// Reads into an empty one, which spares a copy. `first` is what the letters of the
    /// first word say, if that is known already.
    pub(super) fn fill(
        &mut self,
        lexicon: Lexicon,
        text: &str,
        start: usize,
        mut first: Option<(u32, u8)>,
    ) {
        let mut at = start;
        while self.count < MAX_WORDS {
            let inside = self.count > 0;
            let Some(word) = judged(lexicon, text, at, inside, first.take()) else { break };
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

/// Where the next word may begin: one space behind this one.
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

/// Ends of German nouns.
const NOUNS: &[&str] = &[
    "ung", "heit", "keit", "schaft", "nummer", "ungen", "tion", "ismus", "erei", "tät", "nis",
    "chen",
];
static NOUN_ENDS: Pairs = Pairs::of_ends(NOUNS);

/// The word at a place.
pub(super) fn one(lexicon: Lexicon, text: &str, start: usize, inside: bool) -> Option<Word> {
    judged(lexicon, text, start, inside, None)
}

/// The same, if it is known already what the letters at the place say.
fn judged(
    lexicon: Lexicon,
    text: &str,
    start: usize,
    inside: bool,
    judged: Option<(u32, u8)>,
) -> Option<Word> {
    let bytes = text.as_bytes();
    let mut end = run_end(bytes, start, LETTER);
    if end == start || end - start > 40 {
        return None;
    }
    if !upper_at(text, start) {
        if !inside || end - start > 5 {
            return None;
        }
        let flags = lexicon.word_at(text, start, end);
        if byte_at(bytes, end) == b'\'' && end - start <= 2 {
            end += 1;
        }
        return (inside && flags & PARTICLE != 0 && end - start <= 5).then_some(Word {
            start,
            end,
            kind: Kind::Particle,
            flags,
            known: 0,
            hyphen: false,
            noun: false,
        });
    }
    let mut hyphen = false;
    let (mut flags, mut known) = judged.unwrap_or_else(|| lexicon.both_at(text, start, end));
    for _ in 0..3 {
        let (sign, width) = match byte_at(bytes, end) {
            b'-' => (b'-', 1),
            b'\'' => (b'\'', 1),
            0xE2 if text.get(end..end + 3) == Some("’") => (b'\'', 3),
            _ => break,
        };
        let next = run_end(bytes, end + width, LETTER);
        let part = text.get(end + width..next)?;
        if part.is_empty()
            || sign == b'\'' && (part.len() == 1 || !upper_at(text, end + width) && end - start > 2)
            || next - start > 48
        {
            break;
        }
        if sign == b'-' && !upper_at(text, end + width) && part.len() < 3 {
            break;
        }
        if sign == b'\'' {
            (flags, known) = lexicon.both(text.get(start..next)?);
        } else {
            hyphen = true;
            let (other_flags, other) = lexicon.both_at(text, end + width, next);
            known = joined(known, other);
            flags |= other_flags & !STOP;
        }
        end = next;
    }
    // `Version2`, `Foo_bar`: an identifier.
    if class_at(bytes, end) & (DIGIT | UNDER) != 0 {
        return None;
    }
    let letters = text.get(start..end)?;
    if inside
        && !hyphen
        && flags & PARTICLE != 0
        && matches!(
            letters,
            "Van"
                | "De"
                | "Den"
                | "Der"
                | "Von"
                | "Di"
                | "Da"
                | "Del"
                | "La"
                | "Le"
                | "El"
                | "Al"
                | "Dos"
                | "Du"
                | "Bin"
                | "Ter"
                | "Ten"
                | "St"
                | "San"
                | "Della"
                | "Des"
        )
    {
        return Some(Word {
            start,
            end,
            kind: Kind::Particle,
            flags,
            known: 0,
            hyphen,
            noun: false,
        });
    }
    let one = letters.chars().next().map_or(1, char::len_utf8);
    let kind = if end == start + one {
        Kind::Initial
    } else if class_at(bytes, start + one) & LOWER == 0
        && letters.chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
    {
        Kind::AllCapitals
    } else {
        Kind::Capitalised
    };
    let noun = known == 0
        && NOUN_ENDS.may(byte_before(bytes, end - 1), byte_before(bytes, end))
        && NOUNS.iter().any(|end| letters.ends_with(end));
    Some(Word { start, end, kind, flags, known, hyphen, noun })
}

/// What is known of two words with a hyphen between.
fn joined(first: u8, second: u8) -> u8 {
    let names = GIVEN | SURNAME;
    if first & names != 0 && second & names != 0 {
        // Two names together are hardly a plain word.
        (first | second) & !(PLAIN | VERY_PLAIN) | (first & second & (PLAIN | VERY_PLAIN))
    } else {
        (first | second) & !(STRONG_GIVEN | STRONG_SURNAME)
    }
}

/// Whether what stands before a word makes it part of a path, address or identifier.
pub(super) fn inside_identifier(bytes: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).map_or(0, |at| byte_at(bytes, at));
    match before {
        b'/' | b'\\' | b'@' | b'#' | b'$' | b'&' | b'=' | b'%' => true,
        b'.' | b'-' | b':' | b'+' => start >= 2 && class_at(bytes, start - 2) & WORD != 0,
        _ => class_at(bytes, start.wrapping_sub(1)) & WORD != 0,
    }
}
