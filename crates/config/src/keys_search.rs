//! Keys of `[search]`.

use crate::keys::{Key, Kind, yes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchKey {
    Semantic,
    UsedTogether,
}

pub(crate) const SEARCH: &[Key<SearchKey>] = &[
    Key {
        id: SearchKey::Semantic,
        toml: &["semantic"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether tools are also found by what their texts mean, with a table of word vectors that \
          is part of the program. `false` leaves words, their other forms and their synonyms.",
    },
    Key {
        id: SearchKey::UsedTogether,
        toml: &["used_together"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether tools that were used in the same successful runs before rank higher \
              together. What is learned stays in the state folder.",
    },
];
