//! Constant folding: operators on known values.
//!
//! In: values. Out: the resulting value, and facts about sizes that no program needs. All of
//! it is paid for from the budget (`Evaluator::spend`).

use ruff_python_ast::Operator;
use ruff_text_size::TextSize;
use tidegate_model::reading::{AbstractValue, FactKind};

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::numbers::{LARGE_SIZE, arithmetic, magnitude};
use super::strings;
use super::value::{MAX_FOLDED_BYTES, Value, ValueKind, union_sources};

/// The cost of creating a value again.
pub(super) fn cost(value: &Value<'_>) -> usize {
    match &value.kind {
        ValueKind::Text(text) | ValueKind::Prefix(text) => text.len() / 64,
        ValueKind::Bytes(bytes) => bytes.len() / 64,
        ValueKind::List(list) => list.len() / 4,
        ValueKind::Dict(entries) => entries.len() / 2,
        ValueKind::OneOf(all) => all.len() + all.iter().map(cost).sum::<usize>(),
        _ => 0,
    }
}

impl<'a> Evaluator<'_, 'a> {
    /// The result of an operator.
    pub(super) fn operate(
        &mut self,
        left: &Value<'a>,
        operator: Operator,
        right: &Value<'a>,
        at: TextSize,
    ) -> Value<'a> {
        let from = union_sources([
            &Arguments::one(left.clone()).from(),
            &Arguments::one(right.clone()).from(),
        ]);
        let plain = Value::unknown_from(from.clone());
        if !self.spend(cost(left) + cost(right)) {
            return plain;
        }
        match (&left.kind, operator, &right.kind) {
            (ValueKind::File { text, whole }, Operator::Div, part) => {
                let (text, whole) = path_under(text, *whole, part);
                Value { kind: ValueKind::File { text, whole }, from, hidden: false }
            }
            (ValueKind::Text(text), Operator::Mod, _) => {
                let star_imports = text.contains('*').then(|| strings::largest(right)).flatten();
                if let Some(width) = star_imports.filter(|width| *width >= LARGE_SIZE) {
                    self.record_bulk("text", width, at);
                }
                self.record_width(left, at);
                strings::interpolated(text, right)
            }
            (ValueKind::Prefix(_), Operator::Mod, _) => left.clone(),
            (
                ValueKind::Text(_)
                | ValueKind::Prefix(_)
                | ValueKind::Bytes(_)
                | ValueKind::List(_),
                Operator::Add,
                _,
            )
            | (_, Operator::Add, ValueKind::Text(_) | ValueKind::Prefix(_)) => {
                Value { from, ..strings::concat(left, right) }
            }
            (kind, Operator::Mult, times) if strings::length(kind).is_some() => {
                self.multiplied(left, times, at).unwrap_or(plain)
            }
            (times, Operator::Mult, kind) if strings::length(kind).is_some() => {
                self.multiplied(right, times, at).unwrap_or(plain)
            }
            (left, operator, right) => match arithmetic(left, operator, right) {
                Some((value, large)) => {
                    if let Some(bits) = large {
                        self.record_bulk("number", bits, at);
                    }
                    value.with_from(from)
                }
                None => plain,
            },
        }
    }

    fn multiplied(
        &mut self,
        value: &Value<'a>,
        times: &ValueKind<'a>,
        at: TextSize,
    ) -> Option<Value<'a>> {
        let count = magnitude(times)?;
        let size = strings::length(&value.kind)? * count;
        if size >= LARGE_SIZE {
            let what = if matches!(value.kind, ValueKind::List(_)) { "list" } else { "text" };
            self.record_bulk(what, size, at);
        }
        let repeated = match times {
            ValueKind::Int(times) => strings::repeated(value, *times),
            _ => None,
        };
        Some(
            repeated
                .unwrap_or_else(|| Value::of(ValueKind::Count(size)).with_from(value.from.clone())),
        )
    }

    pub(super) fn record_bulk(&mut self, what: &str, size: f64, at: TextSize) {
        let arguments = vec![AbstractValue::number(size)];
        self.record(FactKind::Bulk, what, at, FactDetails { arguments, hidden: false });
    }

    /// A width in a format: `f'{x:1000000000}'`.
    pub(super) fn record_width(&mut self, width: &Value<'a>, at: TextSize) {
        let Some(text) = width.as_text() else { return };
        let numbers = text.split(|one: char| !one.is_ascii_digit()).filter(|one| one.len() >= 8);
        let width = numbers.filter_map(|digits| digits.parse::<f64>().ok()).reduce(f64::max);
        if let Some(width) = width.filter(|width| *width >= LARGE_SIZE) {
            self.record_bulk("text", width, at);
        }
    }

    /// The elements of a known sequence, if the budget allows.
    pub(super) fn elements(&mut self, value: &Value<'a>) -> Option<Vec<Value<'a>>> {
        if let ValueKind::Path(_) | ValueKind::Unknown = value.kind {
            return None;
        }
        if !self.spend(cost(value)) {
            return None;
        }
        let all = strings::elements(value)?;
        (all.len() <= super::value::MAX_LIST_LENGTH).then_some(all)
    }

    pub(super) fn sliced(
        &mut self,
        owner: &Value<'a>,
        bounds: [Option<ValueKind<'a>>; 3],
    ) -> Value<'a> {
        let unknown = Value::unknown_from(owner.from.clone());
        let mut places = [None; 3];
        for (place, bound) in places.iter_mut().zip(bounds) {
            *place = match bound {
                None | Some(ValueKind::None) => None,
                Some(ValueKind::Int(at)) => Some(at),
                Some(_) => return unknown,
            };
        }
        if !self.spend(cost(owner)) {
            return unknown;
        }
        match (&owner.kind, places) {
            (ValueKind::Prefix(_), [None, _, None]) => owner.clone(),
            (ValueKind::List(list), _) if strings::stands_for_many(list) => owner.clone(),
            _ => strings::sliced(owner, places).unwrap_or(unknown),
        }
    }
}

/// Joins a path and a part.
pub(super) fn path_under<'a>(
    text: &str,
    whole: bool,
    part: &ValueKind<'a>,
) -> (std::rc::Rc<str>, bool) {
    let known = match part {
        ValueKind::Text(part) => Some((part, true)),
        ValueKind::Prefix(part) => Some((part, false)),
        ValueKind::File { text, whole } => Some((text, *whole)),
        _ => None,
    };
    match known {
        _ if !whole => (text.into(), false),
        Some((part, is_whole)) if part.starts_with('/') => (part.clone(), is_whole),
        Some((part, is_whole)) => {
            let between = if text.is_empty() || text.ends_with('/') { "" } else { "/" };
            let all = format!("{text}{between}{part}");
            // Joining a path to itself repeatedly doubles it each time.
            match all.len() > MAX_FOLDED_BYTES {
                true => (all[..all.floor_char_boundary(MAX_FOLDED_BYTES)].into(), false),
                false => (all.into(), is_whole),
            }
        }
        None => {
            let between = if text.is_empty() || text.ends_with('/') { "" } else { "/" };
            (format!("{text}{between}").into(), false)
        }
    }
}
