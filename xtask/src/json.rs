//! Writes JSON. A few lines instead of a dependency.

use std::fmt::Write;

pub(crate) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out + "\""
}

pub(crate) fn list(values: &[String]) -> String {
    let items: Vec<String> = values.iter().map(|value| text(value)).collect();
    format!("[{}]", items.join(", "))
}

/// `members` are pairs of a name and a value; the value is JSON already.
pub(crate) fn object(members: &[(String, String)], indent: &str) -> String {
    if members.is_empty() {
        return "{}".to_owned();
    }
    let lines: Vec<String> =
        members.iter().map(|(name, value)| format!("{indent}  {}: {value}", text(name))).collect();
    format!("{{\n{}\n{indent}}}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::{list, object, text};

    #[test]
    fn text_is_escaped() {
        assert_eq!(text("a\"b\\c\nd\u{1}é"), r#""a\"b\\c\nd\u0001é""#);
    }

    #[test]
    fn objects_and_lists_nest() {
        let inner = object(&[("args".to_owned(), list(&["x".to_owned(), "y".to_owned()]))], "  ");
        let outer = object(&[("one".to_owned(), inner), ("none".to_owned(), object(&[], ""))], "");
        assert_eq!(outer, "{\n  \"one\": {\n    \"args\": [\"x\", \"y\"]\n  },\n  \"none\": {}\n}");
    }
}
