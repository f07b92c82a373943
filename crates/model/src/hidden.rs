//! Removes or escapes characters that a reader cannot see.
//!
//! The only place that defines them, for tools, skills, errors, terminals and logs.
//!
//! In: untrusted text (from servers, their tools, and programs that read such text). Out: the
//! same text without characters that hide text or change its display: [`cleaned`] and
//! [`cleaned_line`] remove them from prose; [`visible`] and [`visible_line`] escape them in
//! values, code and errors; [`visible_json`] escapes them in documents without changing the
//! values; [`shown_name`] is for names. Ordinary text of any language stays as it is,
//! including emoji.
//!
//! Some invisible characters are part of ordinary writing and are kept: one joiner between two
//! emoji or between two letters of a joining script (Arabic to Mongolian), and one emoji
//! variation selector after an emoji. Flags made of tag characters become the plain black
//! flag: tags can spell any text.

use std::borrow::Cow;
use std::fmt::Write;

/// The most hidden characters that count as a typing accident. Chosen: 3,031 real tools have
/// none except emoji variation selectors.
const MAX_ACCIDENTAL: usize = 3;

/// Prose without terminal escape sequences, control characters other than line break and tab,
/// invisible characters, and characters that change the text direction.
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

/// Prose on one line: cleaned, with each run of white space replaced by one space.
pub fn cleaned_line(text: &str) -> String {
    cleaned(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same text with hidden characters escaped, such as `\u{200b}`. Line breaks stay,
/// including CRLF.
pub fn visible(text: &str) -> Cow<'_, str> {
    with_escapes(text, |shown, c, next| {
        if (c, next) != ('\r', Some('\n')) {
            shown.extend(c.escape_unicode());
        }
    })
}

/// A JSON document with hidden characters escaped: a parser gets the same values, and a person
/// sees the characters.
pub fn visible_json(document: &str) -> Cow<'_, str> {
    with_escapes(document, |shown, c, _| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to text cannot fail.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// Replaces each hidden character by what `escape` writes for it; `escape` also gets the
/// character after it.
fn with_escapes(text: &str, escape: fn(&mut String, char, Option<char>)) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next = rest.clone().next();
        let kept = is_kept(c, before, next);
        if kept {
            shown.push(c);
        } else {
            escape(&mut shown, c, next);
        }
        before = kept.then_some(c);
    }
    Cow::Owned(shown)
}

/// The same on one line: line breaks and tabs are escaped too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\t']) {
        return visible(text);
    }
    let parts = text.split_inclusive(['\n', '\t']).map(|part| {
        let end = part.chars().next_back().filter(|c| matches!(c, '\n' | '\t'));
        let body = &part[..part.len() - usize::from(end.is_some())];
        let end = end.map(|c| c.escape_default().to_string()).unwrap_or_default();
        format!("{}{end}", visible(body))
    });
    Cow::Owned(parts.collect())
}

/// A name on one line. Different names stay different.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    match name.contains('\\') {
        true => Cow::Owned(visible_line(&name.replace('\\', "\\\\")).into_owned()),
        false => visible_line(name),
    }
}

/// Whether a character is hidden or affects how others are shown, regardless of its
/// neighbours.
pub fn is_hidden(c: char) -> bool {
    !is_kept(c, None, None)
}

/// Whether a text has hidden characters that are no accident: an escape sequence, tag
/// characters, a change of direction, or many others.
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
            if steers || accidental > MAX_ACCIDENTAL {
                return true;
            }
        }
    }
    false
}

/// Whether a text is plain ASCII, as most is. Other text is examined character by character.
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

/// The pieces of a text, from left to right.
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
        // A removed character does not count as a neighbour.
        before = matches!(piece, Piece::Kept(_)).then_some(c);
        Some(piece)
    })
}

/// Skips an escape sequence (ECMA-48) whose first character was read. An unterminated one
/// extends to the end of its line, as in a terminal.
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

/// Whether a character is kept between these neighbours.
fn is_kept(c: char, before: Option<char>, next: Option<char>) -> bool {
    match c {
        '\n' | '\t' => true,
        // Joiners.
        '\u{200c}' | '\u{200d}' => {
            let between = |left: fn(char) -> bool, right: fn(char) -> bool| {
                before.is_some_and(left) && next.is_some_and(right)
            };
            between(is_joining_letter, is_joining_letter)
                || (c == '\u{200d}' && between(is_emoji_part, is_emoji))
        }
        // Text or emoji style; `1`, `#` and `*` before U+20E3 are keycaps.
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = |c: char| c.is_ascii_digit() || matches!(c, '#' | '*');
            before.is_some_and(is_emoji) || (before.is_some_and(is_key) && next == Some('\u{20e3}'))
        }
        _ => !c.is_control() && !is_invisible(c) && !changes_direction(c),
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
    // Includes a selector after the first emoji, and a skin or hair colour.
    is_emoji(c) || c == '\u{fe0f}'
}

/// The blocks of emoji, and the few emoji elsewhere.
fn is_emoji(c: char) -> bool {
    matches!(c, '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{24c2}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2934}'..='\u{2935}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether it changes the text direction: the explicit formatting characters of Unicode's
/// bidirectional algorithm (UAX #9).
fn changes_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether nothing is drawn for it: Unicode's default ignorable characters, line separators,
/// interlinear annotations, controls of hieroglyphs, blank letters and notes, and
/// non-characters.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2028}'..='\u{2029}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{16fe4}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{fdd0}'..='\u{fdef}')
        || c as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests;
