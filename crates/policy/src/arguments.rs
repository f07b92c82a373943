//! Validates arguments against the tool's JSON Schema.
//!
//! In: a call and the definition of its tool. Out: nothing, or an [`ArgumentProblem`]
//! worded by `explain.rs`. Schemas are repaired by `repair.rs`, compiled once and cached;
//! errors are only collected for arguments that do not match.
//! Invariant: bounded work. A schema or value that would be too expensive (`cost.rs`) is
//! not checked; the server checks its arguments itself.

mod alternatives;
mod cost;
mod explain;
mod keys;
mod keywords;
mod phrases;
pub(crate) mod problem;
mod repair;
mod sample;
mod schema_node;
mod visits;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;
use tidegate_model::{ToolCall, ToolDef, ToolRef};

use cost::Cost;
use explain::Explainer;
use problem::ArgumentProblem;
use repair::{RepairExtent, repaired};
use sample::sample;

/// A cache of the compiled schemas of called tools. A tool whose definition changed is
/// compiled again.
#[derive(Default)]
pub(crate) struct Schemas(Mutex<HashMap<ToolRef, Arc<CompiledSchema>>>);

struct CompiledSchema {
    tool: Arc<ToolDef>,
    cost: Cost,
    /// `None` if the schema is invalid beyond repair, or too expensive to check. A server's
    /// mistake must not make its tool unusable, and the server checks its arguments anyway.
    validator: Option<Validator>,
    /// The repaired schema that was compiled, if it differs from the tool's own.
    repaired: Option<Value>,
}

impl CompiledSchema {
    fn new(tool: &Arc<ToolDef>) -> Self {
        let schema = &tool.input_schema;
        let cost = Cost::of(schema);
        let (validator, repaired) = match cost.allows_compiling() {
            true => compile(schema),
            false => (None, None),
        };
        Self { tool: Arc::clone(tool), cost, validator, repaired }
    }

    fn check(&self, arguments: &Value) -> Result<(), ArgumentProblem> {
        let Some(validator) = &self.validator else { return Ok(()) };
        let schema = self.repaired.as_ref().unwrap_or(&self.tool.input_schema);
        // Collecting errors costs many times more than finding out whether there are any.
        if !self.cost.allows(schema, arguments) || validator.is_valid(arguments) {
            return Ok(());
        }
        let explainer = Explainer { schema, arguments };
        let sample = sample(arguments);
        let errors: Vec<_> = validator.iter_errors(sample.as_ref().unwrap_or(arguments)).collect();
        Err(explainer.explain(&errors))
    }
}

/// Compiles a schema with as few repairs as necessary.
fn compile(schema: &Value) -> (Option<Validator>, Option<Value>) {
    for extent in [RepairExtent::Contradictions, RepairExtent::Everything] {
        let repaired = repaired(schema, extent);
        if let Ok(validator) = jsonschema::validator_for(repaired.as_ref().unwrap_or(schema)) {
            return (Some(validator), repaired);
        }
    }
    (jsonschema::validator_for(schema).ok(), None)
}

impl std::fmt::Debug for Schemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Schemas(..)")
    }
}

impl Schemas {
    /// Checks the arguments of a call without changing them.
    pub(crate) fn check(
        &self,
        call: &mut ToolCall,
        tool: &Arc<ToolDef>,
    ) -> Result<(), ArgumentProblem> {
        let compiled = self.compiled(&call.tool, tool);
        // Moved out and back instead of copied: arguments can be megabytes.
        let arguments = Value::Object(std::mem::take(&mut call.arguments));
        let outcome = compiled.check(&arguments);
        if let Value::Object(arguments) = arguments {
            call.arguments = arguments;
        }
        outcome
    }

    fn compiled(&self, id: &ToolRef, tool: &Arc<ToolDef>) -> Arc<CompiledSchema> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some(compiled) = cached
            && (Arc::ptr_eq(&compiled.tool, tool)
                || compiled.tool.input_schema == tool.input_schema)
        {
            return compiled;
        }
        // Without the lock: one server's schema must not delay the others.
        let compiled = Arc::new(CompiledSchema::new(tool));
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(id.clone(), Arc::clone(&compiled));
        compiled
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{ToolCall, ToolDef, ToolRef};

