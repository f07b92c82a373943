//! What statements destroy.
//!
//! In: the tokens of one reading. Out: whether a statement destroys or overwrites data, or
//! runs something that may; or only adds; or neither. A condition such as `WHERE` makes no
//! difference: which rows it leaves is known to the database only.

use std::sync::LazyLock;

use regex::Regex;

use super::complete::is_complete;
use super::harmless;
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
    "begin", "copy", "create", "do", "dumpfile", "insert", "optimize", "outfile", "pragma",
    "prepare", "put", "reset", "rm", "set", "system", "vacuum",
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// It accompanies what is executed: only complete statements count.
    Beside,
    /// It may be prose: only complete statements count, and a text that cannot be read.
    Possible,
    /// The tool executes queries of some language: a verb counts wherever it could be one.
    Named,
    /// It is SQL: a statement that is not known may be the name of a procedure.
    Certain,
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
        let complete = evidence >= Evidence::Named || is_complete(tokens, at, word);
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
    let called = functions(tokens).filter(|_| evidence >= Evidence::Named || is_query(tokens));
    let is_unknown = evidence == Evidence::Certain && harmless::has_unknown_statement(tokens);
    let unseen = is_unknown || runs_client_command(tokens);
    let called = called.or_else(|| unseen.then_some("execute"));
    called.map(Destroyed::Data).or_else(|| written_file(tokens)).or(adds)
}

fn destroys(tokens: &[SqlToken], at: usize, word: &str) -> Option<&'static str> {
    let listed = |list: &[&'static str]| list.iter().find(|one| **one == word).copied();
    let rest = tokens.get(at + 1..).unwrap_or_default();
    let words = |count: usize| rest.iter().take(count).filter_map(SqlToken::word);
    let next = words(1).next();
    let holds = match word {
        "alter" => !harmless::alters_by_adding(rest),
        "create" => !harmless::creates_data(rest),
        "insert" => !harmless::inserts_rows(rest),
        "copy" => !harmless::copies_in(rest),
        "vacuum" => !harmless::vacuums_only(rest),
        "optimize" => words(64).any(|word| word == "deduplicate"),
        "pragma" => !reads_pragma(rest),
        // A file of a stage.
        "rm" | "put" => names_stage(rest),
        "reset" => matches!(next, Some("binary" | "master" | "query" | "replica" | "slave")),
        "set" => {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let is_first = before.is_none_or(|token| token.is_symbol(';'));
            !harmless::sets_own_session(rest, is_first)
        }
        "system" => {
            next.is_some_and(|word| ["drop", "kill", "restart", "shutdown", "stop"].contains(&word))
        }
        "do" => next != Some("nothing") && next != Some("update"),
        "load" => {
            next != Some("data") || words(8).any(|word| matches!(word, "overwrite" | "replace"))
        }
        "exec" | "execute" | "call" | "prepare" | "begin" => is_unseen(tokens, at, word),
        _ => {
            return listed(DESTROYING).or_else(|| is_unseen(tokens, at, word).then_some("execute"));
        }
    };
    if !holds {
        return None;
    }
    listed(DESTROYING).or_else(|| listed(CONDITIONAL))
}

/// Whether a stage of Snowflake follows, `@~/x`, or a file on its way to one.
fn names_stage(rest: &[SqlToken]) -> bool {
    match rest.first() {
        Some(SqlToken::Name(name)) => name.starts_with('@'),
        Some(SqlToken::Symbol(symbol)) => matches!(symbol, '~' | '@'),
        Some(SqlToken::Text(_)) => true,
        Some(SqlToken::Word(word)) => word == "file",
        _ => false,
    }
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
