//! The forms of statements that are known to destroy nothing.
//!
//! In: the tokens after a verb. Out: whether they have a form that only adds, or only
//! changes how the own session shows things. Any other form may destroy something: an
//! engine, an option or a clause that is not known here.

use super::tokens::SqlToken;
use super::verbs::is_verb;

/// The longest statement whose form is examined, in tokens. A bound on the time, chosen: a
/// statement that changes a table has fewer than a hundred.
const MAX_TOKENS: usize = 1024;

/// What `CREATE` may add. Functions, triggers, users and extensions run code or give rights.
const CREATED: &[&str] = &[
    "collection",
    "database",
    "dictionary",
    "domain",
    "index",
    "keyspace",
    "schema",
    "sequence",
    "table",
    "type",
    "view",
];

/// Words before what `CREATE` adds.
const KINDS: &[&str] = &[
    "async",
    "bitmap",
    "clustered",
    "columnstore",
    "concurrently",
    "foreign",
    "fulltext",
    "global",
    "live",
    "local",
    "materialized",
    "nonclustered",
    "recursive",
    "spatial",
    "temp",
    "temporary",
    "transient",
    "unique",
    "unlogged",
    "virtual",
    "volatile",
];

/// Words between `ADD` and a name.
const ADDED: &[&str] = &[
    "add",
    "column",
    "constraint",
    "exists",
    "foreign",
    "fulltext",
    "if",
    "index",
    "key",
    "not",
    "partition",
    "primary",
    "spatial",
    "unique",
];

/// Words of an alteration that changes or removes something that exists.
const CHANGES: &[&str] = &[
    "alter",
    "archive",
    "attach",
    "change",
    "clear",
    "coalesce",
    "convert",
    "delete",
    "detach",
    "disable",
    "discard",
    "drop",
    "enable",
    "engine",
    "exchange",
    "fetch",
    "force",
    "freeze",
    "import",
    "inherit",
    "modify",
    "move",
    "of",
    "options",
    "owner",
    "remove",
    "rename",
    "reorganize",
    "replace",
    "set",
    "swap",
    "switch",
    "to",
    "truncate",
    "update",
];

/// Settings of the own session that change what it shows, or how long it waits.
const SETTINGS: &[&str] = &[
    "ansi_nulls",
    "ansi_padding",
    "ansi_warnings",
    "application_name",
    "arithabort",
    "bytea_output",
    "character",
    "character_set_client",
    "character_set_connection",
    "character_set_results",
    "charset",
    "client_encoding",
    "client_min_messages",
    "collation_connection",
    "concat_null_yields_null",
    "datefirst",
    "dateformat",
    "datestyle",
    "extra_float_digits",
    "intervalstyle",
    "language",
    "lc_time",
    "lock_timeout",
    "max_execution_time",
    "names",
    "nocount",
    "numeric_roundabort",
    "quoted_identifier",
    "rowcount",
    "schema",
    "search_path",
    "showplan_all",
    "showplan_text",
    "showplan_xml",
    "statement_timeout",
    "statistics",
    "textsize",
    "time",
    "time_zone",
    "timezone",
    "transaction",
    "work_mem",
    "xact_abort",
];

/// Words with which a statement begins that does nothing else than its form says.
const FIRST_WORDS: &[&str] = &[
    "abort",
    "analyse",
    "analyze",
    "close",
    "comment",
    "commit",
    "deallocate",
    "declare",
    "delimiter",
    "desc",
    "describe",
    "end",
    "explain",
    "fetch",
    "from",
    "go",
    "help",
    "list",
    "listen",
    "ls",
    "match",
    "notify",
    "open",
    "optional",
    "pivot",
    "print",
    "profile",
    "refresh",
    "reindex",
    "release",
    "return",
    "rollback",
    "savepoint",
    "show",
    "start",
    "summarize",
    "table",
    "unlisten",
    "unpivot",
    "unset",
    "unwind",
    "values",
    "with",
];

/// What follows `BEGIN` where it does not open a block with a statement.
const AFTER_BEGIN: &[&str] = &[
    "atomic",
    "catch",
    "concurrent",
    "deferrable",
    "deferred",
    "distributed",
    "exclusive",
    "immediate",
    "isolation",
    "not",
    "null",
    "read",
    "tran",
    "transaction",
    "try",
    "work",
];

/// Commands of full-text tables of SQLite, which are sent as rows.
const FTS_COMMANDS: &[&str] = &[
    "automerge",
    "crisismerge",
    "delete",
    "flush",
    "incr",
    "merge",
    "nodesize",
    "optimize",
    "pgsz",
    "rank",
    "rebuild",
    "secure",
    "usermerge",
];

