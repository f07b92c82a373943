//! Tokenizes a JSON text, which stays JSON.
//!
//! In a string, a token is inserted as it is. A personal number (a phone number, an
//! account) is replaced as a whole by a string.

use memchr::{memchr, memchr2};
use tidegate_model::Span;

use super::find_known::Hit;
use super::select::Quotes;
use super::{SessionValues, Tokenized};

impl SessionValues {
    /// Registers the values detected in a JSON text, and replaces these and all known ones.
    pub fn tokenize_json(&mut self, text: &str, spans: &[Span]) -> Tokenized {
        self.make_room();
        let found = self.locate(text, spans);
        self.write(text, placed(text.as_bytes(), found))
    }
}

/// The ranges to replace, cut to the enclosing string or widened to the enclosing number.
fn placed(bytes: &[u8], found: Vec<Hit>) -> Vec<(Hit, Quotes)> {
    let mut placed = Vec::with_capacity(found.len());
    let mut walk = JsonStrings { bytes, at: 0, in_string: false };
    let mut done = 0;
    for hit in found {
        if hit.start < done {
            continue;
        }
        walk.to(hit.start);
        let (hit, quotes) = if walk.in_string {
            let end = walk.end_of_string().min(hit.end);
            (Hit { end, ..hit }, Quotes::None)
        } else {
            let start = bytes[..hit.start].iter().rposition(|byte| !is_scalar(*byte));
            let length = bytes[hit.start..].iter().position(|byte| !is_scalar(*byte));
            let start = start.map_or(0, |before| before + 1);
            let end = length.map_or(bytes.len(), |length| hit.start + length);
            (Hit { start, end, ..hit }, Quotes::Added)
        };
        if hit.start < hit.end {
            done = hit.end;
            placed.push((hit, quotes));
        }
    }
    placed
}

/// Bytes of numbers, and of `true`, `false` and `null`.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Walks through a JSON text and tracks where strings are.
struct JsonStrings<'a> {
    bytes: &'a [u8],
    at: usize,
    in_string: bool,
}

impl JsonStrings<'_> {
    fn to(&mut self, place: usize) {
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
                    Some(found) => self.at + found + 2,
                }
            } else {
                match memchr(b'"', ahead) {
                    None => place,
                    Some(found) => {
                        self.in_string = true;
                        self.at + found + 1
                    }
                }
            };
        }
    }

    /// The end of the string that contains the current place.
    fn end_of_string(&self) -> usize {
        let mut at = self.at;
        while let Some(found) = self.bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
            if self.bytes[at + found] == b'"' {
                return at + found;
            }
            at += found + 2;
        }
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tidegate_model::{DataType, Span};

    use crate::SessionValues;

    fn session(values: &[(DataType, &str)]) -> SessionValues {
        let mut session = SessionValues::default();
        for (data_type, value) in values {
            session.remember(value, &[Span { start: 0, end: value.len(), data_type: *data_type }]);
        }
        session
    }

    #[test]
    fn a_number_becomes_a_string_and_a_string_stays_one() {
        let mut session =
            session(&[(DataType::Phone, "+4930123456789"), (DataType::Email, "ann@x.org")]);
        for (text, shown) in [
            (r#"{"a":4930123456789,"b":"ann@x.org"}"#, r#"{"a":"[PHONE_1]","b":"[EMAIL_1]"}"#),
            (r#"[-4930123456789.0, 7]"#, r#"["[PHONE_1]", 7]"#),
            (r#""\\\"4930123456789\"""#, r#""\\\"[PHONE_1]\"""#),
            (r#"{"ann@x.org":1}"#, r#"{"[EMAIL_1]":1}"#),
            ("4930123456789", r#""[PHONE_1]""#),
        ] {
            let done = session.tokenize_json(text, &[]);
            assert_eq!(done.text, shown);
            assert!(serde_json::from_str::<Value>(&done.text).is_ok(), "{}", done.text);
        }
    }

    #[test]
    fn what_reaches_over_the_end_of_a_string_ends_with_it() {
        let text = r#"["Ann Lee", 7]"#;
        let span = Span { start: 2, end: text.len(), data_type: DataType::Person };
        let done = SessionValues::default().tokenize_json(text, &[span]);
        assert_eq!(done.text, r#"["[NAME_1]", 7]"#);
    }
}
