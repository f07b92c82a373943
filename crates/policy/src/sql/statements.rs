//! Where statements begin.
//!
//! In: the tokens of one reading. Out: the words that can begin a statement. SQL Server needs
//! nothing between two statements, so a word counts unless what is before or after it says
//! that it is something else: a column, an alias, a function, or a clause of another
//! statement (`FOR UPDATE`, `ON DELETE CASCADE`).

use super::harmless::opens_with_procedure;
use super::tokens::SqlToken;
use super::verbs::{NEED_OBJECT, is_verb};

/// Words after which something belongs to the statement that has already begun. SQL Server
/// reserves all of them: none can be the alias at the end of a statement.
const CONTINUING: &[&str] = &[
    "all", "and", "between", "by", "column", "database", "distinct", "exists", "for", "from",
    "grant", "having", "in", "index", "into", "is", "join", "like", "not", "or", "revoke",
    "schema", "select", "table", "view", "when", "where",
];

/// Words that cannot be the object of a verb.
const NO_OBJECT: &[&str] = &[
    "and", "as", "asc", "between", "by", "collate", "desc", "else", "end", "from", "group",
    "having", "in", "is", "like", "not", "null", "on", "or", "order", "over", "then", "union",
    "when", "where",
];

/// Words that begin a definition, whose body follows `AS`.
const DEFINING: &[&str] = &["alter", "create", "prepare"];

/// Words before a body: `DO $$ … $$`, `CREATE FUNCTION … AS '…'`.
const BEFORE_BODY: &[&str] = &["as", "begin", "do", "exec", "execute", "immediate"];

/// Words of a text that contains bodies at all.
const WITH_BODY: &[&str] =
    &["do", "event", "exec", "execute", "function", "macro", "procedure", "routine", "task"];

/// Commands of psql that run text, or read or write files.
const PSQL_COMMANDS: &[&str] =
    &["copy", "g", "gexec", "i", "include", "include_relative", "ir", "o", "out", "w", "write"];

/// Commands of sqlite3 that run something, or write files or data.
const SQLITE_COMMANDS: &[&str] = &[
    "archive", "backup", "clone", "excel", "import", "load", "log", "once", "open", "output",
    "read", "recover", "restore", "save", "shell", "system",
];

/// The beginnings of functions and packages that run text as SQL or as a command.
pub(super) const RUNNING_TEXT: &[&str] = &[
    "cursor_to_xml",
    "dblink",
    "dbms_",
    "executable",
    "opendatasource",
    "openquery",
    "openrowset",
    "query_to_xml",
    "sp_",
    "sys_eval",
    "sys_exec",
    "utl_",
    "xp_",
];

/// Whether a word for which this holds begins a statement.
pub(super) fn has_statement(tokens: &[SqlToken], wanted: impl Fn(&str) -> bool) -> bool {
    statements(tokens).any(|(_, word)| wanted(word))
}

/// Each word that can begin a statement, and where it is.
pub(super) fn statements(tokens: &[SqlToken]) -> impl Iterator<Item = (usize, &str)> {
    let mut defining = false;
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let word = token.word()?;
        let place = Place { tokens, at, word, defining };
        defining |= DEFINING.contains(&word);
        place.begins().then_some((at, word))
    })
}

/// Whether it runs text or a procedure whose content is not in it.
pub(super) fn runs_unseen(tokens: &[SqlToken]) -> bool {
    statements(tokens).any(|(at, word)| is_unseen(tokens, at, word))
        || called(tokens, running_text).is_some()
        || runs_client_command(tokens)
}

/// Whether a text may have a command of a client at all.
pub(super) fn may_command_client(text: &str) -> bool {
    text.contains('\\') || text.trim_start().starts_with('.')
}

