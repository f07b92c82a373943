//! Names of people.
//!
//! In: capitalised words with what is known of them. Out: the borders of the name. In prose a name is judged by points: known given names and
//! surnames give points, plain words few, and the words around (titles, greetings,
//! roles, verbs) give more. The numbers were found by trial on the tuning half of the
//! labelled data and on other texts; they are in half points.

use super::class::{WORD, byte_at, class_at, upper_at};
use super::cue::{after, cue_before, cue_of, with_suffix};
use super::lexicon::{CLOSING, COMPANY_WORD, LEGAL_FORM, ROLE, STOP, TITLE};
use super::run::Run;
use super::sequence::{Kind, Sequence, Word};
use super::words::{
    CALENDAR, GIVEN, PLACE, PLAIN, STRONG_GIVEN, STRONG_SURNAME, SURNAME, VERY_PLAIN,
};

/// The name in a sequence of prose.
pub(super) fn in_sequence(
    run: &Run<'_>,
    text: &str,
    sequence: &Sequence,
) -> Option<(usize, usize)> {
    let words = sequence.words();
    let mut from = 0;
    let mut inherited = 0;
    while from < words.len() {
        let Some(word) = words.get(from) else { break };
        if !may_begin(word) {
            inherited =
                if word.flags & (TITLE | ROLE | CLOSING) != 0 { cue_of(word.flags) } else { 0 };
            from += 1;
            continue;
        }
        let count =
            words.get(from..).unwrap_or_default().iter().take_while(|word| belongs(word)).count();
        let part = words.get(from..from + count).unwrap_or_default();
        let part = part
            .get(
                ..part
                    .iter()
                    .rposition(|word| word.kind != Kind::Particle && word.kind != Kind::Initial)
                    .map_or(0, |last| last + 1),
            )
            .unwrap_or_default();
        if let (Some(first), Some(last)) = (part.first(), part.last()) {
            let cue = if from == 0 { cue_before(run, text, first.start) } else { inherited };
            let mut end = last.end;
            if part.len() <= 2
                && from + count == words.len()
                && let Some(end) = turned(run, text, part)
            {
                return Some((first.start, end));
            }
            let neighbours = neighbours(text, words.get(..from), words.get(from + part.len()..));
            if (part.len() > 1 && !part.iter().all(doubtful) || cue >= 5 || !neighbours)
                && !(cue == 0 && behind_article(text, first.start))
                && judge(run, text, part, cue, from + count == words.len())
            {
                end = with_suffix(run.lexicon, text, part, end);
                let start = if from > 0 {
                    academic(words.get(from - 1), text).unwrap_or(first.start)
                } else {
                    first.start
                };
                return Some((start, end));
            }
        }
        inherited = 0;
        from += count.max(1);
    }
    None
}

/// Whether `the` stands before: a bridge, a river or a product that is named after somebody.
fn behind_article(text: &str, start: usize) -> bool {
    let Some(before) = start.checked_sub(4).and_then(|from| text.as_bytes().get(from..start))
    else {
        return false;
    };
    before.eq_ignore_ascii_case(b"the ")
        && start.checked_sub(5).is_none_or(|at| class_at(text.as_bytes(), at) & WORD == 0)
}

/// Whether other capitalised words stand beside: `Frank Discussion`, `San Francisco`. A name
/// alone then means nothing.
fn neighbours(text: &str, before: Option<&[Word]>, after: Option<&[Word]>) -> bool {
    let before = before.and_then(<[Word]>::last).is_some_and(|word| {
        let place = text.get(word.start..word.end).is_some_and(|w| {
            matches!(
                w,
                "San"
                    | "Santa"
                    | "Los"
                    | "Las"
                    | "El"
                    | "La"
                    | "New"
                    | "Saint"
                    | "St"
                    | "North"
                    | "South"
                    | "East"
                    | "West"
                    | "Upper"
                    | "Lower"
            )
        });
        place || word.flags & (STOP | TITLE | ROLE | CLOSING) == 0
    });
    before
        || after
            .and_then(<[Word]>::first)
            .is_some_and(|word| word.kind != Kind::Initial && word.flags & (STOP | TITLE) == 0)
}

