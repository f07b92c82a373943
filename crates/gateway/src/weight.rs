//! What JSON text weighs once it is parsed.
//!
//! In: JSON text that a worker wrote. Out: how many values it holds, counted
//! without parsing. `0,` is two bytes of text and one [`Value`](serde_json::Value)
//! of 72 bytes: 60 MB of such text would take two gigabytes of the gateway.

/// Bytes of one parsed value beside its text, rounded down from 72.
pub(crate) const VALUE_BYTES: u64 = 64;

/// At least as many values as the text holds. Text that is not JSON gets some
/// number; parsing refuses it.
pub(crate) fn values_in(json: &str) -> u64 {
    let mut values = 1;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            // Every value but the first stands behind one of these.
            b',' | b'[' | b'{' => values += 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    values
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{VALUE_BYTES, values_in};

    #[test]
    fn values_are_counted_and_strings_are_not_looked_into() {
        assert_eq!(values_in("1"), 1);
        assert_eq!(values_in("[1,2,3]"), 4);
        assert_eq!(values_in(r#"{"a":[{}],"b":"\"[,,,"}"#), 5);
        assert_eq!(values_in(r#"["unclosed,,,"#), 2);
        assert!(VALUE_BYTES <= size_of::<Value>() as u64);
    }
}
