//! Restores the values of tokens, on the way into a tool.
//!
//! All or nothing: if the session does not know a token, or the server may not receive its
//! type, nothing is restored, and the error names all such tokens. Data from outside that only
//! looks like a token can be left as it is.
//!
//! What a token replaced comes back byte for byte, so a text that was shown with tokens is
//! restored to the same text. In JSON source, whole or a fragment, a value gets the escapes it
//! had there, or those it needs. The token of a number becomes a number where one may be.
//! Where a token was encoded on the way (`%5BEMAIL_1%5D`), its value is encoded in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::expected::{Expected, Kinds};
use super::json::JsonStrings;
use super::json_source::{self, json_source};
use super::spelling::{Spelling, escaped};
use super::{SessionValues, Token, TokenEncoding, find_tokens};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Number, Value};
use thiserror::Error;

/// Something with values in place of tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct Restored<T> {
    /// With the real values: it goes to the server and nowhere else.
    pub value: T,
    /// How often each token was restored.
    pub counts: BTreeMap<Token, u32>,
    /// The tokens that were left as they are.
    pub left: BTreeSet<Token>,
}

/// What to do with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenAction {
    /// Replace it with its value.
    Restore,
    /// Restore nothing, and name the token in the error.
    Refuse,
    /// Leave it: it is data that looks like a token.
    Leave,
}

impl<T> fmt::Debug for Restored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restored").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// The longest text of arguments with their values: that of the largest message. A token of ten
/// bytes can stand for a value of thousands.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Why nothing was restored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RestoreError {
    /// They do not belong to this session, or were erased.
    #[error("unknown in this session: {}", list(.0))]
    Unknown(Vec<Token>),
    /// The server may not receive values of these types.
    #[error("the server may not receive: {}", list(.0))]
    NotAllowed(Vec<Token>),
    /// With the values, the text would be longer than 64 MB.
    #[error("with its values, the text would be longer than 64 MB")]
    TooLong,
}

