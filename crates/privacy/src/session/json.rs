//! Tokenizes a JSON text, which stays JSON.
//!
//! In a string, a token is inserted as it is. A personal number (a phone number, an
//! account) is replaced as a whole by a string, and restored to a number.

use memchr::{memchr, memchr2};
use tidegate_model::Span;

use super::find_known::Hit;
use super::json_source::{Begin, IsNumber, json_source, no_token_is};
use super::spelling::{Place, unescaped};
use super::{SessionValues, Tokenized, find_tokens};

impl SessionValues {
    /// Registers the values detected in a JSON text, and replaces these and all known ones.
    pub fn tokenize_json(&mut self, text: &str, spans: &[Span]) -> Tokenized {
        self.make_room();
        let found = self.locate(text, spans);
        let placed = JsonStrings::new(text, Begin::Outside, &no_token_is).placed(0, found);
        self.write(text, placed)
    }
}

/// The ranges to replace, cut to the enclosing string or widened to the enclosing number.
fn placed(walk: &mut JsonStrings<'_>, from: usize, found: Vec<Hit>) -> Vec<(Hit, Place)> {
    let bytes = walk.bytes;
    let mut placed = Vec::with_capacity(found.len());
    let mut done = from;
    for hit in found {
        if hit.start < done {
            continue;
        }
        let start = walk.to(hit.start).max(done);
        let (hit, place) = if walk.in_string {
            let hit = Hit { start, end: walk.end_of_string(hit.end), ..hit };
            (hit, walk.place(&hit))
        } else {
            let start = bytes[..hit.start].iter().rposition(|byte| !is_scalar(*byte));
            let length = bytes[hit.start..].iter().position(|byte| !is_scalar(*byte));
            let start = start.map_or(0, |before| before + 1).max(done);
            let end = length.map_or(bytes.len(), |length| hit.start + length);
            (Hit { start, end, ..hit }, Place::JsonNumber)
        };
        if hit.start < hit.end {
            done = hit.end;
            placed.push((hit, place));
        }
    }
    placed
}

/// How many JSON texts surround a place of a text. Tokens may stand where numbers stood.
fn depth_at(text: &str, place: usize, is_number: IsNumber<'_>) -> usize {
    // Deeper texts are not looked into: they double in length with each level.
    const MOST: usize = 4;
    let (mut text, mut place) = (text.to_owned(), place);
    for depth in 0..MOST {
        let Some(begin) = json_source(&text, &find_tokens(&text), is_number) else { return depth };
        let mut walk = JsonStrings::new(&text, begin, is_number);
        walk.to(place);
        let end = walk.end_of_string(text.len());
        let (string, before) = (text.get(walk.string..end), text.get(walk.string..place));
        match (string.and_then(unescaped), before.and_then(unescaped)) {
            (Some(string), Some(before)) if walk.in_string => {
                place = before.len();
                text = string;
            }
            _ => return depth + 1,
        }
    }
    MOST
}

/// Bytes of numbers, and of `true`, `false` and `null`.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Walks through a JSON text and tracks where strings are.
#[derive(Clone, Copy)]
pub(super) struct JsonStrings<'a> {
    text: &'a str,
    bytes: &'a [u8],
    is_number: IsNumber<'a>,
    at: usize,
    in_string: bool,
    /// The start of the current string, and of the last escape in it.
    string: usize,
    escape: usize,
    /// How many JSON texts the string is inside of, once this is known.
    depth: Option<usize>,
}

impl<'a> JsonStrings<'a> {
    pub(super) fn new(text: &'a str, begin: Begin, is_number: IsNumber<'a>) -> Self {
        let (bytes, in_string) = (text.as_bytes(), begin == Begin::Inside);
        Self { text, bytes, is_number, at: 0, in_string, string: 0, escape: 0, depth: None }
    }

    pub(super) fn is_in_string(&self) -> bool {
        self.in_string
    }

    /// The ranges to replace, for hits behind the place `from` that was walked to.
    pub(super) fn placed(&mut self, from: usize, found: Vec<Hit>) -> Vec<(Hit, Place)> {
        placed(self, from, found)
    }

    /// Takes over the depth of the current string from a walk that may know it.
    pub(super) fn learn_depth(&mut self, other: &Self) {
        if self.in_string && other.in_string && self.string == other.string {
            self.depth = other.depth;
        }
    }

