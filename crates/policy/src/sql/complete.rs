//! Whether a statement has more of its form than prose would.
//!
//! In: a verb and what follows it, in a text that may be prose. Out: whether it is a
//! statement. Prose such as `delete the old rows` is none.

use super::tokens::SqlToken;

/// How far the form of a statement is looked for, in tokens: a bound on the time. Chosen:
/// joins and lists of columns are shorter.
const FAR: usize = 256;

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

/// Words that can follow the table of `DELETE FROM t`, or its alias.
const AFTER_TABLE: &[&str] = &[
    "as",
    "cross",
    "from",
    "full",
    "inner",
    "join",
    "left",
    "limit",
    "natural",
    "order",
    "output",
    "partition",
    "returning",
    "right",
    "using",
    "where",
    "with",
];

/// Whether a verb begins a statement that is complete.
pub(super) fn is_complete(tokens: &[SqlToken], at: usize, word: &str) -> bool {
    let rest = tokens.get(at + 1..).unwrap_or_default();
    let next = rest.first().and_then(SqlToken::word);
    let near = rest.get(..FAR).unwrap_or(rest);
    let has = |wanted: &str| near.iter().any(|token| token.word() == Some(wanted));
    let soon = |count: usize, wanted: &[&str]| {
        let mut words = rest.iter().take(count).filter_map(SqlToken::word);
        words.any(|word| wanted.contains(&word))
    };
    match word {
        "delete" => deletes(rest),
        "drop" | "truncate" if next.is_some_and(|word| OBJECTS.contains(&word)) => {
            let rest = without(rest, &["if", "exists", "view", "concurrently", "only"], 1);
            ends_or(rest, &["cascade", "continue", "on", "restrict", "restart", "purge"])
        }
        "truncate" => ends_or(without(rest, &["only"], 0), &["cascade", "continue", "restart"]),
        "alter" | "create" => soon(4, OBJECTS),
        "update" => {
            let set = near.iter().skip(1).position(|token| token.word() == Some("set"));
            let after = set.and_then(|at| near.get(at + 2..)).unwrap_or_default();
            after.iter().take(8).any(|token| token.is_symbol('='))
        }
        "insert" => matches!(next, Some("into" | "or" | "overwrite")),
        "replace" => matches!(next, Some("into" | "or")) || soon(3, &["set", "values"]),
        "merge" => next == Some("into") || soon(8, &["using"]),
        "call" => after_name(rest).and_then(<[_]>::first).is_some_and(|one| one.is_symbol('(')),
        "exec" | "execute" => executes(rest),
        "begin" => rest.iter().take(FAR).any(|token| token.word() == Some("end")),
        "do" => matches!(rest.first(), Some(SqlToken::Body(_))),
        "pragma" => rest.len() <= 4,
        "deny" | "grant" | "revoke" => has("on") && (has("to") || has("from")),
        "attach" => next == Some("database") || matches!(rest.first(), Some(SqlToken::Text(_))),
        "copy" => {
            near.iter().any(|token| matches!(token, SqlToken::Text(_)))
                || next == Some("into") && has("from")
        }
        "vacuum" => next == Some("into") || has("retain"),
        "rename" | "exchange" => matches!(next, Some("table" | "tables")) && near.len() > 2,
        "load" => next == Some("data") && soon(4, &["infile", "inpath"]),
        "purge" => matches!(next, Some("binary" | "master" | "recyclebin")),
        "reset" => next == Some("master"),
        "prepare" => soon(2, &["from"]),
        "set" => near.iter().take(6).any(|token| token.is_symbol('=')),
        "backup" | "restore" | "detach" | "undrop" | "export" => {
            matches!(next, Some("database" | "table"))
        }
        _ => false,
    }
}

fn deletes(rest: &[SqlToken]) -> bool {
    let next = rest.first().and_then(SqlToken::word);
    match next {
        Some("from") => ends_or(without(rest, &["only"], 1), AFTER_TABLE),
        Some("top") => {
            rest.get(1).is_some_and(|one| one.is_symbol('(') || *one == SqlToken::Number)
        }
        Some("quick" | "low_priority" | "ignore") if from(rest.get(1..)) => true,
        _ => {
            let after = after_name(rest).unwrap_or_default();
            let joins = || {
                let table = after_name(after.get(1..).unwrap_or_default()).unwrap_or_default();
                let table = table.get(..4).unwrap_or(table);
                let mut words = table.iter().filter_map(SqlToken::word);
                words.any(|word| matches!(word, "join" | "inner" | "left" | "where"))
            };
            after.first().and_then(SqlToken::word) == Some("where") || from(Some(after)) && joins()
        }
    }
}

fn from(rest: Option<&[SqlToken]>) -> bool {
    rest.and_then(<[_]>::first).and_then(SqlToken::word) == Some("from")
}

fn executes(rest: &[SqlToken]) -> bool {
    let Some(first) = rest.first() else { return false };
    let named = first.word().is_some_and(|word| word == "immediate" || word.contains('_'));
    let dotted = rest.get(1).is_some_and(|token| token.is_symbol('.')) && rest.len() > 2;
    let argument = matches!(rest.get(1), Some(SqlToken::Text(_) | SqlToken::Name(_)));
    first.is_symbol('(') || named || dotted || argument
}

/// What is after so many words, and after any of these.
fn without<'t>(rest: &'t [SqlToken], words: &[&str], skipped: usize) -> &'t [SqlToken] {
    let mut rest = rest.get(skipped..).unwrap_or_default();
    while rest.first().and_then(SqlToken::word).is_some_and(|word| words.contains(&word)) {
        rest = rest.get(1..).unwrap_or_default();
    }
    rest
}

/// Whether after a name and possibly an alias, the text or the statement ends, or one of
/// these words follows.
fn ends_or(rest: &[SqlToken], words: &[&str]) -> bool {
    let Some(rest) = after_name(rest) else { return false };
    let ends = |token: Option<&SqlToken>| match token {
        None => true,
        Some(SqlToken::Word(word)) => words.contains(&word.as_str()),
        Some(SqlToken::Symbol(symbol)) => *symbol != '.',
        Some(_) => false,
    };
    let alias = matches!(rest.first(), Some(SqlToken::Word(_) | SqlToken::Name(_)));
    let is_clause = |token: Option<&SqlToken>| {
        token.is_none_or(|one| one.is_symbol(';'))
            || token.and_then(SqlToken::word) == Some("where")
    };
    ends(rest.first()) || alias && words.contains(&"where") && is_clause(rest.get(1))
}

/// What follows a name such as `a."b".c`.
fn after_name(rest: &[SqlToken]) -> Option<&[SqlToken]> {
    let is_name = |token: Option<&SqlToken>| token.is_some_and(|one| one.name().is_some());
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
