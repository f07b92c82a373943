//! Texts, bytes and lists assembled from pieces.
//!
//! In: known texts, bytes and lists, and an operation. Out: the result. Bounded: whatever is
//! longer than a hidden name could be becomes unknown, so that folding takes no longer than
//! parsing.

use super::decoding::by_codec;
use super::value::{MAX_FOLDED_BYTES, MAX_LIST_LENGTH, Value, ValueKind, union_sources};

/// Stands for an unknown part of a text, as in the text that rules match.
const GAP: &str = "…";

/// Concatenates two values.
pub(super) fn concat<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let from = union_sources([&left.from, &right.from]);
    if let (ValueKind::OneOf(_), _) | (_, ValueKind::OneOf(_)) = (&left.kind, &right.kind) {
        return concat_each(left, right).with_from(from);
    }
    let kind = match (&left.kind, &right.kind) {
        (ValueKind::Bytes(left), ValueKind::Bytes(right))
            if left.len() + right.len() <= MAX_FOLDED_BYTES =>
        {
            ValueKind::Bytes([&**left, &**right].concat().into())
        }
        (ValueKind::List(left), ValueKind::List(right))
            if left.len() + right.len() <= MAX_LIST_LENGTH =>
        {
            ValueKind::List(left.iter().chain(right.iter()).cloned().collect())
        }
        (ValueKind::Text(left), ValueKind::Text(right))
            if left.len() + right.len() <= MAX_FOLDED_BYTES =>
        {
            ValueKind::Text(format!("{left}{right}").into())
        }
        // A list or bytes plus something unknown is not a text.
        (ValueKind::Bytes(_) | ValueKind::List(_), _) => ValueKind::Unknown,
        (left, right) => match (piece(left), piece(right)) {
            (GAP, GAP) => ValueKind::Unknown,
            // One gap says as much as two.
            (left, GAP) if left.ends_with(GAP) => ValueKind::Prefix(left.into()),
            (left, right) if left.len() + right.len() <= MAX_FOLDED_BYTES => {
                ValueKind::Prefix(format!("{left}{right}").into())
            }
            (left, _) => ValueKind::Prefix(left.into()),
        },
    };
    Value { kind, from, hidden: true }
}

/// The known part of a piece of text.
fn piece<'k>(kind: &'k ValueKind<'_>) -> &'k str {
    match kind {
        ValueKind::Text(text) | ValueKind::Prefix(text) => text,
        _ => GAP,
    }
}

/// Concatenates all alternatives.
fn concat_each<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let mut found: Option<Value<'a>> = None;
    for one in left.alternatives() {
        for other in right.alternatives() {
            let value = concat(one, other);
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
    }
    found.unwrap_or_else(Value::unknown)
}

/// Repeats a value; nothing if the result is too long.
pub(super) fn repeated<'a>(value: &Value<'a>, times: i128) -> Option<Value<'a>> {
    let times = usize::try_from(times.max(0)).ok()?;
    let fits = |length: usize| length.checked_mul(times).is_some_and(|all| all <= MAX_FOLDED_BYTES);
    let kind = match &value.kind {
        ValueKind::Text(text) if fits(text.len()) => ValueKind::Text(text.repeat(times).into()),
        ValueKind::Bytes(bytes) if fits(bytes.len()) => {
            ValueKind::Bytes(bytes.repeat(times).into())
        }
        ValueKind::List(list)
            if times <= MAX_LIST_LENGTH && list.len() * times <= MAX_LIST_LENGTH =>
        {
            ValueKind::List(std::iter::repeat_n(list.iter(), times).flatten().cloned().collect())
        }
        _ => return None,
    };
    Some(Value { kind, from: value.from.clone(), hidden: true })
}

