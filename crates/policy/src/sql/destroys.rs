//! What statements destroy.
//!
//! In: the tokens of one reading. Out: whether a statement destroys or overwrites data, or
//! runs something that may; or only adds; or neither. A condition such as `WHERE` makes no
//! difference: which rows it leaves is known to the database only.

use std::sync::LazyLock;

use regex::Regex;

use super::statements::{
    RUNNING_TEXT, called, is_unseen, may_command_client, running_text, runs_client_command,
    statements,
};
use super::tokens::SqlToken;

/// Statements that destroy, overwrite, change rights, or run what the text does not show.
const DESTROYING: &[&str] = &[
    "alter",
    "attach",
    "backup",
    "call",
    "dbcc",
    "delete",
    "deny",
    "detach",
    "drop",
    "exchange",
    "exec",
    "execute",
    "export",
    "grant",
    "import",
    "install",
    "kill",
    "load",
    "merge",
    "purge",
    "reassign",
    "remove",
    "rename",
    "replace",
    "restore",
    "revoke",
    "shutdown",
    "truncate",
    "undrop",
    "unload",
    "update",
    "updatetext",
    "upsert",
    "writetext",
];

/// Statements that do so in some forms.
const CONDITIONAL: &[&str] = &[
    "copy", "create", "do", "dumpfile", "insert", "outfile", "pragma", "prepare", "reset", "set",
    "system", "vacuum",
];

/// Statements that only add, or change nothing that anyone stored.
const ADDING: &[&str] = &[
    "alter", "bulk", "comment", "copy", "create", "insert", "into", "optimize", "reindex", "vacuum",
];

/// Functions that do more than compute, whatever statement calls them.
const FUNCTIONS: &[&str] = &[
    "fts3_tokenizer",
    "load_extension",
    "lo_create",
    "lo_export",
    "lo_from_bytea",
    "lo_import",
    "lo_put",
    "lo_truncate",
    "lo_unlink",
    "lowrite",
    "pg_cancel_backend",
    "pg_create_restore_point",
    "pg_drop_replication_slot",
    "pg_promote",
    "pg_reload_conf",
    "pg_rotate_logfile",
    "pg_switch_wal",
    "pg_terminate_backend",
    "set_config",
    "setval",
    "writefile",
];

/// The beginnings of more of them.
const FUNCTION_PREFIXES: &[&str] = &["pg_file_", "pg_stat_reset"];

/// Pragmas that only read.
const READING_PRAGMAS: &[&str] = &[
    "collation_list",
    "compile_options",
    "database_list",
    "database_size",
    "foreign_key_check",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "module_list",
    "pragma_list",
    "quick_check",
    "show_tables",
    "storage_info",
    "table_info",
    "table_list",
    "table_xinfo",
    "version",
];

/// What `DROP` and `ALTER` are about.
const OBJECTS: &[&str] = &[
    "aggregate",
    "column",
    "constraint",
    "database",
    "domain",
    "event",
    "extension",
    "function",
    "index",
    "keyspace",
    "login",
    "materialized",
    "policy",
    "procedure",
    "role",
    "schema",
    "sequence",
    "server",
    "system",
    "table",
    "tablespace",
    "trigger",
    "type",
    "user",
    "view",
];

/// One of the words that matter. After a digit, a word may follow without a space.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let functions = FUNCTIONS.iter().chain(FUNCTION_PREFIXES).chain(RUNNING_TEXT);
    let verbs = DESTROYING.iter().chain(CONDITIONAL).chain(ADDING);
    let words: Vec<String> = verbs
        .map(|word| format!(r"{word}\b"))
        .chain(functions.map(|word| regex::escape(word)))
        .collect();
    Regex::new(&format!(r"(?i)(?:\b|[0-9_][a-z]?)({})", words.join("|"))).ok()
});

/// How certain it is that a text is executed as SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The tool or the argument is about SQL: a verb counts wherever it could be one.
    Named,
    /// It may be prose: only complete statements count.
    Possible,
}

/// What a statement does to data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destroyed {
    /// It destroys some, or may.
    Data(&'static str),
    /// It only adds.
    Nothing(&'static str),
}

/// The first word of a text that matters here, as an upper bound: without one, no statement
/// can destroy anything.
pub(super) fn first_word_in(text: &str) -> Option<&'static str> {
    // A command of a client is no word.
    if may_command_client(text) {
        return Some("execute");
    }
    let found = match &*WORDS {
        Some(words) => words.captures(text)?.get(1)?.as_str().to_ascii_lowercase(),
        // The list above is fixed, so this does not happen. If it did, everything would count.
        None => return Some("delete"),
    };
    let all = DESTROYING.iter().chain(CONDITIONAL).chain(ADDING);
    let mut all = all.chain(FUNCTIONS).chain(FUNCTION_PREFIXES).chain(RUNNING_TEXT);
    all.find(|word| **word == found).copied()
}

