//! Characters that a reader does not see, and what becomes of them.
//!
//! In: text of strangers (servers, their tools). Out: the same without what hides
//! or steers: [`cleaned`] for prose, where hidden characters say nothing, and
//! [`visible`] for names and values, which must stay exactly what they are and
//! are therefore written with escapes. Both leave ordinary text of any language
//! as it is, emoji included.
//!
//! Kept although it is invisible, since writing needs it, and only where it does:
//! one joiner between two emoji or between two letters of a script that joins
//! (Arabic to Mongolian), and one emoji variation selector after an emoji. Flags
//! made of tag characters become the plain black flag: tags can spell any text.

use std::borrow::Cow;
use std::fmt::Write;

/// Chosen: this many characters that cannot be seen are no accident of typing;
/// the catalog of 3,031 real tools has none but emoji variation selectors.
const MOST_ACCIDENTAL: usize = 3;

/// Prose without escape sequences of terminals (as a whole), control characters
/// other than line break and tab, invisible characters, and those that turn the
/// direction of reading.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Kept(c) => kept.push(c),
            Piece::Break => kept.push('\n'),
            Piece::Hidden(_) => {}
        }
    }
    Cow::Owned(kept)
}

/// The same text with what cannot be seen as escapes, such as `\u{200b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if is_kept(c, before, rest.clone().next()) {
            shown.push(c);
        } else {
            // Writing to text cannot fail.
            let _ = write!(shown, "{}", c.escape_unicode());
        }
        before = Some(c);
    }
    Cow::Owned(shown)
}

/// A name as it is shown. Two names that differ are shown differently.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    match name.contains('\\') {
        true => Cow::Owned(visible(&name.replace('\\', "\\\\")).into_owned()),
        false => visible(name),
    }
}

/// Whether a character cannot be seen, or steers what can: alone, without regard
/// to what stands beside it.
pub fn is_hidden(c: char) -> bool {
    !is_kept(c, None, None)
}

/// Whether text holds more that cannot be seen than slips in by accident: an
/// escape sequence, tag characters, an override of direction, or many others.
pub fn hides_text(text: &str) -> bool {
    if is_plain(text) {
        return false;
    }
    let mut accidental = 0;
    for piece in pieces(text) {
        if let Piece::Hidden(c) = piece {
            let steers = matches!(c, '\u{1b}' | '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e0fff}');
            accidental += 1;
            if steers || accidental > MOST_ACCIDENTAL {
                return true;
            }
        }
    }
    false
}

/// What most text is made of; the rest is looked at character by character.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

enum Piece {
    Kept(char),
    /// The end of a line, however it is written.
    Break,
    /// A hidden character, or an escape sequence that began with it.
    Hidden(char),
}

/// The text from left to right.
fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    let mut rest = text.chars();
    let mut before = None;
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let next = rest.clone().next();
        let piece = match c {
            '\r' if next == Some('\n') => {
                rest.next();
                Piece::Break
            }
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Piece::Break,
            '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}' => {
                skip_sequence(c, &mut rest);
                Piece::Hidden(c)
            }
            _ if is_kept(c, before, next) => Piece::Kept(c),
            _ => Piece::Hidden(c),
        };
        before = Some(c);
        Some(piece)
    })
}

/// Goes behind an escape sequence (ECMA-48) whose first character was read. One
/// that is not ended goes to the end of its line, as far as a terminal would.
fn skip_sequence(first: char, rest: &mut std::str::Chars<'_>) {
    let kind = match first {
        '\u{1b}' => match rest.clone().next() {
            Some('[') => Some('\u{9b}'),
            Some(']' | 'P' | 'X' | '^' | '_') => Some('\u{9d}'),
            _ => None,
        },
        '\u{9b}' => Some('\u{9b}'),
        _ => Some('\u{9d}'),
    };
    if first == '\u{1b}' && kind.is_some() {
        rest.next();
    }
    match kind {
        Some('\u{9b}') => {
            skip_while(rest, |c| matches!(c, ' '..='?'));
            skip_one(rest, |c| matches!(c, '@'..='~'));
        }
        Some(_) => {
            let is_end = |c| matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}' | '\n');
            skip_while(rest, |c| !is_end(c));
            if skip_one(rest, |c| c == '\u{1b}') {
                skip_one(rest, |c| c == '\\');
            } else {
                skip_one(rest, |c| matches!(c, '\u{7}' | '\u{9c}'));
            }
        }
        None => {
            skip_while(rest, |c| matches!(c, ' '..='/'));
            skip_one(rest, |c| matches!(c, '0'..='~'));
        }
    }
}

fn skip_while(rest: &mut std::str::Chars<'_>, which: impl Fn(char) -> bool) {
    while skip_one(rest, &which) {}
}

fn skip_one(rest: &mut std::str::Chars<'_>, which: impl Fn(char) -> bool) -> bool {
    let found = rest.clone().next().is_some_and(which);
    if found {
        rest.next();
    }
    found
}

/// Whether a character stays, between its neighbours.
fn is_kept(c: char, before: Option<char>, next: Option<char>) -> bool {
    match c {
        '\n' | '\t' => true,
        // Joiners.
        '\u{200c}' | '\u{200d}' => {
            let both =
                |which: fn(char) -> bool| before.is_some_and(which) && next.is_some_and(which);
            both(is_joining_letter) || (c == '\u{200d}' && both(is_emoji_part))
        }
        // Text or emoji style; `1`, `#` and `*` are keys with U+20E3 behind.
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = |c: char| c.is_ascii_digit() || matches!(c, '#' | '*');
            before.is_some_and(is_emoji) || (before.is_some_and(is_key) && next == Some('\u{20e3}'))
        }
        _ => !c.is_control() && !is_invisible(c) && !turns(c),
    }
}

/// Letters and marks between which a joiner has a meaning: Arabic, Syriac, the
/// scripts of India and South East Asia, Mongolian.
fn is_joining_letter(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{1cff}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}')
        && !is_invisible(c)
}

fn is_emoji_part(c: char) -> bool {
    // A selector after the first emoji, a colour of skin or hair.
    is_emoji(c) || c == '\u{fe0f}'
}

/// The blocks that hold emoji, and the few that are elsewhere.
fn is_emoji(c: char) -> bool {
    matches!(c, '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2934}'..='\u{2935}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether it changes the direction of reading: the explicit formatting characters
/// of Unicode's bidirectional algorithm (UAX #9).
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether nothing is drawn for it: Unicode's default ignorable characters, the
/// separators of lines, interlinear annotations, and letters that are blank.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2028}'..='\u{2029}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