/// Whether it has a command of a client, such as `\gexec` of psql or `.shell` of sqlite3.
pub(super) fn runs_client_command(tokens: &[SqlToken]) -> bool {
    let of_psql = tokens.windows(2).any(|pair| match pair {
        [SqlToken::Symbol('\\'), SqlToken::Word(word)] => PSQL_COMMANDS.contains(&word.as_str()),
        [SqlToken::Symbol('\\'), after] => after.is_symbol('!'),
        _ => false,
    });
    let of_sqlite = match tokens {
        [SqlToken::Symbol('.'), SqlToken::Word(word), ..] => {
            SQLITE_COMMANDS.contains(&word.as_str())
        }
        _ => false,
    };
    of_psql || of_sqlite
}

/// The first function or package for which there is a name, where it is used as one.
pub(super) fn called(
    tokens: &[SqlToken],
    named: impl Fn(&str) -> Option<&'static str>,
) -> Option<&'static str> {
    tokens.windows(2).find_map(|pair| {
        let [SqlToken::Word(word), after] = pair else { return None };
        let is_used = after.is_symbol('(') || after.is_symbol('.');
        named(word).filter(|_| is_used)
    })
}

pub(super) fn running_text(word: &str) -> Option<&'static str> {
    RUNNING_TEXT.iter().find(|start| word.starts_with(**start)).copied()
}

pub(super) fn is_unseen(tokens: &[SqlToken], at: usize, word: &str) -> bool {
    let next = tokens.get(at + 1);
    let next_word = next.and_then(SqlToken::word);
    match word {
        // The function of a trigger runs when the trigger does.
        "exec" | "execute" => !matches!(next_word, Some("function" | "procedure")),
        "call" => {
            let after = tokens.get(at + 2);
            matches!(next, Some(SqlToken::Word(_) | SqlToken::Name(_)))
                && after.is_none_or(|one| ['(', '.', ';'].iter().any(|c| one.is_symbol(*c)))
        }
        "prepare" => {
            let after = tokens.get(at + 2).and_then(SqlToken::word);
            after == Some("from")
        }
        "begin" => opens_with_procedure(tokens, at),
        // A procedure can be run by its name alone.
        _ => {
            let first = at == 0 || tokens.get(at - 1).is_some_and(|one| one.is_symbol(';'));
            first && (word.starts_with("sp_") || word.starts_with("xp_"))
        }
    }
}

/// The bodies of blocks and procedures, which are literals.
pub(super) fn bodies(tokens: &[SqlToken]) -> impl Iterator<Item = &str> {
    let has_bodies = tokens.iter().filter_map(SqlToken::word).any(|word| WITH_BODY.contains(&word));
    let candidates = if has_bodies { tokens } else { &[] };
    candidates.iter().enumerate().filter_map(|(at, token)| match token {
        SqlToken::Body(body) => Some(body.as_str()),
        SqlToken::Text(text) => {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let before = before.and_then(SqlToken::word);
            before.is_some_and(|word| BEFORE_BODY.contains(&word)).then_some(text.as_str())
        }
        SqlToken::Word(_) | SqlToken::Name(_) | SqlToken::Number | SqlToken::Symbol(_) => None,
    })
}

/// One word and its surroundings.
struct Place<'t> {
    tokens: &'t [SqlToken],
    at: usize,
    word: &'t str,
    /// Whether a definition has begun before it.
    defining: bool,
}

