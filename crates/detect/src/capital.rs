//! Decides what capitalised words are: a company, a person, part of an address, nothing.
//!
//! In: a capitalised word of the scan. Out: finds, and where the scan goes on, which is
//! never behind the words that were judged.

use tidegate_model::DataType;

use super::class::{DIGIT, LETTER, LOWER, UNDER, byte_at, class_at, run_end};
use super::lexicon::{
    BEARER, CALLED, CLOSING, COMPANY_CUE, COMPANY_START, EMPLOYED, GERMAN_CUE, IS, LEGAL_FORM,
    NAME_WORD, PERSON_CUE, ROLE, STOP, STREET_START, TITLE, UNIT,
};
use super::run::{CHECKED, PROSE, Run, word_before};
use super::sequence::{MAX_WORDS, Sequence, inside_identifier};
use super::words::{GIVEN, PLAIN, STRONG_SURNAME, SURNAME};
use super::{address, cjk, name, org, secret_value};

/// What a word must be for a name to follow it.
const ANNOUNCING: u32 = CALLED
    | CLOSING
    | COMPANY_CUE
    | EMPLOYED
    | GERMAN_CUE
    | IS
    | NAME_WORD
    | PERSON_CUE
    | ROLE
    | TITLE;

/// Looks at the word at `start..end`.
pub(super) fn look(run: &mut Run<'_>, text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    if byte_at(bytes, end) == b'@' || inside_identifier(bytes, start) {
        return end;
    }
    // What programs print for no number, and `Nan` is a name.
    if bytes.get(start..end) == Some(b"NaN") {
        return end;
    }
    if byte_at(bytes, start) >= 0xE3 {
        return cjk::look(run, text, start, end);
    }
    let said = run.lexicon.both_at(text, start, end);
    if is_plain(run, text, start, end, said) {
        return end;
    }
    let mut sequence = Sequence::empty();
    sequence.fill(run.lexicon, text, start, Some(said));
    let Some(first) = sequence.words().first().copied() else { return end };
    let next = byte_at(bytes, first.end);
    if first.flags & (UNIT | STREET_START) != 0
        && let Some(stop) = address::from_word(run, text, &first)
    {
        return stop;
    }
    if (next == b' ' || next == b',')
        && let Some(stop) = address::from_compound(run, text, &sequence)
    {
        return stop;
    }
    if said.0 & BEARER != 0
        && let Some(stop) = bearer(run, text, start, end)
    {
        return stop;
    }
    if run.quiet {
        return skip(&sequence, end);
    }
    if let Some((from, to)) = org::in_sequence(run, text, &sequence) {
        run.add(from, to, DataType::Org, PROSE);
        // A person may stand before the company in the same words.
        return to;
    }
    if let Some((from, to)) = name::in_sequence(run, text, &sequence) {
        run.add(from, to, DataType::Person, PROSE);
        return to;
    }
    if let Some((from, to)) = org::by_cue(run, text, &sequence) {
        run.add(from, to, DataType::Org, PROSE);
        return to;
    }
    skip(&sequence, end)
}

/// Most capitalised words start a sentence and mean nothing: a plain word, and a small
/// letter behind it.
fn is_plain(
    run: &Run<'_>,
    text: &str,
    start: usize,
    end: usize,
    (flags, known): (u32, u8),
) -> bool {
    let bytes = text.as_bytes();
    let next = byte_at(bytes, end);
    let alone = match next {
        // `Kossuth utca 250`: a street, perhaps.
        b' ' => {
            let next = run_end(bytes, end + 1, LOWER);
            next > end + 1
                && !(byte_at(bytes, next) == b' ' && byte_at(bytes, next + 1).is_ascii_digit())
        }
        b'\n' | b')' | b'"' | b';' | b'!' | b'?' | b':' | b'|' | b'`' | b'*' | b']' | b'>'
        | b'(' => true,
        _ => false,
    };
    if !alone {
        return false;
    }
    if flags & (UNIT | STREET_START | COMPANY_START | TITLE | BEARER) != 0 {
        return false;
    }
    let plain = known & PLAIN != 0 && known & (GIVEN | SURNAME) == 0
        || flags & STOP != 0 && known & (GIVEN | STRONG_SURNAME) == 0;
    plain || known & GIVEN == 0 && !announced(run, text, start)
}

/// Whether the word before could announce a name. A word that is no given name means
/// nothing without.
fn announced(run: &Run<'_>, text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    if start == 0 || byte_at(bytes, start - 1) != b' ' {
        // The start of a line or a bracket: look closer.
        return true;
    }
    word_before(text, start, start.saturating_sub(24)).is_none_or(|(from, to)| {
        to - from == 1 || run.lexicon.word_at(text, from, to) & ANNOUNCING != 0
    })
}

/// Goes on behind the first word, or behind all of them: a long run of capitalised words
/// is judged once per `MAX_WORDS`.
fn skip(sequence: &Sequence, end: usize) -> usize {
    if sequence.words().len() == MAX_WORDS
        || sequence.words().iter().all(|word| word.flags & LEGAL_FORM == 0)
    {
        sequence.end().max(end)
    } else {
        end
    }
}

/// `Bearer eyJ…` and `Basic dXNlcjpwYXNz` in prose and headers.
fn bearer(run: &mut Run<'_>, text: &str, start: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(text.get(start..end), Some("Bearer" | "Basic" | "BEARER"))
        || byte_at(bytes, end) != b' '
    {
        return None;
    }
    let from = end + 1;
    let mut stop = from;
    while class_at(bytes, stop) & (LETTER | DIGIT | UNDER) != 0
        || matches!(byte_at(bytes, stop), b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
    {
        stop += 1;
        if stop - from > 4096 {
            break;
        }
    }
    let stop = if byte_at(bytes, stop.wrapping_sub(1)) == b'.' { stop - 1 } else { stop };
    let value = bytes.get(from..stop)?;
    if value.len() < 12 || !secret_value::is_token(value) {
        return None;
    }
    run.add(from, stop, DataType::Secret, CHECKED);
    Some(run_end(bytes, stop, 0))
}
