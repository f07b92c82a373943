//! Integers that a program's numbers cannot hold, without loss.
//!
//! In: a tool's answer. Out: its JSON text as the worker reads it. The numbers
//! of a program are doubles, exact up to 2^53 - 1; integers beyond become
//! `BigInt`. Reading their digits takes the engine several times as long, so the
//! text of an answer that has one begins with a line break, which means nothing
//! in JSON, and api.js looks at digits only then.
//!
//! Must stay true: only this function begins a text with a line break. A server
//! cannot, since its answers are parsed and written anew; a text of a server
//! stays a text whatever it says.
//!
//! The other direction needs nothing here: a program's `BigInt` of up to 64 bits
//! is written by api.js as a JSON integer, which `serde_json` reads exactly.

use serde_json::{Number, Value};

/// The largest integer whose neighbours are doubles too.
const MOST: u64 = (1 << 53) - 1;

/// JSON text of an answer, for a program.
pub fn answer_text(value: &Value) -> String {
    if has_wide_integer(value) { format!("\n{value}") } else { value.to_string() }
}

fn has_wide_integer(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_wide(number),
        Value::Array(items) => items.iter().any(has_wide_integer),
        Value::Object(object) => object.values().any(has_wide_integer),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// A double is never wide: it is what a program can hold.
fn is_wide(number: &Number) -> bool {
    let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    magnitude.is_some_and(|magnitude| magnitude > MOST)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::answer_text;

    #[test]
    fn only_an_integer_beyond_the_safe_ones_is_marked() {
        let plain = [
            "9007199254740991",
            "-9007199254740991",
            "1e300",
            "9007199254740993.0",
            "\"9007199254740993\"",
            "[null,true,{\"9007199254740993\":0.1}]",
        ];
        for text in plain {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(answer_text(&value), value.to_string());
        }
        for text in [
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551615",
            "-9223372036854775808",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(answer_text(&value), format!("\n{text}"));
            let nested = json!({"a": ["x", {"b": value}]});
            assert_eq!(answer_text(&nested), format!("\n{{\"a\":[\"x\",{{\"b\":{text}}}]}}"));
        }
    }
}