fn may_begin(word: &Word) -> bool {
    belongs(word) && word.kind != Kind::Particle && word.flags & TITLE == 0
}

/// Whether a word can be part of a name.
fn belongs(word: &Word) -> bool {
    let names = word.known & (GIVEN | SURNAME);
    match word.kind {
        Kind::Particle | Kind::Initial => true,
        _ if word.flags & (LEGAL_FORM | TITLE) != 0 && word.known & STRONG_GIVEN == 0 => false,
        _ if word.flags & STOP != 0 => {
            word.known & GIVEN != 0 && word.known & (STRONG_GIVEN | STRONG_SURNAME) != 0
        }
        _ if word.known & CALENDAR != 0 => word.known & STRONG_GIVEN != 0,
        _ if word.noun && names == 0 => false,
        _ if word.flags & (ROLE | COMPANY_WORD) != 0 => {
            word.known & STRONG_GIVEN != 0
                || word.known & STRONG_SURNAME != 0 && word.known & VERY_PLAIN == 0
        }
        _ if word.known & PLAIN != 0 => names != 0,
        _ => true,
    }
}

/// A plain word or a place that is also a name, and no frequent surname.
fn doubtful(word: &Word) -> bool {
    word.known & (PLAIN | PLACE) != 0
        && (word.known & STRONG_SURNAME == 0 || word.known & VERY_PLAIN != 0)
}

/// Points of a word, in half points.
fn points(word: &Word) -> i32 {
    let known = word.known;
    let stop = word.flags & STOP != 0 || known & CALENDAR != 0;
    let value = match word.kind {
        Kind::Particle => return 1,
        Kind::Initial => return 2,
        _ if known & STRONG_GIVEN != 0 => 6,
        _ if known & STRONG_SURNAME != 0 => 5,
        _ if known & (GIVEN | SURNAME) != 0 => 4,
        _ if known & PLACE != 0 => return -1,
        _ if word.noun => return 0,
        _ => return 2,
    };
    let value = if known & PLACE != 0 && known & (STRONG_GIVEN | STRONG_SURNAME) == 0 {
        value - 1
    } else {
        value
    };
    match () {
        () if stop && known & STRONG_GIVEN != 0 && known & (VERY_PLAIN | CALENDAR) == 0 => 3,
        () if stop => 1,
        () if known & VERY_PLAIN != 0 => {
            1 + i32::from(known & (STRONG_GIVEN | STRONG_SURNAME) != 0)
        }
        () if known & PLAIN != 0 => {
            2 + i32::from(known & STRONG_GIVEN != 0) + i32::from(known & STRONG_SURNAME != 0)
        }
        () => value,
    }
}