/// The number of elements.
#[expect(clippy::cast_precision_loss, reason = "a size is not exact")]
pub(super) fn length(kind: &ValueKind<'_>) -> Option<f64> {
    match kind {
        ValueKind::Text(text) | ValueKind::Prefix(text) => Some(text.chars().count() as f64),
        ValueKind::Bytes(bytes) => Some(bytes.len() as f64),
        ValueKind::List(list) => Some(list.len() as f64),
        ValueKind::Count(count) => Some(*count),
        _ => None,
    }
}

/// The largest number in a value.
pub(super) fn largest(value: &Value<'_>) -> Option<f64> {
    let all = match &value.kind {
        ValueKind::List(list) => list.as_ref(),
        _ => std::slice::from_ref(value),
    };
    all.iter().filter_map(|one| super::numbers::magnitude(&one.kind)).reduce(f64::max)
}

/// The elements of an iterable.
pub(super) fn elements<'a>(value: &Value<'a>) -> Option<Vec<Value<'a>>> {
    let each = |kind| Value { kind, from: value.from.clone(), hidden: true };
    match &value.kind {
        ValueKind::List(list) => Some(list.to_vec()),
        ValueKind::Text(text) => {
            let one = |letter: char| each(ValueKind::Text(letter.to_string().into()));
            Some(text.chars().map(one).collect())
        }
        ValueKind::Bytes(bytes) => {
            Some(bytes.iter().map(|byte| each(ValueKind::Int((*byte).into()))).collect())
        }
        ValueKind::Dict(entries) => Some(entries.iter().map(|(key, _)| key.clone()).collect()),
        _ => None,
    }
}

/// A slice, as `[lower:upper:step]`.
pub(super) fn sliced<'a>(value: &Value<'a>, bounds: [Option<i128>; 3]) -> Option<Value<'a>> {
    let all = elements(value)?;
    let [lower, upper, step] = bounds;
    let (step, size) = (step.unwrap_or(1), i128::try_from(all.len()).ok()?);
    let place = |at: i128| if at < 0 { at + size } else { at };
    let (first, last) = match step {
        0 => return None,
        1.. => (lower.map_or(0, place).clamp(0, size), upper.map_or(size, place).clamp(0, size)),
        _ => (
            lower.map_or(size - 1, place).clamp(-1, size - 1),
            upper.map_or(-1, place).clamp(-1, size - 1),
        ),
    };
    let (mut at, mut found) = (first, Vec::new());
    while (step > 0 && at < last) || (step < 0 && at > last) {
        found.push(all.get(usize::try_from(at).ok()?)?.clone());
        at = at.checked_add(step)?;
    }
    as_kind(&value.kind, &found).map(|kind| Value { kind, from: value.from.clone(), hidden: true })
}