/// What some tokens of a session are restored to, without the session: a large text is restored
/// while others use it.
pub struct Spellings(BTreeMap<Token, Spelling<'static>>);

impl Spellings {
    /// Restores the tokens in the strings and keys of a value that is to match a JSON Schema:
    /// the token of a number becomes text where the schema has only text.
    pub fn restore_for_schema(
        &self,
        value: &Value,
        schema: &Value,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<Value>, RestoreError> {
        let spelling = |token| self.0.get(&token).map(Spelling::borrowed);
        restore_with(&spelling, action, |restoring| restoring.json(value, &Expected::by(schema)))
    }
}

fn list(tokens: &[Token]) -> String {
    let names: Vec<String> = tokens.iter().map(|token| format!("`{token}`")).collect();
    names.join(", ")
}

impl SessionValues {
    /// Restores the tokens of a text.
    pub fn restore(
        &self,
        text: &str,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<String>, RestoreError> {
        let spelling = |token| self.spelling_of(token);
        restore_with(&spelling, action, |restoring| restoring.text(text))
    }

    /// Restores the tokens in the strings and keys of a JSON value.
    pub fn restore_json(
        &self,
        value: &Value,
        action: &dyn Fn(Token) -> TokenAction,
    ) -> Result<Restored<Value>, RestoreError> {
        let spelling = |token| self.spelling_of(token);
        restore_with(&spelling, action, |restoring| restoring.json(value, &Expected::anything()))
    }

    /// What these tokens are restored to.
    pub fn spellings(&self, tokens: &BTreeSet<Token>) -> Spellings {
        let known = |token: &Token| Some((*token, self.spelling_of(*token)?.into_owned()));
        Spellings(tokens.iter().filter_map(known).collect())
    }
}

fn restore_with<'a, T>(
    spelling: &'a dyn Fn(Token) -> Option<Spelling<'a>>,
    action: &'a dyn Fn(Token) -> TokenAction,
    restore: impl FnOnce(&mut Restoring<'a>) -> T,
) -> Result<Restored<T>, RestoreError> {
    let mut restoring = Restoring {
        spelling,
        action,
        counts: BTreeMap::new(),
        left: BTreeSet::new(),
        unknown: BTreeSet::new(),
        not_allowed: BTreeSet::new(),
        bytes: 0,
    };
    let value = restore(&mut restoring);
    if !restoring.unknown.is_empty() {
        return Err(RestoreError::Unknown(restoring.unknown.into_iter().collect()));
    }
    if !restoring.not_allowed.is_empty() {
        return Err(RestoreError::NotAllowed(restoring.not_allowed.into_iter().collect()));
    }
    if restoring.bytes > MAX_BYTES {
        return Err(RestoreError::TooLong);
    }
    Ok(Restored { value, counts: restoring.counts, left: restoring.left })
}

/// The tokens in the strings and keys of a JSON value.
pub fn tokens_in(value: &Value) -> BTreeSet<Token> {
    fn add(value: &Value, tokens: &mut BTreeSet<Token>) {
        let in_text = |text: &str| find_tokens(text).into_iter().map(|found| found.token);
        match value {
            Value::String(text) => tokens.extend(in_text(text)),
            Value::Array(items) => items.iter().for_each(|item| add(item, tokens)),
            Value::Object(fields) => {
                for (key, value) in fields {
                    tokens.extend(in_text(key));
                    add(value, tokens);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut tokens = BTreeSet::new();
    add(value, &mut tokens);
    tokens
}

struct Restoring<'a> {
    spelling: &'a dyn Fn(Token) -> Option<Spelling<'a>>,
    action: &'a dyn Fn(Token) -> TokenAction,
    counts: BTreeMap<Token, u32>,
    left: BTreeSet<Token>,
    unknown: BTreeSet<Token>,
    not_allowed: BTreeSet<Token>,
    /// Of the restored values so far.
    bytes: usize,
}

impl Restoring<'_> {
    fn json(&mut self, value: &Value, expected: &Expected<'_>) -> Value {
        match value {
            Value::String(text) => {
                self.number(text, expected).unwrap_or_else(|| self.text(text).into())
            }
            Value::Array(items) => {
                let item = |(at, item)| self.json(item, &expected.item(at));
                items.iter().enumerate().map(item).collect()
            }
            Value::Object(fields) => {
                let field = |(name, value): (&String, &Value)| {
                    (self.text(name), self.json(value, &expected.field(name)))
                };
                Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// The number that a text stands for, if it is the token of one, and of text that is one
    /// where only a number may be.
    fn number(&mut self, text: &str, expected: &Expected<'_>) -> Option<Value> {
        let token = Token::parse(text)?;
        let digits = match ((self.spelling)(token)?, expected.kinds()) {
            (_, Kinds { number: false, text: true }) => return None,
            (Spelling::Number(digits), _) => digits,
            (Spelling::Text(digits), Kinds { number: true, text: false }) => digits,
            _ => return None,
        };
        let number: Number = serde_json::from_str(&digits).ok()?;
        // A longer number than JSON values can hold stays text, with all of its digits.
        if number.to_string() != *digits || (self.action)(token) != TokenAction::Restore {
            return None;
        }
        *self.counts.entry(token).or_default() += 1;
        Some(Value::Number(number))
    }

    fn text(&mut self, text: &str) -> String {
        let tokens = find_tokens(text);
        if tokens.is_empty() {
            return text.to_owned();
        }
        let spelling = self.spelling;
        let is_number = |token| json_source::is_number(spelling(token).as_ref());
        let mut json = json_source(text, &tokens, &is_number)
            .map(|begin| JsonStrings::new(text, begin, &is_number));
        let mut restored = String::with_capacity(text.len());
        let mut done = 0;
        for found in tokens {
            let action = (self.action)(found.token);
            if action == TokenAction::Leave {
                self.left.insert(found.token);
                continue;
            }
            let Some(spelling) = (self.spelling)(found.token) else {
                self.unknown.insert(found.token);
                continue;
            };
            if action == TokenAction::Refuse {
                self.not_allowed.insert(found.token);
                continue;
            }
            *self.counts.entry(found.token).or_default() += 1;
            // Then nothing is restored; the rest is looked at for its tokens only.
            self.bytes = self.bytes.saturating_add(spelling.text().len());
            if self.bytes > MAX_BYTES {
                continue;
            }
            restored.push_str(text.get(done..found.range.start).unwrap_or_default());
            done = found.range.end;
            match (found.writing, &mut json) {
                (TokenEncoding::Plain, Some(json)) => {
                    json.to(found.range.start);
                    let depth = if json.is_in_string() { json.depth(found.range.start) } else { 0 };
                    let is_number = matches!(spelling, Spelling::Number(_));
                    // The number had no quotes.
                    if is_number
                        && restored.ends_with('"')
                        && !restored.ends_with("\\\"")
                        && text.as_bytes().get(done) == Some(&b'"')
                    {
                        restored.pop();
                        done += 1;
                    }
                    restored.push_str(&spelling.in_json(depth));
                }
                (writing, _) => push_encoded(&mut restored, spelling.text(), writing),
            }
        }
        restored.push_str(text.get(done..).unwrap_or_default());
        restored
    }
}

/// All characters except those that RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn push_encoded(text: &mut String, value: &str, writing: TokenEncoding) {
    match writing {
        TokenEncoding::Plain => text.push_str(value),
        TokenEncoding::Percent => {
            text.extend(utf8_percent_encode(value, RESERVED));
        }
        TokenEncoding::Json => {
            text.push_str(&escaped(value));
        }
        TokenEncoding::Html => {
            for char in value.chars() {
                match char {
                    '&' => text.push_str("&amp;"),
                    '<' => text.push_str("&lt;"),
                    '>' => text.push_str("&gt;"),
                    '"' => text.push_str("&quot;"),
                    '\'' => text.push_str("&#39;"),
                    other => text.push(other),
                }
            }
        }
    }
}
