//! One tool of a file, in MCP's form or in the simple form.
//!
//! In: an entry as it was written. Out: the definition as a server would send it,
//! or an `EntryError` that names the tool and the parameter. People write the simple
//! form by hand, so mistakes in it are reported and never guessed around: a
//! misspelt type would otherwise mean "anything".

use serde_json::{Map, Value, json};
use tidegate_model::{Hints, ToolDef};

/// The values of `type` in the simple form.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "any"];

/// Keys of the simple form that mean the same in JSON Schema.
const SCHEMA_KEYS: [&str; 20] = [
    "title",
    "description",
    "default",
    "const",
    "examples",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "additionalProperties",
];

/// What is wrong with an entry, and where in it.
#[derive(Debug)]
pub(super) struct EntryError {
    /// The tool, if its name could be read.
    pub(super) tool: Option<String>,
    /// The path from the parameter inwards; empty for the tool itself.
    path: Vec<String>,
    /// What is wrong.
    pub(super) reason: String,
}

impl EntryError {
    fn new(reason: impl Into<String>) -> Self {
        Self { tool: None, path: Vec::new(), reason: reason.into() }
    }

    /// Adds the enclosing key to the path.
    fn inside(mut self, name: &str) -> Self {
        self.path.insert(0, name.to_owned());
        self
    }

    /// The place of the error; `unnamed` replaces a missing tool name.
    pub(super) fn place(&self, unnamed: &str) -> String {
        let tool = match &self.tool {
            Some(tool) => format!("tool `{tool}`"),
            None => unnamed.to_owned(),
        };
        match self.path.split_first() {
            None => tool,
            Some((key, [])) => format!("{tool}, `{key}`"),
            Some((key, rest)) if key == "parameters" => {
                format!("{tool}, parameter `{}`", rest.join("."))
            }
            Some(_) => format!("{tool}, `{}`", self.path.join(".")),
        }
    }
}

/// A tool in MCP's form, or in the simple form with `parameters`.
pub(super) fn tool(entry: &Value) -> Result<ToolDef, EntryError> {
    let Some(name) = entry.get("name").and_then(Value::as_str) else {
        return Err(EntryError::new("`name` is missing or not text"));
    };
    if name.is_empty() {
        return Err(EntryError::new("`name` is empty"));
    }
    definition(name, entry).map_err(|error| EntryError { tool: Some(name.to_owned()), ..error })
}

fn definition(name: &str, entry: &Value) -> Result<ToolDef, EntryError> {
    let annotations: Option<Hints> =
        entry.get("annotations").and_then(|hints| serde_json::from_value(hints.clone()).ok());
    Ok(ToolDef {
        name: name.to_owned(),
        title: text(entry, "title")?,
        description: text(entry, "description")?,
        input_schema: input_schema(entry)?,
        output_schema: output_schema(entry)?,
        annotations,
    })
}

fn text(entry: &Value, key: &str) -> Result<Option<String>, EntryError> {
    match entry.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(EntryError::new("is not text").inside(key)),
    }
}

fn input_schema(entry: &Value) -> Result<Value, EntryError> {
    let given = |key: &str| entry.get(key).is_some_and(|value| !value.is_null());
    let key = if given("inputSchema") { "inputSchema" } else { "parameters" };
    match entry.get(key) {
        // Nothing is known about the arguments, so anything is allowed.
        None | Some(Value::Null | Value::Bool(true)) => Ok(json!({"type": "object"})),
        // `parameters` can also be a schema, as some model APIs write it.
        Some(schema @ Value::Object(_)) => Ok(schema.clone()),
        Some(Value::Array(parameters)) if key == "parameters" => {
            let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
            put_members(parameters, &mut schema).map_err(|error| error.inside(key))?;
            Ok(Value::Object(schema))
        }
        Some(_) if key == "parameters" => Err(EntryError::new("is not a list").inside(key)),
        Some(_) => Err(EntryError::new("is not an object").inside(key)),
    }
}

/// The result schema, under MCP's own key or as `returns` or `output` in the simple form.
fn output_schema(entry: &Value) -> Result<Option<Value>, EntryError> {
    if let Some(schema) = entry.get("outputSchema").filter(|schema| !schema.is_null()) {
        return Ok(Some(schema.clone()));
    }
    let given = ["returns", "output"].into_iter().find_map(|key| Some((key, entry.get(key)?)));
    let given = given.filter(|(_, value)| !value.is_null());
    let Some((key, given)) = given else { return Ok(None) };
    let schema = match given {
        Value::Array(members) => {
            let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
            put_members(members, &mut schema).map(|()| Value::Object(schema))
        }
        other => type_schema(other),
    };
    schema.map(Some).map_err(|error| error.inside(key))
}

