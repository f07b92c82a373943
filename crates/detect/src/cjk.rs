//! Names in Chinese, Japanese and Korean writing.
//!
//! In: a word of such letters. Out: a find, if the word is short, stands alone and
//! begins with a known family name, or a word before it says that a name follows.

use tidegate_model::DataType;

use super::class::{LETTER, byte_at, run_end};
use super::run::{PROSE, Run};
use super::words::{GIVEN, SURNAME, known_word};

/// Looks at the word at `start..end`.
pub(super) fn look(run: &mut Run<'_>, text: &str, start: usize, end: usize) -> usize {
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
        let both = text.get(end + 1..second).is_some_and(|given| known_word(given) & GIVEN != 0)
            || known_word(word) & SURNAME != 0;
        if both && text.get(end + 1..second).is_some_and(|given| given.chars().count() <= 4) {
            stop = second;
        }
    }
    let family = [1, 2].into_iter().any(|letters| {
        let cut = word.char_indices().nth(letters).map_or(word.len(), |(at, _)| at);
        word.get(..cut).is_some_and(|head| known_word(head) & SURNAME != 0)
    });
    let alone = stop > end || (2..=4).contains(&count);
    if family && alone && word.chars().all(|c| c >= '\u{3400}') {
        run.add(start, stop, DataType::Person, PROSE);
        return stop;
    }
    end
}
