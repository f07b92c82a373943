//! Words violated schema keywords: what a value must be, what it is, what to write instead.
//!
//! In: the kind of a validator error and the value. Out: a [`Message`].

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use tidegate_model::nearest;

use super::phrases::{
    MAX_COMPARED_BYTES, Message, accepted_keys, any_of, article, cut, describe, described, listed,
    summary,
};
use super::schema_node::SchemaNode;

/// The message for a keyword that concerns one value.
pub(crate) fn keyword_message(
    kind: &ValidationErrorKind,
    node: SchemaNode<'_>,
    given: &Value,
) -> Option<Message> {
    let got = describe(given);
    Some(match kind {
        ValidationErrorKind::Type { kind } => {
            let names: Vec<&str> = match kind {
                TypeKind::Single(one) => vec![one.as_str()],
                TypeKind::Multiple(set) => set.iter().map(JsonType::as_str).collect(),
            };
            let wanted = any_of(names.iter().map(|name| article(name)).collect());
            let hint = type_hint(&names, given)
                .or_else(|| (names == ["object"]).then(|| accepted_keys(node)).flatten());
            (format!("must be {wanted}, got {got}"), hint)
        }
        ValidationErrorKind::Enum { options } => {
            not_an_option(options.as_array().map(|all| all.iter()).unwrap_or_default(), given)
        }
        ValidationErrorKind::Constant { expected_value } => {
            let hint = null_hint(given)
                .unwrap_or_else(|| format!("write {}", cut(&expected_value.to_string(), 100)));
            (format!("must be {}, got {got}", listed([expected_value].into_iter())), Some(hint))
        }
        ValidationErrorKind::Pattern { pattern } => {
            let hint = described(node);
            (format!("must match the pattern `{}`, got {got}", cut(pattern, 200)), hint)
        }
        ValidationErrorKind::Format { format } => {
            let hint = example(format).map(|text| format!("such as \"{text}\""));
            let hint = hint.or_else(|| described(node));
            (format!("must have the format `{}`, got {got}", cut(format, 60)), hint)
        }
        ValidationErrorKind::PropertyNames { error } => {
            let key = error.instance().as_str().unwrap_or_default();
            let inner = keyword_message(error.kind(), node.for_error(error), error.instance());
            let (problem, hint) = inner.unwrap_or_else(|| other_message(error));
            // The key itself is the value that was given.
            let problem = problem.split(", got ").next().unwrap_or_default();
            (format!("has the key `{}`, which {problem}", cut(key, 60)), hint)
        }
        ValidationErrorKind::UniqueItems => {
            (format!("must not contain duplicate items{}", duplicate_items(given)), None)
        }
        ValidationErrorKind::FalseSchema => {
            ("is not accepted".to_owned(), Some("leave it out".into()))
        }
        ValidationErrorKind::Not { schema } => {
            (format!("must not be {}, got {got}", summary(node.at(schema))), described(node))
        }
        ValidationErrorKind::Contains => {
            let wanted = node.get("contains").map(|wanted| summary(node.at(wanted)));
            let wanted = wanted.unwrap_or_else(|| "another value".to_owned());
            (format!("must contain {wanted}, got {got}"), None)
        }
        ValidationErrorKind::OneOfMultipleValid { context } => {
            let fitting = node.list("oneOf").into_iter().zip(context);
            let fitting = fitting.filter(|(_, errors)| errors.is_empty());
            let fitting: Vec<String> = fitting.map(|(one, _)| summary(one)).collect();
            let problem = "must match exactly one alternative, but matches several";
            match fitting.as_slice() {
                [] => (problem.to_owned(), None),
                all => (format!("{problem}: {}", all.join("; ")), None),
            }
        }
        kind => (limit_message(kind, given)?, None),
    })
}

