//! Arguments against the tool's JSON Schema, told so that a model can repair
//! its call: where, what was expected, what was given.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use tidegate_model::{ToolCall, ToolDef, ToolRef, did_you_mean};

use crate::cost::Cost;

/// What is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentProblem {
    /// Where, as one would write it: `labels[0].name`. Empty for the whole.
    pub path: String,
    /// What is wrong, without the path: "must be a string, got a number".
    pub problem: String,
    /// What to write instead, if that is clear.
    pub hint: Option<String>,
}

/// Compiled schemas of the tools that were called, by tool. A tool whose
/// definition changed is compiled anew.
#[derive(Default)]
pub(crate) struct Schemas(Mutex<HashMap<ToolRef, Compiled>>);

#[derive(Clone)]
struct Compiled {
    tool: Arc<ToolDef>,
    cost: Cost,
    /// `None` for a schema that is itself wrong, or too expensive to check. The
    /// server's mistake must not make its tool unusable; the server checks its
    /// arguments anyway.
    validator: Option<Arc<Validator>>,
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Schemas(..)")
    }
}

impl Schemas {
    /// Checks the arguments of a call, and leaves them as they were.
    pub(crate) fn check(
        &self,
        call: &mut ToolCall,
        tool: &Arc<ToolDef>,
    ) -> Result<(), ArgumentProblem> {
        let compiled = self.compiled(&call.tool, tool);
        let Some(validator) = &compiled.validator else { return Ok(()) };
        // Moved in and out instead of copied: arguments can be megabytes.
        let arguments = Value::Object(std::mem::take(&mut call.arguments));
        let problem = match compiled.cost.allows(&arguments) {
            true => validator.iter_errors(&arguments).next(),
            false => None,
        };
        let problem = problem.map(|error| explain(&error, &tool.input_schema));
        if let Value::Object(arguments) = arguments {
            call.arguments = arguments;
        }
        problem.map_or(Ok(()), Err)
    }

    fn compiled(&self, id: &ToolRef, tool: &Arc<ToolDef>) -> Compiled {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some(compiled) = known
            && (Arc::ptr_eq(&compiled.tool, tool)
                || compiled.tool.input_schema == tool.input_schema)
        {
            return compiled;
        }
        // Without the lock: one server's schema must not hold up the others.
        let cost = Cost::of(&tool.input_schema);
        let validator = match cost.allows_compiling() {
            true => jsonschema::validator_for(&tool.input_schema).ok().map(Arc::new),
            false => None,
        };
        let compiled = Compiled { tool: Arc::clone(tool), cost, validator };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id.clone(), compiled.clone());
        compiled
    }
}

fn explain(error: &ValidationError<'_>, schema: &Value) -> ArgumentProblem {
    let pointer = error.instance_path().to_string();
    let path = readable(&pointer);
    let given = describe(error.instance());
    let (problem, hint) = match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let kind = format!("{kind:?}");
            let wanted = wanted_types(&kind);
            let hint = type_hint(&wanted, error.instance()).or_else(|| left_out(error));
            let hint = hint.or_else(|| (wanted == "an object").then(|| takes(schema, &pointer))?);
            (format!("must be {wanted}, got {given}"), hint)
        }
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().unwrap_or_default().to_owned();
            let given_keys = error.instance().as_object();
            // A key that is there but unknown to the schema is probably the
            // misspelt one.
            let known = known_keys(schema, &pointer);
            let strangers = given_keys.into_iter().flat_map(|keys| keys.keys());
            let strangers: Vec<&str> = strangers
                .map(String::as_str)
                .filter(|key| !known.iter().any(|k| k == key))
                .collect();
            let slip = tidegate_model::nearest(&property, strangers.iter().copied());
            let hint = slip.first().map(|slip| format!("write `{property}` instead of `{slip}`"));
            let hint = hint.or_else(|| described(schema, &format!("{pointer}/{property}")));
            (format!("needs `{property}`{}", type_of_key(schema, &pointer, &property)), hint)
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = known_keys(schema, &pointer);
            let name = unexpected.first().map(String::as_str).unwrap_or_default();
            let hint = did_you_mean(name, known.iter().map(String::as_str))
                .or_else(|| takes(schema, &pointer));
            (format!("has no `{name}`"), hint)
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let names = options.iter().filter_map(Value::as_str);
            let meant = error.instance().as_str().map(|text| tidegate_model::nearest(text, names));
            let meant = meant.into_iter().flatten().next();
            let hint = meant.map(|name| format!("write \"{name}\"")).or_else(|| left_out(error));
            let options: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
            (format!("must be one of {}, got {given}", options.join(", ")), hint)
        }
        ValidationErrorKind::Maximum { limit } => {
            (format!("must be at most {limit}, got {given}"), None)
        }
        ValidationErrorKind::Minimum { limit } => {
            (format!("must be at least {limit}, got {given}"), None)
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            (format!("must be less than {limit}, got {given}"), None)
        }
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            (format!("must be more than {limit}, got {given}"), None)
        }
        ValidationErrorKind::MaxItems { limit } => {
            (format!("must have at most {limit} items, got {given}"), None)
        }
        ValidationErrorKind::MinItems { limit } => {
            (format!("must have at least {limit} items, got {given}"), None)
        }
        ValidationErrorKind::MinLength { limit: 1 } => ("must not be empty".to_owned(), None),
        ValidationErrorKind::Pattern { pattern } => {
            let hint = described(schema, &pointer);
            (format!("must match the pattern `{pattern}`, got {given}"), hint)
        }
        _ => {
            let text = error.to_string();
            (format!("does not fit: {}", &text[..text.floor_char_boundary(200)]), None)
        }
    };
    ArgumentProblem { path, problem, hint }
}