/// The strictest that any statement does.
pub(super) fn destroyed(tokens: &[SqlToken], evidence: Evidence) -> Option<Destroyed> {
    let mut adds = None;
    for (at, word) in statements(tokens) {
        let complete = evidence == Evidence::Named || is_complete(tokens, at, word);
        if !complete {
            continue;
        }
        if let Some(word) = destroys(tokens, at, word) {
            return Some(Destroyed::Data(word));
        }
        if let Some(word) = ADDING.iter().find(|one| **one == word) {
            adds = Some(Destroyed::Nothing(word));
        }
    }
    let called = functions(tokens).filter(|_| evidence == Evidence::Named || is_query(tokens));
    let called = called.or_else(|| runs_client_command(tokens).then_some("execute"));
    called.map(Destroyed::Data).or_else(|| written_file(tokens)).or(adds)
}

fn destroys(tokens: &[SqlToken], at: usize, word: &str) -> Option<&'static str> {
    let listed = |list: &[&'static str]| list.iter().find(|one| **one == word).copied();
    let rest = tokens.get(at + 1..).unwrap_or_default();
    let words = |count: usize| rest.iter().take(count).filter_map(SqlToken::word);
    let next = words(1).next();
    let holds = match word {
        "alter" => !only_adds(rest),
        "create" => next == Some("or") && words(2).any(|word| word == "replace"),
        "insert" => {
            next == Some("overwrite")
                || next == Some("or") && words(2).any(|word| word == "replace")
        }
        // A table goes to a file or to a program.
        "copy" => {
            let end = rest.iter().position(|token| token.is_symbol(';')).unwrap_or(rest.len());
            words(end.min(512)).any(|word| matches!(word, "to" | "program"))
        }
        "vacuum" => words(3).any(|word| word == "into"),
        "pragma" => !reads_pragma(rest),
        "reset" => matches!(next, Some("binary" | "master" | "query" | "replica" | "slave")),
        "set" => {
            matches!(next, Some("global" | "password" | "persist" | "persist_only"))
        }
        "system" => {
            next.is_some_and(|word| ["drop", "kill", "restart", "shutdown", "stop"].contains(&word))
        }
        "do" => next != Some("nothing") && next != Some("update"),
        "load" => {
            next != Some("data") || words(8).any(|word| matches!(word, "overwrite" | "replace"))
        }
        "exec" | "execute" | "call" | "prepare" => is_unseen(tokens, at, word),
        _ => {
            return listed(DESTROYING).or_else(|| is_unseen(tokens, at, word).then_some("execute"));
        }
    };
    if !holds {
        return None;
    }
    listed(DESTROYING).or_else(|| listed(CONDITIONAL))
}

/// Whether an alteration of a table only adds: `ALTER TABLE t ADD COLUMN c INT`.
fn only_adds(rest: &[SqlToken]) -> bool {
    let changes = ["alter", "attach", "change", "delete", "detach", "drop", "modify", "owner"];
    let more = ["rename", "replace", "set", "to", "update"];
    let is_change = |word: &str| changes.contains(&word) || more.contains(&word);
    let end = rest.iter().position(|token| token.is_symbol(';')).unwrap_or(rest.len());
    let mut words = rest.iter().take(end).filter_map(SqlToken::word);
    rest.first().and_then(SqlToken::word) == Some("table")
        && words.clone().take(6).any(|word| word == "add")
        && !words.any(is_change)
}

/// Whether a pragma, possibly of one schema, reads: `table_info(t)`, `main.user_version`.
fn reads_pragma(rest: &[SqlToken]) -> bool {
    let mut rest = rest;
    if rest.get(1).is_some_and(|token| token.is_symbol('.')) {
        rest = rest.get(2..).unwrap_or_default();
    }
    let name = rest.first().and_then(SqlToken::word).unwrap_or_default();
    let sets = rest.get(1).is_some_and(|token| token.is_symbol('=') || token.is_symbol('('));
    !sets || READING_PRAGMAS.contains(&name)
}

/// The first function with an effect that is called.
fn functions(tokens: &[SqlToken]) -> Option<&'static str> {
    let listed = |word: &str| {
        let exact = FUNCTIONS.iter().find(|name| **name == word);
        exact
            .or_else(|| FUNCTION_PREFIXES.iter().find(|prefix| word.starts_with(**prefix)))
            .copied()
    };
    called(tokens, listed).or_else(|| called(tokens, running_text))
}

