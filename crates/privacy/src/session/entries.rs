//! The values of a session, in one allocation, in the order of their arrival.

use tidegate_model::{Certainty, DataType};

/// The index of a value.
pub(crate) type Id = u32;

/// Where in a text an occurrence of a known value matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Only where it was detected: too short or too common to be searched for.
    Detected,
    /// Anywhere, in any case.
    Anywhere,
    /// As whole words, in any case.
    Words,
    /// As a whole word in this case.
    SameCase,
}

/// What an index stores about a value, without the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownValue {
    pub(crate) id: Id,
    pub(crate) rule: Rule,
}

/// A value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) data_type: DataType,
    pub(crate) rule: Rule,
    /// The number of the token of `value`; 0 as long as it has none.
    pub(crate) number: u32,
    /// Whether any spelling of it has a token.
    pub(crate) has_token: bool,
    /// Whether a token of it was sent: it may come back, so it is dropped last.
    pub(crate) sent: bool,
    /// Whether it was only guessed: it is not replaced inside identifiers.
    pub(crate) certainty: Certainty,
    value: (usize, usize),
}

impl Entry {
    /// How late it is dropped: 0 without a token, 1 if none of its tokens was sent, else 2.
    pub(crate) fn rank(&self) -> usize {
        usize::from(self.has_token) + usize::from(self.sent)
    }
}

/// All values.
#[derive(Default)]
pub(crate) struct Entries {
    list: Vec<Entry>,
    text: String,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn get(&self, id: Id) -> Option<&Entry> {
        self.list.get(id as usize)
    }

    pub(crate) fn get_mut(&mut self, id: Id) -> Option<&mut Entry> {
        self.list.get_mut(id as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter()
    }

    /// Reserves space for this many more.
    pub(crate) fn reserve(&mut self, values: usize) {
        self.list.reserve(values);
    }

    /// Adds a value. Four billion of them do not fit into memory.
    pub(crate) fn add(
        &mut self,
        data_type: DataType,
        value: &str,
        rule: Rule,
        certainty: Certainty,
    ) -> Id {
        let id = Id::try_from(self.list.len()).unwrap_or(Id::MAX);
        let start = self.text.len();
        self.text.push_str(value);
        let value = (start, self.text.len());
        self.list.push(Entry {
            data_type,
            rule,
            number: 0,
            has_token: false,
            sent: false,
            certainty,
            value,
        });
        id
    }

    /// The value of an id as it was first seen.
    pub(crate) fn value_at(&self, id: Id) -> &str {
        self.get(id).map_or("", |entry| self.value(entry))
    }

    /// The value as it was first seen.
    pub(crate) fn value(&self, entry: &Entry) -> &str {
        let (start, end) = entry.value;
        self.text.get(start..end).unwrap_or_default()
    }
}
