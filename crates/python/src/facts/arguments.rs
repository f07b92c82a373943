//! The arguments of a call, as far as they are known.
//!
//! In: evaluated arguments. Out: lookups by position or name, their sources, and what a fact
//! says about them.

use tidegate_model::reading::{AbstractValue, ValueForm};

use super::value::{Sources, Value, ValueKind, union_sources};

/// The arguments of a call.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    pub(super) positional: Vec<Value<'a>>,
    pub(super) named: Vec<(&'a str, Value<'a>)>,
}

impl<'a> Arguments<'a> {
    pub(super) fn one(value: Value<'a>) -> Self {
        Self { positional: vec![value], named: Vec::new() }
    }

    /// An argument by position or name.
    pub(super) fn get(&self, at: usize, name: &str) -> Option<&Value<'a>> {
        let named = || self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        self.positional.get(at).or_else(named)
    }

    /// The sources of all arguments.
    pub(super) fn from(&self) -> Sources {
        let named = self.named.iter().map(|(_, value)| value);
        let all: Vec<Sources> = self
            .positional
            .iter()
            .chain(named)
            .map(|value| match &value.kind {
                ValueKind::Path(path) if !path.starts_with('?') => {
                    super::value::with_source(path, &value.from)
                }
                _ => value.from.clone(),
            })
            .collect();
        union_sources(&all)
    }

    /// The same, once for each text that the first argument may be.
    pub(super) fn known_each(&self) -> Vec<Vec<AbstractValue>> {
        let known = self.known();
        let Some(ValueKind::OneOf(all)) = self.positional.first().map(|first| &first.kind) else {
            return vec![known];
        };
        let texts =
            all.iter().filter(|one| matches!(one.kind, ValueKind::Text(_) | ValueKind::Prefix(_)));
        let each = texts.map(|one| {
            let rest = known.iter().skip(1).cloned();
            std::iter::once(one.known()).chain(rest).collect()
        });
        std::iter::once(known.clone()).chain(each).collect()
    }

    /// What a fact says about them. Named arguments are one object at the end.
    pub(super) fn known(&self) -> Vec<AbstractValue> {
        let mut known: Vec<AbstractValue> =
            self.positional.iter().take(5).map(Value::known).collect();
        if !self.named.is_empty() {
            let entries =
                self.named.iter().map(|(name, value)| ((*name).to_owned(), value.known()));
            known.push(AbstractValue {
                form: ValueForm::Object(entries.collect()),
                from: Vec::new(),
            });
        }
        known
    }
}
