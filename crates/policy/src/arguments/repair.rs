//! Repairs schemas that contradict themselves.
//!
//! In: a tool's input schema. Out: a copy without the keywords that cannot be meant, or
//! nothing if there is nothing to repair, so that an ordinary schema is neither copied nor
//! changed. A server's mistake must not make its tool unusable, and one wrong keyword must
//! not disable the check of all other arguments.
//!
//! Invariant: a repair only ever accepts more values. The server checks its arguments
//! itself, and knows better than its schema what it accepts.

use serde_json::{Map, Value, json};

/// How much to repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepairExtent {
    /// Constraints that no value satisfies, and OpenAPI's `nullable`: such a schema compiles
    /// but means something else.
    Contradictions,
    /// In addition, whatever keeps a schema from compiling.
    Everything,
}

/// Schemas never nest deeper than this: `serde_json` parses 128 levels.
const MAX_DEPTH: usize = 256;

/// The repaired schema, or `None` if it needs no repair.
pub(crate) fn repaired(schema: &Value, extent: RepairExtent) -> Option<Value> {
    let mut search = DefectSearch { root: schema, extent, found: Vec::new() };
    search.visit(schema, &mut String::new(), 0);
    if search.found.is_empty() {
        return None;
    }
    let mut copy = schema.clone();
    // Inner schemas first: wrapping an outer one moves them.
    for (pointer, defect) in search.found {
        if let Some(place) = copy.pointer_mut(&pointer) {
            defect.repair(place);
        }
    }
    Some(copy)
}

/// A defect of one schema object.
enum Defect {
    /// A keyword to remove.
    Keyword(&'static str),
    /// `nullable: true`.
    Nullable,
    /// `minimum: 5, exclusiveMinimum: true`, as draft 4 had it.
    Exclusive(&'static str, &'static str),
    /// `type: ["string", "any"]`: the names that are types.
    Types(Vec<Value>),
}

impl Defect {
    fn repair(self, place: &mut Value) {
        let Some(schema) = place.as_object_mut() else { return };
        match self {
            Self::Keyword(key) => {
                schema.shift_remove(key);
            }
            Self::Types(names) => {
                schema.insert("type".to_owned(), Value::Array(names));
            }
            Self::Exclusive(exclusive, inclusive) => {
                let limit = match schema.shift_remove(exclusive) {
                    Some(Value::Bool(true)) => schema.shift_remove(inclusive),
                    _ => None,
                };
                if let Some(limit) = limit {
                    schema.insert(exclusive.to_owned(), limit);
                }
            }
            Self::Nullable if is_plain(schema) => allow_null(schema),
            Self::Nullable => *place = json!({"anyOf": [place.take(), {"type": "null"}]}),
        }
    }
}

/// Whether `type` and `enum` alone define the valid values.
fn is_plain(schema: &Map<String, Value>) -> bool {
    let combined = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "const"];
    combined.iter().all(|key| !schema.contains_key(*key))
}