    use super::Schemas;
    use super::problem::ArgumentProblem;

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
    fn valid_arguments_pass() {
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
    fn a_missing_key_is_reported_with_its_type_and_the_typo() {
        assert_eq!(check(json!({})), problem("", "needs `path` (string)", None));
        assert_eq!(
            check(json!({"path": "a", "paht": "b"})),
            problem("", "has no `paht`", Some("did you mean `path`?"))
        );
    }

    #[test]
    fn a_value_outside_an_enum_gets_the_options() {
        let expected = |given: &str| {
            format!("must be one of `\"open\"`, `\"closed\"`, got string `\"{given}\"`")
        };
        assert_eq!(
            check(json!({"path": "a", "state": "opened"})),
            problem("state", &expected("opened"), Some("write \"open\""))
        );
        assert_eq!(
            check(json!({"path": "a", "state": "pending"})),
            problem("state", &expected("pending"), None)
        );
    }

    #[test]
    fn an_exceeded_limit_is_reported_with_the_value() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 5},
            "tags": {"type": "array", "maxItems": 1},
            "id": {"type": "string", "pattern": "^L-", "description": "Such as `L-1`."},
            "name": {"type": "string", "description": "Of a person.", "minLength": 1},
            "fields": {"type": "object", "properties": {"a": {}, "b": {}}}
        }});
        let described = Some("its description: Such as `L-1`.");
        let null_hint = Some("leave it out instead of passing null");
        for (key, value, expected, hint) in [
            ("count", json!(0), "must be at least 1, got number `0`", None),
            ("count", json!(9), "must be at most 5, got number `9`", None),
            ("count", json!(null), "must be an integer, got null", null_hint),
            ("tags", json!([1, 2]), "must have at most 1 items, got a list of 2", None),
            ("id", json!("7"), "must match the pattern `^L-`, got string `\"7\"`", described),
            ("name", json!(""), "must not be empty", None),
            (
                "fields",
                json!([1]),
                "must be an object, got a list of 1",
                Some("known keys: `a`, `b`"),
            ),
        ] {
            let mut arguments = serde_json::Map::from_iter([("name".to_owned(), json!("x"))]);
            arguments.insert(key.to_owned(), value);
            let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments };
            let checked = Schemas::default().check(&mut call, &tool(schema.clone()));
            assert_eq!(checked, problem(key, expected, hint));
        }
        let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments: serde_json::Map::new() };
        assert_eq!(
            Schemas::default().check(&mut call, &tool(schema)),
            problem("", "needs `name` (string)", Some("its description: Of a person."))
        );
    }

    #[test]
    fn an_invalid_schema_does_not_block_its_tool() {
        let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments: serde_json::Map::new() };
        assert_eq!(Schemas::default().check(&mut call, &tool(json!({"type": 12}))), Ok(()));
    }

    #[test]
    fn a_contradictory_schema_accepts_the_listed_values_and_checks_the_rest() {
        let schema = json!({"type": "object", "properties": {
            "level": {"type": "integer", "enum": ["1", "2"]},
            "parent": {"type": "string", "required": true},
            "size": {"type": "integer", "minimum": 5, "exclusiveMinimum": true},
            "note": {"type": "string", "nullable": true}
        }});
        let check = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("not an object") };
            let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments };
            Schemas::default().check(&mut call, &tool(schema.clone()))
        };
        assert_eq!(check(json!({"level": "1", "size": 6, "note": null})), Ok(()));
        assert_eq!(
            check(json!({"size": 5})),
            problem("size", "must be more than 5, got number `5`", None)
        );
        assert_eq!(
            check(json!({"parent": 5})),
            problem("parent", "must be a string, got number `5`", Some("write \"5\""))
        );
    }

    #[test]
    fn a_repaired_schema_that_does_not_compile_does_not_replace_one_that_does() {
        // Wrapping `a` to allow null breaks the reference in `b`.
        let schema = json!({
            "properties": {
                "a": {"allOf": [{"type": "string"}], "nullable": true},
                "b": {"$ref": "#/properties/a/allOf/0"}
            }
        });
        let arguments = json!({"b": 5}).as_object().unwrap().clone();
        let mut call = ToolCall { tool: ToolRef::new("a", "b"), arguments };
        assert_eq!(
            Schemas::default().check(&mut call, &tool(schema)),
            problem("b", "must be a string, got number `5`", Some("write \"5\""))
        );
    }
}