impl Place<'_> {
    fn begins(&self) -> bool {
        self.can_follow() && self.can_lead() && !self.is_clause()
    }

    fn token(&self, distance: isize) -> Option<&SqlToken> {
        self.tokens.get(self.at.checked_add_signed(distance)?)
    }

    fn word_at(&self, distance: isize) -> Option<&str> {
        self.token(distance).and_then(SqlToken::word)
    }

    fn is_first(&self) -> bool {
        self.token(-1).is_none_or(|token| token.is_symbol(';'))
    }

    /// Whether a statement can begin after what is before it.
    fn can_follow(&self) -> bool {
        match self.token(-1) {
            None => true,
            Some(SqlToken::Symbol('(')) => self.can_open(),
            Some(SqlToken::Symbol(symbol)) => !matches!(symbol, '.' | ',' | '=' | '~' | '['),
            Some(SqlToken::Word(before)) => match before.as_str() {
                "as" => self.defining,
                "or" => self.word == "replace",
                "describe" | "show" => self.word != "create",
                before => !CONTINUING.contains(&before),
            },
            Some(SqlToken::Name(_) | SqlToken::Text(_) | SqlToken::Body(_) | SqlToken::Number) => {
                true
            }
        }
    }

    /// Whether a statement can begin in parentheses with it: a subquery or one that changes
    /// data. Anything else is a column: `CREATE TABLE t (update INT)`.
    fn can_open(&self) -> bool {
        let soon = |words: &[&str]| {
            (1..=5).filter_map(|distance| self.word_at(distance)).any(|word| words.contains(&word))
        };
        match self.word {
            "delete" => self.word_at(1) == Some("from") || soon(&["output", "where"]),
            "insert" | "merge" => self.word_at(1) == Some("into") || soon(&["using", "values"]),
            "update" => soon(&["set"]),
            "select" => true,
            word => !is_verb(word),
        }
    }

    /// Whether it can be the first word of a statement, given what is after it.
    fn can_lead(&self) -> bool {
        let needs_object = NEED_OBJECT.contains(&self.word);
        match self.token(1) {
            None => !needs_object && self.is_first() || self.ends_merge(),
            Some(SqlToken::Word(next)) => self.can_take(next),
            Some(SqlToken::Name(_)) => true,
            Some(SqlToken::Symbol(symbol)) => match symbol {
                ';' => !needs_object && self.is_first() || self.ends_merge(),
                // `DELETE ..t` names a table of the current database.
                '.' => self.token(2).is_some_and(|token| token.is_symbol('.')),
                '(' if needs_object => {
                    matches!(self.word, "delete" | "update" | "merge")
                        && matches!(self.word_at(2), Some("select" | "with"))
                }
                ',' | ')' | ']' | '=' | '~' => false,
                _ => !needs_object,
            },
            // SQLite takes a literal for a name: `UPDATE 't' SET a = 1`.
            Some(SqlToken::Text(_)) if needs_object => {
                self.is_first() || self.word_at(2) == Some("set")
            }
            Some(SqlToken::Text(_) | SqlToken::Body(_) | SqlToken::Number) => !needs_object,
        }
    }

    fn can_take(&self, next: &str) -> bool {
        match (self.word, next) {
            ("delete", "from") | ("insert" | "update" | "create" | "replace", "or") => true,
            // ClickHouse changes rows with `ALTER TABLE t DELETE WHERE …`.
            ("delete", "where") => self.defining,
            ("delete" | "update", "when" | "output") => self.ends_merge(),
            // `BEFORE UPDATE OF a ON t`.
            ("update", "of") => self.is_first(),
            _ if self.is_first() && !NEED_OBJECT.contains(&self.word) => true,
            (_, next) => !NO_OBJECT.contains(&next),
        }
    }

    /// `WHEN MATCHED THEN DELETE` has no object.
    fn ends_merge(&self) -> bool {
        let words = (self.word_at(-2), self.word_at(-1));
        words.1 == Some("then")
            && self.tokens.iter().take(self.at).any(|token| token.word() == Some("merge"))
    }

    /// Whether it is a clause of another statement.
    fn is_clause(&self) -> bool {
        if !matches!(self.word, "delete" | "update" | "insert") {
            return false;
        }
        match self.word_at(-1) {
            Some("on") => match (self.word_at(1), self.word_at(2)) {
                (Some("cascade" | "restrict" | "current_timestamp" | "localtimestamp"), _)
                | (Some("now" | "to" | "do"), _)
                | (Some("set"), Some("null" | "default"))
                | (Some("no"), Some("action")) => true,
                // `SET NOCOUNT ON DELETE FROM t` is two statements.
                _ => false,
            },
            Some("key") => self.word_at(-2) == Some("no"),
            _ => false,
        }
    }
}
