//! Carries integers that do not fit a JavaScript number, without loss.
//!
//! In: a tool's answer. Out: its JSON text for the worker. Numbers of a program are
//! doubles, exact up to 2^53 - 1; larger integers become `BigInt`. Reading their digits
//! takes the engine several times as long, so the text of an answer that has one starts
//! with a line break, which JSON ignores, and `api.js` looks at digits only then.
//!
//! Invariant: only [`answer_json`] starts a text with a line break. A server cannot, since
//! its answers are parsed and serialised again, and its texts stay JSON strings.
//!
//! The other direction needs no code here: `api.js` writes a `BigInt` of up to 64 bits as
//! a JSON integer, which `serde_json` reads exactly.

use serde_json::{Number, Value};

/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The JSON text of an answer, for a program.
pub fn answer_json(value: &Value) -> String {
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

/// A double is never wide: a program can represent it.
fn is_wide(number: &Number) -> bool {
    let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    magnitude.is_some_and(|magnitude| magnitude > MAX_SAFE_INTEGER)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::answer_json;

    #[test]
    fn only_an_answer_with_an_unsafe_integer_is_marked() {
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
            assert_eq!(answer_json(&value), value.to_string());
        }
        for text in [
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551615",
            "-9223372036854775808",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(answer_json(&value), format!("\n{text}"));
            let nested = json!({"a": ["x", {"b": value}]});
            assert_eq!(answer_json(&nested), format!("\n{{\"a\":[\"x\",{{\"b\":{text}}}]}}"));
        }
    }
}
