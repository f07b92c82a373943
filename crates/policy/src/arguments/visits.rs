//! Counts how often a validator would visit schemas for one value, without running it.
//!
//! In: a schema and a value. Out: an upper bound of the visits. A schema that refers to
//! itself in a hundred places is harmless while each part of the value enters it once; one
//! that enters itself twice for the same part doubles at every level. The count of each
//! pair of schema and part is cached, so that counting stays cheap.

use std::collections::HashMap;

use serde_json::Value;

/// Maximum pairs of schema and part. Chosen, not tuned: counting must be cheap compared to
/// the check.
const MAX_PAIRS: usize = 20_000;
/// Maximum references and levels followed.
const MAX_DEPTH: usize = 512;

/// The visits of a check; `u64::MAX` if there are too many to count.
pub(crate) fn visits(schema: &Value, value: &Value) -> u64 {
    VisitCounter { root: schema, counts: HashMap::new() }.pair(schema, value, 0)
}

struct VisitCounter<'a> {
    root: &'a Value,
    counts: HashMap<(*const Value, *const Value), u64>,
}

impl<'a> VisitCounter<'a> {
    fn pair(&mut self, schema: &'a Value, value: &'a Value, level: usize) -> u64 {
        let Some(object) = schema.as_object() else { return 1 };
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(count) = self.counts.get(&pair) {
            return *count;
        }
        if level >= MAX_DEPTH || self.counts.len() >= MAX_PAIRS {
            return u64::MAX;
        }
        // The validator also stops at a schema that enters itself for the same part.
        self.counts.insert(pair, 1);
        let mut sum: u64 = 1;
        for (key, inner) in object {
            sum = sum.saturating_add(self.keyword(key, inner, value, level + 1));
        }
        self.counts.insert(pair, sum);
        sum
    }

    /// The visits caused by one keyword.
    fn keyword(&mut self, key: &str, inner: &'a Value, value: &'a Value, level: usize) -> u64 {
        let root = self.root;
        let mut sum: u64 = 0;
        let mut add = |schema: &'a Value, part: &'a Value| {
            sum = sum.saturating_add(self.pair(schema, part, level));
        };
        match key {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let pointer = inner.as_str().and_then(|target| target.strip_prefix('#'));
                let target = pointer.and_then(|pointer| root.pointer(pointer));
                target.into_iter().for_each(|target| add(target, value));
            }
            "allOf" | "anyOf" | "oneOf" => members(inner).for_each(|one| add(one, value)),
            "not" | "if" | "then" | "else" => add(inner, value),
            "dependentSchemas" | "dependencies" => members(inner).for_each(|one| add(one, value)),
            "properties" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    inner.get(name).into_iter().for_each(|schema| add(schema, part));
                }
            }
            "patternProperties" => {
                for part in value.as_object().into_iter().flat_map(|object| object.values()) {
                    members(inner).for_each(|schema| add(schema, part));
                }
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let parts = value.as_object().into_iter().flat_map(|object| object.values());
                parts.for_each(|part| add(inner, part));
            }
            "propertyNames" => {
                let names = value.as_object().map_or(0, serde_json::Map::len);
                // The same schema for each name, and names are strings.
                add(inner, &Value::Null);
                sum = sum.saturating_mul(u64::try_from(names).unwrap_or(u64::MAX));
            }
            "items" | "additionalItems" | "unevaluatedItems" | "contains" if !inner.is_array() => {
                value.as_array().into_iter().flatten().for_each(|part| add(inner, part));
            }
            "items" | "prefixItems" => {
                let parts = value.as_array().into_iter().flatten();
                members(inner).zip(parts).for_each(|(schema, part)| add(schema, part));
            }
            _ => {}
        }
        sum
    }
}

/// The schemas in a list or in an object.
fn members(schemas: &Value) -> impl Iterator<Item = &Value> {
    let listed = schemas.as_array().into_iter().flatten();
    listed.chain(schemas.as_object().into_iter().flat_map(|object| object.values()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::visits;

    #[test]
    fn each_part_is_counted_with_the_schemas_that_apply_to_it() {
        let schema =
            json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}});
        assert_eq!(visits(&schema, &json!({})), 1);
        // The root, `a`, and the definition it refers to.
        assert_eq!(visits(&schema, &json!({"a": "x", "b": 1})), 3);
        let schema = json!({"items": {"anyOf": [{"type": "string"}, {"type": "number"}]}});
        assert_eq!(visits(&schema, &json!([1, 2, 3])), 1 + 3 * 3);
    }

    #[test]
    fn a_schema_that_doubles_at_each_level_is_multiplied() {
        let schema = json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        let mut value = json!({});
        for _ in 0..10 {
            value = json!({"a": value});
        }
        // v(0) = 1, v(n + 1) = 1 + 1 + 2 * (1 + v(n))
        assert_eq!(visits(&schema, &value), 5 * 1024 - 4);
        let schema = json!({"$ref": "#"});
        assert_eq!(visits(&schema, &value), 2);
    }
}
