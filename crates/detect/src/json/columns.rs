//! Rows in JSON: a list of names first, then lists of values in the same order.
//!
//! In: the brackets and commas of a document, as the scan reaches them. Out: the class of the
//! column that a value is in. Understands `[["name", "phone"], ["Ann", "…"]]` and `{"columns":
//! ["name", "phone"], "rows": [["Ann", "…"]]}`.

use crate::byte_class::byte_at;
use crate::keys::KeyClass;
use crate::scan::Scan;
use crate::text::table::person_columns;

const MOST: usize = 32;
/// The header is short; no more bytes of it are read.
const REACH: usize = 600;
const NOWHERE: usize = usize::MAX;

pub(crate) struct Columns {
    classes: [KeyClass; MOST],
    /// The depth of the rows.
    pub(crate) depth: usize,
    /// The header applies as long as the document is at least this deep.
    pub(crate) floor: usize,
    at: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Self { classes: [KeyClass::Unknown; MOST], depth: NOWHERE, floor: 0, at: 0 }
    }
}

impl Columns {
    /// Called when a list opens at `at`; `depth` is the new depth of the document.
    #[inline(never)]
    pub(crate) fn open(&mut self, scan: &mut Scan<'_>, document: &str, at: usize, depth: usize) {
        self.at = if depth == self.depth { 0 } else { self.at };
        if self.depth != NOWHERE {
            return;
        }
        let bytes = document.as_bytes();
        // The header is the first list in a list, or has a key such as `columns`.
        let before = bytes.get(at.saturating_sub(40)..at).unwrap_or_default().trim_ascii_end();
        let rows = match before.last() {
            Some(b'[') => depth,
            Some(b':')
                if before
                    .strip_suffix(b":")
                    .unwrap_or(before)
                    .trim_ascii_end()
                    .ends_with(b"\"") =>
            {
                let key = before.strip_suffix(b":").unwrap_or(before).trim_ascii_end();
                let named = [&b"\"columns\""[..], b"\"header\"", b"\"headers\"", b"\"fields\""];
                if !named.iter().any(|name| key.ends_with(name)) {
                    return;
                }
                depth + 1
            }
            _ => return,
        };
        if let Some(classes) = head(scan, document, at + 1) {
            self.classes = classes;
            self.depth = rows;
            self.floor = depth - 1;
            // The header is not a row.
            self.at = if rows == depth { MOST } else { 0 };
        }
    }

    /// A comma: the next column.
    pub(crate) fn next(&mut self) {
        self.at += 1;
    }

    /// The class of a value of a row.
    #[inline(never)]
    pub(crate) fn class(&self) -> Option<KeyClass> {
        self.classes.get(self.at).copied().filter(|class| *class != KeyClass::Unknown)
    }
}

/// The classes of a list of column names, if at least one of them is informative.
fn head(scan: &mut Scan<'_>, document: &str, from: usize) -> Option<[KeyClass; MOST]> {
    let bytes = document.as_bytes();
    let mut classes = [KeyClass::Unknown; MOST];
    let mut count = 0;
    let mut informative = false;
    let mut at = from;
    loop {
        while byte_at(bytes, at).is_ascii_whitespace() {
            at += 1;
        }
        if byte_at(bytes, at) != b'"' || at - from > REACH || count == MOST {
            return None;
        }
        let rest = bytes.get(at + 1..bytes.len().min(at + 42))?;
        let end = at + 1 + rest.iter().position(|byte| *byte == b'"')?;
        let class = scan.key(document.get(at + 1..end)?);
        informative |= !matches!(class, KeyClass::Unknown | KeyClass::Id | KeyClass::Thing);
        classes[count] = class;
        count += 1;
        at = end + 1;
        while byte_at(bytes, at).is_ascii_whitespace() {
            at += 1;
        }
        match byte_at(bytes, at) {
            b',' => at += 1,
            b']' if count > 1 && informative => break,
            _ => return None,
        }
    }
    person_columns(&mut classes, count);
    Some(classes)
}

#[cfg(test)]
mod tests {
    use tidegate_model::TextKind;

    use crate::testing::found_as;

    fn found(text: &str) -> Vec<&str> {
        found_as(text, TextKind::Json)
    }

    #[test]
    fn rows_are_read_with_the_names_of_their_columns() {
        let rows =
            r#"[["company", "phone", "qty"], ["Quux", "601 512 235", 4], ["Zyx", "602 1", 5]]"#;
        assert_eq!(found(rows), ["Quux", "601 512 235", "Zyx"]);
        let keyed =
            r#"{"columns":["name","email"],"rows":[["Xander Yq","x@y.example.org"]],"n":["Quux"]}"#;
        assert_eq!(found(keyed), ["Xander Yq", "x@y.example.org"]);
        assert!(found(r#"{"columns":["name","type"],"rows":[["Blue Row","text"]]}"#).is_empty());
    }

    #[test]
    fn a_value_is_what_the_type_beside_it_says() {
        assert_eq!(found(r#"[{"system":"phone","value":"600 199 350"}]"#), ["600 199 350"]);
        assert!(found(r#"[{"type":"size","value":"600 199 350"}]"#).is_empty());
    }
}