fn judge(run: &Run<'_>, text: &str, part: &[Word], cue: i32, at_end: bool) -> bool {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
    let bytes = text.as_bytes();
    let named =
        part.iter().filter(|word| !matches!(word.kind, Kind::Particle | Kind::Initial)).count();
    let next = byte_at(bytes, last.end);
    // `Name.java`, `Name/x`, `Name()`, `Name=`: code.
    if matches!(next, b'/' | b'=' | b'_' | b'\\' | b'@')
        || matches!(next, b'.' | b'-' | b':') && class_at(bytes, last.end + 1) & WORD != 0
        || next == b'('
    {
        return false;
    }
    let mut score = cue + part.iter().map(points).sum::<i32>();
    if at_end {
        score += after(run, text, last.end);
    }
    let given = part.iter().any(|word| word.known & GIVEN != 0 && word.flags & STOP == 0);
    let names = part.iter().filter(|word| word.known & (GIVEN | SURNAME) != 0).count();
    let capitals = part.iter().all(|word| word.kind != Kind::Capitalised);
    if named <= 1 {
        let Some(word) =
            part.iter().find(|word| !matches!(word.kind, Kind::Particle | Kind::Initial))
        else {
            return false;
        };
        if part.len() > 1 {
            // `J. Garrido`, `van Dijk`.
            let pure = word.known & PLAIN == 0
                || word.known & STRONG_SURNAME != 0 && word.known & VERY_PLAIN == 0
                || cue >= 3;
            let dotted = part
                .iter()
                .any(|word| word.kind == Kind::Initial && byte_at(bytes, word.end) == b'.');
            return pure
                && score >= if dotted { 6 } else { 8 }
                && (word.known & (GIVEN | SURNAME) != 0 || cue >= 4);
        }
        if capitals && cue < 4 {
            return false;
        }
        // `Jan 5`, `12 May`: a date.
        if next == b' ' && byte_at(bytes, last.end + 1).is_ascii_digit()
            || first.start >= 2 && byte_at(bytes, first.start - 2).is_ascii_digit()
        {
            return false;
        }
        let pure = word.known & (PLAIN | PLACE) == 0 && word.flags & STOP == 0;
        return match () {
            () if word.known & STRONG_GIVEN != 0 && pure => score >= 6,
            () if word.known & GIVEN != 0 && pure => score >= 6,
            () if word.known & GIVEN != 0 => cue >= 5 && word.flags & STOP == 0,
            () if word.known & SURNAME != 0 && pure => cue >= 5,
            () => {
                cue >= 6 && pure
                    || cue >= 7 && word.flags & STOP == 0 && word.known & VERY_PLAIN == 0
            }
        };
    }
    let pure =
        part.iter().all(|word| word.known & (PLAIN | CALENDAR) == 0 && word.flags & STOP == 0);
    // `Georgia Peach`, `Amber Alert`: plain words that are also names, and nothing else.
    if cue < 3
        && part
            .iter()
            .filter(|word| !matches!(word.kind, Kind::Particle | Kind::Initial))
            .all(doubtful)
    {
        return false;
    }
    let strange = pure && !capitals && part.iter().all(|word| word.known & PLACE == 0);
    let least = match () {
        () if capitals => 9,
        // No word of any language we know, and one of them a name.
        () if strange => 6,
        () if given
            && first.known & GIVEN != 0
            && first.known & PLAIN == 0
            && (first.known & PLACE == 0 || names > 1) =>
        {
            6
        }
        () if given || cue > 0 => 7,
        () => 8,
    };
    if capitals && (names < part.len() || named > 3) {
        return false;
    }
    score >= least && (names > 0 || cue >= if strange { 3 } else { 6 })
}

/// `Surname, Given`: the words, a comma, and a given name alone.
fn turned(run: &Run<'_>, text: &str, part: &[Word]) -> Option<usize> {
    let last = part.last()?;
    let surname = |word: &Word| {
        word.known & SURNAME != 0
            && word.known & CALENDAR == 0
            && (word.known & STRONG_SURNAME != 0
                || word.known & VERY_PLAIN == 0 && word.flags & STOP == 0)
    };
    if !part.iter().all(surname)
        || byte_at(text.as_bytes(), last.end) != b','
        || byte_at(text.as_bytes(), last.end + 1) != b' '
    {
        return None;
    }
    let second = Sequence::read(run.lexicon, text, last.end + 2);
    let words = second.words();
    let given = words.first()?;
    let rest =
        words.iter().skip(1).all(|word| word.kind == Kind::Initial || word.known & GIVEN != 0);
    let pure = given.known & GIVEN != 0
        && given.flags & STOP == 0
        && (given.known & (PLAIN | PLACE) == 0
            && (last.known & VERY_PLAIN == 0 && last.flags & STOP == 0
                || given.known & STRONG_GIVEN != 0)
            || given.known & STRONG_GIVEN != 0 && last.known & PLAIN == 0);
    let end = second.end();
    let next = byte_at(text.as_bytes(), end);
    // Capitalised words behind it would make it a list.
    let list = next == b' ' && upper_at(text, end + 1);
    let alone = !list && !matches!(next, b'/' | b'-' | b'_');
    (words.len() <= 3 && pure && rest && alone).then_some(end)
}

/// A title that belongs to the name: `Dr. Anna Weber`.
fn academic(word: Option<&Word>, text: &str) -> Option<usize> {
    let word = word?;
    matches!(text.get(word.start..word.end)?, "Dr" | "Prof" | "Ing" | "Dott" | "Mag" | "Dipl")
        .then_some(word.start)
}
