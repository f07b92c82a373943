//! Names of people.
//!
//! In: capitalised words with their flags. Out: the range of the name. A name in prose is judged
//! by points: known given names and surnames score, common words score little, and context cues
//! (titles, greetings, roles, verbs) add to it. The thresholds were tuned on the tuning half of
//! the labelled data and on other texts; they are in half points.

pub(crate) mod cjk;
pub(crate) mod context;
pub(crate) mod keyed;

use crate::byte_class::{WORD, byte_at, class_at, upper_at};
use crate::dictionary::{
    CALENDAR, COMMON, GIVEN, PLACE, STRONG_GIVEN, STRONG_SURNAME, SURNAME, VERY_COMMON,
};
use crate::lexicon::{COMPANY_WORD, LEGAL_FORM, ROLE, SALUTATION, STOP_WORD, TITLE};
use crate::person::context::{after, cue_before, cue_of, with_suffix};
use crate::scan::Scan;
use crate::sequence::{Kind, Sequence, Word};

/// The name in a sequence of prose.
pub(crate) fn in_sequence(
    scan: &Scan<'_>,
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
                if word.flags & (TITLE | ROLE | SALUTATION) != 0 { cue_of(word.flags) } else { 0 };
            from += 1;
            continue;
        }
        let count = words
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|word| can_be_in_name(word))
            .count();
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
            let cue = if from == 0 { cue_before(scan, text, first.start) } else { inherited };
            let extent = if from + count == words.len() { Extent::ToEnd } else { Extent::Inside };
            let mut end = last.end;
            if part.len() <= 2
                && extent == Extent::ToEnd
                && let Some(end) = surname_first(scan, text, part)
            {
                return Some((first.start, end));
            }
            let neighbours = neighbours(text, words.get(..from), words.get(from + part.len()..));
            if (part.len() > 1 && !part.iter().all(ambiguous) || cue >= 5 || !neighbours)
                && !(cue == 0 && follows_article(text, first.start))
                && judge(scan, text, part, cue, extent)
            {
                end = with_suffix(scan.lexicon, text, part, end);
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

/// Whether `the` precedes the name: a bridge, a river or a product named after somebody.
fn follows_article(text: &str, start: usize) -> bool {
    let Some(before) = start.checked_sub(4).and_then(|from| text.as_bytes().get(from..start))
    else {
        return false;
    };
    before.eq_ignore_ascii_case(b"the ")
        && start.checked_sub(5).is_none_or(|at| class_at(text.as_bytes(), at) & WORD == 0)
}

/// Words that names of places begin with.
const PLACE_STARTS: [&str; 15] = [
    "San", "Santa", "Los", "Las", "El", "La", "New", "Saint", "St", "North", "South", "East",
    "West", "Upper", "Lower",
];

/// Whether other capitalised words are next to the name: `Frank Discussion`, `San Francisco`. A
/// single name is then not conclusive.
fn neighbours(text: &str, before: Option<&[Word]>, after: Option<&[Word]>) -> bool {
    let before = before.and_then(<[Word]>::last).is_some_and(|word| {
        let place = text.get(word.start..word.end).is_some_and(|w| PLACE_STARTS.contains(&w));
        place || word.flags & (STOP_WORD | TITLE | ROLE | SALUTATION) == 0
    });
    before
        || after
            .and_then(<[Word]>::first)
            .is_some_and(|word| word.kind != Kind::Initial && word.flags & (STOP_WORD | TITLE) == 0)
}

fn may_begin(word: &Word) -> bool {
    can_be_in_name(word) && word.kind != Kind::Particle && word.flags & TITLE == 0
}

/// Whether a word can be part of a name.
fn can_be_in_name(word: &Word) -> bool {
    let names = word.known & (GIVEN | SURNAME);
    match word.kind {
        Kind::Particle | Kind::Initial => true,
        _ if word.flags & (LEGAL_FORM | TITLE) != 0 && word.known & STRONG_GIVEN == 0 => false,
        _ if word.flags & STOP_WORD != 0 => {
            word.known & GIVEN != 0 && word.known & (STRONG_GIVEN | STRONG_SURNAME) != 0
        }
        _ if word.known & CALENDAR != 0 => word.known & STRONG_GIVEN != 0,
        _ if word.noun && names == 0 => false,
        _ if word.flags & (ROLE | COMPANY_WORD) != 0 => {
            word.known & STRONG_GIVEN != 0
                || word.known & STRONG_SURNAME != 0 && word.known & VERY_COMMON == 0
        }
        _ if word.known & COMMON != 0 => names != 0,
        _ => true,
    }
}

/// A common word or a place that is also a name, and not a frequent surname.
fn ambiguous(word: &Word) -> bool {
    word.known & (COMMON | PLACE) != 0
        && (word.known & STRONG_SURNAME == 0 || word.known & VERY_COMMON != 0)
}

/// The half points of a word.
fn points(word: &Word) -> i32 {
    let known = word.known;
    let stop = word.flags & STOP_WORD != 0 || known & CALENDAR != 0;
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
        () if stop && known & STRONG_GIVEN != 0 && known & (VERY_COMMON | CALENDAR) == 0 => 3,
        () if stop => 1,
        () if known & VERY_COMMON != 0 => {
            1 + i32::from(known & (STRONG_GIVEN | STRONG_SURNAME) != 0)
        }
        () if known & COMMON != 0 => {
            2 + i32::from(known & STRONG_GIVEN != 0) + i32::from(known & STRONG_SURNAME != 0)
        }
        () => value,
    }
}

