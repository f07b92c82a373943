//! Keys of `[search]`.

use crate::keys::key::{Key, Kind, nothing, yes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchKey {
    Semantic,
    Catalogs,
    Recommend,
    UsedTogether,
}

pub(crate) const SEARCH: &[Key<SearchKey>] = &[
    Key {
        id: SearchKey::Semantic,
        toml: &["semantic"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether tools are also found by meaning, with a table of word vectors in the \
              executable. `false`: only by words, their other forms and their synonyms.",
    },
    Key {
        id: SearchKey::Catalogs,
        toml: &["catalogs"],
        json: &[],
        kind: Kind::TextList,
        default: nothing,
        doc: "Folders or files of tool definitions: servers that are known but not configured. \
              `templates/mcp-tools` of Tidegate's own folder is one of them, if it is there. `~/` \
              at the start is the home folder; a relative path counts from the workspace folder.",
    },
    Key {
        id: SearchKey::Recommend,
        toml: &["recommend"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether a search also suggests known servers that fit clearly better than the \
              configured ones, and skills that fit. Only the user can add a server.",
    },
    Key {
        id: SearchKey::UsedTogether,
        toml: &["used_together"],
        json: &[],
        kind: Kind::Flag,
        default: yes,
        doc: "Whether tools that were used together in earlier successful runs rank higher \
              together. What is learned stays in the state folder.",
    },
];
