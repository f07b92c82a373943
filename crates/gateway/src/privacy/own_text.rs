//! Which parts of a text of ours are quotations.
//!
//! In: a message or a hint that the gateway words. Out: its parts. We put what is quoted from
//! programs, servers and data into backticks, and libraries put it into double quotes; everything
//! else is fixed text of ours.
//! Invariant: a quotation that is not closed goes on to the end of the text.

/// A part of a text of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OwnText<'a> {
    /// Our fixed text.
    Words(&'a str),
    /// What it quotes, with the quotation marks.
    Quoted(&'a str),
}

/// The parts of a text, which together are the text.
pub(super) fn parts(text: &str) -> Vec<OwnText<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '"']) {
        let (words, quoted) = rest.split_at(start);
        let mark = if quoted.starts_with('`') { '`' } else { '"' };
        // The marks are one byte long.
        let end = quoted.get(1..).and_then(|inside| inside.find(mark));
        let length = end.map_or(quoted.len(), |end| end + 2);
        let (quoted, after) = quoted.split_at(length);
        parts.extend([OwnText::Words(words), OwnText::Quoted(quoted)]);
        rest = after;
    }
    parts.push(OwnText::Words(rest));
    parts.retain(|part| !matches!(part, OwnText::Words("")));
    parts
}

/// Whether a value may also be words of ours: it has nothing but letters and spaces.
pub(super) fn may_be_our_words(value: &str) -> bool {
    value.chars().all(|char| char.is_alphabetic() || char == ' ')
}

#[cfg(test)]
mod tests {
    use super::OwnText::{Quoted, Words};
    use super::parts;

    #[test]
    fn what_stands_in_quotation_marks_is_quoted_also_if_they_are_not_closed() {
        for (text, expected) in [
            ("the program hit its limit", vec![Words("the program hit its limit")]),
            (
                "`a b` is \"c`d\" or `e",
                vec![
                    Quoted("`a b`"),
                    Words(" is "),
                    Quoted("\"c`d\""),
                    Words(" or "),
                    Quoted("`e"),
                ],
            ),
            ("``x", vec![Quoted("``"), Words("x")]),
            ("", vec![]),
        ] {
            assert_eq!(parts(text), expected);
        }
    }
}