/// `SELECT … INTO OUTFILE`.
fn written_file(tokens: &[SqlToken]) -> Option<Destroyed> {
    tokens.windows(2).find_map(|pair| match (pair.first()?.word()?, pair.last()?.word()?) {
        ("into", "outfile") => Some(Destroyed::Data("outfile")),
        ("into", "dumpfile") => Some(Destroyed::Data("dumpfile")),
        _ => None,
    })
}

fn is_query(tokens: &[SqlToken]) -> bool {
    let first = tokens.first().and_then(SqlToken::word);
    matches!(first, Some("select" | "with" | "values" | "explain"))
}

/// Whether a statement has more of its form than prose would.
fn is_complete(tokens: &[SqlToken], at: usize, word: &str) -> bool {
    let rest = tokens.get(at + 1..).unwrap_or_default();
    let next = rest.first().and_then(SqlToken::word);
    let (skip, needed): (usize, &[&str]) = match word {
        "delete" if next == Some("from") => (1, &["limit", "order", "returning", "using", "where"]),
        "delete" => return after_name(rest).and_then(|rest| rest.first()?.word()) == Some("where"),
        "drop" | "truncate" if next.is_some_and(|word| OBJECTS.contains(&word)) => {
            let mut rest = rest.get(1..).unwrap_or_default();
            while matches!(
                rest.first().and_then(SqlToken::word),
                Some("if" | "exists" | "view" | "concurrently")
            ) {
                rest = rest.get(1..).unwrap_or_default();
            }
            return ends_or(rest, &["cascade", "on", "restrict", "restart", "purge"]);
        }
        "alter" | "create" => {
            let mut words = rest.iter().take(4).filter_map(SqlToken::word);
            return words.any(|word| OBJECTS.contains(&word));
        }
        "update" => {
            let after = after_name(rest).unwrap_or_default();
            let mut words = after.iter().take(3).filter_map(SqlToken::word);
            return words.any(|word| word == "set")
                && rest.iter().any(|token| token.is_symbol('='));
        }
        "insert" | "replace" | "merge" => return matches!(next, Some("into" | "or" | "overwrite")),
        "call" => return rest.get(1).is_some_and(|token| token.is_symbol('(')),
        "exec" | "execute" => {
            let name = rest.first();
            return name.is_some_and(|token| token.is_symbol('('))
                || next.is_some_and(|word| {
                    word == "immediate" || word.starts_with("sp_") || word.starts_with("xp_")
                });
        }
        "do" => return matches!(rest.first(), Some(SqlToken::Body(_))),
        "pragma" => return rest.len() <= 4,
        "grant" | "revoke" => {
            let has = |wanted: &str| rest.iter().any(|token| token.word() == Some(wanted));
            return has("on") && (has("to") || has("from"));
        }
        "attach" => {
            return next == Some("database") || matches!(rest.first(), Some(SqlToken::Text(_)));
        }
        "copy" => return rest.iter().any(|token| matches!(token, SqlToken::Text(_))),
        "vacuum" => return next == Some("into"),
        _ => return false,
    };
    ends_or(rest.get(skip..).unwrap_or_default(), needed)
}

/// Whether after a name, the text or the statement ends, or one of these words follows.
fn ends_or(rest: &[SqlToken], words: &[&str]) -> bool {
    let Some(rest) = after_name(rest) else { return false };
    // An alias.
    let alias = rest.len() > 1 && rest.get(1).and_then(SqlToken::word) == Some("where");
    alias
        || match rest.first() {
            None => true,
            Some(SqlToken::Word(word)) => words.contains(&word.as_str()),
            Some(SqlToken::Symbol(symbol)) => matches!(symbol, ';' | ',' | '(' | ')'),
            Some(_) => false,
        }
}

/// What follows a name such as `a."b".c`.
fn after_name(rest: &[SqlToken]) -> Option<&[SqlToken]> {
    let is_name = |token: Option<&SqlToken>| {
        matches!(token, Some(SqlToken::Word(_) | SqlToken::Name | SqlToken::Text(_)))
    };
    let mut rest = rest;
    if !is_name(rest.first()) {
        return None;
    }
    loop {
        rest = rest.get(1..)?;
        if !rest.first().is_some_and(|token| token.is_symbol('.')) || !is_name(rest.get(1)) {
            return Some(rest);
        }
        rest = rest.get(1..)?;
    }
}
