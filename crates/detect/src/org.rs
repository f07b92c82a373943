//! Names of companies and other organisations.
//!
//! In: capitalised words of prose. Out: the range of the name. A legal form (`GmbH`, `Ltd`,
//! `S.p.A.`) proves it; several joined surnames (`Nash-Montgomery`, `Doyle, Johnson and
//! Stevens`, `Holt & Sons`) make it likely; a cue before it (`works for`, `beneficiary`) helps
//! where nothing contradicts.

pub(crate) mod keyed;
pub(crate) mod legal_form;

use tidegate_model::DataType;

use crate::byte_class::{LETTER, byte_at, class_at, run_end, upper_at};
use crate::dictionary::{CALENDAR, COMMON, GIVEN, PLACE, STRONG_GIVEN, SURNAME, VERY_COMMON};
use crate::lexicon::{
    COMPANY_CUE, COMPANY_START, COMPANY_WORD, CONJUNCTION, LEGAL_FORM, PERSON_CUE, ROLE, STOP_WORD,
    STRONG_COMPANY_CUE, TITLE,
};
use crate::org::legal_form::{any_form, form_end, forms_end, is_form};
use crate::scan::{Scan, word_before};
use crate::sequence::{Kind, Position, Sequence, Word, word_at};

/// A company name, recognised by its own words.
pub(crate) fn in_sequence(
    scan: &Scan<'_>,
    text: &str,
    sequence: &Sequence,
) -> Option<(usize, usize)> {
    let words = sequence.words();
    let from = first_possible(words)?;
    let own = words.get(from..)?;
    let first = own.first()?;
    let last = own.last()?;
    // `S.A.` is read as initials: a form may follow any word.
    for (place, word) in own.iter().enumerate() {
        if matches!(word.kind, Kind::Initial | Kind::Particle) {
            continue;
        }
        // The next word is read already and mostly rules out a form.
        let no_form = own
            .get(place + 1)
            .is_some_and(|next| next.start == word.end + 1 && next.flags & LEGAL_FORM == 0);
        if !(no_form && form_end(text, word.end).is_none())
            && let Some(end) = forms_end(scan.lexicon, text, word.end)
            && !(word.end == last.end
                && byte_at(text.as_bytes(), word.end) == b','
                && own.len() == 1
                && word.known & PLACE != 0)
        {
            return Some((first.start, end));
        }
    }
    if let Some(place) =
        own.iter().skip(1).rposition(|word| word.flags & LEGAL_FORM != 0 && is_form(text, word))
    {
        let end = own.get(place + 1)?.end;
        let end = forms_end(scan.lexicon, text, end).unwrap_or(end);
        return Some((
            first.start,
            end + usize::from(
                byte_at(text.as_bytes(), end) == b'.'
                    && text
                        .get(end - 3..end)
                        .is_some_and(|tail| matches!(tail, "Inc" | "Ltd" | "orp" | "tda")),
            ),
        ));
    }
    if let Some(end) = joined(scan, text, own) {
        return Some((first.start, forms_end(scan.lexicon, text, end).unwrap_or(end)));
    }
    // `Rose Group`, `Grupo Mora`, `Weber Logistik`: a name and a company word.
    let company = own
        .iter()
        .skip(1)
        .rposition(|word| word.flags & COMPANY_WORD != 0 && word.kind != Kind::Initial);
    if let Some(place) = company
        && own.iter().take(place + 1).all(|word| {
            word.known & (SURNAME | GIVEN) != 0
                && word.known & (VERY_COMMON | CALENDAR) == 0
                && word.flags & STOP_WORD == 0
                || word.kind == Kind::AllCapitals && word.known == 0
        })
    {
        return Some((first.start, own.get(place + 1)?.end));
    }
    let start_word = own.len() >= 2
        && first.flags & COMPANY_START != 0
        && first.known & VERY_COMMON == 0
        && own.iter().skip(1).all(|word| word.known & COMMON == 0 && word.flags & STOP_WORD == 0);
    if start_word && own.iter().skip(1).any(|word| word.known & SURNAME != 0) {
        return Some((first.start, last.end));
    }
    // `Nash-Montgomery`: two surnames, and no given name before.
    (own.len() == 1 && from == 0 && first.hyphen && two_surnames(text.get(first.start..first.end)?))
        .then_some((first.start, first.end))
}

/// Both are surnames, at least one is not a common word, and they are not a double given name.
fn two_surnames(word: &str) -> bool {
    let mut all = SURNAME;
    let mut plain = COMMON;
    let mut given = STRONG_GIVEN;
    for part in word.split('-') {
        let known = crate::dictionary::lookup_word(part);
        all &= known;
        plain &= known;
        given &= if known & crate::dictionary::STRONG_SURNAME != 0 { 0 } else { known };
    }
    all != 0 && plain == 0 && given == 0
}

