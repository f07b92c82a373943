//! The cost of a JSON text: the values that it has once it is parsed.
//!
//! Computed without parsing anything. `0,` is two bytes of text and one
//! [`Value`](serde_json::Value) of 72 bytes: 60 MB of such text would take two gigabytes
//! of the gateway's memory.

/// Bytes of one parsed value in addition to its text, rounded down from 72.
pub const VALUE_BYTES: u64 = 64;

/// Bytes of a value as JSON, without writing them anywhere.
pub fn json_bytes(value: &impl serde::Serialize) -> u64 {
    struct Counter(u64);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Writing to a counter cannot fail.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

/// An upper bound of the values in the text, or a number above `most`. Text that is not
/// JSON gets some number; parsing refuses it.
pub fn values_in(json: &str, most: u64) -> u64 {
    let mut values = 1;
    let mut rest = json;
    loop {
        // A search for one character is the fastest one in `std`.
        let (plain, string) = rest.split_once('"').unwrap_or((rest, ""));
        for byte in plain.bytes() {
            // Every value but the first follows one of these.
            values += u64::from(matches!(byte, b',' | b'[' | b'{'));
            if values > most {
                return values;
            }
        }
        if string.is_empty() {
            return values;
        }
        rest = behind_string(string);
    }
}

/// The text after the string that has just begun.
fn behind_string(mut text: &str) -> &str {
    while let Some((inside, rest)) = text.split_once('"') {
        let backslashes = inside.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 0 {
            return rest;
        }
        text = rest;
    }
    ""
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{VALUE_BYTES, values_in};

    #[test]
    fn values_are_counted_and_strings_are_not_looked_into() {
        assert_eq!(values_in("1", 9), 1);
        assert_eq!(values_in("[1,2,3]", 9), 4);
        assert_eq!(values_in(r#"{"a":[{}],"b":"\"[,,,"}"#, 9), 5);
        assert_eq!(values_in(r#"["unclosed,,,"#, 9), 2);
        assert_eq!(values_in(r#"["a\\\\",1,"\\\"",2]"#, 9), 5);
        assert_eq!(values_in("[1,2,3,4]", 2), 3);
        assert!(VALUE_BYTES <= size_of::<Value>() as u64);
    }
}
