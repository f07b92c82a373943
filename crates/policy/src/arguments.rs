//! Arguments against the tool's JSON Schema.
//!
//! In: a call and the definition of its tool. Out: nothing, or what is wrong,
//! told by `explain.rs`. Schemas are mended by `mend.rs`, compiled once and kept;
//! a call whose arguments fit pays for that question only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;
use tidegate_model::{ToolCall, ToolDef, ToolRef};

use crate::cost::Cost;
use crate::explain::Explainer;
use crate::mend::{Extent, mended};
use crate::sample::sample;

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
pub(crate) struct Schemas(Mutex<HashMap<ToolRef, Arc<Compiled>>>);

struct Compiled {
    tool: Arc<ToolDef>,
    cost: Cost,
    /// `None` for a schema that is itself wrong beyond mending, or too expensive
    /// to check. The server's mistake must not make its tool unusable; the server
    /// checks its arguments anyway.
    validator: Option<Validator>,
    /// The schema that was compiled, if it is not the tool's own.
    mended: Option<Value>,
}

impl Compiled {
    fn new(tool: &Arc<ToolDef>) -> Self {
        let schema = &tool.input_schema;
        let cost = Cost::of(schema);
        let (validator, mended) = match cost.allows_compiling() {
            true => compile(schema),
            false => (None, None),
        };
        Self { tool: Arc::clone(tool), cost, validator, mended }
    }

    fn check(&self, arguments: &Value) -> Result<(), ArgumentProblem> {
        let Some(validator) = &self.validator else { return Ok(()) };
        let schema = self.mended.as_ref().unwrap_or(&self.tool.input_schema);
        // Errors are many times as expensive as the question whether there are any.
        if !self.cost.allows(schema, arguments) || validator.is_valid(arguments) {
            return Ok(());
        }
        let explainer = Explainer { schema, arguments };
        let sample = sample(arguments);
        let errors: Vec<_> = validator.iter_errors(sample.as_ref().unwrap_or(arguments)).collect();
        Err(explainer.explain(&errors))
    }
}

/// Compiles a schema, mended as little as is needed.
fn compile(schema: &Value) -> (Option<Validator>, Option<Value>) {
    for extent in [Extent::Contradictions, Extent::Everything] {
        let mended = mended(schema, extent);
        if let Ok(validator) = jsonschema::validator_for(mended.as_ref().unwrap_or(schema)) {
            return (Some(validator), mended);
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
    /// Checks the arguments of a call, and leaves them as they were.
    pub(crate) fn check(
        &self,
        call: &mut ToolCall,
        tool: &Arc<ToolDef>,
    ) -> Result<(), ArgumentProblem> {
        let compiled = self.compiled(&call.tool, tool);
        // Moved in and out instead of copied: arguments can be megabytes.
        let arguments = Value::Object(std::mem::take(&mut call.arguments));
        let outcome = compiled.check(&arguments);
        if let Value::Object(arguments) = arguments {
            call.arguments = arguments;
        }
        outcome
    }

    fn compiled(&self, id: &ToolRef, tool: &Arc<ToolDef>) -> Arc<Compiled> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some(compiled) = known
            && (Arc::ptr_eq(&compiled.tool, tool)
                || compiled.tool.input_schema == tool.input_schema)
        {
            return compiled;
        }
        // Without the lock: one server's schema must not hold up the others.
        let compiled = Arc::new(Compiled::new(tool));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id.clone(), Arc::clone(&compiled));
        compiled
    }
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

    #[test]
    fn a_schema_that_lies_takes_the_values_it_names_and_checks_the_rest() {
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
    fn a_mended_schema_that_cannot_be_compiled_does_not_replace_one_that_can() {
        // Wrapping `A` for its null takes away what `b` refers to.
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
