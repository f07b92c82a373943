//! Asks the user of a client for approval, in both protocol eras.
//!
//! In: a form that was redacted. Out: the user's reply. In the era with sessions the server
//! asks its client in the middle of a request. In the other it answers the request with the
//! form, and the client repeats the request with the reply (`pending.rs`). The form is the
//! same.
//!
//! Invariant: anything but a clear yes counts as no.

use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
};
use rmcp::service::Peer;
use serde_json::{Value, json};
use tidegate_gateway::{Approver, Form, Reply, Shown, Yes};

const ONCE: &str = "approve once";
const SESSION: &str = "approve for this session";
const ALL_CALLS: &str = "approve all calls of these tools for this session";
const DENY: &str = "deny";

/// Whether a client can show a form to its user. A client that names no mode supports
/// forms: earlier revisions of MCP had no other.
pub(crate) fn supports_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation.as_ref());
    elicitation.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

/// Asks the client in the middle of a request.
pub(crate) struct ElicitationApprover(pub(crate) Peer<RoleServer>);

impl Approver for ElicitationApprover {
    fn name(&self) -> &'static str {
        "client"
    }

    fn yes(&self) -> Yes {
        Yes::Unsigned
    }

    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>> {
        Box::pin(async {
            let params = params(form)?;
            match self.0.create_elicitation(params).await {
                Ok(result) => Some(reply(&result)),
                Err(error) => {
                    tracing::warn!(%error, "the client could not ask its user");
                    None
                }
            }
        })
    }
}

/// The form as parameters of an elicitation.
pub(crate) fn params(form: &Shown<Form>) -> Option<ElicitRequestParams> {
    elicitation(format!("Tidegate needs your approval ({}): {}", form.id, form.text()))
}

fn elicitation(message: String) -> Option<ElicitRequestParams> {
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "enum": [ONCE, SESSION, ALL_CALLS, DENY],
            },
        },
        "required": ["decision"],
    });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// The user's reply. Anything but a clear yes counts as no.
pub(crate) fn reply(result: &ElicitResult) -> Reply {
    let decision = result.content.as_ref().and_then(|content| content.get("decision"));
    match (&result.action, decision.and_then(Value::as_str)) {
        (ElicitationAction::Accept, Some(ONCE)) => Reply::Once,
        (ElicitationAction::Accept, Some(SESSION)) => Reply::Session,
        (ElicitationAction::Accept, Some(ALL_CALLS)) => Reply::AllCalls,
        _ => Reply::Deny,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ElicitResult;
    use serde_json::{Value, json};
    use tidegate_gateway::Reply;

    use super::{elicitation, reply};

    fn answered(result: Value) -> Reply {
        reply(&serde_json::from_value::<ElicitResult>(result).unwrap())
    }

    #[test]
    fn anything_but_a_clear_yes_is_a_no() {
        let accepted = |content: Value| answered(json!({"action": "accept", "content": content}));
        assert_eq!(accepted(json!({"decision": "approve once"})), Reply::Once);
        assert_eq!(accepted(json!({"decision": "approve for this session"})), Reply::Session);
        let all_calls = json!({"decision": "approve all calls of these tools for this session"});
        assert_eq!(accepted(all_calls), Reply::AllCalls);
        assert_eq!(accepted(json!({"decision": "deny"})), Reply::Deny);
        assert_eq!(accepted(json!({"decision": true})), Reply::Deny);
        assert_eq!(accepted(json!({})), Reply::Deny);
        assert_eq!(answered(json!({"action": "accept"})), Reply::Deny);
        let decision = json!({"decision": "approve once"});
        assert_eq!(answered(json!({"action": "decline", "content": decision})), Reply::Deny);
        assert_eq!(answered(json!({"action": "cancel"})), Reply::Deny);
    }

    #[test]
    fn the_form_is_one_that_clients_understand() {
        let sent = serde_json::to_value(elicitation("why?".into()).unwrap()).unwrap();
        assert_eq!(sent["mode"], "form");
        let choices = &sent["requestedSchema"]["properties"]["decision"]["enum"];
        let expected = [
            "approve once",
            "approve for this session",
            "approve all calls of these tools for this session",
            "deny",
        ];
        assert_eq!(choices, &json!(expected));
        assert_eq!(sent["message"], "why?");
    }
}