/// A type: one word, or an object with `type` and other keywords.
fn type_schema(given: &Value) -> Result<Value, EntryError> {
    let given = match given {
        Value::String(_) => &Map::from_iter([("type".to_owned(), given.clone())]),
        Value::Object(given) => given,
        _ => return Err(EntryError::new("is neither a type nor an object with `type`")),
    };
    let mut schema = Map::new();
    if let Some(word) = type_word(given)? {
        schema.insert("type".to_owned(), word);
    }
    for key in SCHEMA_KEYS {
        if let Some(value) = given.get(key) {
            schema.insert(key.to_owned(), value.clone());
        }
    }
    match given.get("enum") {
        None => {}
        Some(Value::Array(values)) if !values.is_empty() => {
            schema.insert("enum".to_owned(), json!(values));
        }
        Some(_) => return Err(EntryError::new("`enum` is empty or not a list")),
    }
    if let Some(items) = given.get("items") {
        let items = type_schema(items).map_err(|error| error.inside("items"))?;
        schema.insert("items".to_owned(), items);
    }
    match given.get("properties") {
        None => {}
        Some(Value::Array(members)) => put_members(members, &mut schema)?,
        Some(Value::Object(members)) => put_named(members, given, &mut schema)?,
        Some(_) => return Err(EntryError::new("`properties` is neither a list nor an object")),
    }
    Ok(Value::Object(schema))
}

/// `type` as in JSON Schema, or `None` for `any`.
fn type_word(given: &Map<String, Value>) -> Result<Option<Value>, EntryError> {
    let one = |word: &str, known: bool| {
        if known {
            return Ok(());
        }
        let words = TYPES.map(|word| format!("`{word}`")).join(", ");
        Err(EntryError::new(format!("unknown type `{word}`; the types are {words}")))
    };
    match given.get("type") {
        None => Ok(None),
        Some(Value::String(word)) => {
            one(word, TYPES.contains(&word.as_str()))?;
            Ok((word != "any").then(|| json!(word)))
        }
        // JSON Schema's form for "string or null".
        Some(Value::Array(words)) if !words.is_empty() => {
            for word in words {
                let word = word.as_str().ok_or_else(|| EntryError::new("a `type` is not text"))?;
                one(word, word == "null" || TYPES.contains(&word))?;
            }
            Ok((!words.contains(&json!("any"))).then(|| json!(words)))
        }
        Some(_) => Err(EntryError::new("`type` is not text")),
    }
}

/// Members as a list: each has its `name` and may be `required`.
fn put_members(members: &[Value], schema: &mut Map<String, Value>) -> Result<(), EntryError> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let name = member.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let Some(name) = name else {
            return Err(EntryError::new("`name` is missing, empty or not text")
                .inside(&format!("{}", at + 1)));
        };
        let placed = |error: EntryError| error.inside(name);
        match member.get("required") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => required.push(name),
            // The list applies to the object's own members, not to this member.
            Some(Value::Array(_)) if member.get("properties").is_some_and(Value::is_object) => {}
            Some(_) => return Err(placed(EntryError::new("`required` is neither true nor false"))),
        }
        let member = type_schema(member).map_err(placed)?;
        if properties.insert(name.to_owned(), member).is_some() {
            return Err(placed(EntryError::new("is listed twice")));
        }
    }
    finish(properties, json!(required), schema);
    Ok(())
}

/// Members by name, as in JSON Schema. The required ones are in a list beside them, or each
/// says so itself.
fn put_named(
    members: &Map<String, Value>,
    given: &Map<String, Value>,
    schema: &mut Map<String, Value>,
) -> Result<(), EntryError> {
    let mut properties = Map::new();
    let mut required = match given.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    for (name, member) in members {
        let one = type_schema(member).map_err(|error| error.inside(name))?;
        properties.insert(name.clone(), one);
        if member.get("required") == Some(&Value::Bool(true)) && !required.contains(&json!(name)) {
            required.push(json!(name));
        }
    }
    finish(properties, json!(required), schema);
    Ok(())
}

fn finish(properties: Map<String, Value>, required: Value, schema: &mut Map<String, Value>) {
    schema.insert("properties".to_owned(), Value::Object(properties));
    if required.as_array().is_some_and(|names| !names.is_empty()) {
        schema.insert("required".to_owned(), required);
    }
}
