//! Texts that are put together out of pieces.
//!
//! In: texts, bytes and lists that are known, and what is done to them. Out: the text
//! that comes of it. Bounded: what would be longer than a hidden name ever is becomes
//! unknown, so that folding takes no longer than reading.

use super::decoding::by_codec;
use super::value::{Kind, LONGEST, LONGEST_LIST, Value, union};

/// Stands in a text for what is not known of it, as rules are told.
const GAP: &str = "…";

/// Both, one behind the other.
pub(super) fn joined<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let from = union([&left.from, &right.from]);
    if let (Kind::OneOf(_), _) | (_, Kind::OneOf(_)) = (&left.kind, &right.kind) {
        return joined_each(left, right).with_from(from);
    }
    let kind = match (&left.kind, &right.kind) {
        (Kind::Bytes(left), Kind::Bytes(right)) if left.len() + right.len() <= LONGEST => {
            Kind::Bytes([&**left, &**right].concat().into())
        }
        (Kind::List(left), Kind::List(right)) if left.len() + right.len() <= LONGEST_LIST => {
            Kind::List(left.iter().chain(right.iter()).cloned().collect())
        }
        (Kind::Text(left), Kind::Text(right)) if left.len() + right.len() <= LONGEST => {
            Kind::Text(format!("{left}{right}").into())
        }
        // What is added to a list or to bytes is no text.
        (Kind::Bytes(_) | Kind::List(_), _) => Kind::Unknown,
        (left, right) => match (piece(left), piece(right)) {
            (GAP, GAP) => Kind::Unknown,
            // One gap says as much as two.
            (left, GAP) if left.ends_with(GAP) => Kind::Begins(left.into()),
            (left, right) if left.len() + right.len() <= LONGEST => {
                Kind::Begins(format!("{left}{right}").into())
            }
            (left, _) => Kind::Begins(left.into()),
        },
    };
    Value { kind, from, hidden: true }
}

/// What is known of a part of a text.
fn piece<'k>(kind: &'k Kind<'_>) -> &'k str {
    match kind {
        Kind::Text(text) | Kind::Begins(text) => text,
        _ => GAP,
    }
}

/// The same of one of several.
fn joined_each<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let mut found: Option<Value<'a>> = None;
    for one in left.alternatives() {
        for other in right.alternatives() {
            let value = joined(one, other);
            found = Some(found.map_or(value.clone(), |known| known.or(&value)));
        }
    }
    found.unwrap_or_else(Value::unknown)
}

/// So many times the same; nothing if it gets too long.
pub(super) fn repeated<'a>(value: &Value<'a>, times: i128) -> Option<Value<'a>> {
    let times = usize::try_from(times.max(0)).ok()?;
    let fits = |length: usize| length.checked_mul(times).is_some_and(|all| all <= LONGEST);
    let kind = match &value.kind {
        Kind::Text(text) if fits(text.len()) => Kind::Text(text.repeat(times).into()),
        Kind::Bytes(bytes) if fits(bytes.len()) => Kind::Bytes(bytes.repeat(times).into()),
        Kind::List(list) if times <= LONGEST_LIST && list.len() * times <= LONGEST_LIST => {
            Kind::List(std::iter::repeat_n(list.iter(), times).flatten().cloned().collect())
        }
        _ => return None,
    };
    Some(Value { kind, from: value.from.clone(), hidden: true })
}

/// How many elements it has.
#[expect(clippy::cast_precision_loss, reason = "a size is not exact")]
pub(super) fn length(kind: &Kind<'_>) -> Option<f64> {
    match kind {
        Kind::Text(text) | Kind::Begins(text) => Some(text.chars().count() as f64),
        Kind::Bytes(bytes) => Some(bytes.len() as f64),
        Kind::List(list) => Some(list.len() as f64),
        Kind::Count(count) => Some(*count),
        _ => None,
    }
}

