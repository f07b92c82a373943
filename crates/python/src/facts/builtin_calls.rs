//! Results of builtin functions on literal values.
//!
//! In: the path of a function and its arguments. Out: the value it returns, if the arguments
//! are known. Paid for from the budget.

use ruff_text_size::TextSize;

use super::arguments::Arguments;
use super::decoding::{by_codec, decoded};
use super::evaluator::Evaluator;
use super::folding::cost;
use super::strings;
use super::value::{MAX_FOLDED_BYTES, Value, ValueKind, with_source};

impl<'a> Evaluator<'_, 'a> {
    /// Functions of known texts, bytes, numbers and lists.
    pub(super) fn folded(
        &mut self,
        path: &str,
        arguments: &Arguments<'a>,
        at: TextSize,
    ) -> Option<Value<'a>> {
        self.record_size(path, arguments, at);
        let first = arguments.positional.first();
        let cost: usize = arguments.positional.iter().map(cost).sum();
        if !self.spend(cost) {
            return None;
        }
        let from = arguments.from();
        let kind = match path {
            "chr" => match first?.kind {
                ValueKind::Int(code) => {
                    ValueKind::Text(strings::character(code)?.to_string().into())
                }
                _ => return None,
            },
            "ord" => {
                let mut letters = first?.as_text()?.chars();
                ValueKind::Int(u32::from(letters.next()?).into())
            }
            "str" => ValueKind::Text(match &first?.kind {
                ValueKind::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.into(),
                _ => strings::shown(first?)?.into(),
            }),
            "int" => ValueKind::Int(number(arguments)?),
            "bytes" | "bytearray" => match &first?.kind {
                ValueKind::List(list) => ValueKind::Bytes(strings::bytes_of(list)?.into()),
                ValueKind::Text(text) => ValueKind::Bytes(text.as_bytes().into()),
                ValueKind::Bytes(bytes) => ValueKind::Bytes(bytes.clone()),
                _ => return None,
            },
            "list" | "tuple" | "iter" => ValueKind::List(self.elements(first?)?.into()),
            "reversed" => {
                let mut all = self.elements(first?)?;
                all.reverse();
                ValueKind::List(all.into())
            }
            "sorted" => ValueKind::List(sorted(self.elements(first?)?, arguments)?.into()),
            "map" => return self.mapped(arguments),
            "str.join" => {
                let (between, all) = (first?.as_text()?.clone(), arguments.positional.get(1)?);
                ValueKind::Text(strings::concatenated(&self.elements(all)?, &between)?.into())
            }
            "bytes.decode" | "codecs.decode" | "codecs.encode" => {
                let codec = arguments.get(1, "encoding").and_then(Value::as_text);
                let found = by_codec(codec.map_or("utf-8", |codec| codec), &bytes_of(first?)?)?;
                ValueKind::Text(String::from_utf8(found).ok()?.into())
            }
            _ => ValueKind::Bytes(decoded(path, &bytes_of(first?)?)?.into()),
        };
        Some(Value { kind, from: with_source(&path.into(), &from), hidden: true })
    }

    /// `map(chr, [111, 115])`.
    pub(super) fn mapped(&mut self, arguments: &Arguments<'a>) -> Option<Value<'a>> {
        let [function, all] = arguments.positional.as_slice() else { return None };
        let all = self.elements(all)?;
        self.nesting.replaying += 1;
        let mut found = Vec::new();
        for one in all {
            if !self.spend(1) {
                break;
            }
            found.push(self.apply(function, Arguments::one(one), TextSize::default()));
        }
        self.nesting.replaying -= 1;
        Some(Value { kind: ValueKind::List(found.into()), from: arguments.from(), hidden: true })
    }
}

/// `sorted(all)`, if the order is known.
fn sorted<'a>(mut all: Vec<Value<'a>>, arguments: &Arguments<'a>) -> Option<Vec<Value<'a>>> {
    if strings::stands_for_many(&all) {
        return Some(all);
    }
    let is_replayable = all.iter().all(|one| one.as_text().is_some());
    if !is_replayable || arguments.get(1, "key").is_some() {
        return None;
    }
    all.sort_by(|one, other| one.as_text().cmp(&other.as_text()));
    match arguments.get(1, "reverse").map(|one| &one.kind) {
        None | Some(ValueKind::Flag(false)) => {}
        Some(ValueKind::Flag(true)) => all.reverse(),
        Some(_) => return None,
    }
    Some(all)
}

/// The bytes of a text or of bytes.
fn bytes_of(value: &Value<'_>) -> Option<Vec<u8>> {
    match &value.kind {
        ValueKind::Text(text) if text.len() <= MAX_FOLDED_BYTES => Some(text.as_bytes().to_vec()),
        ValueKind::Bytes(bytes) => Some(bytes.to_vec()),
        _ => None,
    }
}

fn number(arguments: &Arguments<'_>) -> Option<i128> {
    let first = arguments.positional.first()?;
    match (&first.kind, arguments.get(1, "base").map(|base| &base.kind)) {
        (ValueKind::Int(number), None) => Some(*number),
        (ValueKind::Flag(flag), None) => Some((*flag).into()),
        (ValueKind::Text(text), None) => text.trim().parse().ok(),
        (ValueKind::Text(text), Some(ValueKind::Int(base))) => {
            let base = u32::try_from(*base).ok().filter(|base| (2..=36).contains(base))?;
            let text = text.trim();
            let digits =
                text.strip_prefix("0x").or_else(|| text.strip_prefix("0b")).unwrap_or(text);
            i128::from_str_radix(digits, base).ok()
        }
        _ => None,
    }
}
