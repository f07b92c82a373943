//! The number of elements that iterating over a value yields.
//!
//! In: an iterable, or the call that creates one. Out: its elements if they are few, their
//! number if it is known.

use super::arguments::Arguments;
use super::numbers::magnitude;
use super::value::{Function, FunctionBody, MAX_LIST_LENGTH, Value, ValueKind};

/// The number of iterations, if there are many.
pub(super) fn iteration_count(value: &Value<'_>) -> Option<f64> {
    match value.kind {
        ValueKind::Count(count) => Some(count),
        _ => None,
    }
}

/// The value of `range`, `itertools.count` and the like: the elements if they are few.
pub(super) fn iterable<'a>(path: &str, arguments: &Arguments<'a>) -> Option<Value<'a>> {
    let number = |at: usize| arguments.positional.get(at).and_then(|one| magnitude(&one.kind));
    let count = match path {
        "range" => {
            let (first, last, step) = match arguments.positional.len() {
                1 => (0.0, number(0)?, 1.0),
                2 => (number(0)?, number(1)?, 1.0),
                3 => (number(0)?, number(1)?, number(2)?),
                _ => return None,
            };
            ((last - first) / step).ceil().max(0.0)
        }
        "itertools.count" | "itertools.cycle" => f64::INFINITY,
        "itertools.repeat" if arguments.positional.len() < 2 && arguments.named.is_empty() => {
            f64::INFINITY
        }
        // `iter(int, 1)` never yields the 1 that it waits for.
        "iter" if arguments.positional.len() == 2 => {
            // Nor does a function that always returns the same value.
            let constant = matches!(arguments.positional[0].kind,
                ValueKind::Function(Function { body: FunctionBody::Expression(body), .. }) if body.is_literal_expr());
            let callee = arguments.positional[0].as_path().map(|path| &**path);
            match callee {
                _ if constant => f64::INFINITY,
                Some("int" | "str" | "list" | "dict" | "float" | "bool" | "tuple" | "set") => {
                    f64::INFINITY
                }
                _ => return None,
            }
        }
        "itertools.product" => {
            let size = |one: &Value<'a>| {
                iteration_count(one).or_else(|| super::strings::length(&one.kind))
            };
            let all: f64 = arguments.positional.iter().map(size).product::<Option<f64>>()?;
            let repeat = arguments.named.iter().find(|(name, _)| *name == "repeat");
            all.powf(repeat.and_then(|(_, times)| magnitude(&times.kind)).unwrap_or(1.0))
        }
        "enumerate" | "reversed" => iteration_count(arguments.positional.first()?)?,
        _ => return None,
    };
    if path == "range" && count <= MAX_LIST_LENGTH as f64 {
        return short_range(arguments);
    }
    Some(Value::of(ValueKind::Count(count)))
}

fn short_range<'a>(arguments: &Arguments<'a>) -> Option<Value<'a>> {
    let exact = |value: &Value<'a>| match value.kind {
        ValueKind::Int(number) => Some(number),
        _ => None,
    };
    let bounds: Option<Vec<i128>> = arguments.positional.iter().map(exact).collect();
    let (first, last, step) = match bounds?.as_slice() {
        [last] => (0, *last, 1),
        [first, last] => (*first, *last, 1),
        [first, last, step] if *step != 0 => (*first, *last, *step),
        _ => return None,
    };
    let (mut at, mut found) = (first, Vec::new());
    while (step > 0 && at < last || step < 0 && at > last) && found.len() < MAX_LIST_LENGTH {
        found.push(Value::of(ValueKind::Int(at)));
        at = at.checked_add(step)?;
    }
    Some(Value::of(ValueKind::List(found.into())))
}
