//! Resolves `$ref`.

use std::cell::OnceCell;
use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::types::MAX_HEIGHT;

/// A schema in which references are resolved: `#`, `#/$defs/x`, `#anchor`, or the `$id` of a
/// part. Other documents are not searched.
pub(crate) struct Document<'s> {
    root: &'s Value,
    /// Parts by their `$anchor` and `$id`, collected on first use.
    named: OnceCell<HashMap<&'s str, &'s Value>>,
}

impl<'s> Document<'s> {
    pub(crate) fn new(root: &'s Value) -> Self {
        Self { root, named: OnceCell::new() }
    }

    pub(crate) fn resolve(&self, reference: &str) -> Option<&'s Value> {
        let root_id = self.root.get("$id").and_then(Value::as_str).unwrap_or_default();
        let local = reference.strip_prefix(root_id).filter(|rest| rest.starts_with('#'));
        match local.unwrap_or(reference).strip_prefix('#') {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                self.root.pointer(&percent_decode_str(pointer).decode_utf8_lossy())
            }
            Some(anchor) => self.named().get(anchor).copied(),
            None => self.named().get(reference).copied(),
        }
    }

    fn named(&self) -> &HashMap<&'s str, &'s Value> {
        self.named.get_or_init(|| {
            let mut named = HashMap::new();
            collect(self.root, &mut named, 0);
            named
        })
    }
}

fn collect<'s>(at: &'s Value, named: &mut HashMap<&'s str, &'s Value>, depth: u16) {
    if depth > MAX_HEIGHT {
        return;
    }
    match at {
        Value::Object(members) => {
            for key in ["$anchor", "$id"] {
                if let Some(name) = members.get(key).and_then(Value::as_str) {
                    named.entry(name).or_insert(at);
                }
            }
            members.values().for_each(|member| collect(member, named, depth + 1));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, named, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Document;

    #[test]
    fn a_pointer_is_percent_decoded() {
        let root = json!({"$defs": {"a b": {"type": "string"}, "%+f": {"type": "null"}}});
        let document = Document::new(&root);
        assert_eq!(document.resolve("#/$defs/a%20b"), Some(&json!({"type": "string"})));
        // A sign is not a hexadecimal digit.
        assert_eq!(document.resolve("#/$defs/%+f"), Some(&json!({"type": "null"})));
        assert_eq!(document.resolve("#/$defs/a%2"), None);
    }
}
