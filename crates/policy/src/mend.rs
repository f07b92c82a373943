//! Schemas that lie, mended.
//!
//! In: a tool's input schema. Out: a copy in which what cannot be meant is gone,
//! or nothing if there is nothing to mend, so that an ordinary schema is neither
//! copied nor changed. A server's mistake must not make its tool unusable, and
//! one wrong keyword must not switch off the check of all other arguments.
//!
//! Mending only ever lets more values pass: the server checks its arguments
//! itself, and knows better than its schema what it takes.

use serde_json::{Map, Value, json};

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What no value can fit, and OpenAPI's word for null: such a schema can be
    /// compiled and still means something else.
    Contradictions,
    /// Also what keeps a schema from being compiled.
    Everything,
}

/// Schemas nest less deep than this. `serde_json` reads 128 levels.
const MOST_LEVELS: usize = 256;

/// The mended schema, or `None` if nothing is wrong with it.
pub(crate) fn mended(schema: &Value, extent: Extent) -> Option<Value> {
    let mut search = Search { root: schema, extent, found: Vec::new() };
    search.visit(schema, &mut String::new(), 0);
    if search.found.is_empty() {
        return None;
    }
    let mut copy = schema.clone();
    // Inner schemas come first: wrapping an outer one moves them.
    for (pointer, flaw) in search.found {
        if let Some(place) = copy.pointer_mut(&pointer) {
            flaw.mend(place);
        }
    }
    Some(copy)
}

/// What is wrong with one schema object.
enum Flaw {
    /// A keyword that cannot be meant.
    Keyword(&'static str),
    /// `nullable: true`.
    Nullable,
    /// `minimum: 5, exclusiveMinimum: true`, as draft 4 had it.
    Exclusive(&'static str, &'static str),
    /// `type: ["string", "any"]`: the names that are types.
    Types(Vec<Value>),
}

impl Flaw {
    fn mend(self, place: &mut Value) {
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

/// Whether `type` and `enum` alone say which values fit.
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

struct Search<'a> {
    root: &'a Value,
    extent: Extent,
    /// Where, and what; inner before outer.
    found: Vec<(String, Flaw)>,
}

impl<'a> Search<'a> {
    /// `pointer` is the place of the schema, and is the same afterwards.
    fn visit(&mut self, schema: &'a Value, pointer: &mut String, level: usize) {
        let Some(object) = schema.as_object().filter(|_| level < MOST_LEVELS) else { return };
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
        if self.extent == Extent::Everything {
            self.mistakes(object, pointer, level);
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

    fn note(&mut self, pointer: &str, flaw: Flaw) {
        self.found.push((pointer.to_owned(), flaw));
    }

    fn contradictions(&mut self, schema: &Map<String, Value>, pointer: &str) {
        let values = schema.get("enum").and_then(Value::as_array);
        let none_fits = values.is_some_and(|values| !values.iter().any(|v| fits(schema, v)));
        let is_list = schema.get("type").is_some_and(|name| *name == "array");
        // `type: array, enum: ["a", "b"]` may mean a value or a list of them.
        if values.is_some_and(Vec::is_empty) || (none_fits && is_list) {
            self.note(pointer, Flaw::Keyword("enum"));
        }
        let is_empty = values.is_some_and(Vec::is_empty);
        let other_const = schema.get("const").is_some_and(|value| !fits(schema, value));
        // A default of null says "may be left out", 792 times in 3,031 real
        // schemas, and not that null is taken.
        let default = schema.get("default").filter(|value| !value.is_null());
        let other_default = default.is_some_and(|value| !fits(schema, value));
        if (none_fits && !is_empty) || other_const || other_default {
            self.note(pointer, Flaw::Keyword("type"));
        }
        let flag = |key| schema.get(key) == Some(&Value::Bool(true));
        if flag("nullable") || flag("x-nullable") {
            self.note(pointer, Flaw::Nullable);
        }
    }

    fn mistakes(&mut self, schema: &Map<String, Value>, pointer: &str, level: usize) {
        // Draft 3 wrote `required: true` at the property. The generated types do
        // not know it, so it is not enforced either.
        if schema.get("required").is_some_and(|value| !value.is_array()) {
            self.note(pointer, Flaw::Keyword("required"));
        }
        for (exclusive, inclusive) in
            [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")]
        {
            if schema.get(exclusive).is_some_and(Value::is_boolean) {
                self.note(pointer, Flaw::Exclusive(exclusive, inclusive));
            }
        }
        match schema.get("type") {
            Some(Value::Array(names)) if names.iter().any(|name| !is_type(name)) => {
                let names: Vec<Value> =
                    names.iter().filter(|name| is_type(name)).cloned().collect();
                let flaw =
                    if names.is_empty() { Flaw::Keyword("type") } else { Flaw::Types(names) };
                self.note(pointer, flaw);
            }
            Some(name @ (Value::String(_) | Value::Null)) if !is_type(name) => {
                self.note(pointer, Flaw::Keyword("type"));
            }
            _ => {}
        }
        let broken = |pattern: &Value| jsonschema::validator_for(&json!({"pattern": pattern}));
        if schema.get("pattern").is_some_and(|pattern| broken(pattern).is_err()) {
            self.note(pointer, Flaw::Keyword("pattern"));
        }
        if schema.get("$ref").is_some_and(|target| !self.leads_somewhere(target)) {
            self.note(pointer, Flaw::Keyword("$ref"));
        }
        let dialect = schema.get("$schema").filter(|_| level == 0);
        if dialect.is_some_and(|name| !name.as_str().unwrap_or("").contains("json-schema.org")) {
            self.note(pointer, Flaw::Keyword("$schema"));
        }
    }

    fn leads_somewhere(&self, target: &Value) -> bool {
        match target.as_str().map(|target| target.strip_prefix('#')) {
            Some(Some(pointer)) if pointer.starts_with('/') => self.root.pointer(pointer).is_some(),
            // The whole, or an anchor.
            Some(Some(_)) => true,
            // Elsewhere: nothing is fetched.
            Some(None) | None => false,
        }
    }
}

fn is_type(name: &Value) -> bool {
    let names = ["string", "integer", "number", "boolean", "array", "object", "null"];
    name.as_str().is_some_and(|name| names.contains(&name))
}

/// Whether a value is of a type that the schema names; also if it names none.
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

    use super::{Extent, mended};

    fn contradictions(schema: &Value) -> Option<Value> {
        mended(schema, Extent::Contradictions)
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
        assert_eq!(mended(&schema, Extent::Contradictions), None);
        assert_eq!(mended(&schema, Extent::Everything), None);
    }

    #[test]
    fn a_type_that_no_listed_value_has_is_dropped_wherever_it_stands() {
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
    fn of_constants_and_defaults_the_value_counts() {
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
    fn null_passes_where_openapi_says_so() {
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
    fn what_cannot_be_compiled_is_dropped_alone() {
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
        assert_eq!(mended(&schema, Extent::Contradictions), None);
        assert_eq!(mended(&schema, Extent::Everything), Some(expected));
    }
}