fn allow_null(schema: &mut Map<String, Value>) {
    match schema.get_mut("type") {
        Some(Value::Array(names)) => names.push(json!("null")),
        Some(name) => *name = json!([name.take(), "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

struct DefectSearch<'a> {
    root: &'a Value,
    extent: RepairExtent,
    /// Pointers and defects, inner before outer.
    found: Vec<(String, Defect)>,
}

impl<'a> DefectSearch<'a> {
    /// `pointer` locates the schema, and is unchanged afterwards.
    fn visit(&mut self, schema: &'a Value, pointer: &mut String, level: usize) {
        let Some(object) = schema.as_object().filter(|_| level < MAX_DEPTH) else { return };
        for (key, inner) in object {
            match key.as_str() {
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" => {
                    for (name, inner) in inner.as_object().into_iter().flatten() {
                        self.enter(inner, &[key, name], pointer, level);
                    }
                }
                "items"
                | "additionalItems"
                | "additionalProperties"
                | "contains"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "allOf"
                | "anyOf"
                | "oneOf"
                | "prefixItems" => {
                    self.enter(inner, &[key], pointer, level);
                    for (index, inner) in inner.as_array().into_iter().flatten().enumerate() {
                        self.enter(inner, &[key, &index.to_string()], pointer, level);
                    }
                }
                _ => {}
            }
        }
        self.contradictions(object, pointer);
        if self.extent == RepairExtent::Everything {
            self.compile_errors(object, pointer, level);
        }
    }

    fn enter(&mut self, inner: &'a Value, steps: &[&str], pointer: &mut String, level: usize) {
        let length = pointer.len();
        for step in steps {
            pointer.push('/');
            pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        }
        self.visit(inner, pointer, level + 1);
        pointer.truncate(length);
    }

    fn note(&mut self, pointer: &str, defect: Defect) {
        self.found.push((pointer.to_owned(), defect));
    }

    fn contradictions(&mut self, schema: &Map<String, Value>, pointer: &str) {
        let values = schema.get("enum").and_then(Value::as_array);
        let none_fits = values.is_some_and(|values| !values.iter().any(|v| fits(schema, v)));
        let is_list = schema.get("type").is_some_and(|name| *name == "array");
        // `type: array, enum: ["a", "b"]` may mean one value or a list of them.
        if values.is_some_and(Vec::is_empty) || (none_fits && is_list) {
            self.note(pointer, Defect::Keyword("enum"));
        }
        let is_empty = values.is_some_and(Vec::is_empty);
        let other_const = schema.get("const").is_some_and(|value| !fits(schema, value));
        // A default of null means "optional" (792 times in 3,031 real schemas), not that
        // null is accepted.
        let default = schema.get("default").filter(|value| !value.is_null());
        let other_default = default.is_some_and(|value| !fits(schema, value));
        if (none_fits && !is_empty) || other_const || other_default {
            self.note(pointer, Defect::Keyword("type"));
        }
        let flag = |key| schema.get(key) == Some(&Value::Bool(true));
        if flag("nullable") || flag("x-nullable") {
            self.note(pointer, Defect::Nullable);
        }
    }

    fn compile_errors(&mut self, schema: &Map<String, Value>, pointer: &str, level: usize) {
        // Draft 3 wrote `required: true` at the property. The generated types ignore it, so
        // it is not enforced.
        if schema.get("required").is_some_and(|value| !value.is_array()) {
            self.note(pointer, Defect::Keyword("required"));
        }
        for (exclusive, inclusive) in
            [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")]
        {
            if schema.get(exclusive).is_some_and(Value::is_boolean) {
                self.note(pointer, Defect::Exclusive(exclusive, inclusive));
            }
        }
        match schema.get("type") {
            Some(Value::Array(names)) if names.iter().any(|name| !is_type(name)) => {
                let names: Vec<Value> =
                    names.iter().filter(|name| is_type(name)).cloned().collect();
                let defect =
                    if names.is_empty() { Defect::Keyword("type") } else { Defect::Types(names) };
                self.note(pointer, defect);
            }
            Some(name @ (Value::String(_) | Value::Null)) if !is_type(name) => {
                self.note(pointer, Defect::Keyword("type"));
            }
            _ => {}
        }
        let broken = |pattern: &Value| jsonschema::validator_for(&json!({"pattern": pattern}));
        if schema.get("pattern").is_some_and(|pattern| broken(pattern).is_err()) {
            self.note(pointer, Defect::Keyword("pattern"));
        }
        if schema.get("$ref").is_some_and(|target| !self.is_resolvable(target)) {
            self.note(pointer, Defect::Keyword("$ref"));
        }
        let dialect = schema.get("$schema").filter(|_| level == 0);
        if dialect.is_some_and(|name| !name.as_str().unwrap_or("").contains("json-schema.org")) {
            self.note(pointer, Defect::Keyword("$schema"));
        }
    }

    fn is_resolvable(&self, target: &Value) -> bool {
        match target.as_str().map(|target| target.strip_prefix('#')) {
            Some(Some(pointer)) if pointer.starts_with('/') => self.root.pointer(pointer).is_some(),
            // The root, or an anchor.
            Some(Some(_)) => true,
            // Another document: nothing is fetched.
            Some(None) | None => false,
        }
    }
}

fn is_type(name: &Value) -> bool {
    let names = ["string", "integer", "number", "boolean", "array", "object", "null"];
    name.as_str().is_some_and(|name| names.contains(&name))
}

/// Whether the schema allows the type of a value. A schema without `type` allows all.
fn fits(schema: &Map<String, Value>, value: &Value) -> bool {
    let fits = |name: &str| match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            let is_whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            name == "number" || (name == "integer" && is_whole)
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    };
    match schema.get("type") {
        Some(Value::String(name)) => fits(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(fits),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{RepairExtent, repaired};

    fn contradictions(schema: &Value) -> Option<Value> {
        repaired(schema, RepairExtent::Contradictions)
    }

    #[test]
    fn an_ordinary_schema_is_not_copied() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "integer", "enum": [1, 2], "default": 1},
            "b": {"type": ["string", "null"], "default": null, "minimum": 1, "exclusiveMinimum": 0},
            "c": {"type": "string", "default": null},
            "d": {"type": "integer", "const": 1.0},
            "nullable": {"type": "boolean"},
            "e": {"$ref": "#/$defs/E"}
        }, "$defs": {"E": {"type": "string", "pattern": "^a"}},
        "$schema": "http://json-schema.org/draft-07/schema#"});
        assert_eq!(repaired(&schema, RepairExtent::Contradictions), None);
        assert_eq!(repaired(&schema, RepairExtent::Everything), None);
    }

    #[test]
    fn a_type_that_no_listed_value_has_is_dropped_at_any_depth() {
        let lie = json!({"type": "integer", "enum": ["1", "2"]});
        let truth = json!({"enum": ["1", "2"]});
        let schema = |inner: &Value| {
            json!({
                "properties": {"a/b~": {"items": inner}},
                "$defs": {"X": {"anyOf": [{"allOf": [inner]}]}},
                "definitions": {"Y": {"additionalProperties": inner, "prefixItems": [inner]}}
            })
        };
        assert_eq!(contradictions(&schema(&lie)), Some(schema(&truth)));
    }

    #[test]
    fn constants_and_defaults_win_over_types() {
        for (lie, truth) in [
            (json!({"type": "integer", "const": "x"}), json!({"const": "x"})),
            (json!({"type": "integer", "default": "10"}), json!({"default": "10"})),
            (json!({"type": "string", "enum": []}), json!({"type": "string"})),
            (json!({"type": "array", "enum": ["a"], "items": {}}), json!({"items": {}})),
        ] {
            assert_eq!(contradictions(&lie), Some(truth));
        }
    }

    #[test]
    fn null_passes_if_openapi_allows_it() {
        for (said, meant) in [
            (
                json!({"type": "string", "nullable": true}),
                json!({"type": ["string", "null"], "nullable": true}),
            ),
            (
                json!({"type": ["string"], "enum": ["a"], "x-nullable": true}),
                json!({"type": ["string", "null"], "enum": ["a", null], "x-nullable": true}),
            ),
            (
                json!({"$ref": "#/$defs/A", "nullable": true}),
                json!({"anyOf": [{"$ref": "#/$defs/A", "nullable": true}, {"type": "null"}]}),
            ),
        ] {
            assert_eq!(contradictions(&said), Some(meant));
        }
        assert_eq!(contradictions(&json!({"type": "string", "nullable": false})), None);
    }

    #[test]
    fn only_keywords_that_do_not_compile_are_dropped() {
        let schema = json!({"$schema": "https://example.org/mine", "properties": {
            "a": {"type": "string", "required": true},
            "b": {"minimum": 5, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false},
            "c": {"type": "any"},
            "d": {"type": ["string", "any"]},
            "e": {"pattern": "("},
            "f": {"$ref": "#/$defs/Missing"},
            "g": {"$ref": "other.json"}
        }});
        let expected = json!({"properties": {
            "a": {"type": "string"},
            "b": {"maximum": 9, "exclusiveMinimum": 5},
            "c": {},
            "d": {"type": ["string"]},
            "e": {},
            "f": {},
            "g": {}
        }});
        assert_eq!(repaired(&schema, RepairExtent::Contradictions), None);
        assert_eq!(repaired(&schema, RepairExtent::Everything), Some(expected));
    }
}
