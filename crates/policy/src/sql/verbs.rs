//! The words that begin statements.
//!
//! In: a word in lower case. Out: whether it is one of them.

/// Verbs that need an object: a word, or a quoted name.
pub(super) const NEED_OBJECT: &[&str] =
    &["alter", "delete", "drop", "insert", "merge", "replace", "truncate", "update"];

/// Other words that begin statements.
const OTHER_VERBS: &[&str] = &[
    "attach",
    "backup",
    "begin",
    "bulk",
    "call",
    "copy",
    "create",
    "dbcc",
    "declare",
    "deny",
    "detach",
    "do",
    "exchange",
    "exec",
    "execute",
    "export",
    "grant",
    "import",
    "install",
    "into",
    "kill",
    "load",
    "optimize",
    "pragma",
    "prepare",
    "purge",
    "reassign",
    "rename",
    "reset",
    "restore",
    "revoke",
    "select",
    "set",
    "shutdown",
    "system",
    "undrop",
    "unload",
    "updatetext",
    "upsert",
    "use",
    "vacuum",
    "writetext",
];

/// Whether a word, in lower case, is known to begin statements.
pub(super) fn is_verb(word: &str) -> bool {
    NEED_OBJECT.contains(&word) || OTHER_VERBS.contains(&word)
}
