//! Short fingerprints of definitions, and how two definitions differ.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tidegate_model::{Change, DefinitionPart, ToolDef};

/// SHA-256 of a tool's definition: name, title, description, schemas and
/// annotations. Anything learned about a tool applies only to the definition
/// it was learned with. The order of keys is ignored: servers that keep them
/// in hash maps send a different one every time.
pub fn definition_hash(tool: &ToolDef) -> String {
    let value = serde_json::to_value(tool).unwrap_or_default();
    sha256_hex(&[sorted(value).to_string().as_bytes()])
}

/// How a definition differs from the accepted one of the same name. `None` if
/// they are the same.
pub fn difference(accepted: &ToolDef, now: &ToolDef) -> Option<Change> {
    let hints = |tool: &ToolDef| tool.annotations.clone().unwrap_or_default();
    let parts = [
        (DefinitionPart::Title, accepted.title == now.title),
        (DefinitionPart::Description, accepted.description == now.description),
        // Objects are equal in any order of their keys.
        (DefinitionPart::InputSchema, accepted.input_schema == now.input_schema),
        (DefinitionPart::OutputSchema, accepted.output_schema == now.output_schema),
        (DefinitionPart::Annotations, hints(accepted) == hints(now)),
    ];
    let changed: Vec<DefinitionPart> =
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect();
    (!changed.is_empty()).then_some(Change::Parts(changed))
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            let members = members.into_iter().map(|(name, value)| (name, sorted(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// SHA-256 as lower-case hex.
pub(crate) fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        // Lengths keep `ab|c` and `a|bc` apart.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex::encode(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidegate_model::{Change, DefinitionPart, Hints, ToolDef};

    use super::{definition_hash, difference};

    type Edit = fn(&mut ToolDef);

    fn tool() -> ToolDef {
        ToolDef {
            name: "read".into(),
            title: None,
            description: Some("Reads".into()),
            input_schema: json!({"type": "object", "properties": {"a": {}, "b": {}}}),
            output_schema: None,
            annotations: None,
        }
    }

    #[test]
    fn every_part_of_a_definition_counts_and_the_order_of_keys_does_not() {
        let other = |change: Edit| {
            let mut tool = tool();
            change(&mut tool);
            tool
        };
        let shuffled = other(|tool| {
            tool.input_schema = json!({"properties": {"b": {}, "a": {}}, "type": "object"});
        });
        assert_eq!(definition_hash(&shuffled), definition_hash(&tool()));
        assert_eq!(difference(&tool(), &shuffled), None);
        let cases: [(Edit, DefinitionPart); 5] = [
            (|tool| tool.title = Some("T".into()), DefinitionPart::Title),
            (|tool| tool.description = Some("Reads\u{200b}".into()), DefinitionPart::Description),
            (
                |tool| tool.input_schema["properties"]["b"] = json!({"enum": []}),
                DefinitionPart::InputSchema,
            ),
            (|tool| tool.output_schema = Some(json!({})), DefinitionPart::OutputSchema),
            (
                |tool| {
                    tool.annotations =
                        Some(Hints { read_only_hint: Some(true), ..Hints::default() });
                },
                DefinitionPart::Annotations,
            ),
        ];
        for (change, part) in cases {
            let changed = other(change);
            assert_ne!(definition_hash(&changed), definition_hash(&tool()), "{part:?}");
            assert_eq!(difference(&tool(), &changed), Some(Change::Parts(vec![part])));
        }
    }
}
