//! Parses TOML into the tree.
//!
//! Recursion is bounded: `toml_edit` refuses nesting beyond its own limit, and
//! this module only walks what it accepted.

use std::ops::Range;

use toml_edit::{Document, Item, Key, TableLike, Value as Toml};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::node::{Entry, Node, Value};
use crate::read::source::Source;

/// Parses a whole file. The document stays immutable, since an editable one
/// loses its spans.
pub(crate) fn parse(source: &Source) -> Result<Node, ConfigError> {
    let document = Document::parse(source.text.as_str()).map_err(|error| {
        // Only the first line: the rest quotes the file.
        let fact = error.message().lines().next().unwrap_or("invalid TOML");
        let offset = error.span().map_or(0, |span| span.start);
        source.error(ConfigErrorKind::Syntax, offset, format!("not valid TOML: {fact}"))
    })?;
    let whole = 0..source.text.len();
    Ok(Node { value: object(document.as_table()), span: whole })
}

fn object(table: &dyn TableLike) -> Value {
    let entries = table.iter().filter_map(|(name, item)| {
        let key_span = table.key(name).and_then(Key::span).unwrap_or_default();
        let node = item_node(item, &key_span)?;
        Some(Entry { key: name.to_owned(), key_span, node })
    });
    Value::Object(entries.collect())
}

/// A table made by a dotted key has no text of its own; it gets the place of the key.
fn item_node(item: &Item, key_span: &Range<usize>) -> Option<Node> {
    let span = item.span().unwrap_or_else(|| key_span.clone());
    let value = match item {
        Item::None => return None,
        Item::Value(value) => toml_value(value, key_span),
        Item::Table(table) => object(table),
        Item::ArrayOfTables(tables) => Value::List(
            tables
                .iter()
                .map(|table| Node {
                    value: object(table),
                    span: table.span().unwrap_or_else(|| key_span.clone()),
                })
                .collect(),
        ),
    };
    Some(Node { value, span })
}

fn toml_value(value: &Toml, key_span: &Range<usize>) -> Value {
    match value {
        Toml::String(text) => Value::Text(text.value().clone()),
        Toml::Integer(number) => Value::Integer(*number.value()),
        Toml::Float(_) => Value::Fraction,
        Toml::Boolean(flag) => Value::Bool(*flag.value()),
        Toml::Datetime(_) => Value::Date,
        Toml::Array(list) => Value::List(
            list.iter()
                .map(|element| Node {
                    value: toml_value(element, key_span),
                    span: element.span().unwrap_or_else(|| key_span.clone()),
                })
                .collect(),
        ),
        Toml::InlineTable(table) => object(table),
    }
}
