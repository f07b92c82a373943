//! Decides which tokens in the arguments of a call become real values, depending on the
//! server that receives them.
//!
//! In: arguments as the program wrote them. Out: the arguments to send, or a refusal.
//! Invariant: a server never gets a type of personal data that it may not receive, neither
//! from a token nor as a value that the program got from another tool.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tidegate_config::PrivacyMode;
use tidegate_model::{ErrorCode, Principal, RunError, TextKind, json_bytes};
use tidegate_privacy::{RestoreError, Restored, Token, TokenAction, tokens_in};
use tidegate_store::wait;

use super::search::outside_of_runtime;
use super::{Privacy, listed, unknown_tokens};

/// Bytes of a text that are searched for known values at once. Chosen: takes a few milliseconds.
const PIECE_BYTES: usize = 256 * 1024;

impl Privacy {
    /// Replaces the tokens that are meant in the arguments of a call by values, as text or a
    /// number as the schema of the tool wants it, and counts each. If the server may not receive
    /// one of them, nothing is restored.
    pub(crate) fn restore(
        &self,
        principal: &Principal,
        (server, schema): (&str, &Value),
        arguments: Map<String, Value>,
        meant: &dyn Fn(Token) -> bool,
    ) -> Result<Restored<Map<String, Value>>, RunError> {
        let arguments = Value::Object(arguments);
        // The bytes of a text with as much to search.
        let bytes = usize::try_from(json_bytes(&arguments)).unwrap_or(usize::MAX);
        outside_of_runtime(bytes, || {
            self.restore_all(principal, (server, schema), arguments, meant)
        })
    }

    fn restore_all(
        &self,
        principal: &Principal,
        (server, schema): (&str, &Value),
        arguments: Value,
        meant: &dyn Fn(Token) -> bool,
    ) -> Result<Restored<Map<String, Value>>, RunError> {
        let tokens = if self.is_off() { BTreeSet::new() } else { tokens_in(&arguments) };
        let restored = if tokens.is_empty() {
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
            // The session is not kept from others while a large text is restored.
            let spellings = session.values().spellings(&tokens);
            let restored = spellings.restore_for_schema(&arguments, schema, &fate);
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
        let session = self.session(principal);
        let mut types = BTreeSet::new();
        let mut at = 0;
        while at < text.len() {
            let values = session.values_between_others();
            let end = at.saturating_add(PIECE_BYTES);
            // A value may begin in this piece and end in the next.
            let reach = text.ceil_char_boundary(end.saturating_add(values.longest()));
            types.extend(values.known_types(&text[at..reach]));
            at = piece_end(&text, end);
        }
        let turns = self.turns.of(text.len());
        // Never closed, so there is no error.
        let _turn = turns.map(|turns| wait(turns.acquire()).ok());
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

/// Where a piece of a text ends, at most at `end`: between two words, or no known value would be
/// recognized at its border.
fn piece_end(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let end = text.floor_char_boundary(end);
    let near = text.floor_char_boundary(end.saturating_sub(PIECE_BYTES / 2));
    text[near..end].rfind(|char: char| !char.is_alphanumeric()).map_or(end, |at| near + at)
}

fn not_restored(error: &RestoreError, server: &str) -> RunError {
    match error {
        RestoreError::Unknown(tokens) => unknown_tokens(tokens),
        RestoreError::NotAllowed(tokens) => {
            not_for_them(server, &format!("what {} stands for", listed(tokens)))
        }
        RestoreError::TooLong => RunError::new(ErrorCode::BadArgument, error.to_string())
            .with_hint("send the values in several calls"),
    }
}

fn not_for_them(server: &str, what: &str) -> RunError {
    let message = format!("`{server}` may not receive {what}");
    RunError::new(ErrorCode::RecipientDenied, message).with_hint(format!(
        "leave it out, or ask the user to allow it in `privacy.receive.{server}`"
    ))
}
