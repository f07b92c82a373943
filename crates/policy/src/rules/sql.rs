//! Finds SQL verbs in arguments.
//!
//! In: a text, or arguments. Out: whether it contains a verb. A best effort, which is why it
//! only ever makes rules stricter: no dialect is parsed, and calls of stored procedures are
//! not followed. A verb counts wherever a statement could begin; SQL Server needs nothing
//! between two statements, so that is anywhere except in string literals and comments, and
//! except as a function or a column.
//!
//! Dialects disagree about comments and about the end of a string literal, and one executes
//! what another skips. A text is therefore scanned in every way that can make a difference.

use serde_json::{Map, Value};

/// Verbs that are function names as well.
const FUNCTIONS: &[&str] = &["insert", "replace", "truncate", "update"];

/// Words after which a verb is a clause of another statement: `for update`, `on delete`.
const CLAUSE_PREFIXES: &[&str] = &["for", "key", "on"];

/// The points on which dialects disagree.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    /// `\'` does not end a string literal (MySQL).
    backslash_escapes: bool,
    /// `#` starts a comment (MySQL).
    hash_comments: bool,
    /// `--` starts a comment only if a space follows (MySQL).
    spaced_dashes: bool,
    /// Comments nest (PostgreSQL, SQL Server).
    nested_comments: bool,
}

/// Whether a text contains one of the verbs. Both are in lower case.
pub(super) fn has_verb(text: &str, verbs: &[String]) -> bool {
    // The common case.
    if !verbs.iter().any(|verb| text.contains(verb.as_str())) {
        return false;
    }
    dialects(text)
        .into_iter()
        .any(|dialect| SqlScanner { text, dialect, unclosed: Vec::new() }.has_verb(verbs))
}

/// Every combination of dialect features that the text could trigger.
fn dialects(text: &str) -> Vec<Dialect> {
    let choices = |possible: bool| if possible { &[false, true][..] } else { &[false][..] };
    let mut all = Vec::new();
    for &backslash_escapes in choices(text.contains('\\')) {
        for &hash_comments in choices(text.contains('#')) {
            for &spaced_dashes in choices(text.contains("--")) {
                for &nested_comments in choices(text.contains("/*")) {
                    all.push(Dialect {
                        backslash_escapes,
                        hash_comments,
                        spaced_dashes,
                        nested_comments,
                    });
                }
            }
        }
    }
    all
}

struct SqlScanner<'a> {
    text: &'a str,
    dialect: Dialect,
    /// Delimiters that were opened and never closed. Their end is not searched again, since
    /// a text of opened literals would take quadratic time. This scans more text, not less.
    unclosed: Vec<char>,
}

impl SqlScanner<'_> {
    fn has_verb(&mut self, verbs: &[String]) -> bool {
        let mut rest = self.text;
        let mut in_clause = false;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = self.after_comment(rest) {
                rest = after;
            } else if is_word(first) {
                let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
                let function = after.starts_with('(') && FUNCTIONS.contains(&word);
                if !in_clause && !function && verbs.iter().any(|verb| verb == word) {
                    return true;
                }
                in_clause = CLAUSE_PREFIXES.contains(&word);
                rest = after;
            } else {
                if !first.is_whitespace() {
                    in_clause = first == '.';
                }
                let after = &rest[first.len_utf8()..];
                // An unterminated literal does not count: the text after it is scanned.
                rest = self.after_literal(first, after).unwrap_or(after);
            }
        }
        false
    }

    /// The rest after a comment, if the text starts with one.
    fn after_comment<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let line_end = |text: &'t str| text.find(['\n', '\r']).map_or("", |end| &text[end..]);
        if let Some(after) = text.strip_prefix("--") {
            let spaced = after.chars().next().is_none_or(char::is_whitespace);
            return (spaced || !self.dialect.spaced_dashes).then(|| line_end(after));
        }
        if text.starts_with('#') && self.dialect.hash_comments {
            return Some(line_end(text));
        }
        let inside = text.strip_prefix("/*")?;
        // MySQL and MariaDB execute the content of these.
        if inside.starts_with('!') || inside.starts_with("m!") {
            return None;
        }
        self.unless_unclosed('*', |dialect| {
            let mut open = 1_usize;
            let mut rest = inside;
            while let Some(at) = rest.find(['*', '/']) {
                rest = &rest[at..];
                if let Some(after) = rest.strip_prefix("*/") {
                    open -= 1;
                    rest = after;
                    if open == 0 {
                        return Some(rest);
                    }
                } else if rest.starts_with("/*") && dialect.nested_comments {
                    open += 1;
                    rest = &rest[2..];
                } else {
                    rest = &rest[1..];
                }
            }
            None
        })
    }

    fn unless_unclosed<'t>(
        &mut self,
        kind: char,
        find_end: impl FnOnce(Dialect) -> Option<&'t str>,
    ) -> Option<&'t str> {
        if self.unclosed.contains(&kind) {
            return None;
        }
        let found = find_end(self.dialect);
        if found.is_none() {
            self.unclosed.push(kind);
        }
        found
    }

    /// The rest after a string literal that this character opened. Dollar quoting does not
    /// count as a literal here: it mostly contains code.
    fn after_literal<'t>(&mut self, quote: char, text: &'t str) -> Option<&'t str> {
        if !matches!(quote, '\'' | '"' | '`') {
            return None;
        }
        self.unless_unclosed(quote, |dialect| {
            let mut characters = text.char_indices();
            while let Some((at, c)) = characters.next() {
                if c == '\\' && dialect.backslash_escapes {
                    characters.next();
                } else if c == quote {
                    return Some(&text[at + 1..]);
                }
            }
            None
        })
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// SQL verbs that destroy or change data.
const DESTRUCTIVE_VERBS: [&str; 5] = ["drop", "delete", "truncate", "alter", "update"];