/// The message for a keyword that counts or compares.
fn limit_message(kind: &ValidationErrorKind, given: &Value) -> Option<String> {
    let got = describe(given);
    let length = || given.as_str().map_or(0, |text| text.chars().count());
    let keys = || given.as_object().map_or(0, serde_json::Map::len);
    Some(match kind {
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}, got {got}"),
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}, got {got}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            format!("must be less than {limit}, got {got}")
        }
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            format!("must be more than {limit}, got {got}")
        }
        ValidationErrorKind::MultipleOf { multiple_of } => {
            format!("must be a multiple of {multiple_of}, got {got}")
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("must have at most {limit} items, got {got}")
        }
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("must have at most {limit} items, got {got}")
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("must have at least {limit} items, got {got}")
        }
        ValidationErrorKind::MinLength { limit: 1 } => "must not be empty".to_owned(),
        ValidationErrorKind::MinLength { limit } => {
            format!("must have at least {limit} characters, got {} ({got})", length())
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("must have at most {limit} characters, got {} ({got})", length())
        }
        ValidationErrorKind::MinProperties { limit } => {
            format!("must have at least {limit} keys, got {}", keys())
        }
        ValidationErrorKind::MaxProperties { limit } => {
            format!("must have at most {limit} keys, got {}", keys())
        }
        _ => return None,
    })
}

/// The message for any other keyword.
pub(crate) fn other_message(error: &ValidationError<'_>) -> Message {
    (format!("does not match the schema: {}", cut(&error.to_string(), 200)), None)
}

/// The message for a value that is not one of the options.
pub(crate) fn not_an_option<'v>(
    options: impl ExactSizeIterator<Item = &'v Value> + Clone,
    given: &Value,
) -> Message {
    let name = given.as_str().filter(|text| text.len() <= MAX_COMPARED_BYTES);
    let suggestion = name.and_then(|text| {
        nearest(text, options.clone().filter_map(Value::as_str))
            .first()
            .map(|name| (*name).to_owned())
    });
    let hint = suggestion.map(|name| format!("write \"{name}\"")).or_else(|| null_hint(given));
    (format!("must be one of {}, got {}", listed(options), describe(given)), hint)
}

/// The hint for `null`, which is not the same as leaving a key out.
fn null_hint(given: &Value) -> Option<String> {
    given.is_null().then(|| "leave it out instead of passing null".to_owned())
}

pub(crate) fn type_hint(wanted: &[&str], given: &Value) -> Option<String> {
    let wants = |name: &str| wanted.contains(&name);
    match given {
        Value::Null => null_hint(given),
        Value::String(text) if (wants("number") || wants("integer")) && text.len() <= 60 => {
            // As in JSON: neither `NaN` nor ` 5`.
            let number = serde_json::from_str::<serde_json::Number>(text).ok();
            number.map(|_| format!("write {text} without quotes"))
        }
        Value::String(text) if wants("boolean") && matches!(text.as_str(), "true" | "false") => {
            Some(format!("write {text} without quotes"))
        }
        Value::Number(_) | Value::Bool(_) if wants("string") => Some(format!("write \"{given}\"")),
        Value::Array(_) => None,
        _ if wants("array") => {
            let shown = given.to_string();
            (shown.len() <= 60).then(|| format!("write [{shown}]"))
        }
        _ => None,
    }
}

/// An example value of a format.
fn example(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "2026-01-31T09:30:00Z",
        "date" => "2026-01-31",
        "time" => "09:30:00Z",
        "duration" => "PT30M",
        "email" | "idn-email" => "name@example.com",
        "uri" | "iri" | "url" => "https://example.com/page",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" => "example.com",
        _ => return None,
    })
}

/// Which items of a list are equal.
fn duplicate_items(list: &Value) -> String {
    let mut seen = HashMap::new();
    for (index, item) in list.as_array().into_iter().flatten().enumerate() {
        if let Some(first) = seen.insert(item.to_string(), index) {
            return format!(", `[{first}]` and `[{index}]` are equal");
        }
    }
    String::new()
}