/// The largest number in it.
pub(super) fn largest(value: &Value<'_>) -> Option<f64> {
    let all = match &value.kind {
        Kind::List(list) => list.as_ref(),
        _ => std::slice::from_ref(value),
    };
    all.iter().filter_map(|one| super::numbers::magnitude(&one.kind)).reduce(f64::max)
}

/// The elements of something that can be gone through.
pub(super) fn elements<'a>(value: &Value<'a>) -> Option<Vec<Value<'a>>> {
    let each = |kind| Value { kind, from: value.from.clone(), hidden: true };
    match &value.kind {
        Kind::List(list) => Some(list.to_vec()),
        Kind::Text(text) => {
            let one = |letter: char| each(Kind::Text(letter.to_string().into()));
            Some(text.chars().map(one).collect())
        }
        Kind::Bytes(bytes) => {
            Some(bytes.iter().map(|byte| each(Kind::Int((*byte).into()))).collect())
        }
        Kind::Dict(entries) => Some(entries.iter().map(|(key, _)| key.clone()).collect()),
        _ => None,
    }
}

/// A part of it, as `[lower:upper:step]` takes it.
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

/// Whether the one element is what is known of all: files that a pattern names.
pub(super) fn stands_for_many(list: &[Value<'_>]) -> bool {
    let [one] = list else { return false };
    matches!(one.kind, Kind::Begins(_) | Kind::File { whole: false, .. })
}

/// Elements as the same kind of thing that they were taken out of.
fn as_kind<'a>(like: &Kind<'_>, elements: &[Value<'a>]) -> Option<Kind<'a>> {
    match like {
        Kind::Text(_) => Some(Kind::Text(concatenated(elements, "")?.into())),
        Kind::Bytes(_) => Some(Kind::Bytes(bytes_of(elements)?.into())),
        _ => Some(Kind::List(elements.into())),
    }
}

/// Numbers as bytes.
pub(super) fn bytes_of(elements: &[Value<'_>]) -> Option<Vec<u8>> {
    let byte = |value: &Value<'_>| match value.kind {
        Kind::Int(number) => u8::try_from(number).ok(),
        _ => None,
    };
    elements.iter().map(byte).collect()
}

/// Texts behind each other.
pub(super) fn concatenated(elements: &[Value<'_>], between: &str) -> Option<String> {
    let mut found = String::new();
    for (at, element) in elements.iter().enumerate() {
        found.push_str(if at > 0 { between } else { "" });
        found.push_str(element.as_text()?);
        if found.len() > LONGEST {
            return None;
        }
    }
    Some(found)
}

/// What a method of a text, of bytes or of a list gives.
pub(super) fn method<'a>(
    value: &Value<'a>,
    name: &str,
    arguments: &[Value<'a>],
) -> Option<Value<'a>> {
    let kind = match &value.kind {
        Kind::Text(text) => of_text(text, name, arguments)?,
        Kind::Bytes(bytes) => of_bytes(bytes, name, arguments)?,
        Kind::Begins(text) if name == "format" => Kind::Begins(text.clone()),
        _ => return None,
    };
    let parts = arguments.iter().flat_map(|value| match &value.kind {
        Kind::List(list) => list.as_ref(),
        _ => std::slice::from_ref(value),
    });
    let from = union(std::iter::once(&value.from).chain(parts.map(|part| &part.from)));
    Some(Value { kind, from, hidden: true })
}

fn of_text<'a>(text: &str, name: &str, arguments: &[Value<'a>]) -> Option<Kind<'a>> {
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
        ("encode", _) => return Some(Kind::Bytes(text.as_bytes().into())),
        ("split", 0) => return Some(texts(text.split_whitespace())),
        ("split", 1) if !word(0)?.is_empty() => return Some(texts(text.split(word(0)?))),
        _ => return None,
    };
    (made.len() <= LONGEST).then(|| Kind::Text(made.into()))
}

