//! The tree that both formats are parsed into: values with their places.
//!
//! Objects keep the order and the duplicates of the file, so that the reader
//! can refuse a duplicate and report both places.
//! No `Debug` outside tests: the tree is full of credentials.

use std::collections::HashMap;
use std::ops::Range;

use crate::keys::key::Format;

/// A value and its byte range in the file.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Range<usize>,
}

/// All values that the two formats can express.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) enum Value {
    /// JSON only.
    Null,
    Bool(bool),
    /// A whole number. One that does not fit is clamped to the nearest that does,
    /// which every range then rejects.
    Integer(i64),
    /// A number that is not whole. No key accepts one, so the value is not kept.
    Fraction,
    Text(String),
    /// TOML only. No key accepts one.
    Date,
    List(Vec<Node>),
    Object(Vec<Entry>),
}

/// One key of an object with its value.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: Node,
}

impl Node {
    /// The type of the value, in the words of the format, with an article.
    pub(crate) fn type_name(&self, format: Format) -> &'static str {
        match (&self.value, format) {
            (Value::Null, _) => "null",
            (Value::Bool(true), _) => "true",
            (Value::Bool(false), _) => "false",
            (Value::Integer(_), _) => "a number",
            (Value::Fraction, _) => "a fraction",
            (Value::Text(_), _) => "text",
            (Value::Date, _) => "a date",
            (Value::List(_), _) => "a list",
            (Value::Object(_), Format::Toml) => "a table",
            (Value::Object(_), Format::Json) => "an object",
        }
    }
}

/// The first key that is written twice: its second entry, then its first.
pub(crate) fn duplicate(entries: &[Entry]) -> Option<(&Entry, &Entry)> {
    let mut seen: HashMap<&str, &Entry> = HashMap::new();
    entries.iter().find_map(|entry| Some((entry, seen.insert(&entry.key, entry)?)))
}
