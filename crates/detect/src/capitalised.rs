//! Decides what capitalised words are: a company, a person, part of an address, or nothing.
//!
//! In: a capitalised word. Out: candidates, and where the scan continues, which is never past
//! the words that were judged.

use tidegate_model::DataType;

use crate::byte_class::{DIGIT, LETTER, LOWER, UNDER, byte_at, class_at, run_end};
use crate::dictionary::{COMMON, GIVEN, STRONG_SURNAME, SURNAME};
use crate::lexicon::{
    BEARER, COMPANY_CUE, COMPANY_START, COPULA, DWELLING, LEGAL_FORM, NAME_WORD, PERSON_CUE, ROLE,
    SALUTATION, STOP_WORD, STREET_START, STRONG_COMPANY_CUE, STRONG_PERSON_CUE, TITLE,
    WEAK_PERSON_CUE,
};
use crate::person::cjk;
use crate::scan::{CHECKED, PROSE, Scan, word_before};
use crate::secret::value::is_token;
use crate::sequence::{MAX_WORDS, Sequence, inside_identifier};
use crate::{address, org, person};

/// Flags of the words that a name may follow.
const ANNOUNCING: u32 = STRONG_PERSON_CUE
    | SALUTATION
    | COMPANY_CUE
    | STRONG_COMPANY_CUE
    | WEAK_PERSON_CUE
    | COPULA
    | NAME_WORD
    | PERSON_CUE
    | ROLE
    | TITLE;

/// Judges the word at `start..end`.
pub(crate) fn detect_at(scan: &mut Scan<'_>, text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    if byte_at(bytes, end) == b'@' || inside_identifier(bytes, start) {
        return end;
    }
    // Programs print it for "not a number"; `Nan` is a name.
    if bytes.get(start..end) == Some(b"NaN") {
        return end;
    }
    if byte_at(bytes, start) >= 0xE3 {
        return cjk::detect_at(scan, text, start, end);
    }
    let said = scan.lexicon.both_at(text, start, end);
    if is_plain(scan, text, start, end, said) {
        return end;
    }
    let mut sequence = Sequence::empty();
    sequence.fill(scan.lexicon, text, start, Some(said));
    let Some(first) = sequence.words().first().copied() else { return end };
    let next = byte_at(bytes, first.end);
    if first.flags & (DWELLING | STREET_START) != 0
        && let Some(stop) = address::from_word(scan, text, &first)
    {
        return stop;
    }
    if (next == b' ' || next == b',')
        && let Some(stop) = address::from_compound(scan, text, &sequence)
    {
        return stop;
    }
    if said.0 & BEARER != 0
        && let Some(stop) = bearer(scan, text, start, end)
    {
        return stop;
    }
    if scan.names_suppressed {
        return skip(&sequence, end);
    }
    if let Some((from, to)) = org::in_sequence(scan, text, &sequence) {
        scan.add(from, to, DataType::Org, PROSE);
        // A person may precede the company in the same words.
        return to;
    }
    if let Some((from, to)) = person::in_sequence(scan, text, &sequence) {
        scan.add(from, to, DataType::Person, PROSE);
        return to;
    }
    if let Some((from, to)) = org::by_cue(scan, text, &sequence) {
        scan.add(from, to, DataType::Org, PROSE);
        return to;
    }
    skip(&sequence, end)
}

/// Rejects most capitalised words, which only begin a sentence: a common word, followed by one
/// in lower case.
fn is_plain(
    scan: &Scan<'_>,
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
    if flags & (DWELLING | STREET_START | COMPANY_START | TITLE | BEARER) != 0 {
        return false;
    }
    let plain = known & COMMON != 0 && known & (GIVEN | SURNAME) == 0
        || flags & STOP_WORD != 0 && known & (GIVEN | STRONG_SURNAME) == 0;
    plain || known & GIVEN == 0 && !announced(scan, text, start)
}

/// Whether the word before could announce a name. If not, a word that is not a given name
/// is not judged further.
fn announced(scan: &Scan<'_>, text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    if start == 0 || byte_at(bytes, start - 1) != b' ' {
        // At the start of a line or parenthesis: look closer.
        return true;
    }
    word_before(text, start, start.saturating_sub(24)).is_none_or(|(from, to)| {
        to - from == 1 || scan.lexicon.word_at(text, from, to) & ANNOUNCING != 0
    })
}

/// Continues after the first word, or after all of them: a long run of capitalised words is
/// judged once per `MAX_WORDS`.
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
fn bearer(scan: &mut Scan<'_>, text: &str, start: usize, end: usize) -> Option<usize> {
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
    if value.len() < 12 || !is_token(value) {
        return None;
    }
    scan.add(from, stop, DataType::Secret, CHECKED);
    Some(run_end(bytes, stop, 0))
}
