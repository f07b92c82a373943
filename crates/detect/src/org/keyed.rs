//! Companies under a key.
//!
//! In: a value, or the offset after `Company: `. Out: whether it names a company, and where the
//! name ends.

use crate::byte_class::{LETTER, byte_at, floor_char, run_end, upper_at};
use crate::byte_pairs::BytePairs;
use crate::dictionary::{SURNAME, lookup_word};
use crate::lexicon::{COMPANY_START, COMPANY_WORD, CONJUNCTION, LEGAL_FORM, Lexicon};
use crate::org::legal_form::{FORMS, form_end};
use crate::sequence::Sequence;

static ENDS: BytePairs = BytePairs::of_ends(FORMS);

/// Whether a whole value names a company.
pub(crate) fn whole_is_company(lexicon: Lexicon, value: &str) -> bool {
    let bytes = value.as_bytes();
    let may = |last: usize| {
        ENDS.may(byte_at(bytes, last.wrapping_sub(1)), byte_at(bytes, last)) && value.contains(' ')
    };
    let forms = bytes.len().checked_sub(1).is_some_and(may)
        && FORMS.iter().any(|form| {
            value.len() > form.len() + 1
                && value.ends_with(form)
                && bytes.get(value.len() - form.len() - 1) == Some(&b' ')
        });
    let words = value.split([' ', ',', '-']).filter(|word| !word.is_empty());
    let company =
        words.clone().skip(1).any(|word| lexicon.word(word) & (LEGAL_FORM | COMPANY_WORD) != 0);
    let surnames = value.contains([',', '-', '&'])
        && words.clone().next().is_some()
        && words.clone().all(|word| {
            lookup_word(word) & SURNAME != 0 || lexicon.word(word) & CONJUNCTION != 0 || word == "&"
        });
    let start = words
        .clone()
        .next()
        .is_some_and(|word| lexicon.word(word) & COMPANY_START != 0 && upper_at(value, 0))
        && words.count() > 1;
    forms || company || surnames || start
}

/// The end of a company's name after `Company: `.
pub(crate) fn company_end(lexicon: Lexicon, text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !upper_at(text, start) && byte_at(bytes, start) < 0xE0 {
        return None;
    }
    let mut end = start;
    let limit = bytes.len().min(start + 100);
    while end < limit {
        match byte_at(bytes, end) {
            b'\n' | b'\r' | b';' | b'|' | b'"' | b'<' | b'(' | b'\t' => break,
            b',' => {
                let rest = Sequence::read(lexicon, text, end + 2);
                let continues = form_end(text, end).is_some() || joined_list(lexicon, text, &rest);
                if !continues {
                    break;
                }
            }
            b'.' if byte_at(bytes, end + 1) == b' ' && upper_at(text, end + 2)
                || end + 1 == bytes.len() =>
            {
                let dotted = FORMS.iter().any(|form| {
                    form.ends_with('.')
                        && text.get(start..=end).is_some_and(|value| value.ends_with(form))
                        || inside_form(text, end, form)
                });
                if !dotted {
                    break;
                }
            }
            b' ' if byte_at(bytes, end + 1) == b' '
                || matches!(text.get(end..end + 3), Some(" - ")) =>
            {
                break;
            }
            _ => {}
        }
        end += 1;
    }
    let end = floor_char(text, end);
    let value = text.get(start..end)?.trim_end();
    (value.len() >= 2 && value.split_whitespace().count() <= 8).then_some(start + value.len())
}

/// Whether the full stop at `at` is inside a legal form: `Pvt. Ltd.`
fn inside_form(text: &str, at: usize, form: &str) -> bool {
    form.match_indices(". ").any(|(place, _)| {
        let (head, tail) = form.split_at(place + 1);
        text.get(..=at).is_some_and(|before| before.ends_with(head))
            && text.get(at + 1..).is_some_and(|behind| behind.starts_with(tail))
    })
}

fn joined_list(lexicon: Lexicon, text: &str, rest: &Sequence) -> bool {
    let Some(word) = rest.words().first() else { return false };
    let stop = run_end(text.as_bytes(), word.end + 1, LETTER);
    let next = text.get(word.end + 1..stop).unwrap_or_default();
    rest.words().len() == 1
        && word.known & SURNAME != 0
        && (lexicon.word(next) & CONJUNCTION != 0 || byte_at(text.as_bytes(), word.end + 1) == b'&')
}