/// The tokens up to the end of a statement; none if it is too long.
fn statement(rest: &[SqlToken]) -> Option<&[SqlToken]> {
    match rest.iter().take(MAX_TOKENS).position(|token| token.is_symbol(';')) {
        Some(end) => rest.get(..end),
        None => (rest.len() <= MAX_TOKENS).then_some(rest),
    }
}

fn words(tokens: &[SqlToken]) -> impl Iterator<Item = &str> {
    tokens.iter().filter_map(SqlToken::word)
}

/// `ALTER TABLE t ADD COLUMN c INT, ADD d INT`: each part adds.
pub(super) fn alters_by_adding(rest: &[SqlToken]) -> bool {
    let Some(tokens) = statement(rest) else { return false };
    let begins = tokens.first().and_then(SqlToken::word) == Some("table");
    let first = tokens.iter().take(8).position(|token| token.word() == Some("add"));
    let Some(clauses) = first.and_then(|at| tokens.get(at..)).filter(|_| begins) else {
        return false;
    };
    let mut depth = 0_usize;
    let mut before_clause = true;
    // The name of what is added may be any word.
    let mut before_name = true;
    for token in clauses {
        match token {
            SqlToken::Symbol('(') => depth += 1,
            SqlToken::Symbol(')') => depth = depth.saturating_sub(1),
            SqlToken::Symbol(',') if depth == 0 => {
                (before_clause, before_name) = (true, true);
                continue;
            }
            // An option of the table.
            SqlToken::Symbol('=') if depth == 0 => return false,
            _ if before_clause && token.word() != Some("add") => return false,
            _ => {}
        }
        let is_name = before_name && !token.word().is_some_and(|word| ADDED.contains(&word));
        let is_change = token.word().is_some_and(|word| CHANGES.contains(&word));
        if depth == 0 && is_change && !is_name {
            return false;
        }
        before_name &= !is_name;
        before_clause = false;
    }
    true
}

/// `CREATE UNIQUE INDEX i ON t (c)`.
pub(super) fn creates_data(rest: &[SqlToken]) -> bool {
    let mut words = words(rest).take(6).skip_while(|word| KINDS.contains(word));
    words.next().is_some_and(|word| CREATED.contains(&word))
}

/// `INSERT INTO t (a) VALUES (1)`. A row for the column of SQLite that is called like its
/// table is a command.
pub(super) fn inserts_rows(rest: &[SqlToken]) -> bool {
    let next = |at: usize| rest.get(at).and_then(SqlToken::word);
    if next(0) == Some("overwrite")
        || next(0) == Some("or") && next(1) == Some("replace")
        || words(rest.get(..6).unwrap_or(rest)).any(|word| matches!(word, "function" | "replace"))
    {
        return false;
    }
    let Some(into) = rest.iter().take(8).position(|token| token.word() == Some("into")) else {
        return true;
    };
    // The table, its schema and its alias are before its columns.
    let Some(open) = rest.iter().take(16).skip(into).position(|token| token.is_symbol('(')) else {
        return true;
    };
    let open = into + open;
    let before = rest.get(into + 1..open).unwrap_or_default();
    let tables: Vec<String> =
        before.iter().filter_map(SqlToken::name).map(str::to_lowercase).collect();
    let columns = rest.get(open + 1..).unwrap_or_default();
    let columns = columns.iter().take(MAX_TOKENS).take_while(|token| !token.is_symbol(')'));
    let mut names = columns.filter_map(SqlToken::name);
    !names.any(|name| tables.contains(&name.to_lowercase())) || has_plain_rows(rest.get(open..))
}

/// Whether values are written, and none of them is a command.
fn has_plain_rows(rest: Option<&[SqlToken]>) -> bool {
    let Some(tokens) = rest.and_then(statement) else { return false };
    let after = tokens.iter().skip_while(|token| token.word() != Some("values")).skip(1);
    let mut is_empty = true;
    for token in after {
        is_empty = false;
        let is_plain = match token {
            SqlToken::Text(text) => {
                let text = text.trim().to_lowercase();
                let first = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
                !FTS_COMMANDS.contains(&first)
            }
            SqlToken::Word(word) => matches!(word.as_str(), "null" | "default" | "true" | "false"),
            SqlToken::Number => true,
            SqlToken::Symbol(symbol) => matches!(symbol, '(' | ')' | ','),
            SqlToken::Name(_) | SqlToken::Body(_) => false,
        };
        if !is_plain {
            return false;
        }
    }
    !is_empty
}

