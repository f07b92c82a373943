//! Parses JSON as clients write it into the tree.
//!
//! Comments and trailing commas are allowed, as VS Code writes them; no other
//! extensions are. Recursion is bounded: `jsonc-parser` refuses
//! nesting beyond 512, and this module only walks what it accepted.

use jsonc_parser::ast;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::node::{Entry, Node, Value};
use crate::read::source::Source;

/// Parses a whole file.
pub(crate) fn parse(source: &Source) -> Result<Node, ConfigError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(&source.text, &CollectOptions::default(), &options);
    let syntax = |offset, fact: &str| {
        source.error(ConfigErrorKind::Syntax, offset, format!("not valid JSON: {fact}"))
    };
    match parsed {
        Ok(result) => match result.value {
            Some(value) => Ok(node(&value)),
            None => Err(syntax(0, "the file is empty").with_hint("an empty configuration is `{}`")),
        },
        Err(error) => Err(syntax(error.range().start, &lower_first(&error.kind().to_string()))),
    }
}

fn node(value: &ast::Value<'_>) -> Node {
    let inner = match value {
        ast::Value::StringLit(text) => Value::Text(text.value.to_string()),
        ast::Value::NumberLit(number) => number_value(number.value),
        ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => Value::List(list.elements.iter().map(node).collect()),
        ast::Value::Object(object) => Value::Object(object.properties.iter().map(entry).collect()),
    };
    Node { value: inner, span: bytes(value.range()) }
}

fn entry(property: &ast::ObjectProp<'_>) -> Entry {
    Entry {
        key: property.name.as_str().to_owned(),
        key_span: bytes(property.name.range()),
        node: node(&property.value),
    }
}

/// JSON has one kind of number, so `3e4` and `30000.0` are whole.
fn number_value(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return Value::Integer(whole);
    }
    match text.parse::<f64>() {
        // `as` saturates, which is what `Value::Integer` promises.
        Ok(number) if number.fract() == 0.0 || number.is_infinite() => {
            Value::Integer(number as i64)
        }
        _ => Value::Fraction,
    }
}

fn bytes(range: Range) -> std::ops::Range<usize> {
    range.start..range.end
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
