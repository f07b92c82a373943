//! Decides which tokens in the arguments of a call become real values, depending on the
//! server that receives them.
//!
//! In: arguments as the program wrote them. Out: the arguments to send, or a refusal.
//! Invariant: a server never gets a type of personal data that it may not receive, neither
//! from a token nor as a value that the program got from another tool.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tidegate_config::PrivacyMode;
use tidegate_model::{ErrorCode, Principal, RunError, TextKind};
use tidegate_privacy::{RestoreError, Restored, Token, TokenAction, find_tokens};

use super::{Privacy, listed, unknown_tokens};

impl Privacy {
    /// Replaces the tokens that are meant in the arguments of a call by values, and counts
    /// each, as text or a number as the schema of the tool wants it. If the server may not receive one of them, nothing is restored.
    pub(crate) fn restore(
        &self,
        principal: &Principal,
        (server, schema): (&str, &Value),
        arguments: Map<String, Value>,
        meant: &dyn Fn(Token) -> bool,
    ) -> Result<Restored<Map<String, Value>>, RunError> {
        let arguments = Value::Object(arguments);
        let restored = if self.is_off() || !holds_token(&arguments) {
            Restored { value: arguments, counts: BTreeMap::new(), left: BTreeSet::new() }
        } else {
            let session = self.session(principal);
            // In strict mode, programs get their tokens from tools.
            let is_strict = self.settings.mode == PrivacyMode::Strict;
            let fate = |token: Token| match self.settings.may_receive(server, token.data_type) {
                _ if !is_strict && !meant(token) => TokenAction::Leave,
                true => TokenAction::Restore,
                false => TokenAction::Refuse,
            };
            let restored = session.values().restore_for_schema(&arguments, schema, &fate);
            let restored = restored.map_err(|error| not_restored(&error, server))?;
            self.keeper.count(&session.name, &restored.counts);
            restored
        };
        self.may_all_go(principal, server, &restored.value)?;
        let value = match restored.value {
            Value::Object(arguments) => arguments,
            // An object stays one.
            _ => Map::new(),
        };
        Ok(Restored { value, counts: restored.counts, left: restored.left })
    }

    /// Refuses values that a server may not receive, including those that a program got
    /// from a tool. Checked only if the server is limited.
    fn may_all_go(
        &self,
        principal: &Principal,
        server: &str,
        sent: &Value,
    ) -> Result<(), RunError> {
        let Some(allowed) = self.settings.received(server).filter(|_| !self.is_off()) else {
            return Ok(());
        };
        let text = sent.to_string();
        let mut types = self.session(principal).values().known_types(&text);
        types.extend(self.detector.scan(&text, TextKind::Json).iter().map(|span| span.data_type));
        let refused: Vec<&str> = types.difference(allowed).map(|one| one.as_str()).collect();
        match refused.as_slice() {
            [] => Ok(()),
            types => {
                Err(not_for_them(server, &format!("personal data of type {}", types.join(", "))))
            }
        }
    }
}

fn holds_token(value: &Value) -> bool {
    match value {
        Value::String(text) => !find_tokens(text).is_empty(),
        Value::Array(items) => items.iter().any(holds_token),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| !find_tokens(key).is_empty() || holds_token(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn not_restored(error: &RestoreError, server: &str) -> RunError {
    match error {
        RestoreError::Unknown(tokens) => unknown_tokens(tokens),
        RestoreError::NotAllowed(tokens) => {
            not_for_them(server, &format!("what {} stands for", listed(tokens)))
        }
    }
}

fn not_for_them(server: &str, what: &str) -> RunError {
    let message = format!("`{server}` may not receive {what}");
    RunError::new(ErrorCode::RecipientDenied, message).with_hint(format!(
        "leave it out, or ask the user to allow it in `privacy.receive.{server}`"
    ))
}