/// `COPY t (a) FROM STDIN`, `COPY INTO t FROM @stage`: rows come into a table.
pub(super) fn copies_in(rest: &[SqlToken]) -> bool {
    let Some(tokens) = statement(rest) else { return false };
    let into = tokens.first().and_then(SqlToken::word) == Some("into");
    let target = tokens.get(usize::from(into));
    let is_table = match target {
        Some(SqlToken::Word(_)) => true,
        Some(SqlToken::Name(name)) => !name.starts_with('@'),
        _ => false,
    };
    let writes = |word: &str| matches!(word, "to" | "program" | "overwrite" | "purge" | "force");
    is_table && words(tokens).any(|word| word == "from") && !words(tokens).any(writes)
}

/// `VACUUM (ANALYZE) t`. With a number, it forgets old versions of rows.
pub(super) fn vacuums_only(rest: &[SqlToken]) -> bool {
    let Some(tokens) = statement(rest) else { return false };
    !tokens.contains(&SqlToken::Number)
        && !words(tokens).any(|word| matches!(word, "into" | "retain" | "lite" | "using"))
}

/// `SET search_path TO app`, `SET @a = 1`. As a clause of another statement, that one counts.
pub(super) fn sets_own_session(rest: &[SqlToken], is_first: bool) -> bool {
    let Some(tokens) = statement(rest) else { return false };
    let mut all = words(tokens);
    let reaches_all =
        all.any(|word| matches!(word, "global" | "password" | "persist" | "persist_only"));
    let of_server =
        |token: &SqlToken| matches!(token, SqlToken::Name(name) if name.starts_with("@@"));
    if reaches_all || tokens.iter().any(of_server) {
        return false;
    }
    if !is_first {
        return true;
    }
    let is_scope = |word: Option<&str>| matches!(word, Some("session" | "local"));
    let scoped = is_scope(tokens.first().and_then(SqlToken::word));
    let tokens = tokens.get(usize::from(scoped)..).unwrap_or_default();
    let writes = words(tokens).any(|word| word == "write");
    let more = tokens.windows(3).filter(|three| three[0].is_symbol(',') && three[2].is_symbol('='));
    let names = tokens.first().into_iter().chain(more.filter_map(|three| three.get(1)));
    !writes && names.into_iter().all(is_setting)
}

fn is_setting(token: &SqlToken) -> bool {
    match token {
        SqlToken::Word(word) => SETTINGS.contains(&word.as_str()) || word.starts_with("enable_"),
        SqlToken::Name(name) => name.starts_with('@'),
        _ => false,
    }
}

/// Whether a block begins with a name, which runs the procedure of that name.
pub(super) fn opens_with_procedure(tokens: &[SqlToken], at: usize) -> bool {
    let Some(next) = tokens.get(at + 1).and_then(SqlToken::word) else { return false };
    let after = tokens.get(at + 2);
    let ends = after.is_some_and(|one| [';', '(', '.'].iter().any(|symbol| one.is_symbol(*symbol)));
    ends && next != "end" && !AFTER_BEGIN.contains(&next) && !is_first_word(next)
}

/// Whether a statement begins with a word that is not known to begin one: SQL Server and
/// Oracle run the procedure of this name.
pub(super) fn has_unknown_statement(tokens: &[SqlToken]) -> bool {
    let firsts = std::iter::once(None).chain(tokens.iter().map(Some)).zip(tokens);
    // `GO` separates batches.
    let separates = |one: &SqlToken| one.is_symbol(';') || one.word() == Some("go");
    let mut firsts = firsts.filter(|(before, _)| before.is_none_or(separates));
    firsts.any(|(_, first)| match first {
        SqlToken::Word(word) => !is_first_word(word),
        SqlToken::Name(_) => true,
        _ => false,
    })
}

/// The common case, without tokens: one statement with a known first word.
pub(super) fn is_known_statement(text: &str) -> bool {
    let text = text.trim().trim_end_matches([';', ' ', '\n']);
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    let is_word = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '@'));
    let separates = ["\ngo", "\nGO", "\nGo", "\ngO"].iter().any(|go| rest.contains(go));
    is_word && is_first_word(&first.to_ascii_lowercase()) && !rest.contains(';') && !separates
}

fn is_first_word(word: &str) -> bool {
    is_verb(word) || FIRST_WORDS.contains(&word)
}
