//! Registers values: finds the entry of a value by its canonical form, or creates it.

use tidegate_model::{Certainty, DataType, Span};

use super::entries::{Id, Rule};
use super::hash::TextHash;
use super::rule::{is_distinctive, parts, rule};
use super::{SessionValues, Token, canonical};

impl SessionValues {
    fn canonical_hash(&self, data_type: DataType, canonical: &str) -> TextHash {
        self.key.exact(data_type as u64, canonical.as_bytes())
    }

    pub(super) fn find_entry(&self, data_type: DataType, canonical: &str) -> Option<Id> {
        if let Some(id) = self.index.get(data_type, canonical)
            && let Some(entry) = self.entries.get(id)
            && entry.data_type == data_type
            && (!is_case_sensitive(data_type) || self.entries.value(entry) == canonical)
        {
            return Some(id);
        }
        self.by_canonical.get(&self.canonical_hash(data_type, canonical)).copied()
    }

    pub(super) fn token_hash(&self, token: Token) -> TextHash {
        self.key.pair(token.data_type as u64, u64::from(token.number))
    }

    /// Reserves space for the detected values, if there are many.
    pub(super) fn reserve(&mut self, spans: &[Span]) {
        if spans.len() > 1000 {
            let names = spans.iter().filter(|span| span.data_type == DataType::Person).count();
            self.entries.reserve(spans.len() + names);
            // Values repeat: tables for all of them would be sparse, and slow to look up in.
            self.index.reserve(names / 4, (spans.len() - names) / 4);
        }
    }

    /// The entry of a value, created if missing. `None` for a blank value.
    pub(super) fn entry(
        &mut self,
        data_type: DataType,
        value: &str,
        certainty: Certainty,
    ) -> Option<Id> {
        let value = value.trim();
        let form = canonical(data_type, value);
        if form.is_empty() {
            return None;
        }
        if let Some(id) = self.find_entry(data_type, &form) {
            self.promote(id, value, &form, certainty);
            return Some(id);
        }
        if data_type == DataType::Phone
            && let Some(id) = self.index.phone(&self.entries, &form)
        {
            self.by_canonical.insert(self.canonical_hash(data_type, &form), id);
            return Some(id);
        }
        let id = self.add(data_type, value, &form, rule(data_type, value, &form), certainty);
        if data_type == DataType::Person {
            for part in parts(value) {
                // Looks up the part itself first, which is fast: most given names are soon known.
                if self.find_entry(data_type, part).is_none() && is_distinctive(part) {
                    let form = canonical(data_type, part);
                    if self.find_entry(data_type, &form).is_none() {
                        self.add(data_type, part, &form, Rule::SameCase, certainty);
                    }
                }
            }
        }
        Some(id)
    }

    /// The entry of a fragment of a value, which is never searched for elsewhere.
    pub(super) fn fragment(&mut self, data_type: DataType, value: &str) -> Option<Id> {
        let form = canonical(data_type, value);
        if form.is_empty() {
            return None;
        }
        let known = self.find_entry(data_type, &form);
        Some(known.unwrap_or_else(|| {
            self.add(data_type, value, &form, Rule::Detected, Certainty::Certain)
        }))
    }

    pub(super) fn add(
        &mut self,
        data_type: DataType,
        value: &str,
        canonical: &str,
        rule: Rule,
        certainty: Certainty,
    ) -> Id {
        let id = self.entries.add(data_type, value, rule, certainty);
        if !self.index_entry(id, canonical) {
            self.by_canonical.insert(self.canonical_hash(data_type, canonical), id);
        }
        id
    }

    /// Adds an entry to the index. Returns whether the index finds it by its canonical form.
    fn index_entry(&mut self, id: Id, canonical: &str) -> bool {
        let Some(entry) = self.entries.get(id) else { return false };
        self.index.add(id, entry, self.entries.value(entry), canonical)
    }

    /// Turns an entry that was a part of a name, or a fragment, into a value of its own, and
    /// a guess into a certain value.
    fn promote(&mut self, id: Id, value: &str, canonical: &str, certainty: Certainty) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        if certainty == Certainty::Certain {
            entry.certainty = certainty;
        }
        if matches!(entry.rule, Rule::Words | Rule::Anywhere) {
            return;
        }
        let wanted = rule(entry.data_type, value, canonical);
        if wanted != entry.rule && wanted != Rule::Detected {
            entry.rule = wanted;
            self.index_entry(id, canonical);
        }
    }
}

/// Whether values that differ only in case are different.
fn is_case_sensitive(data_type: DataType) -> bool {
    matches!(data_type, DataType::Secret | DataType::Custom | DataType::BirthDate)
}
