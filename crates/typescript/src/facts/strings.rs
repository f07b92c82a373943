//! Methods of known texts and lists.
//!
//! In: a value, a method name and arguments. Out: the result. Programs that hide a name
//! assemble it from pieces, so the analysis has to assemble it as well.
//! Invariant: bounded. Results that get too long are unknown.

use std::rc::Rc;

use percent_encoding::percent_decode_str;

use super::value::{MAX_FOLDED_BYTES, MAX_LIST_LENGTH, Value, ValueKind};

/// The result of a method of a text or a list.
pub(super) fn method(base: &Value, name: &str, arguments: &[Value]) -> Option<Value> {
    let mut from = base.from.clone();
    arguments.iter().for_each(|one| one.add_sources(&mut from, 1));
    match &base.shape {
        ValueKind::Text { text, whole: true, .. } => text_method(text, name, arguments, from),
        ValueKind::List(list) => list_method(list, name, arguments, from),
        ValueKind::Number(number) if name == "toString" => {
            let digits = arguments.first().and_then(Value::as_number).unwrap_or(10.0);
            in_base(*number, digits).map(|text| Value::folded(&text, from))
        }
        _ => None,
    }
}

fn text_method(text: &str, name: &str, arguments: &[Value], from: Vec<Rc<str>>) -> Option<Value> {
    let word = |at: usize| arguments.get(at).and_then(Value::as_text);
    let place = |at: usize| arguments.get(at).and_then(Value::as_number);
    let folded = |text: &str| Some(Value::folded(text, from.clone()));
    match name {
        "toString" | "valueOf" | "trim" | "normalize" => folded(text.trim()),
        "toLowerCase" => folded(&text.to_lowercase()),
        "toUpperCase" => folded(&text.to_uppercase()),
        "concat" => {
            let mut all = text.to_owned();
            for argument in arguments {
                all.push_str(&argument.as_piece()?.0);
            }
            folded(&all)
        }
        "split" => {
            let pieces: Vec<Value> = match word(0)? {
                "" => text.chars().take(MAX_LIST_LENGTH).map(|one| letter(one, &from)).collect(),
                by => text.split(by).take(MAX_LIST_LENGTH).map(|one| piece(one, &from)).collect(),
            };
            Some(Value { shape: ValueKind::List(Rc::new(pieces)), from })
        }
        "replace" => folded(&text.replacen(word(0)?, word(1)?, 1)),
        "replaceAll" => {
            let (what, by) = (word(0)?, word(1)?);
            // A replacement can be far longer than the original.
            let grows = by.len().saturating_mul(text.len() + 1) > MAX_FOLDED_BYTES * 16;
            if grows { None } else { folded(&text.replace(what, by)) }
        }
        "slice" | "substring" | "substr" => {
            let (start, end) = (place(0)?, arguments.get(1).map(Value::as_number));
            folded(&part(text, name, start, end.map_or(Some(None), |end| end.map(Some))?))
        }
        "charAt" | "at" => {
            let at = place(0).unwrap_or(0.0);
            let length = text.chars().count() as f64;
            let at = if at < 0.0 { at + length } else { at };
            folded(&text.chars().nth(index(at)?)?.to_string())
        }
        "charCodeAt" | "codePointAt" => {
            let one = text.chars().nth(index(place(0).unwrap_or(0.0))?)?;
            Some(Value { shape: ValueKind::Number(f64::from(u32::from(one))), from })
        }
        "repeat" => {
            let times = index(place(0)?)?;
            let fits = text.len().saturating_mul(times) <= MAX_FOLDED_BYTES;
            if fits { folded(&text.repeat(times)) } else { None }
        }
        _ => None,
    }
}

fn list_method(
    list: &Rc<Vec<Value>>,
    name: &str,
    arguments: &[Value],
    from: Vec<Rc<str>>,
) -> Option<Value> {
    match name {
        "join" => {
            let by = match arguments.first() {
                None => ",",
                Some(by) => by.as_text()?,
            };
            let mut all = String::new();
            for (at, one) in list.iter().enumerate() {
                if at > 0 {
                    all.push_str(by);
                }
                all.push_str(&one.as_piece()?.0);
                if all.len() > MAX_FOLDED_BYTES {
                    break;
                }
            }
            Some(Value::folded(&all, from))
        }
        "reverse" | "toReversed" => {
            let turned: Vec<Value> = list.iter().rev().cloned().collect();
            Some(Value { shape: ValueKind::List(Rc::new(turned)), from })
        }
        "concat" => {
            let mut all = list.to_vec();
            for argument in arguments {
                match &argument.shape {
                    ValueKind::List(more) => all.extend(more.iter().cloned()),
                    _ => all.push(argument.clone()),
                }
            }
            all.truncate(MAX_LIST_LENGTH);
            Some(Value { shape: ValueKind::List(Rc::new(all)), from })
        }
        "at" => list.get(index(arguments.first()?.as_number()?)?).cloned(),
        "pop" => list.last().cloned(),
        "shift" => list.first().cloned(),
        "slice" | "flat" | "values" if arguments.is_empty() => {
            Some(Value { shape: ValueKind::List(Rc::clone(list)), from })
        }
        _ => None,
    }
}

