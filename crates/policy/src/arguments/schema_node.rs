//! A node of a schema: its keys, types and description.
//!
//! In: a server's schema and a validator error. Out: the node that holds the violated
//! keyword, and what it says, with references and combinations followed.
//! Invariant: bounded, since a schema may refer to itself.

use std::collections::HashSet;

use jsonschema::ValidationError;
use serde_json::{Map, Value};

/// Maximum subschemas visited by one lookup.
const MAX_SUBSCHEMAS: usize = 64;

/// A schema object and the root against which its references are resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SchemaNode<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> SchemaNode<'a> {
    /// A schema and its root.
    pub(crate) fn new(root: &'a Value, schema: &'a Value) -> Self {
        Self { root, schema }
    }

    /// The schema that holds the violated keyword.
    pub(crate) fn of(root: &'a Value, error: &ValidationError<'_>) -> Self {
        let path = error.schema_path().as_str();
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        // A node that cannot be found is treated as empty.
        Self::new(root, root.pointer(parent).unwrap_or(&Value::Null))
    }

    /// The node of another error in the same root.
    pub(crate) fn for_error(self, error: &ValidationError<'_>) -> Self {
        Self::of(self.root, error)
    }

    /// Another schema in the same root.
    pub(crate) fn at(self, schema: &'a Value) -> Self {
        Self { schema, ..self }
    }

    /// A keyword of the schema itself.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.schema.get(key)
    }

    /// The schemas in a list of alternatives.
    pub(crate) fn list(self, key: &str) -> Vec<SchemaNode<'a>> {
        let members = self.get(key).and_then(Value::as_array).into_iter().flatten();
        members.map(|schema| self.at(schema)).collect()
    }

    /// The schema and all those it refers to or combines.
    pub(crate) fn parts(self) -> Vec<&'a Map<String, Value>> {
        let mut parts: Vec<&Map<String, Value>> = Vec::new();
        let mut open = vec![self.schema];
        while let Some(schema) = open.pop() {
            let Some(object) = schema.as_object() else { continue };
            if parts.len() >= MAX_SUBSCHEMAS || parts.iter().any(|part| std::ptr::eq(*part, object))
            {
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

    /// The end of a chain of references.
    pub(crate) fn target(self) -> Self {
        let next = |node: &Self| Some(node.at(node.find(node.get("$ref")?.as_str()?)?));
        std::iter::successors(Some(self), next).take(MAX_SUBSCHEMAS).last().unwrap_or(self)
    }

    fn find(self, reference: &str) -> Option<&'a Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// All keys that the schema knows.
    pub(crate) fn keys(self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let properties = self.parts().into_iter().filter_map(|part| part.get("properties"));
        let keys = properties.filter_map(Value::as_object).flat_map(Map::keys);
        keys.map(String::as_str).filter(|key| seen.insert(*key)).collect()
    }

    /// The schema of a key.
    pub(crate) fn property(self, key: &str) -> Option<SchemaNode<'a>> {
        let schema = |part: &'a Map<String, Value>| part.get("properties")?.get(key);
        self.parts().into_iter().find_map(schema).map(|schema| self.at(schema))
    }

    /// The required keys.
    pub(crate) fn required(self) -> Vec<&'a str> {
        let all = self.parts().into_iter().find_map(|part| part.get("required")?.as_array());
        all.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The server's description.
    pub(crate) fn description(self) -> Option<&'a str> {
        self.parts().into_iter().find_map(|part| part.get("description")?.as_str())
    }

    /// The only valid value, if there is just one.
    pub(crate) fn constant(self) -> Option<&'a Value> {
        let target = self.target();
        match target.get("enum") {
            Some(Value::Array(values)) if values.len() == 1 => values.first(),
            _ => target.get("const"),
        }
    }
}
