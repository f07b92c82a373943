//! Converts JSON Schema, as servers really write it, to types.
//!
//! In: a schema of any draft from 07 to 2020-12, or something that claims to be
//! one. Out: a type that every value of the schema fits. Where the schema is less
//! precise than a type could be, or contradicts itself, the wider type is used.
//! Never fails: meaningless schemas become `unknown`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::describe::{constraints, description, json_text};
use crate::names::fold;
use crate::reference::Document;
use crate::types::{
    Description, Field, MAX_HEIGHT, Object, Presence, RecursiveId, Tuple, Type, TypeId, Types,
};

/// Whether descriptions and limits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// For arguments, which a caller has to choose.
    Read,
    /// For results: the names are clear enough, and nobody has to respect the limits.
    Skipped,
}

/// Reads one schema into a set of types.
pub(crate) fn read_schema(schema: &Value, words: Words, types: &mut Types) -> TypeId {
    let document = Document::new(schema);
    let mut reader = Reader { document, words, types, open: Vec::new(), done: HashMap::new() };
    reader.read(schema)
}

struct Reader<'s, 't> {
    /// The document that `$ref` points into.
    document: Document<'s>,
    words: Words,
    types: &'t mut Types,
    /// The schemas that are being read, outermost first.
    open: Vec<Open>,
    /// Targets of `$ref` that have been read.
    done: HashMap<*const Value, TypeId>,
}

struct Open {
    schema: *const Value,
    /// Set as soon as the schema turns out to contain itself.
    row: Option<RecursiveId>,
}

