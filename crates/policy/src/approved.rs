//! Records what a person has approved or refused, for one run or one session.
//!
//! In: a person's answers. Out: whether they cover a call that needs approval. An approval is
//! bound to a [`CallSubject`]: the exact tool and arguments, the tool's definition, and the
//! rule or default that asked. If any of these differs at the call, it asks again.
//! Only if the form said so, an approval covers the tool with any arguments.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tidegate_model::{ToolCall, ToolDef, ToolRef};

use crate::rules::RulingReason;

/// What an approval of a call is bound to, as hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSubject {
    /// This tool with exactly these arguments.
    pub exact: String,
    /// This tool with any arguments.
    pub any_arguments: String,
}

impl CallSubject {
    /// The subject of a call of `tool` that needs approval because of `why`.
    pub fn of(call: &ToolCall, tool: &ToolDef, why: &RulingReason) -> Self {
        let mut text = String::new();
        // Length prefixes keep different calls from producing the same text.
        for name in [&call.tool.server, &call.tool.tool, &why.to_string()] {
            let _ = write!(text, "{}:{name}", name.len());
        }
        // Serialising a definition cannot fail.
        write_value(&serde_json::to_value(tool).unwrap_or_default(), &mut text);
        let any_arguments = subject_of_text("tool", &text);
        write_object(&call.arguments, &mut text);
        Self { exact: subject_of_text("call", &text), any_arguments }
    }
}

/// How often something that was approved may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    /// So many times.
    Times(u32),
    /// Any number of times.
    Always,
}

/// The answers of a person, for as long as the run or session lasts.
#[derive(Debug, Default)]
pub struct Approved {
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    /// What is approved, by its hash, and how often it may still happen.
    subjects: HashMap<String, Uses>,
    /// Whether the program as a whole was approved.
    program: bool,
    refused: BTreeSet<ToolRef>,
}

impl Approved {
    /// Approves the program as a whole; calls that the rules ask about are asked about.
    pub fn approve_program(&self) {
        self.answers().program = true;
    }

    /// Whether the program as a whole was approved.
    pub(crate) fn has_program(&self) -> bool {
        self.answers().program
    }

    /// Approves a subject: a hash of exactly what may happen. Adds to earlier approvals.
    pub fn approve(&self, subject: &str, uses: Uses) {
        let mut answers = self.answers();
        let known = answers.subjects.entry(subject.to_owned()).or_insert(Uses::Times(0));
        *known = match (*known, uses) {
            (Uses::Times(known), Uses::Times(more)) => Uses::Times(known.saturating_add(more)),
            (Uses::Always, _) | (_, Uses::Always) => Uses::Always,
        };
    }

    /// Whether a subject is approved. Uses nothing up.
    pub fn has(&self, subject: &str) -> bool {
        !matches!(self.answers().subjects.get(subject), None | Some(Uses::Times(0)))
    }

    /// Whether a call is approved. Uses nothing up.
    pub fn has_call(&self, call: &CallSubject) -> bool {
        self.has(&call.any_arguments) || self.has(&call.exact)
    }

    /// What is approved and not used up.
    pub fn left(&self) -> Vec<(String, Uses)> {
        let answers = self.answers();
        let mut left: Vec<_> =
            answers.subjects.iter().map(|(subject, uses)| (subject.clone(), *uses)).collect();
        left.retain(|(_, uses)| *uses != Uses::Times(0));
        left.sort_by(|(one, _), (other, _)| one.cmp(other));
        left
    }

    /// Records that a person refused this tool, so that they are not asked again.
    pub fn refuse(&self, tool: ToolRef) {
        self.answers().refused.insert(tool);
    }

    /// Whether a person refused this tool.
    pub fn is_refused(&self, tool: &ToolRef) -> bool {
        self.answers().refused.contains(tool)
    }

    /// Whether a call is approved. An approval for a number of times is used up.
    pub(crate) fn covers(&self, call: &CallSubject) -> bool {
        let mut answers = self.answers();
        [&call.any_arguments, &call.exact].into_iter().any(|subject| {
            match answers.subjects.get_mut(subject) {
                Some(Uses::Always) => true,
                Some(Uses::Times(left)) if *left > 0 => {
                    *left -= 1;
                    true
                }
                Some(Uses::Times(_)) | None => false,
            }
        })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hash of a text, kept apart from other kinds of subjects by `kind`.
pub fn subject_of_text(kind: &str, text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update((kind.len() as u64).to_le_bytes());
    hash.update(kind);
    hash.update(text);
    hex::encode(hash.finalize())
}

fn write_object(object: &serde_json::Map<String, Value>, text: &mut String) {
    let mut entries: Vec<(&String, &Value)> = object.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    text.push('{');
    for (key, value) in entries {
        let _ = write!(text, "{}:", Value::String(key.clone()));
        write_value(value, text);
        text.push(',');
    }
    text.push('}');
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => write_object(object, text),
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write_value(value, text);
                text.push(',');
            }
            text.push(']');
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};
    use tidegate_model::{Effect, ToolCall, ToolDef, ToolRef};

