//! Operators and methods on values that are written out.
//!
//! In: values. Out: the value that comes of them, and facts about sizes that no
//! program needs. All of it is paid for (`Scan::spend`).

use ruff_python_ast::Operator;
use ruff_text_size::TextSize;
use tidegate_model::reading::{FactKind, Known};

use super::arguments::Arguments;
use super::numbers::{LARGE_SIZE, magnitude, of_numbers};
use super::scan::{Scan, Told};
use super::texts;
use super::value::{Kind, LONGEST, Value, union};

/// What it costs to make a value anew.
pub(super) fn cost(value: &Value<'_>) -> usize {
    match &value.kind {
        Kind::Text(text) | Kind::Begins(text) => text.len() / 64,
        Kind::Bytes(bytes) => bytes.len() / 64,
        Kind::List(list) => list.len() / 4,
        Kind::Dict(entries) => entries.len() / 2,
        Kind::OneOf(all) => all.len() + all.iter().map(cost).sum::<usize>(),
        _ => 0,
    }
}

impl<'a> Scan<'_, 'a> {
    /// What an operator gives.
    pub(super) fn operate(
        &mut self,
        left: &Value<'a>,
        operator: Operator,
        right: &Value<'a>,
        at: TextSize,
    ) -> Value<'a> {
        let from =
            union([&Arguments::one(left.clone()).from(), &Arguments::one(right.clone()).from()]);
        let plain = Value::unknown_from(from.clone());
        if !self.spend(cost(left) + cost(right)) {
            return plain;
        }
        match (&left.kind, operator, &right.kind) {
            (Kind::File { text, whole }, Operator::Div, part) => {
                let (text, whole) = beneath(text, *whole, part);
                Value { kind: Kind::File { text, whole }, from, hidden: false }
            }
            (Kind::Text(text), Operator::Mod, _) => {
                let stars = text.contains('*').then(|| texts::largest(right)).flatten();
                if let Some(width) = stars.filter(|width| *width >= LARGE_SIZE) {
                    self.tell_bulk("text", width, at);
                }
                self.tell_width(left, at);
                texts::interpolated(text, right)
            }
            (Kind::Begins(_), Operator::Mod, _) => left.clone(),
            (
                Kind::Text(_) | Kind::Begins(_) | Kind::Bytes(_) | Kind::List(_),
                Operator::Add,
                _,
            )
            | (_, Operator::Add, Kind::Text(_) | Kind::Begins(_)) => {
                Value { from, ..texts::joined(left, right) }
            }
            (kind, Operator::Mult, times) if texts::length(kind).is_some() => {
                self.multiplied(left, times, at).unwrap_or(plain)
            }
            (times, Operator::Mult, kind) if texts::length(kind).is_some() => {
                self.multiplied(right, times, at).unwrap_or(plain)
            }
            (left, operator, right) => match of_numbers(left, operator, right) {
                Some((value, large)) => {
                    if let Some(bits) = large {
                        self.tell_bulk("number", bits, at);
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
        times: &Kind<'a>,
        at: TextSize,
    ) -> Option<Value<'a>> {
        let count = magnitude(times)?;
        let size = texts::length(&value.kind)? * count;
        if size >= LARGE_SIZE {
            let what = if matches!(value.kind, Kind::List(_)) { "list" } else { "text" };
            self.tell_bulk(what, size, at);
        }
        let repeated = match times {
            Kind::Int(times) => texts::repeated(value, *times),
            _ => None,
        };
        Some(repeated.unwrap_or_else(|| Value::of(Kind::Count(size)).with_from(value.from.clone())))
    }

    pub(super) fn tell_bulk(&mut self, what: &str, size: f64, at: TextSize) {
        let arguments = vec![Known::number(size)];
        self.tell(FactKind::Bulk, what, at, Told { arguments, hidden: false });
    }

    /// A width in a format: `f'{x:1000000000}'`.
    pub(super) fn tell_width(&mut self, width: &Value<'a>, at: TextSize) {
        let Some(text) = width.as_text() else { return };
        let numbers = text.split(|one: char| !one.is_ascii_digit()).filter(|one| one.len() >= 8);
        let width = numbers.filter_map(|digits| digits.parse::<f64>().ok()).reduce(f64::max);
        if let Some(width) = width.filter(|width| *width >= LARGE_SIZE) {
            self.tell_bulk("text", width, at);
        }
    }

    /// The elements of something that is written out, if there is enough left to pay.
    pub(super) fn elements(&mut self, value: &Value<'a>) -> Option<Vec<Value<'a>>> {
        if let Kind::Path(_) | Kind::Unknown = value.kind {
            return None;
        }
        if !self.spend(cost(value)) {
            return None;
        }
        let all = texts::elements(value)?;
        (all.len() <= super::value::LONGEST_LIST).then_some(all)
    }

    pub(super) fn sliced(&mut self, owner: &Value<'a>, bounds: [Option<Kind<'a>>; 3]) -> Value<'a> {
        let unknown = Value::unknown_from(owner.from.clone());
        let mut places = [None; 3];
        for (place, bound) in places.iter_mut().zip(bounds) {
            *place = match bound {
                None | Some(Kind::None) => None,
                Some(Kind::Int(at)) => Some(at),
                Some(_) => return unknown,
            };
        }
        if !self.spend(cost(owner)) {
            return unknown;
        }
        match (&owner.kind, places) {
            (Kind::Begins(_), [None, _, None]) => owner.clone(),
            (Kind::List(list), _) if texts::stands_for_many(list) => owner.clone(),
            _ => texts::sliced(owner, places).unwrap_or(unknown),
        }
    }
}

/// A path beneath another.
pub(super) fn beneath<'a>(text: &str, whole: bool, part: &Kind<'a>) -> (std::rc::Rc<str>, bool) {
    let known = match part {
        Kind::Text(part) => Some((part, true)),
        Kind::Begins(part) => Some((part, false)),
        Kind::File { text, whole } => Some((text, *whole)),
        _ => None,
    };
    match known {
        _ if !whole => (text.into(), false),
        Some((part, is_whole)) if part.starts_with('/') => (part.clone(), is_whole),
        Some((part, is_whole)) => {
            let between = if text.is_empty() || text.ends_with('/') { "" } else { "/" };
            let all = format!("{text}{between}{part}");
            // A path beneath itself, again and again, doubles each time.
            match all.len() > LONGEST {
                true => (all[..all.floor_char_boundary(LONGEST)].into(), false),
                false => (all.into(), is_whole),
            }
        }
        None => {
            let between = if text.is_empty() || text.ends_with('/') { "" } else { "/" };
            (format!("{text}{between}").into(), false)
        }
    }
}