impl<'s> Reader<'s, '_> {
    fn read(&mut self, schema: &'s Value) -> TypeId {
        let address: *const Value = schema;
        if let Some(open) = self.open.iter_mut().find(|open| open.schema == address) {
            let row = *open.row.get_or_insert_with(|| self.types.begin_recursive());
            return self.types.id(Type::Recursive(row));
        }
        if self.open.len() > usize::from(MAX_HEIGHT) {
            return self.types.id(Type::Unknown);
        }
        self.open.push(Open { schema: address, row: None });
        let read = match schema {
            Value::Object(object) => self.object_schema(object),
            Value::Bool(false) => self.types.id(Type::Never),
            _ => self.types.id(Type::Unknown),
        };
        match self.open.pop() {
            Some(Open { row: Some(row), .. }) => self.types.end_recursive(row, read),
            _ => read,
        }
    }

    fn object_schema(&mut self, schema: &'s Map<String, Value>) -> TypeId {
        let bare = self.without_description(schema);
        if let Some(title) = title(schema).filter(|_| is_object(schema)) {
            self.types.suggest_name(bare, title);
        }
        let bare = self.nullable(schema, bare);
        if self.words == Words::Skipped {
            return bare;
        }
        let bare = match constraints(schema) {
            tags if tags.is_empty() => bare,
            tags => self.types.id(Type::Constrained(tags, bare)),
        };
        match description(schema) {
            Some(said) => {
                let bare = self.without_repetition(&said.text, bare);
                self.types.id(Type::Described(said, bare))
            }
            None => bare,
        }
    }

    /// Drops text that repeats the outer description: many schemas repeat it in each
    /// alternative, or at the target of a reference.
    fn without_repetition(&mut self, text: &str, ty: TypeId) -> TypeId {
        match self.types.get(ty).clone() {
            Type::Described(inner, target) if inner.text == text => match inner.tags.as_slice() {
                [] => target,
                _ => {
                    let rest = Description { text: String::new(), tags: inner.tags };
                    self.types.id(Type::Described(rest, target))
                }
            },
            Type::Union(members) => {
                let members = members.iter().map(|id| self.without_repetition(text, *id)).collect();
                self.types.union(members)
            }
            _ => ty,
        }
    }

    /// Uses the title in place of a missing description, unless it only repeats the name.
    fn titled(&mut self, property: &Value, name: &str, ty: TypeId) -> TypeId {
        if self.words == Words::Skipped {
            return ty;
        }
        let title = property.as_object().filter(|p| !p.contains_key("description")).and_then(title);
        let Some(title) = title.filter(|title| fold(title) != fold(name)) else { return ty };
        match self.types.get(ty).clone() {
            Type::Described(said, inner) if said.text.is_empty() => {
                let said = Description { text: title.to_owned(), ..said };
                self.types.id(Type::Described(said, inner))
            }
            Type::Described(..) => ty,
            _ => {
                let said = Description { text: title.to_owned(), tags: Vec::new() };
                self.types.id(Type::Described(said, ty))
            }
        }
    }

    /// OpenAPI's marker for nullable types.
    fn nullable(&mut self, schema: &Map<String, Value>, ty: TypeId) -> TypeId {
        let flag = |key| schema.get(key) == Some(&Value::Bool(true));
        if !flag("nullable") && !flag("x-nullable") {
            return ty;
        }
        let null = self.types.id(Type::Null);
        self.types.union(vec![ty, null])
    }

    fn without_description(&mut self, schema: &'s Map<String, Value>) -> TypeId {
        let mut parts = Vec::new();
        if let Some(Value::String(reference)) =
            schema.get("$ref").or_else(|| schema.get("$recursiveRef"))
        {
            parts.push(self.reference(reference));
        }
        for part in list(schema, "allOf") {
            parts.push(self.read(part));
        }
        let alternatives = ["oneOf", "anyOf"]
            .into_iter()
            .map(|key| list(schema, key))
            .find(|variants| variants.iter().any(says_a_type));
        if let Some(variants) = alternatives {
            let variants = variants.iter().map(|variant| self.read(variant)).collect();
            parts.push(self.types.union(variants));
        }
        if let Some(own) = self.own_type(schema, parts.is_empty()) {
            parts.push(own);
        }
        self.types.intersection(parts)
    }

    fn reference(&mut self, reference: &str) -> TypeId {
        let Some(target) = self.document.resolve(reference) else {
            return self.types.id(Type::Unknown);
        };
        let address: *const Value = target;
        if let Some(id) = self.done.get(&address) {
            return *id;
        }
        let id = self.read(target);
        if let Some(name) = reference.rsplit('/').next().filter(|name| is_telling(name)) {
            self.types.suggest_name(id, name);
        }
        // Only finished schemas: a reference to an open one is created anew each time,
        // which costs nothing.
        if self.open.iter().all(|open| open.schema != address) {
            self.done.insert(address, id);
        }
        id
    }

    /// The type in the schema itself, without references and combinations.
    fn own_type(&mut self, schema: &'s Map<String, Value>, alone: bool) -> Option<TypeId> {
        if let Some(value) = schema.get("const") {
            return Some(self.literal(value));
        }
        if let Some(Value::Array(values)) = schema.get("enum")
            && !values.is_empty()
        {
            // If type and values contradict each other, the values are more likely right.
            let fitting: Vec<&Value> = values.iter().filter(|value| fits(schema, value)).collect();
            let chosen = if fitting.is_empty() { values.iter().collect() } else { fitting };
            let members = chosen.into_iter().map(|value| self.literal(value)).collect();
            return Some(self.types.union(members));
        }
        match schema.get("type") {
            Some(Value::String(name)) => Some(self.named(name, schema)),
            Some(Value::Array(names)) if !names.is_empty() => {
                let names = names.iter().filter_map(Value::as_str);
                let members = names.map(|name| self.named(name, schema)).collect();
                Some(self.types.union(members))
            }
            _ if is_object(schema) => Some(self.object(schema)),
            _ if schema.contains_key("items") || schema.contains_key("prefixItems") => {
                Some(self.array(schema))
            }
            _ if alone => Some(self.types.id(Type::Unknown)),
            _ => None,
        }
    }

    fn named(&mut self, name: &str, schema: &'s Map<String, Value>) -> TypeId {
        let ty = match name {
            "string" => Type::String,
            "number" => Type::Number,
            "integer" => Type::Integer,
            "boolean" => Type::Boolean,
            "null" => Type::Null,
            "array" => return self.array(schema),
            "object" => return self.object(schema),
            _ => Type::Unknown,
        };
        self.types.id(ty)
    }

    fn array(&mut self, schema: &'s Map<String, Value>) -> TypeId {
        // 2020-12 has `prefixItems` and then `items`; before, a list in `items`
        // and then `additionalItems`.
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, items) => (&[][..], items),
        };
        if first.is_empty() {
            let item = match rest {
                Some(item) => self.read(item),
                None => self.types.id(Type::Unknown),
            };
            return self.types.id(Type::List(item));
        }
        let items: Vec<TypeId> = first.iter().map(|item| self.read(item)).collect();
        let at_most = number(schema, "maxItems").is_some_and(|most| most <= items.len());
        let rest = match rest {
            Some(Value::Bool(false)) => None,
            _ if at_most => None,
            Some(rest) => Some(self.read(rest)),
            None => Some(self.types.id(Type::Unknown)),
        };
        let required = number(schema, "minItems").unwrap_or(0).min(items.len());
        self.types.id(Type::Tuple(Tuple { items, required, rest }))
    }

    fn object(&mut self, schema: &'s Map<String, Value>) -> TypeId {
        let required: Vec<&str> =
            list(schema, "required").iter().filter_map(Value::as_str).collect();
        let is_required: HashSet<&str> = required.iter().copied().collect();
        let mut fields: Vec<Field> = Vec::new();
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, property) in properties {
                let needed = is_required.contains(name.as_str());
                let presence = if needed { Presence::Required } else { Presence::Optional };
                let ty = self.read(property);
                let ty = self.titled(property, name, ty);
                fields.push(Field { name: name.clone(), presence, ty });
            }
        }
        // Required but not described: the caller must still pass it.
        let mut named: HashSet<String> = fields.iter().map(|field| field.name.clone()).collect();
        for name in required {
            if named.insert(name.to_owned()) {
                let ty = self.types.id(Type::Unknown);
                fields.push(Field { name: name.to_owned(), presence: Presence::Required, ty });
            }
        }
        let rest = self.further_values(schema, fields.is_empty());
        self.types.id(Type::Object(Object { fields, rest }))
    }

    fn further_values(&mut self, schema: &'s Map<String, Value>, alone: bool) -> Option<TypeId> {
        let mut kinds = Vec::new();
        if let Some(Value::Object(patterns)) = schema.get("patternProperties") {
            for pattern in patterns.values() {
                kinds.push(self.read(pattern));
            }
        }
        match schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties")) {
            Some(Value::Bool(false)) => {}
            Some(further) => kinds.push(self.read(further)),
            // Any object can have more than its schema says. That is mentioned only if the
            // schema has no properties, or has patterns.
            None if alone || !kinds.is_empty() => kinds.push(self.types.id(Type::Unknown)),
            None => {}
        }
        if kinds.is_empty() { None } else { Some(self.types.union(kinds)) }
    }

    /// The type of exactly one value.
    fn literal(&mut self, value: &Value) -> TypeId {
        let ty = match value {
            Value::Null => Type::Null,
            Value::String(text) => Type::TextLiteral(json_text(text)),
            Value::Bool(_) | Value::Number(_) => Type::Literal(value.to_string()),
            Value::Array(items) => {
                let items: Vec<TypeId> = items.iter().map(|item| self.literal(item)).collect();
                Type::Tuple(Tuple { required: items.len(), items, rest: None })
            }
            Value::Object(members) => {
                let field = |(name, value): (&String, &Value)| Field {
                    name: name.clone(),
                    presence: Presence::Required,
                    ty: self.literal(value),
                };
                Type::Object(Object { fields: members.iter().map(field).collect(), rest: None })
            }
        };
        self.types.id(ty)
    }
}

