//! Tokens, which replace values in everything sent to the model: `[EMAIL_1]`.
//!
//! In: text of any origin. Out: the places of the tokens in it, and how they were written.
//! Tokens are found in plain form and in the encodings that text gets on its way:
//! `\[EMAIL\_1\]` (Markdown), `\u005bEMAIL_1\u005d` (JSON), `%5BEMAIL_1%5D` (URL),
//! `&#91;EMAIL_1&#93;` (HTML), including one inside another. Case is ignored: programs call
//! `toLowerCase` on strings that they take for an address.
//!
//! Linear: every `[` is examined once, and a token has at most [`LONGEST`] bytes.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use tidegate_model::DataType;

use super::decode::Views;

/// `[NATIONAL_ID_4294967295]` has 24 bytes.
const LONGEST: usize = 32;
/// How far a token can extend from an escape: all of it written as `\\u005b`, seven bytes for
/// one.
const REACH: usize = 8 * LONGEST;

/// A value's name in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// The type of the value.
    pub data_type: DataType,
    /// Counts up within a session and type, from 1.
    pub number: u32,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}_{}]", self.data_type.label(), self.number)
    }
}

impl Token {
    /// The token that is the whole text, in any encoding.
    pub fn parse(text: &str) -> Option<Self> {
        match find_tokens(text).as_slice() {
            [only] if only.range == (0..text.len()) => Some(only.token),
            _ => None,
        }
    }
}

/// How a token was written; its value is restored in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenEncoding {
    /// As it is, or with the backslashes of Markdown.
    Plain,
    /// `%5B`: a part of a URL.
    Percent,
    /// `\u005b`: a part of JSON inside text.
    Json,
    /// `&#91;`: a part of HTML.
    Html,
}

/// A token in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundToken {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// Which token.
    pub token: Token,
    /// How it was written.
    pub writing: TokenEncoding,
}

/// All tokens of a text, from left to right, whether a session knows them or not.
pub fn find_tokens(text: &str) -> Vec<FoundToken> {
    let bytes = text.as_bytes();
    find_in(bytes, &Views::of(bytes, REACH))
}

/// The same for a text that is already decoded.
pub(crate) fn find_in(bytes: &[u8], views: &Views) -> Vec<FoundToken> {
    let mut found = Vec::new();
    plain(bytes, |range, token| found.push((range, token)));
    let in_text = found.len();
    for level in 0..views.levels() {
        plain(views.bytes(level), |range, token| found.push((views.raw(level, range), token)));
    }
    if found.len() > in_text {
        // A token without escapes wins: in `C:\[NAME_1]`, the backslash is not a part of it.
        let (plain, decoded) = found.split_at(in_text);
        let is_new = |range: &Range<usize>| {
            let next = plain.partition_point(|(token, _)| token.end <= range.start);
            plain.get(next).is_none_or(|(token, _)| token.start >= range.end)
        };
        let decoded: Vec<_> = decoded.iter().filter(|(range, _)| is_new(range)).cloned().collect();
        found.truncate(in_text);
        found.extend(decoded);
        found.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    }
    let mut end = 0;
    let mut tokens = Vec::with_capacity(found.len());
    for (range, token) in found {
        // The same token is seen in the text and in each of its views.
        if range.start >= end {
            end = range.end;
            let writing = writing(&bytes[range.clone()]);
            tokens.push(FoundToken { range, token, writing });
        }
    }
    tokens
}

fn plain(bytes: &[u8], mut found: impl FnMut(Range<usize>, Token)) {
    let mut next = 0;
    for start in memchr::memchr_iter(b'[', bytes) {
        if start >= next
            && let Some((length, token)) = token_at(&bytes[start..])
        {
            next = start + length;
            found(start..next, token);
        }
    }
}

/// The token that the bytes begin with, and its length.
fn token_at(bytes: &[u8]) -> Option<(usize, Token)> {
    // Most brackets begin a list of JSON.
    if !bytes.get(1)?.is_ascii_alphabetic() {
        return None;
    }
    let close = bytes.iter().take(LONGEST).position(|&byte| byte == b']')?;
    let token = str::from_utf8(&bytes[..=close]).ok()?;
    let (data_type, number) = DataType::of_token(token)?;
    Some((close + 1, Token { data_type, number }))
}

fn writing(raw: &[u8]) -> TokenEncoding {
    match raw {
        [b'%', ..] => TokenEncoding::Percent,
        [b'&', ..] => TokenEncoding::Html,
        [b'\\', b'u' | b'x' | b'\\', ..] => TokenEncoding::Json,
        _ => TokenEncoding::Plain,
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::DataType;

    use super::{Token, TokenEncoding, find_tokens};

    fn token(data_type: DataType, number: u32) -> Token {
        Token { data_type, number }
    }

    fn found(text: &str) -> Vec<(&str, Token, TokenEncoding)> {
        find_tokens(text)
            .into_iter()
            .map(|found| (&text[found.range], found.token, found.writing))
            .collect()
    }

    #[test]
    fn a_token_is_written_with_the_label_of_its_type() {
        let written: Vec<String> =
            DataType::ALL.into_iter().map(|kind| token(kind, 7).to_string()).collect();
        assert_eq!(written[0], "[EMAIL_7]");
        assert_eq!(written[7], "[NAME_7]");
        for (data_type, text) in DataType::ALL.into_iter().zip(&written) {
            assert_eq!(Token::parse(text), Some(token(data_type, 7)));
        }
    }

    #[test]
    fn tokens_are_found_however_a_text_was_encoded() {
        let email = token(DataType::Email, 12);
        for (text, writing) in [
            ("[EMAIL_12]", TokenEncoding::Plain),
            ("[email_12]", TokenEncoding::Plain),
            (r"\[EMAIL\_12\]", TokenEncoding::Plain),
            (r"[EMAIL\_12]", TokenEncoding::Plain),
            ("%5BEMAIL_12%5D", TokenEncoding::Percent),
            ("%5bEMAIL%5f12%5d", TokenEncoding::Percent),
            (r"\u005bEMAIL_12\u005D", TokenEncoding::Json),
            (r"\\u005bEMAIL_12\\u005d", TokenEncoding::Json),
            ("%255BEMAIL_12%255D", TokenEncoding::Percent),
            ("&#91;EMAIL_12&#93;", TokenEncoding::Html),
            ("&#x5b;EMAIL&lowbar;12&rsqb;", TokenEncoding::Html),
        ] {
            let around = format!("a {text}b");
            assert_eq!(found(&around), [(text, email, writing)], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_token_is_none() {
        for text in [
            "[]",
            "[",
            "[EMAIL_]",
            "[EMAIL_0]",
            "[EMAIL_01]",
            "[EMAIL_1",
            "[EMAIL_-1]",
            "EMAIL_1",
            "[EMAIL 1]",
            "[NOTHING_1]",
            "[EMAIL_4294967296]",
            "[EMAIL_+1]",
            "[_1]",
            "[[EMAIL_]]",
            "%5BEMAIL_1%5",
            "[1,2,3]",
        ] {
            assert_eq!(find_tokens(text), [], "{text}");
        }
    }

    #[test]
    fn tokens_stand_inside_of_anything() {
        let name = token(DataType::Person, 1);
        let text = "[[NAME_1]]é[NAME_1]%[NAME_1]%5b\\";
        assert_eq!(found(text), [("[NAME_1]", name, TokenEncoding::Plain); 3]);
    }
}
