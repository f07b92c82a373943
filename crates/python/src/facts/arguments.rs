//! The arguments of a call, as far as they are known.

use tidegate_model::reading::{Form, Known};

use super::value::{From, Kind, Value, union};

/// What a call is given.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    pub(super) positional: Vec<Value<'a>>,
    pub(super) named: Vec<(&'a str, Value<'a>)>,
}

impl<'a> Arguments<'a> {
    pub(super) fn one(value: Value<'a>) -> Self {
        Self { positional: vec![value], named: Vec::new() }
    }

    /// One of them, by its place or its name.
    pub(super) fn get(&self, at: usize, name: &str) -> Option<&Value<'a>> {
        let named = || self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        self.positional.get(at).or_else(named)
    }

    /// What all of them were made of.
    pub(super) fn from(&self) -> From {
        let named = self.named.iter().map(|(_, value)| value);
        let all: Vec<From> = self
            .positional
            .iter()
            .chain(named)
            .map(|value| match &value.kind {
                Kind::Path(path) if !path.starts_with('?') => {
                    super::value::also_from(path, &value.from)
                }
                _ => value.from.clone(),
            })
            .collect();
        union(&all)
    }

    /// The same for each of the texts that the first one may be.
    pub(super) fn known_each(&self) -> Vec<Vec<Known>> {
        let known = self.known();
        let Some(Kind::OneOf(all)) = self.positional.first().map(|first| &first.kind) else {
            return vec![known];
        };
        let texts = all.iter().filter(|one| matches!(one.kind, Kind::Text(_) | Kind::Begins(_)));
        let each = texts.map(|one| {
            let rest = known.iter().skip(1).cloned();
            std::iter::once(one.known()).chain(rest).collect()
        });
        std::iter::once(known.clone()).chain(each).collect()
    }

    /// What a fact says of them: those with names are one object, in the end.
    pub(super) fn known(&self) -> Vec<Known> {
        let mut known: Vec<Known> = self.positional.iter().take(5).map(Value::known).collect();
        if !self.named.is_empty() {
            let entries =
                self.named.iter().map(|(name, value)| ((*name).to_owned(), value.known()));
            known.push(Known { form: Form::Object(entries.collect()), from: Vec::new() });
        }
        known
    }
}
