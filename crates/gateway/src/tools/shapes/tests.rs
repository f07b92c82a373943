//! Shapes are learned, kept, and bound to their tool's definition.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tidegate_catalog::{ObservedSchema, ServerTools};
use tidegate_model::{Answer, Clock, ServerInfo, ToolDef, ToolList, ToolRef};
use tidegate_store::Store;

use super::Shapes;
use crate::privacy::Unscanned;

fn shapes(state: &Path) -> Shapes {
    Shapes::open(Store::open(state, Clock::system()).unwrap().shapes()).unwrap()
}

fn tool(description: &str) -> Arc<ToolDef> {
    Arc::new(ToolDef {
        name: "read".into(),
        title: None,
        description: Some(description.into()),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        annotations: None,
    })
}

fn id() -> ToolRef {
    ToolRef::new("files", "read")
}

fn text(text: &str) -> Answer {
    Answer { content: vec![json!({"type": "text", "text": text})], ..Answer::default() }
}

fn observed(schema: Value, results: u32) -> Option<Arc<ObservedSchema>> {
    Some(Arc::new(ObservedSchema { schema, results }))
}

#[test]
fn what_a_program_gets_is_learned() {
    let state = tempfile::tempdir().unwrap();
    let shapes = shapes(state.path());
    let tool = tool("Reads");
    shapes.learn(&id(), &tool, &Unscanned::new(text("{\"size\": 1}")));
    let structured = Answer { structured: Some(json!({"size": null})), ..text("other") };
    shapes.learn(&id(), &tool, &Unscanned::new(structured));
    let failed = Answer { is_error: true, ..text("no such file") };
    shapes.learn(&id(), &tool, &Unscanned::new(failed));
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    shapes.learn(
        &id(),
        &tool,
        &Unscanned::new(Answer { content: vec![image], ..Answer::default() }),
    );
    let size = json!({"type": ["integer", "null"]});
    assert_eq!(
        shapes.observed(&id(), &tool),
        observed(json!({"type": "object", "required": ["size"], "properties": {"size": size}}), 2)
    );
}

#[test]
fn a_tool_with_an_output_schema_teaches_nothing() {
    let state = tempfile::tempdir().unwrap();
    let shapes = shapes(state.path());
    let mut tool = tool("Reads");
    Arc::make_mut(&mut tool).output_schema = Some(json!({"type": "object"}));
    shapes.learn(&id(), &tool, &Unscanned::new(text("{}")));
    assert_eq!(shapes.observed(&id(), &tool), None);
}

#[test]
fn a_shape_is_kept_between_starts_and_counts_for_its_definition_only() {
    let state = tempfile::tempdir().unwrap();
    shapes(state.path()).learn(&id(), &tool("Reads"), &Unscanned::new(text("plain")));
    let reopened = shapes(state.path());
    let string = json!({"type": "string"});
    assert_eq!(reopened.observed(&id(), &tool("Reads")), observed(string.clone(), 1));
    assert_eq!(reopened.observed(&id(), &tool("Reads better")), None);
    // The first answer of the new one replaces it.
    reopened.learn(&id(), &tool("Reads better"), &Unscanned::new(text("[]")));
    assert_eq!(
        reopened.observed(&id(), &tool("Reads better")),
        observed(json!({"type": "array"}), 1)
    );
    assert_eq!(reopened.observed(&id(), &tool("Reads")), None);
}

#[test]
fn what_a_shape_rests_on_is_kept_at_the_end() {
    let state = tempfile::tempdir().unwrap();
    let first = shapes(state.path());
    for _ in 0..3 {
        first.learn(&id(), &tool("Reads"), &Unscanned::new(text("plain")));
    }
    first.keep_all();
    drop(first);
    let string = json!({"type": "string"});
    assert_eq!(shapes(state.path()).observed(&id(), &tool("Reads")), observed(string, 3));
}

#[test]
fn a_list_with_another_definition_or_without_the_tool_makes_it_forgotten() {
    let list = |tools: Vec<ToolDef>| {
        ServerTools::new(&ToolList { left_out: 0, info: ServerInfo::default(), tools })
    };
    let changed = [list(vec![ToolDef::clone(&tool("Reads better"))]), list(Vec::new())];
    for changed in changed {
        let state = tempfile::tempdir().unwrap();
        let shapes = shapes(state.path());
        shapes.learn(&id(), &tool("Reads"), &Unscanned::new(text("plain")));
        shapes.forget_changed("files", &list(vec![ToolDef::clone(&tool("Reads"))]));
        shapes.forget_changed("other", &changed);
        assert!(shapes.observed(&id(), &tool("Reads")).is_some());
        shapes.forget_changed("files", &changed);
        assert_eq!(shapes.observed(&id(), &tool("Reads")), None);
        drop(shapes);
        let store = Store::open(state.path(), Clock::system()).unwrap();
        assert_eq!(store.shapes().all().wait().unwrap(), []);
    }
}

#[test]
fn a_settled_shape_is_looked_at_rarely_and_still_changes() {
    let state = tempfile::tempdir().unwrap();
    let shapes = shapes(state.path());
    let tool = tool("Reads");
    for _ in 0..101 {
        shapes.learn(&id(), &tool, &Unscanned::new(text("plain")));
    }
    // The first, sixteen more, then every eighth of the rest.
    assert_eq!(
        shapes.observed(&id(), &tool),
        observed(json!({"type": "string"}), 1 + 16 + (100 - 16) / 8)
    );
    for _ in 0..8 {
        shapes.learn(&id(), &tool, &Unscanned::new(text("[]")));
    }
    let both = json!({"anyOf": [{"type": "array"}, {"type": "string"}]});
    // After a change, every answer is examined again.
    let seen = shapes.observed(&id(), &tool).unwrap();
    assert_eq!(seen.schema, both);
}
