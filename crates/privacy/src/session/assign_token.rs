//! Assigns tokens: the number in `[EMAIL_1]`.
//!
//! In: a value that the session knows. Out: its token, the same each time. Invariant:
//! no number is assigned twice, nor one that occurred in data from outside.

use tidegate_model::Secret;

use super::entries::Id;
use super::{NewValue, SessionValues, Token};

impl SessionValues {
    /// The token of a value. Assigns the next free number of its type if it has none.
    pub(super) fn assign_token(&mut self, id: Id, new: &mut Vec<NewValue>) -> Option<Token> {
        let entry = self.entries.get(id)?;
        let data_type = entry.data_type;
        if entry.number != 0 {
            return Some(Token { data_type, number: entry.number });
        }
        let last = self.last.entry(data_type).or_default();
        let token = loop {
            // Cannot overflow: four billion values of a type do not fit into memory.
            *last = last.saturating_add(1);
            let token = Token { data_type, number: *last };
            if !self.foreign.contains(&token) {
                break token;
            }
        };
        new.push(NewValue { token, value: Secret::new(self.entries.value(entry).to_owned()) });
        self.by_token.insert(self.token_hash(token), (token, id));
        self.entries.get_mut(id)?.number = token.number;
        Some(token)
    }
}
