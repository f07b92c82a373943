//! Text of skills without what nobody sees.
//!
//! A program may have written it, and people, terminals and models read it:
//! what moves a cursor, turns the direction of reading or hides words is shown
//! as an escape, or left out where it can mean nothing.

/// The text with the same lines, and with what is invisible shown as escapes.
/// For readers; who runs the code gets it as it is.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            // The end of a line on some systems, and nothing more.
            '\r' => {}
            hidden if is_hidden(hidden) => shown.extend(hidden.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// The text in one line, without what is invisible.
pub(super) fn in_one_line(text: &str) -> String {
    let visible: String = text.chars().filter(|c| c.is_whitespace() || !is_hidden(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Control characters, those that turn the direction of reading (UAX #9), those
/// of no width, and those that Unicode has for tags and for variants of
/// ideographs, in which text can be hidden whole.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{harmless, in_one_line};

    #[test]
    fn readers_see_what_would_be_hidden() {
        assert_eq!(harmless("a\tb\r\nc é 日本 👍🏽"), "a\tb\nc é 日本 👍🏽");
        assert_eq!(
            harmless("\u{1b}[2J\u{202e}x\u{200b}\u{e0041}"),
            "\\u{1b}[2J\\u{202e}x\\u{200b}\\u{e0041}"
        );
    }

    #[test]
    fn a_line_has_no_breaks_and_nothing_hidden() {
        assert_eq!(in_one_line(" a\n\n b\u{202e}\u{0}c\u{e0041} "), "a bc");
        assert_eq!(in_one_line("a\u{2028}b"), "a b");
    }
}
