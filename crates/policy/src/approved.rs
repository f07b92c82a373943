//! What a person has said yes or no to, for one run or one session.
//!
//! In: answers. Out: whether a call that needs a person's word has it. A yes to one
//! call is bound to the hash of exactly that call and used up by it; a yes to a
//! program is about tools; one for a session is about tools as far as the same rule, or the
//! same default, asks about them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tidegate_model::{ToolCall, ToolRef};

use crate::rules::Why;

/// Answers that hold for a while.
#[derive(Debug, Default)]
pub struct Approved {
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    tools: BTreeSet<ToolRef>,
    /// Tools by what asked about them.
    ruled: BTreeMap<ToolRef, Vec<Why>>,
    refused: BTreeSet<ToolRef>,
    /// Hashes of calls, and how often each may be made.
    calls: HashMap<String, u32>,
}

impl Approved {
    /// Every call of these tools is approved.
    pub fn approve_tools(&self, tools: impl IntoIterator<Item = ToolRef>) {
        self.answers().tools.extend(tools);
    }

    /// Every call of this tool is approved that is asked about for this reason. A rule that
    /// asks about certain arguments was not what the person saw.
    pub fn approve_by(&self, tool: ToolRef, why: Why) {
        let mut answers = self.answers();
        let known = answers.ruled.entry(tool).or_default();
        if !known.contains(&why) {
            known.push(why);
        }
    }

    /// Whether every call of this tool that is asked about for this reason is approved.
    pub fn has_tool(&self, tool: &ToolRef, why: &Why) -> bool {
        self.answers().has_tool(tool, why)
    }

    /// Exactly this call is approved, once.
    pub fn approve_call(&self, call: &ToolCall) {
        *self.answers().calls.entry(subject_of_call(call)).or_default() += 1;
    }

    /// A person said no to this tool; they are not asked about it again.
    pub fn refuse(&self, tool: ToolRef) {
        self.answers().refused.insert(tool);
    }

    /// Whether a person said no to this tool.
    pub fn is_refused(&self, tool: &ToolRef) -> bool {
        self.answers().refused.contains(tool)
    }

    /// Whether a call has a person's word. A word for this call alone is used up.
    pub(crate) fn covers(&self, call: &ToolCall, why: &Why) -> bool {
        let mut answers = self.answers();
        if answers.has_tool(&call.tool, why) {
            return true;
        }
        // The hash takes the length of the arguments, and most runs need none.
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
    fn has_tool(&self, tool: &ToolRef, why: &Why) -> bool {
        self.tools.contains(tool) || self.ruled.get(tool).is_some_and(|known| known.contains(why))
    }
}

/// The hash of exactly this call: server, tool and arguments, in whatever order their
/// keys were written.
pub fn subject_of_call(call: &ToolCall) -> String {
    let mut text = String::new();
    // Lengths first: no two calls give the same text.
    for name in [&call.tool.server, &call.tool.tool] {
        let _ = write!(text, "{}:{name}", name.len());
    }
    write_object(&call.arguments, &mut text);
    subject_of_text("call", &text)
}

/// The hash of a text that stands for something of a kind.
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
    use crate::rules::Why;

    const WHY: Why = Why::Effect(Effect::Destructive);

    fn call(tool: &str, arguments: &Value) -> ToolCall {
        ToolCall {
            tool: ToolRef::new("files", tool),
            arguments: arguments.as_object().unwrap().clone(),
        }
    }

    #[test]
    fn a_yes_to_a_call_is_for_exactly_that_call_and_once() {
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
    fn calls_that_differ_have_hashes_that_differ() {
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
    fn a_yes_to_a_tool_holds_for_every_call_of_it() {
        let approved = Approved::default();
        approved.approve_tools([ToolRef::new("files", "delete")]);
        for path in ["a", "b"] {
            assert!(approved.covers(&call("delete", &json!({"path": path})), &WHY));
        }
        assert!(!approved.covers(&call("move", &json!({})), &WHY));
    }

    #[test]
    fn a_yes_by_a_rule_holds_for_what_that_rule_asks_about() {
        let approved = Approved::default();
        approved.approve_by(ToolRef::new("files", "delete"), WHY);
        assert!(approved.covers(&call("delete", &json!({"path": "a"})), &WHY));
        assert!(approved.covers(&call("delete", &json!({"path": "b"})), &WHY));
        assert!(!approved.covers(&call("move", &json!({})), &WHY));
        let other = Why::Effect(Effect::Unknown);
        assert!(!approved.covers(&call("delete", &json!({"path": "a"})), &other));
    }
}