/// What to do about `null`, which is not the same as nothing.
fn left_out(error: &ValidationError<'_>) -> Option<String> {
    error.instance().is_null().then(|| "leave it out instead of passing null".to_owned())
}

/// The keys that are known at an instance path.
fn takes(schema: &Value, pointer: &str) -> Option<String> {
    let names: Vec<String> =
        known_keys(schema, pointer).iter().map(|key| format!("`{key}`")).collect();
    (!names.is_empty()).then(|| format!("it takes {}", names.join(", ")))
}

/// What the server says about an argument. Server's text: kept short.
fn described(schema: &Value, pointer: &str) -> Option<String> {
    let text = schema_at(schema, pointer)?.get("description")?.as_str()?;
    Some(format!("it is described as: {}", &text[..text.floor_char_boundary(200)]))
}

/// `/labels/0/name` as a program writes it: `labels[0].name`.
fn readable(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part);
        }
    }
    path
}

/// A value's type and, if it is short, the value itself.
fn describe(value: &Value) -> String {
    let (kind, shown) = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(value) => ("boolean", value.to_string()),
        Value::Number(value) => ("number", value.to_string()),
        Value::String(value) => ("string", format!("\"{value}\"")),
        Value::Array(items) => return format!("a list of {}", items.len()),
        Value::Object(_) => return "an object".to_owned(),
    };
    if shown.len() <= 60 { format!("{kind} `{shown}`") } else { format!("a {kind}") }
}

/// jsonschema's type names as an English list.
fn wanted_types(kind: &str) -> String {
    let names = ["string", "integer", "number", "boolean", "array", "object", "null"];
    let lower = kind.to_lowercase();
    let wanted: Vec<&str> = names.into_iter().filter(|name| lower.contains(name)).collect();
    let article = |name: &str| match name {
        "array" => "a list".to_owned(),
        "null" => "null".to_owned(),
        "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    };
    let wanted: Vec<String> = wanted.into_iter().map(article).collect();
    if wanted.is_empty() { "another type".to_owned() } else { wanted.join(" or ") }
}

fn type_hint(wanted: &str, given: &Value) -> Option<String> {
    let shown = given.to_string();
    match given {
        Value::String(text) if wanted.contains("number") || wanted.contains("integer") => {
            text.parse::<f64>().ok().map(|_| format!("write {text} without quotes"))
        }
        Value::Number(_) | Value::Bool(_) if wanted == "a string" => {
            Some(format!("write \"{shown}\""))
        }
        Value::Array(_) | Value::Null => None,
        _ if wanted == "a list" && shown.len() <= 60 => Some(format!("write [{shown}]")),
        _ => None,
    }
}

/// The schema at an instance path, as far as plain properties and items lead.
fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |at, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        at.get("properties")
            .and_then(|properties| properties.get(&part))
            .or_else(|| at.get("items"))
    })
}

fn known_keys(schema: &Value, pointer: &str) -> Vec<String> {
    let properties = schema_at(schema, pointer).and_then(|at| at.get("properties"));
    properties
        .and_then(Value::as_object)
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}

