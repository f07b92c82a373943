//! From JSON Schema, as servers really write it, to types.
//!
//! In: a schema of any draft from 07 to 2020-12, or something that claims to be
//! one. Out: a type that every value of the schema fits. Where the schema says
//! less than a type could, or contradicts itself, the type is the wider one.
//! Never fails: what makes no sense becomes `unknown`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::describe::{constraints, description};
use crate::names::fold;
use crate::types::{
    Description, Field, MAX_HEIGHT, Object, Presence, RecursiveId, Tuple, Type, TypeId, Types,
};

/// Reads one schema into a set of types.
pub(crate) fn read_schema(schema: &Value, types: &mut Types) -> TypeId {
    let mut reader = Reader { root: schema, types, open: Vec::new(), done: HashMap::new() };
    reader.read(schema)
}

struct Reader<'s, 't> {
    /// Where `$ref` points into.
    root: &'s Value,
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
        let bare = self.undescribed(schema);
        if let Some(title) = title(schema).filter(|_| is_object(schema)) {
            self.types.suggest_name(bare, title);
        }
        let bare = self.nullable(schema, bare);
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

    /// The type without what its description says already: many write it once
    /// more at each alternative, or at the target of a reference.
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
                self.union(members)
            }
            _ => ty,
        }
    }

    /// A title stands in for a missing description if it says more than the name.
    fn titled(&mut self, property: &Value, name: &str, ty: TypeId) -> TypeId {
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

    /// OpenAPI's way of saying that null fits as well.
    fn nullable(&mut self, schema: &Map<String, Value>, ty: TypeId) -> TypeId {
        let flag = |key| schema.get(key) == Some(&Value::Bool(true));
        if !flag("nullable") && !flag("x-nullable") {
            return ty;
        }
        let null = self.types.id(Type::Null);
        self.union(vec![ty, null])
    }

    fn undescribed(&mut self, schema: &'s Map<String, Value>) -> TypeId {
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
            parts.push(self.union(variants));
        }
        if let Some(own) = self.own_type(schema, parts.is_empty()) {
            parts.push(own);
        }
        self.all_of(parts)
    }

    fn reference(&mut self, reference: &str) -> TypeId {
        let Some(target) = resolve(self.root, reference) else {
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
        // Only what is not open any more: a reference to an open schema is made
        // anew each time, and costs nothing.
        if self.open.iter().all(|open| open.schema != address) {
            self.done.insert(address, id);
        }
        id
    }

    /// What the schema itself says, without references and combinations.
    fn own_type(&mut self, schema: &'s Map<String, Value>, alone: bool) -> Option<TypeId> {
        if let Some(value) = schema.get("const") {
            return Some(self.literal(value));
        }
        if let Some(Value::Array(values)) = schema.get("enum")
            && !values.is_empty()
        {
            // Of a type and values that disagree, the values are what the author
            // looked at.
            let fitting: Vec<&Value> = values.iter().filter(|value| fits(schema, value)).collect();
            let chosen = if fitting.is_empty() { values.iter().collect() } else { fitting };
            let members = chosen.into_iter().map(|value| self.literal(value)).collect();
            return Some(self.union(members));
        }
        match schema.get("type") {
            Some(Value::String(name)) => Some(self.named(name, schema)),
            Some(Value::Array(names)) if !names.is_empty() => {
                let names = names.iter().filter_map(Value::as_str);
                let members = names.map(|name| self.named(name, schema)).collect();
                Some(self.union(members))
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
        let mut fields: Vec<Field> = Vec::new();
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, property) in properties {
                // Draft 3 said it at the property, and some still do.
                let needed = required.contains(&name.as_str())
                    || property.get("required") == Some(&Value::Bool(true));
                let presence = if needed { Presence::Required } else { Presence::Optional };
                let ty = self.read(property);
                let ty = self.titled(property, name, ty);
                fields.push(Field { name: name.clone(), presence, ty });
            }
        }
        // Required but not described: it must be given all the same.
        let described = fields.len();
        for name in required {
            if !fields[..described].iter().any(|field| field.name == name)
                && !fields[described..].iter().any(|field| field.name == name)
            {
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
            // Any object may have more than its schema says. It is worth a word
            // only where the schema says nothing at all.
            None if alone && kinds.is_empty() => kinds.push(self.types.id(Type::Unknown)),
            None => {}
        }
        if kinds.is_empty() { None } else { Some(self.union(kinds)) }
    }

    /// The type of exactly one value.
    fn literal(&mut self, value: &Value) -> TypeId {
        let ty = match value {
            Value::Null => Type::Null,
            Value::String(_) => Type::TextLiteral(value.to_string()),
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

    /// One of several types: nested unions flattened, equal ones once.
    fn union(&mut self, members: Vec<TypeId>) -> TypeId {
        let mut flat: Vec<TypeId> = Vec::new();
        for member in members {
            match self.types.get(member) {
                Type::Unknown => return member,
                Type::Never => {}
                Type::Union(inner) => {
                    let new: Vec<TypeId> =
                        inner.iter().copied().filter(|id| !flat.contains(id)).collect();
                    flat.extend(new);
                }
                _ if flat.contains(&member) => {}
                _ => flat.push(member),
            }
        }
        // An integer is a number.
        let number = self.types.id(Type::Number);
        if flat.contains(&number) {
            let integer = self.types.id(Type::Integer);
            flat.retain(|id| *id != integer);
        }
        let null = self.types.id(Type::Null);
        match flat.as_slice() {
            [] => self.types.id(Type::Never),
            [only] => *only,
            [one, other] if *other == null || *one == null => {
                self.or_null(if *one == null { *other } else { *one })
            }
            _ => self.types.id(Type::Union(flat)),
        }
    }

    /// "This or null": what is said about "this" is said about the whole.
    fn or_null(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty).clone() {
            Type::Described(said, inner) => {
                let inner = self.or_null(inner);
                self.types.id(Type::Described(said, inner))
            }
            // Limits stay inside, where they can be shared with a type that has
            // no null.
            _ => {
                let null = self.types.id(Type::Null);
                self.types.id(Type::Union(vec![ty, null]))
            }
        }
    }

    /// All of several types at once. Objects become one object; a common part is
    /// put into each member of a union.
    fn all_of(&mut self, parts: Vec<TypeId>) -> TypeId {
        let mut merged: Option<TypeId> = None;
        for part in parts {
            merged = Some(match merged {
                None => part,
                Some(before) => self.both(before, part),
            });
        }
        merged.unwrap_or_else(|| self.types.id(Type::Unknown))
    }

    fn both(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        let (bare_a, bare_b) = (self.types.bare(a), self.types.bare(b));
        match (self.types.get(bare_a).clone(), self.types.get(bare_b).clone()) {
            (Type::Unknown, _) => b,
            (_, Type::Unknown) => a,
            (Type::Object(one), Type::Object(two)) => self.merged(one, two),
            (Type::Union(members), Type::Object(_)) => self.distributed(&members, b),
            (Type::Object(_), Type::Union(members)) => self.distributed(&members, a),
            // `type: string` beside an enum or a constrained string.
            (Type::String, Type::TextLiteral(_)) | (Type::Number, Type::Integer) => b,
            (Type::TextLiteral(_), Type::String) | (Type::Integer, Type::Number) => a,
            _ if bare_a == bare_b => a,
            (one, two) => {
                let members = |ty: Type, id: TypeId| match ty {
                    Type::Intersection(members) => members,
                    _ => vec![id],
                };
                let mut all = members(one, a);
                for id in members(two, b) {
                    if !all.contains(&id) {
                        all.push(id);
                    }
                }
                self.types.id(Type::Intersection(all))
            }
        }
    }

    /// Each member of a union together with a common object.
    fn distributed(&mut self, members: &[TypeId], common: TypeId) -> TypeId {
        let null = self.types.id(Type::Null);
        let members: Vec<TypeId> = members.iter().copied().filter(|id| *id != null).collect();
        let merged = members.iter().map(|member| self.both(common, *member)).collect();
        self.union(merged)
    }

    fn merged(&mut self, one: Object, two: Object) -> TypeId {
        let mut fields = one.fields;
        for field in two.fields {
            match fields.iter().position(|other| other.name == field.name) {
                None => fields.push(field),
                Some(at) => {
                    let ty = self.both(fields[at].ty, field.ty);
                    let required = [fields[at].presence, field.presence];
                    let required = required.contains(&Presence::Required);
                    let presence = if required { Presence::Required } else { Presence::Optional };
                    fields[at] = Field { name: field.name, presence, ty };
                }
            }
        }
        let unknown = self.types.id(Type::Unknown);
        let rest = match (one.rest, two.rest) {
            // "Anything" of an object without properties says nothing here.
            (Some(a), None) | (None, Some(a)) => (a != unknown).then_some(a),
            (Some(a), Some(b)) => Some(self.both(a, b)),
            (None, None) => None,
        };
        self.types.id(Type::Object(Object { fields, rest }))
    }
}

fn title(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("title").and_then(Value::as_str).map(str::trim).filter(|title| !title.is_empty())
}

/// Whether the name of a definition tells more than `def4` or `0`.
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

/// Whether a value is of the type that stands beside it.
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

/// What a reference points to, within the same schema: `#`, `#/$defs/x`,
/// `#anchor`, or the `$id` of a part.
fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let root_id = root.get("$id").and_then(Value::as_str).unwrap_or_default();
    let local = reference.strip_prefix(root_id).filter(|rest| rest.starts_with('#'));
    let Some(fragment) = local.or(Some(reference))?.strip_prefix('#') else {
        return find_named(root, "$id", reference, 0);
    };
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(&percent_decoded(fragment));
    }
    find_named(root, "$anchor", fragment, 0)
}

fn find_named<'s>(at: &'s Value, key: &str, name: &str, depth: u16) -> Option<&'s Value> {
    if depth > MAX_HEIGHT {
        return None;
    }
    if at.get(key).and_then(Value::as_str) == Some(name) {
        return Some(at);
    }
    match at {
        Value::Object(members) => {
            members.values().find_map(|member| find_named(member, key, name, depth + 1))
        }
        Value::Array(items) => items.iter().find_map(|item| find_named(item, key, name, depth + 1)),
        _ => None,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = (first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
