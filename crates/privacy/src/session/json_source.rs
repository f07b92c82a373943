//! Recognises JSON source: whole documents, several in a row, and fragments.
//!
//! In: a text. Out: whether it consists of the words of JSON, and whether it begins inside of a
//! string. A client edits a file by fragments of it (`"name": "[NAME_1]"`), so values are
//! written in a fragment as in the whole file. Prose has bare words and is no JSON source, and
//! neither is a quoted text alone: a search for an exact phrase is no JSON.
//!
//! The same text is judged in the same way with tokens as with values: in a string they make no
//! difference, and outside of strings a token counts as what it stands for.

use memchr::memchr2;

use super::spelling::Spelling;
use super::{FoundToken, Token};

/// Where JSON source begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// Between the strings.
    Outside,
    /// In a string.
    Inside,
}

/// Whether a token stands for a number of JSON.
pub(super) type IsNumber<'a> = &'a dyn Fn(Token) -> bool;

/// For a text that has values and no tokens.
pub(super) fn no_token_is(_: Token) -> bool {
    false
}

/// Whether a token stands for a number of JSON.
pub(super) fn is_number(spelling: Option<&Spelling<'_>>) -> bool {
    let text = spelling.map(Spelling::text).unwrap_or_default();
    scalar(text.as_bytes()) == Some(text.len())
}

/// Where the text begins, if it is JSON source.
pub(super) fn json_source(
    text: &str,
    tokens: &[FoundToken],
    is_number: IsNumber<'_>,
) -> Option<Begin> {
    let mut words =
        Words { bytes: text.as_bytes(), tokens, is_number, at: 0, has_structure: false };
    if words.all() {
        return Some(Begin::Outside);
    }
    (words.at, words.has_structure) = (0, false);
    words.string();
    // What is before a colon is a key; a bare word before it is none.
    if words.at < text.len() && words.is_key() {
        words.has_structure = true;
    }
    words.all().then_some(Begin::Inside)
}

struct Words<'a> {
    bytes: &'a [u8],
    tokens: &'a [FoundToken],
    is_number: IsNumber<'a>,
    at: usize,
    /// Whether something is in it that only JSON has: a bracket at its beginning, or a key.
    has_structure: bool,
}

impl Words<'_> {
    fn all(&mut self) -> bool {
        let first_byte = self.bytes.len() - self.bytes.trim_ascii_start().len();
        while let Some(byte) = self.bytes.get(self.at) {
            let first = self.tokens.partition_point(|token| token.range.end <= self.at);
            let token = self
                .tokens
                .get(first)
                .filter(|found| found.range.start == self.at && (self.is_number)(found.token));
            match (token, byte) {
                (Some(token), _) => self.at = token.range.end,
                (None, b'{' | b'[') => {
                    self.has_structure |= self.at == first_byte;
                    self.at += 1;
                }
                (None, b' ' | b'\n' | b'\r' | b'\t' | b'}' | b']' | b',' | b':') => {
                    self.at += 1;
                }
                (None, b'"') => {
                    self.at += 1;
                    self.string();
                    self.has_structure |= self.is_key();
                }
                (None, _) => match self.bytes.get(self.at..).and_then(scalar) {
                    Some(length) => self.at += length,
                    None => return false,
                },
            }
        }
        self.has_structure
    }

    /// Goes behind the end of a string, or of the text.
    fn string(&mut self) {
        loop {
            match memchr2(b'"', b'\\', self.bytes.get(self.at..).unwrap_or_default()) {
                None => {
                    self.at = self.bytes.len();
                    return;
                }
                Some(found) if self.bytes[self.at + found] == b'"' => {
                    self.at += found + 1;
                    return;
                }
                Some(found) => self.at = (self.at + found + 2).min(self.bytes.len()),
            }
        }
    }

    /// Whether a colon follows.
    fn is_key(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.trim_ascii_start().first() == Some(&b':')
    }
}

/// The length of the number or the literal that the bytes begin with.
fn scalar(bytes: &[u8]) -> Option<usize> {
    for word in [&b"true"[..], b"false", b"null"] {
        if bytes.starts_with(word) {
            return Some(word.len());
        }
    }
    let is_number = |byte: &&u8| matches!(**byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let length = bytes.iter().take_while(is_number).count();
    matches!(bytes.first(), Some(b'0'..=b'9' | b'-')).then_some(length)
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    use super::super::find_tokens;
    use super::{Begin, json_source};

    #[test]
    fn json_source_is_recognised_by_its_words() {
        for (text, begin) in [
            (r#"{"a": 1, "b": [true, null, -1.5e3]}"#, Begin::Outside),
            ("{\"a\": 1}\n{\"a\": 2}\n", Begin::Outside),
            (r#""name": "[NAME_1]""#, Begin::Outside),
            ("\"name\": \"Ann\",\n  \"phone\": [PHONE_1],\n", Begin::Outside),
            (r#"["[NAME_1]", "[NAME_2]""#, Begin::Outside),
            (r#"lee", "age": 3}"#, Begin::Inside),
            (r#"name": "[NAME_1]"#, Begin::Inside),
            (r#"{"a": "not ended \"quote"#, Begin::Outside),
        ] {
            assert_eq!(
                json_source(text, &find_tokens(text), &|token| token.data_type == DataType::Phone),
                Some(begin),
                "{text}"
            );
        }
    }

    #[test]
    fn prose_and_code_are_no_json_source() {
        for text in [
            "",
            "[NAME_1]",
            r#""[NAME_1]""#,
            r#"He said "yes": "[NAME_1]" did"#,
            r#"name: "[NAME_1]""#,
            r#"5", 6" and 7""#,
            r#""a", "b" and "c""#,
            r#"{name: "[NAME_1]"}"#,
            r#"const a = {"name": "[NAME_1]"};"#,
            "[a link](https://x.org)",
            "12:30",
            r#""a": [NAME_1]"#,
        ] {
            assert_eq!(
                json_source(text, &find_tokens(text), &|token| token.data_type == DataType::Phone),
                None,
                "{text}"
            );
        }
    }
}