/// Whether the single element represents many: files that match a pattern.
pub(super) fn stands_for_many(list: &[Value<'_>]) -> bool {
    let [one] = list else { return false };
    matches!(one.kind, ValueKind::Prefix(_) | ValueKind::File { whole: false, .. })
}

/// Elements, converted back to the kind of value they were taken from.
fn as_kind<'a>(like: &ValueKind<'_>, elements: &[Value<'a>]) -> Option<ValueKind<'a>> {
    match like {
        ValueKind::Text(_) => Some(ValueKind::Text(concatenated(elements, "")?.into())),
        ValueKind::Bytes(_) => Some(ValueKind::Bytes(bytes_of(elements)?.into())),
        _ => Some(ValueKind::List(elements.into())),
    }
}

/// Numbers as bytes.
pub(super) fn bytes_of(elements: &[Value<'_>]) -> Option<Vec<u8>> {
    let byte = |value: &Value<'_>| match value.kind {
        ValueKind::Int(number) => u8::try_from(number).ok(),
        _ => None,
    };
    elements.iter().map(byte).collect()
}

/// Joins texts with a separator.
pub(super) fn concatenated(elements: &[Value<'_>], between: &str) -> Option<String> {
    let mut found = String::new();
    for (at, element) in elements.iter().enumerate() {
        found.push_str(if at > 0 { between } else { "" });
        found.push_str(element.as_text()?);
        if found.len() > MAX_FOLDED_BYTES {
            return None;
        }
    }
    Some(found)
}

/// The result of a method of a text or of bytes.
pub(super) fn method<'a>(
    value: &Value<'a>,
    name: &str,
    arguments: &[Value<'a>],
) -> Option<Value<'a>> {
    let kind = match &value.kind {
        ValueKind::Text(text) => of_text(text, name, arguments)?,
        ValueKind::Bytes(bytes) => of_bytes(bytes, name, arguments)?,
        ValueKind::Prefix(text) if name == "format" => ValueKind::Prefix(text.clone()),
        _ => return None,
    };
    let parts = arguments.iter().flat_map(|value| match &value.kind {
        ValueKind::List(list) => list.as_ref(),
        _ => std::slice::from_ref(value),
    });
    let from = union_sources(std::iter::once(&value.from).chain(parts.map(|part| &part.from)));
    Some(Value { kind, from, hidden: true })
}

fn of_text<'a>(text: &str, name: &str, arguments: &[Value<'a>]) -> Option<ValueKind<'a>> {
    let word = |at: usize| arguments.get(at).and_then(|value| value.as_text()).map(|text| &**text);
    let made = match (name, arguments.len()) {
        ("upper", 0) => text.to_uppercase(),
        ("lower" | "casefold", 0) => text.to_lowercase(),
        ("capitalize", 0) => {
            let mut letters = text.chars();
            let first = letters.next().map(|letter| letter.to_uppercase().to_string());
            first.unwrap_or_default() + &letters.as_str().to_lowercase()
        }
        ("swapcase", 0) => text.chars().map(swapped).collect(),
        ("strip", 0) => text.trim().to_owned(),
        ("lstrip", 0) => text.trim_start().to_owned(),
        ("rstrip", 0) => text.trim_end().to_owned(),
        ("strip", 1) => {
            text.trim_matches(|one| word(0).is_some_and(|all| all.contains(one))).to_owned()
        }
        ("replace", 2 | 3) => replaced(text, word(0)?, word(1)?)?,
        ("removeprefix", 1) => text.strip_prefix(word(0)?).unwrap_or(text).to_owned(),
        ("removesuffix", 1) => text.strip_suffix(word(0)?).unwrap_or(text).to_owned(),
        ("join", 1) => concatenated(&elements(&arguments[0])?, text)?,
        ("translate" | "format_map" | "zfill" | "ljust" | "rjust" | "center", _) => return None,
        ("format", _) => return Some(formatted(text, arguments)),
        ("encode", _) => return Some(ValueKind::Bytes(text.as_bytes().into())),
        ("split", 0) => return Some(texts(text.split_whitespace())),
        ("split", 1) if !word(0)?.is_empty() => return Some(texts(text.split(word(0)?))),
        _ => return None,
    };
    (made.len() <= MAX_FOLDED_BYTES).then(|| ValueKind::Text(made.into()))
}

fn of_bytes<'a>(bytes: &[u8], name: &str, arguments: &[Value<'a>]) -> Option<ValueKind<'a>> {
    match name {
        "decode" => {
            let codec = arguments.first().and_then(|value| value.as_text());
            let found = by_codec(codec.map_or("utf-8", |codec| codec), bytes)?;
            Some(ValueKind::Text(String::from_utf8(found).ok()?.into()))
        }
        "hex" if bytes.len() * 2 <= MAX_FOLDED_BYTES => {
            Some(ValueKind::Text(hex::encode(bytes).into()))
        }
        "strip" if arguments.is_empty() => Some(ValueKind::Bytes(bytes.trim_ascii().into())),
        "join" => {
            let [only] = arguments else { return None };
            let mut found = Vec::new();
            for (at, part) in elements(only)?.iter().enumerate() {
                let ValueKind::Bytes(part) = &part.kind else { return None };
                found.extend_from_slice(if at > 0 { bytes } else { &[] });
                found.extend_from_slice(part);
                if found.len() > MAX_FOLDED_BYTES {
                    return None;
                }
            }
            Some(ValueKind::Bytes(found.into()))
        }
        _ => None,
    }
}