fn type_of_key(schema: &Value, pointer: &str, key: &str) -> String {
    let property = schema_at(schema, pointer)
        .and_then(|at| at.get("properties")?.get(key)?.get("type")?.as_str());
    property.map(|name| format!(" ({name})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{ToolCall, ToolDef, ToolRef};

    use super::{ArgumentProblem, Schemas};

    fn tool(input_schema: Value) -> Arc<ToolDef> {
        Arc::new(ToolDef {
            name: "read".into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
        })
    }

    fn check(arguments: Value) -> Result<(), ArgumentProblem> {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "limit": {"type": "integer"},
                "state": {"enum": ["open", "closed"]},
                "labels": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
            },
            "required": ["path"],
            "additionalProperties": false
        });
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let mut call = ToolCall { tool: ToolRef::new("files", "read"), arguments };
        let before = call.clone();
        let outcome = Schemas::default().check(&mut call, &tool(schema));
        assert_eq!(call, before);
        outcome
    }

    fn problem(path: &str, problem: &str, hint: Option<&str>) -> Result<(), ArgumentProblem> {
        Err(ArgumentProblem {
            path: path.into(),
            problem: problem.into(),
            hint: hint.map(Into::into),
        })
    }

    #[test]
    fn arguments_that_fit_pass() {
        assert_eq!(check(json!({"path": "a", "labels": [{"name": "x"}]})), Ok(()));
    }

    #[test]
    fn a_wrong_type_names_the_path_and_both_types() {
        assert_eq!(
            check(json!({"path": "a", "labels": [{"name": 5}]})),
            problem("labels[0].name", "must be a string, got number `5`", Some("write \"5\""))
        );
        assert_eq!(
            check(json!({"path": "a", "limit": "5"})),
            problem(
                "limit",
                "must be an integer, got string `\"5\"`",
                Some("write 5 without quotes")
            )
        );
        assert_eq!(
            check(json!({"path": "a", "labels": "bug"})),
            problem("labels", "must be a list, got string `\"bug\"`", Some("write [\"bug\"]"))
        );
    }

    #[test]
    fn a_missing_key_is_named_with_its_type_and_the_slip() {
        assert_eq!(check(json!({})), problem("", "needs `path` (string)", None));
        assert_eq!(
            check(json!({"path": "a", "paht": "b"})),
            problem("", "has no `paht`", Some("did you mean `path`?"))
        );
    }

    #[test]
    fn a_value_outside_an_enum_gets_the_options() {
        let told = |given: &str| {
            format!("must be one of `\"open\"`, `\"closed\"`, got string `\"{given}\"`")
        };
        assert_eq!(
            check(json!({"path": "a", "state": "opened"})),
            problem("state", &told("opened"), Some("write \"open\""))
        );
        assert_eq!(
            check(json!({"path": "a", "state": "pending"})),
            problem("state", &told("pending"), None)
        );
    }

    #[test]
    fn a_limit_is_told_with_what_was_given() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 5},
            "tags": {"type": "array", "maxItems": 1},
            "id": {"type": "string", "pattern": "^L-", "description": "Such as `L-1`."},
            "name": {"type": "string", "description": "Of a person.", "minLength": 1},
            "fields": {"type": "object", "properties": {"a": {}, "b": {}}}
        }});
        let described = Some("it is described as: Such as `L-1`.");
        let left_out = Some("leave it out instead of passing null");
        for (key, value, told, hint) in [
            ("count", json!(0), "must be at least 1, got number `0`", None),
            ("count", json!(9), "must be at most 5, got number `9`", None),
            ("count", json!(null), "must be an integer, got null", left_out),
            ("tags", json!([1, 2]), "must have at most 1 items, got a list of 2", None),
            ("id", json!("7"), "must match the pattern `^L-`, got string `\"7\"`", described),
            ("name", json!(""), "must not be empty", None),
            ("fields", json!([1]), "must be an object, got a list of 1", Some("it takes `a`, `b`")),
        ] {
            let mut arguments = serde_json::Map::from_iter([("name".to_owned(), json!("x"))]);
            arguments.insert(key.to_owned(), value);
            let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments };
            let checked = Schemas::default().check(&mut call, &tool(schema.clone()));
            assert_eq!(checked, problem(key, told, hint));
        }
        let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments: serde_json::Map::new() };
        assert_eq!(
            Schemas::default().check(&mut call, &tool(schema)),
            problem("", "needs `name` (string)", Some("it is described as: Of a person."))
        );
    }

    #[test]
    fn a_schema_that_is_itself_wrong_does_not_block_its_tool() {
        let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments: serde_json::Map::new() };
        assert_eq!(Schemas::default().check(&mut call, &tool(json!({"type": 12}))), Ok(()));
    }
}
