//! Cuts arguments that are too large to list all their errors.
//!
//! In: arguments. Out: a smaller copy, if they are too large. The validator collects all
//! errors before it returns the first, each with a copy of its value; a list of a million
//! wrong items would fill the host's memory. Errors near the beginning say enough.

use serde_json::Value;

/// Maximum values checked for errors. Chosen, not tuned: more than anybody writes by hand.
const MAX_VALUES: usize = 10_000;
/// Maximum entries of one list or object in the sample.
const MAX_ENTRIES: usize = 100;

/// A smaller copy, or `None` if the value is small enough.
pub(crate) fn sample(value: &Value) -> Option<Value> {
    let mut left = MAX_VALUES;
    (!is_small(value, &mut left)).then(|| {
        let mut left = MAX_VALUES;
        beginning(value, &mut left)
    })
}

fn is_small(value: &Value, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    *left > 0
        && match value {
            Value::Array(items) => items.iter().all(|item| is_small(item, left)),
            Value::Object(object) => object.values().all(|inner| is_small(inner, left)),
            _ => true,
        }
}

fn beginning(value: &Value, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let entries = MAX_ENTRIES.min(*left);
    match value {
        Value::Array(items) => {
            items.iter().take(entries).map(|item| beginning(item, left)).collect()
        }
        Value::Object(object) => {
            let entries = object.iter().take(entries);
            Value::Object(entries.map(|(key, one)| (key.clone(), beginning(one, left))).collect())
        }
        other => other.clone(),
    }
}