fn swapped(letter: char) -> char {
    match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    }
}

fn replaced(text: &str, what: &str, with: &str) -> Option<String> {
    let record_growth = (text.len() + 1).checked_mul(with.len() + 1)?;
    (record_growth <= MAX_FOLDED_BYTES * 4).then(|| text.replace(what, with))
}

fn texts<'a, 't>(parts: impl Iterator<Item = &'t str>) -> ValueKind<'a> {
    ValueKind::List(
        parts.map(|part| Value::of(ValueKind::Text(part.into())).hidden_if(true)).collect(),
    )
}

/// Fills `{}` and `{0}` up to the first unknown value.
fn formatted<'a>(text: &str, arguments: &[Value<'a>]) -> ValueKind<'a> {
    let (mut found, mut rest, mut next) = (String::new(), text, 0);
    while let Some(at) = rest.find(['{', '}']) {
        found.push_str(&rest[..at]);
        let here = &rest[at..];
        if let Some(after) = here.strip_prefix("{{").or_else(|| here.strip_prefix("}}")) {
            found.push_str(&here[..1]);
            rest = after;
            continue;
        }
        let field = here.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((field, after)) = field else { return ValueKind::Prefix(found.into()) };
        let index = if field.is_empty() { Some(next) } else { field.parse::<usize>().ok() };
        next += 1;
        let value = index.and_then(|at| arguments.get(at)).and_then(shown);
        let Some(value) = value.filter(|value| found.len() + value.len() <= MAX_FOLDED_BYTES)
        else {
            return ValueKind::Prefix(found.into());
        };
        found.push_str(&value);
        rest = after;
    }
    found.push_str(rest);
    ValueKind::Text(found.into())
}

/// Fills `%s` up to the first unknown value.
pub(super) fn interpolated<'a>(text: &str, value: &Value<'a>) -> Value<'a> {
    let values = match &value.kind {
        ValueKind::List(list) => list.to_vec(),
        _ => vec![value.clone()],
    };
    let (mut found, mut parts, mut values) = (String::new(), text.split('%'), values.iter());
    found.push_str(parts.next().unwrap_or_default());
    let mut is_whole = true;
    for part in parts {
        let rest = part.strip_prefix('s').or_else(|| part.strip_prefix('d'));
        let letter = part.strip_prefix('c');
        let value = values.next().and_then(|value| match (&value.kind, letter) {
            (ValueKind::Int(code), Some(_)) => character(*code).map(String::from),
            _ => shown(value),
        });
        match (value, rest.or(letter)) {
            (Some(value), Some(rest)) if found.len() + value.len() <= MAX_FOLDED_BYTES => {
                found.push_str(&value);
                found.push_str(rest);
            }
            _ => {
                is_whole = false;
                break;
            }
        }
    }
    let kind =
        if is_whole { ValueKind::Text(found.into()) } else { ValueKind::Prefix(found.into()) };
    Value { kind, from: value.from.clone(), hidden: true }
}

pub(super) fn character(code: i128) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}

/// The value as `str()` renders it.
pub(super) fn shown(value: &Value<'_>) -> Option<String> {
    match &value.kind {
        ValueKind::Text(text) => Some(text.to_string()),
        ValueKind::File { text, whole: true } => Some(text.to_string()),
        ValueKind::Int(number) => Some(number.to_string()),
        ValueKind::Flag(true) => Some("True".to_owned()),
        ValueKind::Flag(false) => Some("False".to_owned()),
        ValueKind::None => Some("None".to_owned()),
        _ => None,
    }
}
