//! What names of tools say.
//!
//! In: a name. Out: its words, and whether they say that the tool destroys something.

use heck::ToSnakeCase;

use super::keywords::{DATABASES, RUNNING, SHELLS};

/// Verbs that destroy.
const DESTROYING: &[&str] = &[
    "clear",
    "delete",
    "destroy",
    "drop",
    "erase",
    "force",
    "kill",
    "nuke",
    "obliterate",
    "overwrite",
    "prune",
    "purge",
    "remove",
    "reset",
    "revoke",
    "rm",
    "rmdir",
    "shred",
    "terminate",
    "truncate",
    "uninstall",
    "unlink",
    "wipe",
];

/// First words of names that only read: `get_reset_count` destroys nothing.
pub(super) const READING: &[&str] = &[
    "check", "count", "describe", "explain", "fetch", "find", "get", "inspect", "list", "lookup",
    "preview", "query", "read", "search", "show", "view",
];

pub(super) fn names_destruction(name: &str) -> bool {
    let words = words_of(name);
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    !reads && words.iter().any(|word| DESTROYING.contains(&word.as_str()))
}

/// The words of `deleteAll_rows`, `delete-all-rows` or `HTTPDelete`, in lower case. Digits
/// separate words as well: `delete2` contains `delete`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let letters = name.split(|c: char| !c.is_alphabetic()).map(ToSnakeCase::to_snake_case);
    let words = letters.flat_map(|part| part.split('_').map(str::to_owned).collect::<Vec<_>>());
    words.filter(|word| !word.is_empty()).collect()
}

/// The same, with words that are written as one taken apart: `runcmd`, `execsql`.
pub(super) fn compound_words(name: &str) -> Vec<String> {
    let mut words = words_of(name);
    for at in 0..words.len() {
        let Some(word) = words.get(at) else { break };
        let lists = || [RUNNING, SHELLS].into_iter().flatten().copied();
        let parts = lists().find_map(|first| {
            let rest = word.strip_prefix(first).filter(|_| first.len() > 1)?;
            let second = lists().chain(DATABASES.iter().copied()).find(|one| *one == rest)?;
            Some((first, second))
        });
        if let Some((first, second)) = parts {
            words.extend([first.to_owned(), second.to_owned()]);
        }
    }
    words
}
