//! Context cues around a name.
//!
//! In: the range of a name. Out: half points for titles, greetings, roles and verbs next to it,
//! and the end of the name including `MD` or `Jr.`.

use crate::byte_class::{LETTER, byte_at, byte_before, run_end, upper_at};
use crate::lexicon::{
    COPULA, Lexicon, NAME_WORD, PERSON_CUE, PERSON_VERB, ROLE, SALUTATION, STRONG_PERSON_CUE,
    SUFFIX, TITLE, WEAK_PERSON_CUE,
};
use crate::scan::{Scan, word_before};
use crate::sequence::Word;

/// Points for the words before a name.
pub(crate) fn cue_before(scan: &Scan<'_>, text: &str, start: usize) -> i32 {
    let bytes = text.as_bytes();
    let gap = text.get(start.saturating_sub(1)..start).unwrap_or_default();
    if gap.is_empty() && start > 0 {
        return 0;
    }
    let mut end = start;
    let mut line = false;
    while start - end < 4
        && matches!(
            byte_before(bytes, end),
            b' ' | b',' | b'\n' | b'\r' | b'"' | b'(' | b':' | b'.' | b'?'
        )
    {
        line |= byte_before(bytes, end) == b'\n';
        end -= 1;
    }
    let Some((from, to)) = word_before(text, end, end.saturating_sub(24)) else { return 0 };
    if to != end {
        return 0;
    }
    let word = text.get(from..to).unwrap_or_default();
    // `I'm Anna`
    if word == "m" && matches!(byte_before(bytes, from), b'\'' | 0x99) {
        return 6;
    }
    // `everyone calls me Anna`
    if word == "me"
        && word_before(text, from, from.saturating_sub(12))
            .and_then(|(from, to)| text.get(from..to))
            .is_some_and(|before| matches!(before, "call" | "calls" | "called"))
    {
        return 6;
    }
    let flags = scan.lexicon.word_at(text, from, to);
    let sentence = text
        .get(end..start)
        .is_some_and(|between| between.contains(['.', ':', '?']) && !between.starts_with(". "));
    // `Thanks, Pepe` but not `Name, Price`.
    if byte_at(bytes, end) == b',' && flags & SALUTATION == 0 {
        return 0;
    }
    if line {
        return if flags & SALUTATION != 0 { 5 } else { 0 };
    }
    if byte_at(bytes, end) == b'.' && flags & TITLE == 0 {
        return 0;
    }
    if flags & COPULA != 0 {
        let before = word_before(text, from, from.saturating_sub(24))
            .and_then(|(from, to)| text.get(from..to));
        if before.is_some_and(|word| scan.lexicon.word(word) & NAME_WORD != 0) {
            return 6;
        }
    }
    if sentence && flags & (TITLE | SALUTATION | NAME_WORD) == 0 {
        return 0;
    }
    cue_of(flags)
}

pub(crate) fn cue_of(flags: u32) -> i32 {
    match () {
        () if flags & TITLE != 0 => 7,
        () if flags & STRONG_PERSON_CUE != 0 => 6,
        () if flags & SALUTATION != 0 => 5,
        () if flags & NAME_WORD != 0 => 6,
        () if flags & ROLE != 0 => 3,
        () if flags & PERSON_CUE != 0 => 3,
        () if flags & WEAK_PERSON_CUE != 0 => 2,
        () => 0,
    }
}

/// Points for what follows a name: an email address, a verb, the end of the line.
pub(crate) fn after(scan: &Scan<'_>, text: &str, end: usize) -> i32 {
    let bytes = text.as_bytes();
    let rest = bytes.get(end..bytes.len().min(end + 40)).unwrap_or_default();
    if rest.starts_with(b" <") || rest.starts_with(b" (") || rest.starts_with(b", ") {
        let reach = rest
            .get(2..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| !matches!(b, b' ' | b'>' | b')' | b'\n'))
            .any(|b| *b == b'@');
        let called = rest.starts_with(b", ") && rest.get(2).is_some_and(u8::is_ascii_lowercase);
        return if reach { 5 } else { 2 * i32::from(called) };
    }
    if rest.starts_with(b"'s ") {
        return 2;
    }
    // `Anna: how are you?` at the start of a line.
    if rest.starts_with(b": ")
        || rest.starts_with(b":\"")
        || rest.starts_with(b"\n")
        || rest.is_empty()
    {
        return 2;
    }
    if rest.first() == Some(&b' ') {
        let stop = run_end(bytes, end + 1, LETTER);
        let flags = scan.lexicon.word_at(text, end + 1, stop);
        return if flags & PERSON_VERB != 0 { 2 } else { 0 };
    }
    0
}

/// `MD`, `Jr.`, `PhD`, `III` after a name.
pub(crate) fn with_suffix(lexicon: Lexicon, text: &str, part: &[Word], end: usize) -> usize {
    let bytes = text.as_bytes();
    let from = match (byte_at(bytes, end), byte_at(bytes, end + 1)) {
        (b' ', _) => end + 1,
        (b',', b' ') => end + 2,
        _ => return end,
    };
    let stop = run_end(bytes, from, LETTER);
    let suffix = part.len() > 1
        && upper_at(text, from)
        && text.get(from..stop).is_some_and(|word| lexicon.word(word) & SUFFIX != 0);
    if suffix { stop + usize::from(byte_at(bytes, stop) == b'.' && stop - from <= 2) } else { end }
}
