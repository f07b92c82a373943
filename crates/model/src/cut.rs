//! Truncates a text at the end of a word.
//!
//! A text is searched for personal data after it was cut, and half of a value is not
//! recognised as one. So it is cut where values end. A value of several words (a name, a
//! number with spaces) can still be cut between two of them.

/// As many whole words as fit into `most_bytes`, including the character that ends the
/// last one. A text without a word end is cut at the limit: no value is that long.
pub fn whole_words(text: &str, most_bytes: usize) -> &str {
    if text.len() <= most_bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(most_bytes)];
    let whole = without_half_word(head);
    if whole.is_empty() { head } else { whole }
}

/// The text up to and including its last word end.
pub fn without_half_word(text: &str) -> &str {
    let end = text.char_indices().rfind(|(_, char)| ends_a_word(*char));
    end.map_or("", |(at, char)| &text[..at + char.len_utf8()])
}

/// Whether this character ends every single-word value before it.
fn ends_a_word(char: char) -> bool {
    char.is_whitespace()
        || matches!(
            char,
            ',' | ';'
                | '|'
                | '"'
                | '`'
                | '<'
                | '>'
                | '['
                | ']'
                | '{'
                | '}'
                | '='
                | '、'
                | '。'
                | '，'
        )
}

#[cfg(test)]
mod tests {
    use super::whole_words;

    #[test]
    fn a_text_is_cut_where_a_word_ends() {
        assert_eq!(whole_words("to ann@x.org", 12), "to ann@x.org");
        assert_eq!(whole_words("to ann@x.org", 11), "to ");
        for (text, head) in [
            (r#"["ann@x.org","bob@x.org"]"#, r#"["ann@x.org",""#),
            ("<ann@x.org><bob@x.org>", "<ann@x.org><"),
            ("a;ann@x.org;bob@x.org", "a;ann@x.org;"),
            ("甲、ann@x.org，bob@x.org", "甲、ann@x.org，"),
            ("onewordthatislongerthanthat", "onewordthatislonge"),
            ("ééééééééééééééééééé", "ééééééééé"),
        ] {
            let most = if head.contains('，') { 22 } else { 18 };
            assert_eq!(whole_words(text, most), head);
        }
    }
}
