//! Finds known values that a program has split up or reversed in its output.
//!
//! In: what the model is shown of a run. Out: the simple disguise in which a value that
//! the session knows appears there. It alerts a person and stops nobody: anyone who wants
//! to leak a value finds a disguise that nobody knows.

use tidegate_privacy::SessionValues;

/// The most bytes that are searched: what is shown is much shorter.
const LOOKED_AT: usize = 64 * 1024;

/// The fewest single characters in a row that are joined. Chosen: no value is shorter.
const LEAST_PIECES: usize = 5;

/// How a value was disguised, in words for the record.
pub(crate) fn disguise(values: &SessionValues, shown: [&str; 2]) -> Option<&'static str> {
    shown.into_iter().find_map(|text| in_text(values, start_of(text)))
}

fn in_text(values: &SessionValues, text: &str) -> Option<&'static str> {
    let lines = joined(text.lines());
    let items = joined(text.split([',', '[', ']', '{', '}', ':']));
    if values.contains_known(&lines) || values.contains_known(&items) {
        return Some("in single characters");
    }
    let backwards: String = text.chars().rev().collect();
    if values.contains_known(&backwards) {
        return Some("backwards");
    }
    let dense: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let is_spaced = dense.len() < text.len() && values.contains_known(&dense);
    is_spaced.then_some("with blanks between its characters")
}

/// The text that rows of single characters, or of character codes, spell.
fn joined<'a>(pieces: impl Iterator<Item = &'a str>) -> String {
    let (mut said, mut row) = (String::new(), String::new());
    for piece in pieces.filter(|piece| !piece.is_empty()).chain([".."]) {
        match character(piece) {
            Some(char) => row.push(char),
            None => {
                if row.chars().count() >= LEAST_PIECES {
                    said.push('\n');
                    said.push_str(&row);
                }
                row.clear();
            }
        }
    }
    said
}

fn character(piece: &str) -> Option<char> {
    let piece = piece.trim().trim_matches(['"', '\'']);
    let mut chars = piece.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => Some(only),
        _ => piece.parse().ok().and_then(char::from_u32).filter(|char| !char.is_control()),
    }
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(LOOKED_AT)]
}

#[cfg(test)]
mod tests {
    use tidegate_model::{DataType, Span};
    use tidegate_privacy::SessionValues;

    use super::disguise;

    fn described(json: &str, logs: &str) -> Option<&'static str> {
        let mut values = SessionValues::default();
        let known = "ann.lee@example.org";
        values.remember(known, &[Span::certain(0..known.len(), DataType::Email)]);
        disguise(&values, [json, logs])
    }

    #[test]
    fn simple_disguises_of_known_values_are_told() {
        let letters: Vec<String> =
            "ann.lee@example.org".chars().map(|char| char.to_string()).collect();
        let codes: Vec<u32> = "ann.lee@example.org".chars().map(u32::from).collect();
        let pieces = Some("in single characters");
        assert_eq!(described(&serde_json::to_string(&letters).unwrap(), ""), pieces);
        assert_eq!(described(&serde_json::to_string(&codes).unwrap(), ""), pieces);
        assert_eq!(described("null", &letters.join("\n")), pieces);
        assert_eq!(described("\"gro.elpmaxe@eel.nna\"", ""), Some("backwards"));
        assert_eq!(
            described(&format!("\"{}\"", letters.join(" ")), ""),
            Some("with blanks between its characters")
        );
    }

    #[test]
    fn ordinary_outputs_are_none() {
        for json in [
            r#"[{"id":1,"n":7},{"id":2,"n":9}]"#,
            "[65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82]",
            r#"["a","b","c","d","e","f","g"]"#,
            "\"three rows, [EMAIL_1] and [EMAIL_2]\"",
        ] {
            assert_eq!(described(json, "done\n3\n"), None, "{json}");
        }
    }
}
