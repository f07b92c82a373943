//! What a JSON Schema expects in a place of a value: text, a number or both.
//!
//! In: a schema and a path into a value. Out: [`Kinds`]. A place about which the schema says
//! nothing, or nothing that is understood here, may be either.

use serde_json::Value;

/// How many schemas are looked at in one place, and how deep references are followed.
const MOST: usize = 32;

/// What may be in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) text: bool,
    pub(super) number: bool,
}

/// The schemas of a place: of each alternative one.
pub(super) struct Expected<'a> {
    root: Option<&'a Value>,
    schemas: Vec<&'a Value>,
}

impl<'a> Expected<'a> {
    pub(super) fn anything() -> Self {
        Self { root: None, schemas: Vec::new() }
    }

    pub(super) fn by(schema: &'a Value) -> Self {
        Self { root: Some(schema), schemas: alternatives(schema, vec![schema]) }
    }

    /// What is expected in a field.
    pub(super) fn field(&self, name: &str) -> Self {
        self.inside(|schema| {
            let known = schema.get("properties").and_then(|fields| fields.get(name));
            known.or_else(|| schema.get("additionalProperties"))
        })
    }

    /// What is expected at a place of a list.
    pub(super) fn item(&self, at: usize) -> Self {
        self.inside(|schema| {
            let first = schema.get("prefixItems").and_then(|items| items.get(at));
            first.or_else(|| schema.get("items"))
        })
    }

    fn inside(&self, get: impl Fn(&'a Value) -> Option<&'a Value>) -> Self {
        let Some(root) = self.root else { return Self::anything() };
        let inner = self.schemas.iter().filter_map(|schema| get(schema)).collect();
        Self { root: self.root, schemas: alternatives(root, inner) }
    }

    pub(super) fn kinds(&self) -> Kinds {
        let mut kinds = Kinds { text: false, number: false };
        for schema in &self.schemas {
            let listed = schema.get("type");
            let names: Vec<&str> = match listed {
                Some(Value::String(name)) => vec![name],
                Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            // A reference or a list of alternatives stands in the list itself.
            let is_only_around =
                ["$ref", "anyOf", "oneOf", "allOf"].iter().any(|key| schema.get(*key).is_some());
            if names.is_empty() && !is_only_around {
                return Kinds { text: true, number: true };
            }
            kinds.text |= names.contains(&"string");
            kinds.number |= names.contains(&"number") || names.contains(&"integer");
        }
        match kinds {
            Kinds { text: false, number: false } => Kinds { text: true, number: true },
            kinds => kinds,
        }
    }
}

/// The schemas, with those that they refer to and list as alternatives.
fn alternatives<'a>(root: &'a Value, mut schemas: Vec<&'a Value>) -> Vec<&'a Value> {
    let mut at = 0;
    while let Some(schema) = schemas.get(at).copied() {
        at += 1;
        let referred = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|path| root.pointer(path.strip_prefix('#')?));
        let listed =
            ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(*key)?.as_array());
        for one in referred.into_iter().chain(listed.flatten()) {
            if schemas.len() < MOST {
                schemas.push(one);
            }
        }
    }
    schemas
}
