//! Keys of `[search]`.

use crate::keys::{Key, Kind, yes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchKey {
    Semantic,
}

pub(crate) const SEARCH: &[Key<SearchKey>] = &[Key {
    id: SearchKey::Semantic,
    toml: &["semantic"],
    json: &[],
    kind: Kind::Flag,
    default: yes,
    doc: "Whether tools are also found by what their texts mean, with a table of word vectors that \
          is part of the program. `false` leaves words, their other forms and their synonyms.",
}];
