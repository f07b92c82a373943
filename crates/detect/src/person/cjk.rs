//! Names in Chinese, Japanese and Korean writing.
//!
//! In: a word in such a script. Out: a candidate, if the word is short, on its own, and begins
//! with a known family name.

use tidegate_model::DataType;

use crate::byte_class::{LETTER, byte_at, run_end};
use crate::dictionary::{GIVEN, SURNAME, lookup_word};
use crate::scan::{PROSE, Scan};

/// Looks at the word at `start..end`.
pub(crate) fn detect_at(scan: &mut Scan<'_>, text: &str, start: usize, end: usize) -> usize {
    let Some(word) = text.get(start..end) else { return end };
    let count = word.chars().take(7).count();
    if count > 6 {
        return end;
    }
    let bytes = text.as_bytes();
    let mut stop = end;
    // `山田 太郎`: family name, space, given name.
    if count <= 3 && byte_at(bytes, end) == b' ' && byte_at(bytes, end + 1) >= 0xE3 {
        let second = run_end(bytes, end + 1, LETTER);
        let both = text.get(end + 1..second).is_some_and(|given| lookup_word(given) & GIVEN != 0)
            || lookup_word(word) & SURNAME != 0;
        if both && text.get(end + 1..second).is_some_and(|given| given.chars().count() <= 4) {
            stop = second;
        }
    }
    let family = [1, 2].into_iter().any(|letters| {
        let cut = word.char_indices().nth(letters).map_or(word.len(), |(at, _)| at);
        word.get(..cut).is_some_and(|head| lookup_word(head) & SURNAME != 0)
    });
    let alone = stop > end || (2..=4).contains(&count);
    if family && alone && word.chars().all(|c| c >= '\u{3400}') {
        scan.add(start, stop, DataType::Person, PROSE);
        return stop;
    }
    end
}
