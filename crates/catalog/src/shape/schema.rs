//! Converts a learned shape to JSON Schema: types, properties, items. No literal, no
//! enum, no length, no format.

use serde_json::{Map, Value, json};

use super::{Node, ObjectNode};

impl Node {
    /// `{}` if unknown.
    pub(super) fn to_schema(&self) -> Value {
        if self.unknown {
            return json!({});
        }
        let mut variants = Vec::new();
        if let Some(object) = &self.object {
            variants.push(object.to_schema());
        }
        if let Some(items) = &self.list {
            variants.push(match items.is_empty() {
                true => json!({"type": "array"}),
                false => json!({"type": "array", "items": items.to_schema()}),
            });
        }
        match self.scalars().as_slice() {
            [] => {}
            [one] => variants.push(json!({"type": one})),
            several => variants.push(json!({"type": several})),
        }
        match variants.len() {
            0 => json!({}),
            1 => variants.remove(0),
            _ => json!({"anyOf": variants}),
        }
    }

    fn scalars(&self) -> Vec<&'static str> {
        let number = if self.number { "number" } else { "integer" };
        let kinds = [
            (self.string, "string"),
            (self.number || self.integer, number),
            (self.boolean, "boolean"),
            (self.null, "null"),
        ];
        kinds.into_iter().filter_map(|(seen, kind)| seen.then_some(kind)).collect()
    }
}

impl ObjectNode {
    fn to_schema(&self) -> Value {
        if self.is_map() { self.map_schema() } else { self.record_schema() }
    }

    fn map_schema(&self) -> Value {
        let mut values = self.values.clone();
        for field in self.fields.values() {
            values.merge(field.node.clone());
        }
        match values.is_empty() {
            true => json!({"type": "object"}),
            false => json!({"type": "object", "additionalProperties": values.to_schema()}),
        }
    }

    /// Open: there may be further keys, seen too rarely to be shown.
    fn record_schema(&self) -> Value {
        let mut fields: Vec<(&str, bool, Value)> = Vec::new();
        for field in self.fields.values() {
            let (Some(name), true) = (&field.name, field.shown) else { continue };
            let schema = if field.shared {
                let mut node = self.values.clone();
                node.merge(field.node.clone());
                node.to_schema()
            } else {
                field.node.to_schema()
            };
            fields.push((name, field.seen == self.observed, schema));
        }
        fields.sort_by_key(|(name, ..)| *name);
        let required: Vec<&str> =
            fields.iter().filter(|(_, always, _)| *always).map(|(name, ..)| *name).collect();
        let mut schema = Map::new();
        schema.insert("type".into(), json!("object"));
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        let properties: Map<String, Value> =
            fields.into_iter().map(|(name, _, schema)| (name.to_owned(), schema)).collect();
        if !properties.is_empty() {
            schema.insert("properties".into(), Value::Object(properties));
        }
        Value::Object(schema)
    }
}
