//! A value that fits a schema, for the schemas that servers really write.
//!
//! Values that cannot be made (a pattern without an example) are left out if they are
//! optional; the caller has an independent validator decide whether the rest fits.

use serde_json::{Map, Value, json};

/// Which keys of objects to make.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    Required,
    All,
}

/// Deeper than this, only required keys are made: schemas refer to themselves.
const FULL_LEVELS: usize = 4;
const MAX_LEVELS: usize = 24;

pub(super) struct Maker<'a> {
    root: &'a Value,
    keys: Keys,
}

impl<'a> Maker<'a> {
    pub(super) fn new(root: &'a Value, keys: Keys) -> Self {
        Self { root, keys }
    }

    /// The arguments of one call.
    pub(super) fn arguments(&self) -> Option<Map<String, Value>> {
        match self.value(self.root, 0)? {
            Value::Object(arguments) => Some(arguments),
            _ => None,
        }
    }

    fn value(&self, schema: &Value, level: usize) -> Option<Value> {
        let Some(schema) = schema.as_object().filter(|_| level < MAX_LEVELS) else {
            return (*schema == json!(true)).then(|| json!("any"));
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.value(self.root.pointer(reference.strip_prefix('#')?)?, level + 1);
        }
        let first =
            |key: &str| schema.get(key).and_then(Value::as_array).and_then(|all| all.first());
        let given = schema.get("const").or_else(|| first("enum")).or_else(|| {
            let given = schema.get("default").or_else(|| first("examples"));
            given.or_else(|| schema.get("example")).filter(|value| fits(schema, value))
        });
        if let Some(value) = given {
            return Some(value.clone());
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let members = schema.get(key).and_then(Value::as_array).into_iter().flatten();
            // For an object with alternatives of required keys, the object itself.
            let mut members = members.filter(|member| says_a_type(member));
            if let Some(value) = members.find_map(|member| self.value(member, level + 1)) {
                return Some(value);
            }
        }
        self.of_type(schema, level)
    }

    fn of_type(&self, schema: &Map<String, Value>, level: usize) -> Option<Value> {
        let kind = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().find_map(Value::as_str),
            Some(name) => name.as_str(),
            None if schema.contains_key("properties") => Some("object"),
            None => return Some(json!("any")),
        };
        match kind? {
            "object" => self.object(schema, level),
            "array" => self.array(schema, level),
            "string" => string(schema),
            "integer" | "number" => Some(number(schema)),
            "boolean" => Some(json!(true)),
            "null" => Some(Value::Null),
            _ => None,
        }
    }

    fn object(&self, schema: &Map<String, Value>, level: usize) -> Option<Value> {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut made = Map::new();
        for (key, inner) in properties.into_iter().flatten() {
            let is_required = required.contains(&key.as_str());
            if !is_required && (self.keys == Keys::Required || level >= FULL_LEVELS) {
                continue;
            }
            match self.value(inner, level + 1) {
                Some(value) => {
                    made.insert(key.clone(), value);
                }
                None if is_required => return None,
                None => {}
            }
        }
        for key in required {
            made.entry(key).or_insert_with(|| json!("any"));
        }
        Some(Value::Object(made))
    }

    fn array(&self, schema: &Map<String, Value>, level: usize) -> Option<Value> {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let wanted =
            if self.keys == Keys::All && level < FULL_LEVELS { least.max(1) } else { least };
        let items = schema.get("items").cloned().unwrap_or(json!(true));
        let item = self.value(&items, level + 1);
        match item {
            Some(item) => Some((0..wanted).map(|_| item.clone()).collect()),
            None => (least == 0).then(|| json!([])),
        }
    }
}

fn says_a_type(member: &Value) -> bool {
    ["type", "$ref", "const", "enum", "anyOf", "oneOf", "properties"]
        .iter()
        .any(|key| member.get(key).is_some())
}

/// Whether a default or an example fits its own schema; many do not.
fn fits(schema: &Map<String, Value>, value: &Value) -> bool {
    let alone = ["type", "pattern", "format", "minLength", "maxLength", "minimum", "maximum"];
    let alone: Map<String, Value> = alone
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), schema.get(*key)?.clone())))
        .collect();
    jsonschema::is_valid(&Value::Object(alone), value)
}

fn string(schema: &Map<String, Value>) -> Option<Value> {
    if schema.contains_key("pattern") || schema.contains_key("format") {
        return None;
    }
    let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
    let length = limit("minLength").unwrap_or(4).max(4).min(limit("maxLength").unwrap_or(u64::MAX));
    Some(json!("text".chars().cycle().take(usize::try_from(length).ok()?).collect::<String>()))
}

fn number(schema: &Map<String, Value>) -> Value {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let above = limit("exclusiveMinimum").map(|limit| limit.floor() + 1.0);
    let below = limit("exclusiveMaximum").map(|limit| limit.ceil() - 1.0);
    let least = limit("minimum").or(above);
    let most = limit("maximum").or(below);
    let number = least.or(most.map(|most| most.min(1.0))).unwrap_or(1.0);
    // A fraction only if the limits allow nothing else.
    let whole = number.ceil();
    if most.is_none_or(|most| whole <= most) { json!(whole as i64) } else { json!(number) }
}