/// A word that is more than an initial or a particle.
fn is_full_word(word: &Word) -> bool {
    !matches!(word.kind, Kind::Particle | Kind::Initial)
}

/// How far the words of a name reach in their sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    ToEnd,
    Inside,
}

/// Whether the words are a name.
fn judge(scan: &Scan<'_>, text: &str, part: &[Word], cue: i32, extent: Extent) -> bool {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
    let bytes = text.as_bytes();
    let named = part.iter().filter(|word| is_full_word(word)).count();
    let next = byte_at(bytes, last.end);
    // `Name.java`, `Name/x`, `Name()`, `Name=`: code.
    if matches!(next, b'/' | b'=' | b'_' | b'\\' | b'@')
        || matches!(next, b'.' | b'-' | b':') && class_at(bytes, last.end + 1) & WORD != 0
        || next == b'('
    {
        return false;
    }
    let mut total = cue + part.iter().map(points).sum::<i32>();
    if extent == Extent::ToEnd {
        total += after(scan, text, last.end);
    }
    let given = part.iter().any(|word| word.known & GIVEN != 0 && word.flags & STOP_WORD == 0);
    let names = part.iter().filter(|word| word.known & (GIVEN | SURNAME) != 0).count();
    let capitals = part.iter().all(|word| word.kind != Kind::Capitalised);
    if named <= 1 {
        return is_single_name(bytes, part, Score { cue, total });
    }
    let pure = part
        .iter()
        .all(|word| word.known & (COMMON | CALENDAR) == 0 && word.flags & STOP_WORD == 0);
    // `Georgia Peach`, `Amber Alert`: only common words that are also names.
    if cue < 3 && part.iter().filter(|word| is_full_word(word)).all(ambiguous) {
        return false;
    }
    let strange = pure && !capitals && part.iter().all(|word| word.known & PLACE == 0);
    let least = match () {
        () if capitals => 9,
        // Words of no known language, and one of them a name.
        () if strange => 6,
        () if given
            && first.known & GIVEN != 0
            && first.known & COMMON == 0
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
    total >= least && (names > 0 || cue >= if strange { 3 } else { 6 })
}

/// Points for a name: those of the words before it, and all of them.
#[derive(Clone, Copy)]
struct Score {
    cue: i32,
    total: i32,
}

/// Whether one word, perhaps with initials or particles, is a name.
fn is_single_name(bytes: &[u8], part: &[Word], score: Score) -> bool {
    let Some(word) = part.iter().find(|word| is_full_word(word)) else { return false };
    if part.len() > 1 {
        // `J. Garrido`, `van Dijk`.
        let pure = word.known & COMMON == 0
            || word.known & STRONG_SURNAME != 0 && word.known & VERY_COMMON == 0
            || score.cue >= 3;
        let dotted =
            part.iter().any(|word| word.kind == Kind::Initial && byte_at(bytes, word.end) == b'.');
        return pure
            && score.total >= if dotted { 6 } else { 8 }
            && (word.known & (GIVEN | SURNAME) != 0 || score.cue >= 4);
    }
    if word.kind != Kind::Capitalised && score.cue < 4 {
        return false;
    }
    // `Jan 5`, `12 May`: a date.
    if byte_at(bytes, word.end) == b' ' && byte_at(bytes, word.end + 1).is_ascii_digit()
        || word.start >= 2 && byte_at(bytes, word.start - 2).is_ascii_digit()
    {
        return false;
    }
    let pure = word.known & (COMMON | PLACE) == 0 && word.flags & STOP_WORD == 0;
    match () {
        () if word.known & GIVEN != 0 && pure => score.total >= 6,
        () if word.known & STRONG_GIVEN != 0 && pure => score.total >= 6,
        () if word.known & GIVEN != 0 => score.cue >= 5 && word.flags & STOP_WORD == 0,
        () if word.known & SURNAME != 0 && pure => score.cue >= 5,
        () => {
            score.cue >= 6 && pure
                || score.cue >= 7 && word.flags & STOP_WORD == 0 && word.known & VERY_COMMON == 0
        }
    }
}

/// `Surname, Given`: the words, a comma, and a given name alone.
fn surname_first(scan: &Scan<'_>, text: &str, part: &[Word]) -> Option<usize> {
    let last = part.last()?;
    let surname = |word: &Word| {
        word.known & SURNAME != 0
            && word.known & CALENDAR == 0
            && (word.known & STRONG_SURNAME != 0
                || word.known & VERY_COMMON == 0 && word.flags & STOP_WORD == 0)
    };
    if !part.iter().all(surname)
        || byte_at(text.as_bytes(), last.end) != b','
        || byte_at(text.as_bytes(), last.end + 1) != b' '
    {
        return None;
    }
    let second = Sequence::read(scan.lexicon, text, last.end + 2);
    let words = second.words();
    let given = words.first()?;
    let rest =
        words.iter().skip(1).all(|word| word.kind == Kind::Initial || word.known & GIVEN != 0);
    let pure = given.known & GIVEN != 0
        && given.flags & STOP_WORD == 0
        && (given.known & (COMMON | PLACE) == 0
            && (last.known & VERY_COMMON == 0 && last.flags & STOP_WORD == 0
                || given.known & STRONG_GIVEN != 0)
            || given.known & STRONG_GIVEN != 0 && last.known & COMMON == 0);
    let end = second.end();
    let next = byte_at(text.as_bytes(), end);
    // Further capitalised words would make it a list.
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