/// `String.fromCharCode(…)`.
pub(super) fn from_codes(codes: &[Value], from: Vec<Rc<str>>) -> Option<Value> {
    let mut text = String::new();
    for code in codes.iter().take(MAX_FOLDED_BYTES) {
        let code = code.as_number()?;
        text.push(char::from_u32(u32::try_from(index(code)?).ok()?)?);
    }
    (!codes.is_empty()).then(|| Value::folded(&text, from))
}

/// Decodes base64; only the beginning if the result is too long.
pub(super) fn from_base64(text: &str, from: Vec<Rc<str>>) -> Option<Value> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    Some(Value::folded(&String::from_utf8_lossy(&bytes), from))
}

/// Decodes pairs of hexadecimal digits.
pub(super) fn from_hex(text: &str, from: Vec<Rc<str>>) -> Option<Value> {
    // Node drops half a byte at the end.
    let pairs = text.get(..text.len() & !1)?;
    let bytes = hex::decode(pairs).ok()?;
    Some(Value::folded(&String::from_utf8_lossy(&bytes), from))
}

/// Decodes as `decodeURIComponent` and `unescape` do.
pub(super) fn from_percent(text: &str, from: Vec<Rc<str>>) -> Option<Value> {
    Some(Value::folded(&percent_decode_str(text).decode_utf8_lossy(), from))
}

fn letter(one: char, from: &[Rc<str>]) -> Value {
    piece(one.encode_utf8(&mut [0; 4]), from)
}

fn piece(text: &str, from: &[Rc<str>]) -> Value {
    Value::folded(text, from.to_vec())
}

/// A part of a text, as `slice`, `substring` or `substr` defines it.
fn part(text: &str, name: &str, start: f64, end: Option<f64>) -> String {
    let length = text.chars().count() as f64;
    let clamp = |at: f64| match (name, at < 0.0) {
        ("slice", true) => (length + at).max(0.0),
        (_, true) => 0.0,
        (_, false) => at.min(length),
    };
    let start =
        if name == "substr" && start < 0.0 { (length + start).max(0.0) } else { clamp(start) };
    let end = match (name, end) {
        (_, None) => length,
        ("substr", Some(count)) => (start + count.max(0.0)).min(length),
        (_, Some(end)) => clamp(end),
    };
    let (start, end) =
        if name == "substring" { (start.min(end), start.max(end)) } else { (start, end) };
    let (start, end) = (index(start).unwrap_or(0), index(end).unwrap_or(0));
    text.chars().skip(start).take(end.saturating_sub(start)).collect()
}

/// A number as an index.
pub(super) fn index(number: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    let place = (0.0..1e15).contains(&number).then_some(number as usize);
    place
}

/// An integer in the digits of a base.
fn in_base(number: f64, base: f64) -> Option<String> {
    let (mut rest, base) = (index(number)?, index(base)?);
    if !(2..=36).contains(&base) || number.fract() != 0.0 {
        return None;
    }
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(u32::try_from(rest % base).ok()?, u32::try_from(base).ok()?)?);
        rest /= base;
        if rest == 0 {
            return Some(digits.iter().rev().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, from_hex, from_percent};

    fn text(value: Option<Value>) -> Option<String> {
        value.and_then(|value| value.as_text().map(str::to_owned))
    }

    #[test]
    fn hexadecimal_digits_are_folded_as_node_does() {
        assert_eq!(text(from_hex("2f657463", Vec::new())).as_deref(), Some("/etc"));
        assert_eq!(text(from_hex("2F6", Vec::new())).as_deref(), Some("/"));
        assert_eq!(text(from_hex("+f", Vec::new())), None);
    }

    #[test]
    fn a_sign_is_no_hexadecimal_digit() {
        assert_eq!(text(from_percent("%2Fetc%", Vec::new())).as_deref(), Some("/etc%"));
        assert_eq!(text(from_percent("%+f", Vec::new())).as_deref(), Some("%+f"));
    }
}