/// The first word that can belong to a company's name.
fn first_possible(words: &[Word]) -> Option<usize> {
    let skip = words
        .iter()
        .take_while(|word| {
            (word.flags & (STOP_WORD | TITLE) != 0
                || word.flags & ROLE != 0 && word.flags & COMPANY_WORD == 0)
                && word.known & GIVEN == 0
                && word.kind != Kind::AllCapitals
                || word.flags & STOP_WORD != 0 && word.known & VERY_COMMON != 0
        })
        .count();
    (skip < words.len()).then_some(skip)
}

/// `Doyle, Johnson and Stevens`, `Wood and Baker`, `Smith & Jones`: surnames joined.
fn joined(scan: &Scan<'_>, text: &str, own: &[Word]) -> Option<usize> {
    if own.len() > 2 {
        return None;
    }
    let bytes = text.as_bytes();
    let mut end = own.last()?.end;
    let mut count = 1;
    let mut commas = 0;
    let mut known = usize::from(surname(own.last()?));
    loop {
        let (next, joins) = match (byte_at(bytes, end), byte_at(bytes, end + 1)) {
            (b',', b' ') => (end + 2, false),
            (b' ', b'&') if byte_at(bytes, end + 2) == b' ' => (end + 3, true),
            (b' ', _) => {
                let stop = run_end(bytes, end + 1, LETTER);
                let word = text.get(end + 1..stop)?;
                if word.len() > 4
                    || byte_at(bytes, stop) != b' '
                    || upper_at(text, end + 1)
                    || scan.lexicon.word(word) & CONJUNCTION == 0
                {
                    return None;
                }
                (stop + 1, true)
            }
            _ => return None,
        };
        let word = word_at(scan.lexicon, text, next, Position::First)?;
        if word.flags & (STOP_WORD | TITLE) != 0
            || word.kind == Kind::Initial
            || word.known & STRONG_GIVEN != 0 && word.known & SURNAME == 0
        {
            return None;
        }
        known += usize::from(surname(&word));
        count += 1;
        end = word.end;
        let amp = byte_at(bytes, next.wrapping_sub(2)) == b'&';
        if joins {
            // `and` joins two people too: without a comma or `&` it takes a legal form.
            let follows = byte_at(bytes, end) == b' '
                && upper_at(text, end + 1)
                && any_form(scan.lexicon, text, end).is_none();
            let sure = (commas == 1 && count == 3 && own.len() == 1)
                || amp
                || any_form(scan.lexicon, text, end).is_some();
            return (known == count && sure && (!follows || commas > 0)
                || known >= 2 && any_form(scan.lexicon, text, end).is_some())
            .then_some(end);
        }
        commas += 1;
        if commas > 2 {
            return None;
        }
    }
}

fn surname(word: &Word) -> bool {
    word.known & SURNAME != 0 && word.flags & STOP_WORD == 0 && word.known & CALENDAR == 0
}

/// A company that only the words before it reveal.
pub(crate) fn by_cue(scan: &Scan<'_>, text: &str, sequence: &Sequence) -> Option<(usize, usize)> {
    let words = sequence.words();
    let first = words.first()?;
    let (from, to) = word_before(text, first.start, first.start.saturating_sub(16))?;
    if text
        .get(to..first.start)
        .is_none_or(|gap| !matches!(gap, " " | ": " | " \"" | " the " | " «"))
    {
        return None;
    }
    let cue = scan.lexicon.word_at(text, from, to);
    // `Anna Weber from Initech`: a person directly before.
    let of_person = cue & (COMPANY_CUE | PERSON_CUE) != 0
        && scan.out.last().is_some_and(|find| {
            find.data_type == DataType::Person && find.end + 1 == from + scan.base
        });
    if cue & (COMPANY_CUE | STRONG_COMPANY_CUE) == 0 && !of_person {
        return None;
    }
    let strong = of_person && cue & CONJUNCTION == 0
        || cue & STRONG_COMPANY_CUE != 0
        || scan.flags_before(text, from, 2) & STRONG_COMPANY_CUE != 0;
    let count = words
        .iter()
        .take_while(|word| {
            word.flags & STOP_WORD == 0 && word.known & CALENDAR == 0 && word.kind != Kind::Initial
        })
        .count();
    let own = words.get(..count)?;
    let last = own.last()?;
    let next = byte_at(text.as_bytes(), last.end);
    if matches!(next, b'/' | b'=' | b'_' | b'(' | b'@')
        || next == b'.' && class_at(text.as_bytes(), last.end + 1) & LETTER != 0
    {
        return None;
    }
    let plain = own
        .iter()
        .filter(|word| word.known & COMMON != 0 && word.known & (SURNAME | GIVEN) == 0)
        .count();
    let pure =
        own.iter().all(|word| word.known & SURNAME != 0 && word.known & (COMMON | PLACE) == 0);
    // `at Rapid Cycle Solutions`: the last word is a company word.
    let named = own.len() >= 2 && last.flags & COMPANY_WORD != 0;
    let good = if named {
        true
    } else if strong {
        own.iter().all(|word| word.known & PLACE == 0 || word.known & SURNAME != 0)
            && (plain == 0 || own.len() >= 2)
            && !(own.len() == 1 && first.known & VERY_COMMON != 0)
    } else {
        pure
    };
    good.then_some((first.start, last.end))
}