    use super::{Approved, CallSubject, Uses};
    use crate::rules::RulingReason;

    const WHY: RulingReason = RulingReason::Effect(Effect::Destructive);

    fn call(server: &str, tool: &str, arguments: &Value) -> ToolCall {
        ToolCall {
            tool: ToolRef::new(server, tool),
            arguments: arguments.as_object().unwrap().clone(),
        }
    }

    fn definition(description: &str) -> ToolDef {
        ToolDef {
            name: "delete".into(),
            title: None,
            description: Some(description.into()),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            annotations: None,
        }
    }

    fn subject(tool: &str, arguments: &Value) -> CallSubject {
        CallSubject::of(&call("files", tool, arguments), &definition("x"), &WHY)
    }

    #[test]
    fn approving_a_call_covers_exactly_that_call_as_often_as_approved() {
        let approved = Approved::default();
        let asked = subject("delete", &json!({"path": "a", "force": true}));
        approved.approve(&asked.exact, Uses::Times(2));
        for other in [
            subject("delete", &json!({"path": "b", "force": true})),
            subject("remove", &json!({"path": "a", "force": true})),
            subject("delete", &json!({"path": "a"})),
        ] {
            assert!(!approved.covers(&other));
        }
        let same = subject("delete", &json!({"force": true, "path": "a"}));
        assert_eq!([(); 3].map(|()| approved.covers(&same)), [true, true, false]);
        assert!(!approved.has_call(&asked));
        approved.approve(&asked.exact, Uses::Always);
        approved.approve(&asked.exact, Uses::Times(1));
        assert_eq!([(); 3].map(|()| approved.covers(&same)), [true; 3]);
    }

    #[test]
    fn different_calls_definitions_and_reasons_have_different_subjects() {
        let mut subjects: Vec<CallSubject> = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": {"b": 1}}),
            json!({"a": null}),
            json!({"a\":1,\"b": 1}),
            json!({"a": 1, "b": 1}),
        ]
        .iter()
        .map(|arguments| subject("t", arguments))
        .collect();
        let tools: BTreeSet<String> =
            subjects.iter().map(|one| one.any_arguments.clone()).collect();
        assert_eq!(tools.len(), 1);
        let with = |server, tool, description, why: RulingReason| {
            CallSubject::of(&call(server, tool, &json!({})), &definition(description), &why)
        };
        let different = [
            with("a", "bc", "x", WHY),
            with("ab", "c", "x", WHY),
            with("files", "t", "y", WHY),
            with("files", "t", "x", RulingReason::Effect(Effect::Unknown)),
        ];
        let tools: BTreeSet<&str> = different.iter().map(|one| &*one.any_arguments).collect();
        assert_eq!(tools.len(), different.len());
        subjects.extend(different);
        let exact: BTreeSet<&str> = subjects.iter().map(|one| &*one.exact).collect();
        assert_eq!(exact.len(), subjects.len());
    }

    #[test]
    fn approving_a_tool_covers_its_calls_with_any_arguments() {
        let approved = Approved::default();
        let first = subject("delete", &json!({"path": "a"}));
        approved.approve(&first.any_arguments, Uses::Always);
        for path in ["a", "b"] {
            assert!(approved.covers(&subject("delete", &json!({"path": path}))));
        }
        assert!(!approved.covers(&subject("move", &json!({}))));
    }

    #[test]
    fn what_is_left_can_be_approved_again_elsewhere() {
        let (here, there) = (Approved::default(), Approved::default());
        let [once, twice, always] =
            ["a", "b", "c"].map(|path| subject("delete", &json!({"path": path})));
        here.approve(&once.exact, Uses::Times(1));
        here.approve(&twice.exact, Uses::Times(2));
        here.approve(&always.exact, Uses::Always);
        assert!(here.covers(&once) && here.covers(&twice) && here.covers(&always));
        here.left().iter().for_each(|(subject, uses)| there.approve(subject, *uses));
        let covered = [once, twice.clone(), twice, always.clone(), always]
            .map(|subject| there.covers(&subject));
        assert_eq!(covered, [false, true, false, true, true]);
    }
}