fn title(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("title").and_then(Value::as_str).map(str::trim).filter(|title| !title.is_empty())
}

/// Whether the name of a definition is more informative than `def4` or `0`.
fn is_telling(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_matches('_');
    !matches!(stem.to_lowercase().as_str(), "" | "def" | "schema" | "items" | "anyof" | "oneof")
}

fn list<'s>(schema: &'s Map<String, Value>, key: &str) -> &'s [Value] {
    schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn number(schema: &Map<String, Value>, key: &str) -> Option<usize> {
    schema.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn is_object(schema: &Map<String, Value>) -> bool {
    let keys = ["properties", "patternProperties", "additionalProperties", "required"];
    keys.iter().any(|key| schema.contains_key(*key))
}

/// Whether a variant of `anyOf` is more than a condition such as
/// `{required: […]}` on the object around it.
fn says_a_type(variant: &Value) -> bool {
    let Some(variant) = variant.as_object() else { return variant.is_boolean() };
    let keys = [
        "type",
        "$ref",
        "const",
        "enum",
        "properties",
        "items",
        "prefixItems",
        "allOf",
        "anyOf",
        "oneOf",
        "additionalProperties",
        "patternProperties",
    ];
    variant.is_empty() || keys.iter().any(|key| variant.contains_key(*key))
}

/// Whether a value has the type given beside it.
fn fits(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |name: &str| match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_number() && value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::String(name)) => is(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}
