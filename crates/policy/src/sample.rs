//! The beginning of arguments that are too large to list all their errors.
//!
//! The validator makes every error before it hands out the first, each with a
//! copy of what it is about; a list of a million wrong items would fill the
//! memory of the host. What is wrong near the beginning says enough.

use serde_json::Value;

/// Values that may be looked at for errors. Chosen, not tuned: more than anybody
/// writes by hand.
const MOST_VALUES: usize = 10_000;
/// Entries of one list or object of the sample.
const MOST_ENTRIES: usize = 100;

/// A smaller copy, or `None` if the whole is small enough.
pub(crate) fn sample(value: &Value) -> Option<Value> {
    let mut left = MOST_VALUES;
    (!is_small(value, &mut left)).then(|| {
        let mut left = MOST_VALUES;
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
    let entries = MOST_ENTRIES.min(*left);
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
