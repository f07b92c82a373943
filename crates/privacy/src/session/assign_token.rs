//! Assigns tokens: the number in `[EMAIL_1]`.
//!
//! In: a value that the session knows, and how it is spelled in one place. Out: the token of
//! this spelling, the same each time. Invariant: no number is assigned twice, nor one that
//! occurred in data from outside.

use std::collections::BTreeSet;

use tidegate_model::{DataType, Secret};

use super::entries::Id;
use super::hash::TextHash;
use super::spelling::Spelling;
use super::{Assigned, NewValue, SessionValues, Token};

impl SessionValues {
    /// The token of a spelling. Assigns the next free number of its type if it has none.
    pub(super) fn assign_token(&mut self, id: Id, spelling: Spelling<'_>) -> Option<Token> {
        let entry = self.entries.get(id)?;
        let data_type = entry.data_type;
        let value = self.entries.value(entry);
        let is_value = matches!(&spelling, Spelling::Text(text) if text == value);
        let number = match is_value {
            true => entry.number,
            false => {
                let known = self.spellings.get(&self.spelling_hash(data_type, &spelling));
                known.copied().unwrap_or_default()
            }
        };
        if number != 0 {
            return Some(Token { data_type, number });
        }
        let token = self.free_token(data_type);
        self.take_token(token, id, spelling);
        Some(token)
    }

    fn free_token(&mut self, data_type: DataType) -> Token {
        loop {
            let token = Token { data_type, number: self.numbers.next(data_type) };
            if !self.foreign.contains(&token) {
                return token;
            }
        }
    }

    /// Binds a token to a spelling of a value.
    pub(super) fn take_token(&mut self, token: Token, id: Id, spelling: Spelling<'_>) {
        let hash = self.spelling_hash(token.data_type, &spelling);
        let Some(entry) = self.entries.get_mut(id) else { return };
        entry.has_token = true;
        let is_number_free = entry.number == 0;
        let is_value =
            matches!(&spelling, Spelling::Text(text) if self.entries.value_at(id) == text);
        let spelling = if is_value && is_number_free {
            if let Some(entry) = self.entries.get_mut(id) {
                entry.number = token.number;
            }
            None
        } else {
            self.spellings.entry(hash).or_insert(token.number);
            Some(Box::new(spelling.into_owned()))
        };
        let assigned = Assigned { token, id, sent: false, spelling };
        self.by_token.insert(self.token_hash(token), assigned);
    }

    /// Marks tokens as sent. Returns those that were not, with what they replaced, for the
    /// vault.
    pub fn mark_sent(&mut self, tokens: impl IntoIterator<Item = Token>) -> Vec<NewValue> {
        let mut new = Vec::new();
        for token in tokens {
            if self.note_sent(token)
                && let Some(assigned) = self.by_token.get(&self.token_hash(token))
            {
                let value = self.entries.value_at(assigned.id);
                let stored = match &assigned.spelling {
                    Some(spelling) => spelling.stored(value),
                    None => Spelling::Text(value.into()).stored(value),
                };
                new.push(NewValue { token, value: Secret::new(stored) });
            }
        }
        new
    }

    /// Marks a token of ours as sent. Returns whether it was not.
    pub(super) fn note_sent(&mut self, token: Token) -> bool {
        let hash = self.token_hash(token);
        let unsent = self.by_token.get_mut(&hash).filter(|assigned| !assigned.sent);
        let Some(assigned) = unsent else { return false };
        assigned.sent = true;
        if let Some(entry) = self.entries.get_mut(assigned.id) {
            entry.sent = true;
        }
        true
    }

    /// Forgets the spellings of tokens that are gone.
    pub(super) fn forget_spellings(&mut self, gone: &BTreeSet<Token>) {
        if !gone.is_empty() {
            self.spellings.clear();
            let known = self.by_token.values().filter_map(|assigned| {
                let spelling = assigned.spelling.as_deref()?;
                let hash = self.spelling_hash(assigned.token.data_type, spelling);
                Some((hash, assigned.token.number))
            });
            let known: Vec<_> = known.collect();
            self.spellings.extend(known);
        }
    }

    fn spelling_hash(&self, data_type: DataType, spelling: &Spelling<'_>) -> TextHash {
        // Apart from the hashes of canonical forms, which have the type alone.
        self.key.exact(data_type as u64 | spelling.kind() << 8, spelling.raw().as_bytes())
    }
}