fn of_bytes<'a>(bytes: &[u8], name: &str, arguments: &[Value<'a>]) -> Option<Kind<'a>> {
    match name {
        "decode" => {
            let codec = arguments.first().and_then(|value| value.as_text());
            let found = by_codec(codec.map_or("utf-8", |codec| codec), bytes)?;
            Some(Kind::Text(String::from_utf8(found).ok()?.into()))
        }
        "hex" if bytes.len() * 2 <= LONGEST => Some(Kind::Text(hex::encode(bytes).into())),
        "strip" if arguments.is_empty() => Some(Kind::Bytes(bytes.trim_ascii().into())),
        "join" => {
            let [only] = arguments else { return None };
            let mut found = Vec::new();
            for (at, part) in elements(only)?.iter().enumerate() {
                let Kind::Bytes(part) = &part.kind else { return None };
                found.extend_from_slice(if at > 0 { bytes } else { &[] });
                found.extend_from_slice(part);
                if found.len() > LONGEST {
                    return None;
                }
            }
            Some(Kind::Bytes(found.into()))
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
    let growth = (text.len() + 1).checked_mul(with.len() + 1)?;
    (growth <= LONGEST * 4).then(|| text.replace(what, with))
}

fn texts<'a, 't>(parts: impl Iterator<Item = &'t str>) -> Kind<'a> {
    Kind::List(parts.map(|part| Value::of(Kind::Text(part.into())).hidden_if(true)).collect())
}

/// `{}` and `{0}` with what is known; up to the first that is not.
fn formatted<'a>(text: &str, arguments: &[Value<'a>]) -> Kind<'a> {
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
        let Some((field, after)) = field else { return Kind::Begins(found.into()) };
        let index = if field.is_empty() { Some(next) } else { field.parse::<usize>().ok() };
        next += 1;
        let value = index.and_then(|at| arguments.get(at)).and_then(shown);
        let Some(value) = value.filter(|value| found.len() + value.len() <= LONGEST) else {
            return Kind::Begins(found.into());
        };
        found.push_str(&value);
        rest = after;
    }
    found.push_str(rest);
    Kind::Text(found.into())
}

/// `%s` with what is known; up to the first that is not.
pub(super) fn interpolated<'a>(text: &str, value: &Value<'a>) -> Value<'a> {
    let values = match &value.kind {
        Kind::List(list) => list.to_vec(),
        _ => vec![value.clone()],
    };
    let (mut found, mut parts, mut values) = (String::new(), text.split('%'), values.iter());
    found.push_str(parts.next().unwrap_or_default());
    let mut is_whole = true;
    for part in parts {
        let rest = part.strip_prefix('s').or_else(|| part.strip_prefix('d'));
        let letter = part.strip_prefix('c');
        let value = values.next().and_then(|value| match (&value.kind, letter) {
            (Kind::Int(code), Some(_)) => character(*code).map(String::from),
            _ => shown(value),
        });
        match (value, rest.or(letter)) {
            (Some(value), Some(rest)) if found.len() + value.len() <= LONGEST => {
                found.push_str(&value);
                found.push_str(rest);
            }
            _ => {
                is_whole = false;
                break;
            }
        }
    }
    let kind = if is_whole { Kind::Text(found.into()) } else { Kind::Begins(found.into()) };
    Value { kind, from: value.from.clone(), hidden: true }
}

pub(super) fn character(code: i128) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}

/// As `str()` shows it.
pub(super) fn shown(value: &Value<'_>) -> Option<String> {
    match &value.kind {
        Kind::Text(text) => Some(text.to_string()),
        Kind::File { text, whole: true } => Some(text.to_string()),
        Kind::Int(number) => Some(number.to_string()),
        Kind::Flag(true) => Some("True".to_owned()),
        Kind::Flag(false) => Some("False".to_owned()),
        Kind::None => Some("None".to_owned()),
        _ => None,
    }
}
