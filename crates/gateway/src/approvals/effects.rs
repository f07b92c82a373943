//! What one run has sent that may have had an effect, for the error that replaces its answer
//! when it cannot be recorded.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tidegate_model::{ErrorCode, RunError, ToolRef};

/// The most tools that are listed.
const MOST_TOOLS: usize = 30;

/// How often each tool was sent something.
#[derive(Default)]
pub(crate) struct Effects(Mutex<Sent>);

#[derive(Default)]
struct Sent {
    by_tool: BTreeMap<ToolRef, u32>,
    /// Of tools beyond [`MOST_TOOLS`].
    others: u32,
}

impl Effects {
    /// Counts something that is sent now.
    pub(crate) fn add(&self, tool: &ToolRef) {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.by_tool.len() < MOST_TOOLS || sent.by_tool.contains_key(tool) {
            *sent.by_tool.entry(tool.clone()).or_default() += 1;
        } else {
            sent.others += 1;
        }
    }

    /// The error in place of an answer that could not be recorded.
    pub(crate) fn not_recorded(&self) -> RunError {
        let sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<String> = sent
            .by_tool
            .iter()
            .map(|(tool, count)| format!("`{}` × {count}", name(tool)))
            .collect();
        if sent.others > 0 {
            list.push(format!("{} more", sent.others));
        }
        let done = match list.is_empty() {
            true => "it has sent nothing that can have an effect".to_owned(),
            false => format!("what it has sent may have had an effect: {}", list.join(", ")),
        };
        let message = format!("this could not be recorded, so its answer is withheld; {done}");
        RunError::new(ErrorCode::Internal, message).with_hint(
            "tell the user: Tidegate cannot write its record, see the log; check what took effect \
             before you send it again",
        )
    }
}

fn name(tool: &ToolRef) -> String {
    match tool.server.as_str() {
        "" => tool.tool.clone(),
        server => format!("{server}.{}", tool.tool),
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::ToolRef;

    use super::{Effects, MOST_TOOLS};

    #[test]
    fn effects_are_listed_by_tool_and_counted() {
        let effects = Effects::default();
        assert_eq!(
            effects.not_recorded().message,
            "this could not be recorded, so its answer is withheld; it has sent nothing that can \
             have an effect"
        );
        effects.add(&ToolRef::new("crm", "update"));
        effects.add(&ToolRef::new("", "fetch"));
        effects.add(&ToolRef::new("crm", "update"));
        assert_eq!(
            effects.not_recorded().message,
            "this could not be recorded, so its answer is withheld; what it has sent may have had \
             an effect: `fetch` × 1, `crm.update` × 2"
        );
    }

    #[test]
    fn g40_a_flood_of_tools_is_counted_and_not_kept() {
        let effects = Effects::default();
        for number in 0..1000 {
            effects.add(&ToolRef::new("s", format!("t{number}")));
        }
        assert!(effects.not_recorded().message.ends_with(&format!("{} more", 1000 - MOST_TOOLS)));
    }
}
