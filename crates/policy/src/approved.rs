//! Records what a person has approved or refused, for one run or one session.
//!
//! In: a person's answers. Out: whether they cover a call that needs approval. Approving a
//! single call is bound to the hash of that exact call and consumed by it. Approving a
//! program covers tools. Approving for a session covers tools, but only where the same
//! rule, or the same default, asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tidegate_model::{ToolCall, ToolRef};

use crate::rules::RulingReason;

/// The answers of a person, for as long as the run or session lasts.
#[derive(Debug, Default)]
pub struct Approved {
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    tools: BTreeSet<ToolRef>,
    /// Approved tools, each with the rules or defaults that asked.
    by_reason: BTreeMap<ToolRef, Vec<RulingReason>>,
    refused: BTreeSet<ToolRef>,
    /// Hashes of approved calls, and how often each may still be made.
    calls: HashMap<String, u32>,
}

impl Approved {
    /// Approves every call of these tools.
    pub fn approve_tools(&self, tools: impl IntoIterator<Item = ToolRef>) {
        self.answers().tools.extend(tools);
    }

    /// Approves every call of this tool that needs approval for this reason. A different
    /// rule, for instance about certain arguments, is not what the person saw.
    pub fn approve_by(&self, tool: ToolRef, why: RulingReason) {
        let mut answers = self.answers();
        let reasons = answers.by_reason.entry(tool).or_default();
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }

    /// Whether all calls of this tool that need approval for this reason are approved.
    pub fn has_tool(&self, tool: &ToolRef, why: &RulingReason) -> bool {
        self.answers().has_tool(tool, why)
    }

    /// Approves exactly this call, once.
    pub fn approve_call(&self, call: &ToolCall) {
        *self.answers().calls.entry(subject_of_call(call)).or_default() += 1;
    }

    /// Records that a person refused this tool, so that they are not asked again.
    pub fn refuse(&self, tool: ToolRef) {
        self.answers().refused.insert(tool);
    }

    /// Whether a person refused this tool.
    pub fn is_refused(&self, tool: &ToolRef) -> bool {
        self.answers().refused.contains(tool)
    }

    /// Whether a call is approved. An approval of this call alone is consumed.
    pub(crate) fn covers(&self, call: &ToolCall, why: &RulingReason) -> bool {
        let mut answers = self.answers();
        if answers.has_tool(&call.tool, why) {
            return true;
        }
        // Hashing is linear in the size of the arguments, and most runs need no hash.
        if answers.calls.is_empty() {
            return false;
        }
        match answers.calls.get_mut(&subject_of_call(call)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers {
    fn has_tool(&self, tool: &ToolRef, why: &RulingReason) -> bool {
        self.tools.contains(tool)
            || self.by_reason.get(tool).is_some_and(|reasons| reasons.contains(why))
    }
}

/// The hash of this exact call: server, tool and arguments, independent of key order.
pub fn subject_of_call(call: &ToolCall) -> String {
    let mut text = String::new();
    // Length prefixes keep different calls from producing the same text.
    for name in [&call.tool.server, &call.tool.tool] {
        let _ = write!(text, "{}:{name}", name.len());
    }
    write_object(&call.arguments, &mut text);
    subject_of_text("call", &text)
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
    use serde_json::{Value, json};
    use tidegate_model::{Effect, ToolCall, ToolRef};

    use super::{Approved, subject_of_call};
    use crate::rules::RulingReason;

    const WHY: RulingReason = RulingReason::Effect(Effect::Destructive);

    fn call(tool: &str, arguments: &Value) -> ToolCall {
        ToolCall {
            tool: ToolRef::new("files", tool),
            arguments: arguments.as_object().unwrap().clone(),
        }
    }

    #[test]
    fn approving_a_call_covers_exactly_that_call_once() {
        let approved = Approved::default();
        let asked = call("delete", &json!({"path": "a", "force": true}));
        approved.approve_call(&asked);
        assert!(!approved.covers(&call("delete", &json!({"path": "b", "force": true})), &WHY));
        assert!(!approved.covers(&call("remove", &json!({"path": "a", "force": true})), &WHY));
        assert!(!approved.covers(&call("delete", &json!({"path": "a"})), &WHY));
        assert!(approved.covers(&call("delete", &json!({"force": true, "path": "a"})), &WHY));
        assert!(!approved.covers(&asked, &WHY));
    }

    #[test]
    fn different_calls_have_different_hashes() {
        let subject = |arguments: Value| subject_of_call(&call("t", &arguments));
        let different = [
            json!({}),
            json!({"a": 1}),
            json!({"a": "1"}),
            json!({"a": [1]}),
            json!({"a": {"b": 1}}),
            json!({"a": null}),
            json!({"a\":1,\"b": 1}),
            json!({"a": 1, "b": 1}),
        ];
        let subjects: std::collections::BTreeSet<String> =
            different.iter().cloned().map(subject).collect();
        assert_eq!(subjects.len(), different.len());
        let split = |server, tool| {
            let tool = ToolRef::new(server, tool);
            subject_of_call(&ToolCall { tool, arguments: serde_json::Map::new() })
        };
        assert_ne!(split("a", "bc"), split("ab", "c"));
    }

    #[test]
    fn approving_a_tool_covers_all_its_calls() {
        let approved = Approved::default();
        approved.approve_tools([ToolRef::new("files", "delete")]);
        for path in ["a", "b"] {
            assert!(approved.covers(&call("delete", &json!({"path": path})), &WHY));
        }
        assert!(!approved.covers(&call("move", &json!({})), &WHY));
    }

    #[test]
    fn approving_by_reason_covers_only_that_reason() {
        let approved = Approved::default();
        approved.approve_by(ToolRef::new("files", "delete"), WHY);
        assert!(approved.covers(&call("delete", &json!({"path": "a"})), &WHY));
        assert!(approved.covers(&call("delete", &json!({"path": "b"})), &WHY));
        assert!(!approved.covers(&call("move", &json!({})), &WHY));
        let other = RulingReason::Effect(Effect::Unknown);
        assert!(!approved.covers(&call("delete", &json!({"path": "a"})), &other));
    }
}
