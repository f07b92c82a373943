//! Estimates the cost of checking a value against a schema.
//!
//! In: a schema and a value. Out: whether they may be checked. Schemas come from servers
//! and values from programs; combined they can keep a validator busy forever: thirty
//! definitions that each refer twice to the next mean a billion visits. A check cannot be
//! interrupted, so one that may take too long is never started. There are two estimates,
//! both upper bounds: one from the schema alone, which suffices for nearly all schemas, and
//! one that walks schema and value together (`visits.rs`), for recursive schemas.

use std::collections::HashMap;

use serde_json::Value;

use super::visits::visits;

/// Maximum visits of one check. The largest of 3,031 real schemas has 25,517 nodes.
const MAX_VISITS: u64 = 200_000;

/// The cost of a schema, computed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Nodes of the schema with every reference expanded once.
    nodes: u64,
    /// References that lead back to an enclosing schema.
    recursive: u64,
}

impl Cost {
    /// Measures a schema.
    pub(crate) fn of(schema: &Value) -> Self {
        CostCounter { root: schema, done: HashMap::new(), open: Vec::new() }.cost(schema, 0)
    }

    /// Whether a value may be checked against the schema that was measured.
    pub(crate) fn allows(self, schema: &Value, value: &Value) -> bool {
        // Each level of the value may enter every recursive reference again.
        let rounds = if self.recursive == 0 { 0 } else { depth(value, 0) };
        let entries = self.recursive.checked_pow(rounds).unwrap_or(u64::MAX);
        self.nodes.saturating_mul(entries.max(1)) <= MAX_VISITS
            || (self.allows_compiling() && visits(schema, value) <= MAX_VISITS)
    }

    /// Whether the schema may be compiled at all.
    pub(crate) fn allows_compiling(self) -> bool {
        self.nodes <= MAX_VISITS
    }
}

struct CostCounter<'a> {
    root: &'a Value,
    /// Costs of references that were measured.
    done: HashMap<&'a str, Cost>,
    /// References being measured.
    open: Vec<&'a str>,
}

impl<'a> CostCounter<'a> {
    fn cost(&mut self, schema: &'a Value, level: usize) -> Cost {
        // serde_json parses up to 128 levels, and references can chain as many.
        if level > 512 {
            return Cost { nodes: u64::MAX, recursive: 0 };
        }
        match schema {
            Value::Object(object) => {
                let mut sum = Cost { nodes: 1, recursive: 0 };
                for (key, inner) in object {
                    let cost = match (key.as_str(), inner) {
                        ("$ref" | "$dynamicRef", Value::String(target)) => {
                            self.reference(target, level)
                        }
                        // Reached through references only.
                        ("$defs" | "definitions", _) => continue,
                        _ => self.cost(inner, level + 1),
                    };
                    sum = sum.plus(cost);
                }
                sum
            }
            Value::Array(items) => {
                let start = Cost { nodes: 1, recursive: 0 };
                items.iter().fold(start, |sum, item| sum.plus(self.cost(item, level + 1)))
            }
            _ => Cost { nodes: 1, recursive: 0 },
        }
    }

    fn reference(&mut self, target: &'a str, level: usize) -> Cost {
        if let Some(cost) = self.done.get(target) {
            return *cost;
        }
        if self.open.contains(&target) || target == "#" {
            return Cost { nodes: 1, recursive: 1 };
        }
        let pointer = target.strip_prefix('#').unwrap_or_default();
        let Some(schema) = self.root.pointer(pointer).filter(|_| !pointer.is_empty()) else {
            return Cost {
                nodes: if self.is_external(target) { 1 } else { u64::MAX },
                recursive: 0,
            };
        };
        self.open.push(target);
        let cost = self.cost(schema, level + 1);
        self.open.pop();
        self.done.insert(target, cost);
        cost
    }
}

impl CostCounter<'_> {
    /// Whether a reference that is not a pointer leads out of the schema. If it may name an
    /// anchor or an embedded schema it can lead anywhere, and what cannot be followed
    /// cannot be bounded.
    fn is_external(&self, target: &str) -> bool {
        !target.contains('%') && !has_anchors(self.root)
    }
}

fn has_anchors(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, inner)| {
            ["$id", "id", "$anchor", "$dynamicAnchor"].contains(&key.as_str()) && inner.is_string()
                || has_anchors(inner)
        }),
        Value::Array(items) => items.iter().any(has_anchors),
        _ => false,
    }
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            recursive: self.recursive.saturating_add(other.recursive),
        }
    }
}

fn depth(value: &Value, level: u32) -> u32 {
    let deepest = |inner: &mut dyn Iterator<Item = &Value>| {
        inner.map(|value| depth(value, level + 1)).max().unwrap_or(level + 1)
    };
    match value {
        Value::Object(object) => deepest(&mut object.values()),
        Value::Array(items) => deepest(&mut items.iter()),
        _ => level,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::Cost;

    #[test]
    fn an_ordinary_schema_is_checked() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/B"}},
            "$defs": {"B": {"type": "array", "items": {"type": "number"}}}});
        assert!(Cost::of(&schema).allows(&schema, &json!({"a": "x", "b": [1, 2, 3]})));
    }

    #[test]
    fn a_tree_is_checked_as_deep_as_people_write_them() {
        let schema = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        let mut tree = json!({});
        for _ in 0..10 {
            tree = json!({"left": tree, "right": {}});
        }
        assert!(Cost::of(&schema).allows(&schema, &tree));
    }

    #[test]
    fn definitions_that_double_at_every_level_are_not_compiled() {
        let double = |next: &str| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
        let mut definitions: Map<String, Value> =
            (0..45).map(|n| (format!("d{n}"), double(&format!("#/$defs/d{}", n + 1)))).collect();
        definitions.insert("d45".into(), json!({"type": "string"}));
        let schema = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
        assert!(!Cost::of(&schema).allows_compiling());
    }

    #[test]
    fn a_recursion_that_doubles_with_the_depth_of_the_value_is_not_checked() {
        let schema = json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        let mut value = json!({});
        for _ in 0..40 {
            value = json!({"a": value});
        }
        let cost = Cost::of(&schema);
        assert!(cost.allows_compiling());
        assert!(!cost.allows(&schema, &value));
    }

    #[test]
    fn a_schema_with_many_recursive_keys_is_checked() {
        let keys: Map<String, Value> =
            (0..50).map(|n| (format!("k{n}"), json!({"$ref": "#"}))).collect();
        let schema = json!({"properties": keys});
        let mut value = json!({});
        for _ in 0..20 {
            value = json!({"k1": value, "k2": {}});
        }
        assert!(Cost::of(&schema).allows(&schema, &value));
    }

    #[test]
    fn a_schema_with_references_that_cannot_be_followed_is_not_compiled() {
        let double = |next: &str| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
        let anchored = json!({"$ref": "#a", "$defs": {"A": {"$anchor": "a", "type": "string"}}});
        let encoded = json!({"$ref": "#/%24defs/A", "$defs": {"A": double("#/%24defs/B")}});
        assert!(!Cost::of(&anchored).allows_compiling());
        assert!(!Cost::of(&encoded).allows_compiling());
        assert!(Cost::of(&json!({"$ref": "other.json"})).allows_compiling());
    }
}
