//! What a schema says at the place that an error is about.
//!
//! In: a schema of a server and one of its errors. Out: the object that holds
//! the broken keyword, and what that object knows about keys and types, with
//! references and combinations followed. Bounded: a schema may refer to itself.

use std::collections::HashSet;

use jsonschema::ValidationError;
use serde_json::{Map, Value};

/// Schemas that are looked at for one question.
const MOST_PARTS: usize = 64;

/// A schema object, and the whole in which its references are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> Place<'a> {
    /// A schema and its whole.
    pub(crate) fn new(root: &'a Value, schema: &'a Value) -> Self {
        Self { root, schema }
    }

    /// The schema that holds the keyword which was broken.
    pub(crate) fn of(root: &'a Value, error: &ValidationError<'_>) -> Self {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        // Nothing is known about a place that cannot be found.
        Self::new(root, root.pointer(parent).unwrap_or(&Value::Null))
    }

    /// The place of another error of the same whole.
    pub(crate) fn of_another(self, error: &ValidationError<'_>) -> Self {
        Self::of(self.root, error)
    }

    /// Another schema of the same whole.
    pub(crate) fn at(self, schema: &'a Value) -> Self {
        Self { schema, ..self }
    }

    /// A keyword of the schema itself.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.schema.get(key)
    }

    /// The schemas in a list of alternatives.
    pub(crate) fn list(self, key: &str) -> Vec<Place<'a>> {
        let members = self.get(key).and_then(Value::as_array).into_iter().flatten();
        members.map(|schema| self.at(schema)).collect()
    }

    /// The schema, and those that it refers to or consists of.
    pub(crate) fn parts(self) -> Vec<&'a Map<String, Value>> {
        let mut parts: Vec<&Map<String, Value>> = Vec::new();
        let mut open = vec![self.schema];
        while let Some(schema) = open.pop() {
            let Some(object) = schema.as_object() else { continue };
            if parts.len() >= MOST_PARTS || parts.iter().any(|part| std::ptr::eq(*part, object)) {
                continue;
            }
            parts.push(object);
            let combined =
                ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| object.get(key));
            open.extend(combined.filter_map(Value::as_array).flat_map(|all| all.iter().rev()));
            open.extend(object.get("$ref").and_then(Value::as_str).and_then(|to| self.find(to)));
        }
        parts
    }

    /// What a reference, or a chain of them, leads to.
    pub(crate) fn target(self) -> Self {
        let next = |place: &Self| Some(place.at(place.find(place.get("$ref")?.as_str()?)?));
        std::iter::successors(Some(self), next).take(MOST_PARTS).last().unwrap_or(self)
    }

    fn find(self, reference: &str) -> Option<&'a Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// All keys that are known here.
    pub(crate) fn keys(self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let properties = self.parts().into_iter().filter_map(|part| part.get("properties"));
        let keys = properties.filter_map(Value::as_object).flat_map(Map::keys);
        keys.map(String::as_str).filter(|key| seen.insert(*key)).collect()
    }

    /// The schema of a key.
    pub(crate) fn property(self, key: &str) -> Option<Place<'a>> {
        let schema = |part: &'a Map<String, Value>| part.get("properties")?.get(key);
        self.parts().into_iter().find_map(schema).map(|schema| self.at(schema))
    }

    /// The keys that must be there.
    pub(crate) fn required(self) -> Vec<&'a str> {
        let all = self.parts().into_iter().find_map(|part| part.get("required")?.as_array());
        all.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// What the server says about it.
    pub(crate) fn description(self) -> Option<&'a str> {
        self.parts().into_iter().find_map(|part| part.get("description")?.as_str())
    }

    /// The one value that fits, if there is only one.
    pub(crate) fn constant(self) -> Option<&'a Value> {
        let target = self.target();
        match target.get("enum") {
            Some(Value::Array(values)) if values.len() == 1 => values.first(),
            _ => target.get("const"),
        }
    }
}