    /// Walks to a place. Returns the place, or the start of the escape that contains it.
    pub(super) fn to(&mut self, place: usize) -> usize {
        while self.at < place {
            let ahead = &self.bytes[self.at..place];
            self.at = if self.in_string {
                match memchr2(b'"', b'\\', ahead) {
                    None => place,
                    Some(found) if ahead[found] == b'"' => {
                        self.in_string = false;
                        self.at + found + 1
                    }
                    // Including the escaped character.
                    Some(found) => {
                        self.escape = self.at + found;
                        let is_long = self.bytes.get(self.escape + 1) == Some(&b'u');
                        self.escape + if is_long { 6 } else { 2 }
                    }
                }
            } else {
                match memchr(b'"', ahead) {
                    None => place,
                    Some(found) => {
                        self.in_string = true;
                        self.string = self.at + found + 1;
                        self.depth = None;
                        self.string
                    }
                }
            };
        }
        if self.at > place && self.in_string { self.escape } else { place }
    }

    /// The place of a hit in the current string. Its depth matters, and is looked for, only
    /// if the hit has escapes.
    fn place(&mut self, hit: &Hit) -> Place {
        let has_escapes = self.bytes[hit.start..hit.end].contains(&b'\\');
        Place::JsonString(if has_escapes { self.depth(hit.start) } else { 1 })
    }

    /// How many JSON texts a place of the current string is inside of. The same is assumed
    /// for the rest of the string: to look again would take its length each time.
    pub(super) fn depth(&mut self, place: usize) -> usize {
        if let Some(depth) = self.depth {
            return depth;
        }
        let string =
            self.text.get(self.string..self.end_of_string(self.text.len())).unwrap_or_default();
        let before = self.text.get(self.string..place).unwrap_or_default();
        let depth = 1 + match (unescaped(string), unescaped(before)) {
            (Some(string), Some(before)) => depth_at(&string, before.len(), self.is_number),
            _ => 0,
        };
        self.depth = Some(depth);
        depth
    }

    /// The end of the string that contains the current place, or `most` if that is before it.
    fn end_of_string(&self, most: usize) -> usize {
        let mut at = self.at;
        while let Some(found) = self.bytes.get(at..most).and_then(|rest| memchr2(b'"', b'\\', rest))
        {
            if self.bytes[at + found] == b'"' {
                return at + found;
            }
            at += found + 2;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tidegate_model::{DataType, Span};

    use crate::{SessionValues, TokenAction};

    fn session(values: &[(DataType, &str)]) -> SessionValues {
        let mut session = SessionValues::default();
        for (data_type, value) in values {
            session.remember(value, &[Span::certain(0..value.len(), *data_type)]);
        }
        session
    }

    #[test]
    fn a_number_becomes_a_string_and_a_string_stays_one() {
        let mut session =
            session(&[(DataType::Phone, "+4930123456789"), (DataType::Email, "ann@x.org")]);
        for (text, shown) in [
            (r#"{"a":4930123456789,"b":"ann@x.org"}"#, r#"{"a":"[PHONE_1]","b":"[EMAIL_1]"}"#),
            (r#"[-4930123456789.0, 7]"#, r#"["[PHONE_2]", 7]"#),
            (r#""\\\"4930123456789\"""#, r#""\\\"[PHONE_3]\"""#),
            (r#"{"ann@x.org":1}"#, r#"{"[EMAIL_1]":1}"#),
            ("4930123456789", r#""[PHONE_1]""#),
        ] {
            let done = session.tokenize_json(text, &[]);
            assert_eq!(done.text, shown);
            let tokens: Value = serde_json::from_str(&done.text).unwrap();
            let restored = session.restore_json(&tokens, &|_| TokenAction::Restore).unwrap();
            assert_eq!(restored.value, serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn what_reaches_over_the_end_of_a_string_ends_with_it() {
        let text = r#"["Ann Lee", 7]"#;
        let span = Span::certain(2..text.len(), DataType::Person);
        let done = SessionValues::default().tokenize_json(text, &[span]);
        assert_eq!(done.text, r#"["[NAME_1]", 7]"#);
    }
}