/// The first destructive SQL verb in an argument whose name says that it holds SQL.
pub fn destroying_sql(arguments: &Map<String, Value>) -> Option<&'static str> {
    fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
            Value::Object(object) => object.values().for_each(|value| texts(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    let holds_sql = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.contains("sql") || ["query", "queries", "statement", "statements"].contains(&&*key)
    };
    let named = arguments.iter().filter(|(key, _)| holds_sql(key));
    named.for_each(|(_, value)| texts(value, &mut found));
    let lower: Vec<String> = found.into_iter().map(str::to_lowercase).collect();
    DESTRUCTIVE_VERBS.into_iter().find(|verb| {
        let verbs = [(*verb).to_owned()];
        lower.iter().any(|text| has_verb(text, &verbs))
    })
}

#[cfg(test)]
mod tests {
    use super::has_verb;

    fn found(text: &str) -> bool {
        let verbs = ["drop", "delete", "truncate", "update", "insert", "replace"];
        has_verb(&text.to_lowercase(), &verbs.map(str::to_owned))
    }

    #[test]
    fn a_verb_is_found_after_anything_that_may_precede_it() {
        for text in [
            "DROP TABLE t",
            "/**/DROP TABLE t",
            "  -- harmless\n drop table t",
            "select 1;drop table t",
            "WITH x AS (SELECT 1) DELETE FROM t",
            "with x as (delete from t returning *) select * from x",
            "EXPLAIN ANALYZE DELETE FROM t",
            "do $$ begin drop table t; end $$",
            "do $body$begin drop table t; end$body$",
            "select 1 drop table t",
            "begin;truncate t",
            "insert into t values (1) on conflict do nothing",
            "/*!50000 drop */ table t",
            "/*M! drop */ table t",
            "select 'it''s'; drop table t",
            "it's; drop table t",
            "merge into t using s on a = b when matched then delete",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn text_that_one_dialect_skips_and_another_executes_is_scanned() {
        for text in [
            r"select 'a\'; drop table t; -- '",
            r"select 'a\' or '; drop table t",
            "select 1 # 2; drop table t",
            "# don't\ndrop table t",
            "select 1--1; drop table t",
            "/* /* */ drop table t; -- */",
            "/* /* */ ' */ drop table t; -- '",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn literals_comments_functions_and_columns_are_not_verbs() {
        for text in [
            "select 'drop table t'",
            "select \"delete\" from `drop`",
            "select 1 -- drop table t",
            "select /* delete */ 1",
            "select replace(name, 'a', 'b'), truncate(x, 2) from t",
            "select t.delete from t",
            "select * from t for update",
            "select * from t for no key update",
            "create table t (a int references s on delete cascade on update cascade)",
            "select dropped, deleted_at, updates from inserts",
            "",
            "/*",
            "'",
        ] {
            assert!(!found(text), "{text}");
        }
    }

    #[test]
    fn unclosed_delimiters_do_not_take_quadratic_time() {
        // Quadratic time would be minutes, so a busy machine makes no difference.
        for opened in [r"\'", "/*", "/*!", "'\"`", "--x", "((", "#\\"] {
            let text = opened.repeat(300_000);
            assert!(!found(&format!("{text} dropped")), "{opened}");
        }
    }
}
