//! Broken keywords in words: what a value must be, what it is, and what to
//! write instead.

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use tidegate_model::nearest;

use crate::keys::takes;
use crate::place::Place;
use crate::words::{any_of, article, cut, describe, listed, short};

/// Bytes of a text that can be a slip. Comparing takes the product of lengths.
pub(crate) const MOST_COMPARED: usize = 200;

/// What is wrong, and what to do about it.
pub(crate) type Words = (String, Option<String>);

/// What is wrong by a keyword that looks at one value.
pub(crate) fn words(kind: &ValidationErrorKind, place: Place<'_>, given: &Value) -> Option<Words> {
    let got = describe(given);
    Some(match kind {
        ValidationErrorKind::Type { kind } => {
            let names: Vec<&str> = match kind {
                TypeKind::Single(one) => vec![one.as_str()],
                TypeKind::Multiple(set) => set.iter().map(JsonType::as_str).collect(),
            };
            let wanted = any_of(names.iter().map(|name| article(name)).collect());
            let hint = type_hint(&names, given)
                .or_else(|| (names == ["object"]).then(|| takes(place)).flatten());
            (format!("must be {wanted}, got {got}"), hint)
        }
        ValidationErrorKind::Enum { options } => {
            outside(options.as_array().map(|all| all.iter()).unwrap_or_default(), given)
        }
        ValidationErrorKind::Constant { expected_value } => {
            let hint = left_out(given)
                .unwrap_or_else(|| format!("write {}", cut(&expected_value.to_string(), 100)));
            (format!("must be {}, got {got}", listed([expected_value].into_iter())), Some(hint))
        }
        ValidationErrorKind::Pattern { pattern } => {
            let hint = described(place);
            (format!("must match the pattern `{}`, got {got}", cut(pattern, 200)), hint)
        }
        ValidationErrorKind::Format { format } => {
            let hint = example(format).map(|text| format!("such as \"{text}\""));
            let hint = hint.or_else(|| described(place));
            (format!("must be of the format `{}`, got {got}", cut(format, 60)), hint)
        }
        ValidationErrorKind::PropertyNames { error } => {
            let key = error.instance().as_str().unwrap_or_default();
            let inner = words(error.kind(), place.of_another(error), error.instance());
            let (problem, hint) = inner.unwrap_or_else(|| other(error));
            // The key is what was given.
            let problem = problem.split(", got ").next().unwrap_or_default();
            (format!("has the key `{}`, which {problem}", cut(key, 60)), hint)
        }
        ValidationErrorKind::UniqueItems => {
            (format!("must not have an item twice{}", twice(given)), None)
        }
        ValidationErrorKind::FalseSchema => {
            ("is not taken".to_owned(), Some("leave it out".into()))
        }
        ValidationErrorKind::Not { schema } => {
            (format!("must not be {}, got {got}", short(place.at(schema))), described(place))
        }
        ValidationErrorKind::Contains => {
            let wanted = place.get("contains").map(|wanted| short(place.at(wanted)));
            let wanted = wanted.unwrap_or_else(|| "another value".to_owned());
            (format!("must have an item that is {wanted}, got {got}"), None)
        }
        ValidationErrorKind::OneOfMultipleValid { context } => {
            let fitting = place.list("oneOf").into_iter().zip(context);
            let fitting = fitting.filter(|(_, errors)| errors.is_empty());
            let fitting: Vec<String> = fitting.map(|(one, _)| short(one)).collect();
            let problem = "must fit one alternative only, and fits several";
            match fitting.as_slice() {
                [] => (problem.to_owned(), None),
                all => (format!("{problem}: {}", all.join("; ")), None),
            }
        }
        kind => (limit(kind, given)?, None),
    })
}

/// What is wrong by a keyword that counts or compares.
fn limit(kind: &ValidationErrorKind, given: &Value) -> Option<String> {
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

/// A kind that has no words of its own.
pub(crate) fn other(error: &ValidationError<'_>) -> Words {
    (format!("does not fit: {}", cut(&error.to_string(), 200)), None)
}

/// A value that is none of those that fit.
pub(crate) fn outside<'v>(
    options: impl ExactSizeIterator<Item = &'v Value> + Clone,
    given: &Value,
) -> Words {
    let name = given.as_str().filter(|text| text.len() <= MOST_COMPARED);
    let meant = name.and_then(|text| {
        nearest(text, options.clone().filter_map(Value::as_str))
            .first()
            .map(|name| (*name).to_owned())
    });
    let hint = meant.map(|name| format!("write \"{name}\"")).or_else(|| left_out(given));
    (format!("must be one of {}, got {}", listed(options), describe(given)), hint)
}

/// What the server says about an argument. Server's text: kept short.
pub(crate) fn described(place: Place<'_>) -> Option<String> {
    Some(format!("it is described as: {}", cut(place.description()?, 200)))
}

/// What to do about `null`, which is not the same as nothing.
fn left_out(given: &Value) -> Option<String> {
    given.is_null().then(|| "leave it out instead of passing null".to_owned())
}

pub(crate) fn types(place: Place<'_>) -> Vec<&str> {
    match place.target().get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The type of a key as its schema names it, or its values.
pub(crate) fn type_name(place: Place<'_>) -> Option<String> {
    let target = place.target();
    if target.get("enum").is_some() || target.get("const").is_some() {
        return Some(short(place));
    }
    match types(place).as_slice() {
        [] => (target.get("anyOf").or(target.get("oneOf")).is_some()).then(|| short(place)),
        names => Some(names.join(" or ")),
    }
}

pub(crate) fn type_hint(wanted: &[&str], given: &Value) -> Option<String> {
    let wants = |name: &str| wanted.contains(&name);
    match given {
        Value::Null => left_out(given),
        Value::String(text) if (wants("number") || wants("integer")) && text.len() <= 60 => {
            // As JSON has them: not `NaN`, and not ` 5`.
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

/// How a value of a format looks like.
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

/// Which items of a list are the same.
fn twice(list: &Value) -> String {
    let mut seen = HashMap::new();
    for (index, item) in list.as_array().into_iter().flatten().enumerate() {
        if let Some(first) = seen.insert(item.to_string(), index) {
            return format!(", `[{first}]` and `[{index}]` are the same");
        }
    }
    String::new()
}
