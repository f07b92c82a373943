//! Finds verbs of SQL in a text.
//!
//! A best effort, which is why it only makes rules sterner: no dialect is parsed, and a
//! procedure that is called by its name is not seen through. A verb counts wherever a
//! statement could begin, and in SQL Server, which needs nothing between two of them,
//! that is anywhere; not in quotations and comments, nor as a function or a column.
//!
//! Dialects differ in what is a comment and what ends a quotation, and what one of them
//! skips another runs; so a text is read in every way that can make a difference.

/// Verbs that are also the names of functions.
const FUNCTIONS: &[&str] = &["insert", "replace", "truncate", "update"];

/// Words that make of the next one a part of another statement: `for update`, `on delete`.
const BEFORE_NO_VERB: &[&str] = &["for", "key", "on"];

/// What dialects disagree about.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    /// `\'` does not end a quotation (MySQL).
    backslash_escapes: bool,
    /// `#` begins a comment (MySQL).
    hash_comments: bool,
    /// `--` needs a space after it to begin a comment (MySQL).
    spaced_dashes: bool,
    /// A comment can hold another (PostgreSQL, SQL Server).
    nested_comments: bool,
}

/// Whether one of the verbs, in lower case, is in a text in lower case.
pub(super) fn has_verb(text: &str, verbs: &[String]) -> bool {
    // Nearly every text ends here.
    if !verbs.iter().any(|verb| text.contains(verb.as_str())) {
        return false;
    }
    dialects(text)
        .into_iter()
        .any(|dialect| Scan { text, dialect, endless: Vec::new() }.has_verb(verbs))
}

/// Every combination of what the text has an occasion for.
fn dialects(text: &str) -> Vec<Dialect> {
    let ways = |occasion: bool| if occasion { &[false, true][..] } else { &[false][..] };
    let mut all = Vec::new();
    for &backslash_escapes in ways(text.contains('\\')) {
        for &hash_comments in ways(text.contains('#')) {
            for &spaced_dashes in ways(text.contains("--")) {
                for &nested_comments in ways(text.contains("/*")) {
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

struct Scan<'a> {
    text: &'a str,
    dialect: Dialect,
    /// What was opened and had no end. It is not looked for again, or a text of opened
    /// quotations would take the square of its length; more is read then, not less.
    endless: Vec<char>,
}

impl Scan<'_> {
    fn has_verb(&mut self, verbs: &[String]) -> bool {
        let mut rest = self.text;
        let mut no_verb_next = false;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = self.after_comment(rest) {
                rest = after;
            } else if is_word(first) {
                let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
                let function = after.starts_with('(') && FUNCTIONS.contains(&word);
                if !no_verb_next && !function && verbs.iter().any(|verb| verb == word) {
                    return true;
                }
                no_verb_next = BEFORE_NO_VERB.contains(&word);
                rest = after;
            } else {
                if !first.is_whitespace() {
                    no_verb_next = first == '.';
                }
                let after = &rest[first.len_utf8()..];
                // A quotation without an end is none: what follows is read.
                rest = self.after_quotation(first, after).unwrap_or(after);
            }
        }
        false
    }

    /// What follows a comment, if the text begins with one.
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
        // MySQL and MariaDB run what is in these.
        if inside.starts_with('!') || inside.starts_with("m!") {
            return None;
        }
        self.unless_endless('*', |dialect| {
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

    fn unless_endless<'t>(
        &mut self,
        kind: char,
        find_end: impl FnOnce(Dialect) -> Option<&'t str>,
    ) -> Option<&'t str> {
        if self.endless.contains(&kind) {
            return None;
        }
        let found = find_end(self.dialect);
        if found.is_none() {
            self.endless.push(kind);
        }
        found
    }

    /// What follows a quotation that this character opened. What is between dollars is
    /// no quotation here: it is mostly code.
    fn after_quotation<'t>(&mut self, quote: char, text: &'t str) -> Option<&'t str> {
        if !matches!(quote, '\'' | '"' | '`') {
            return None;
        }
        self.unless_endless(quote, |dialect| {
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

#[cfg(test)]
mod tests {
    use super::has_verb;

    fn found(text: &str) -> bool {
        let verbs = ["drop", "delete", "truncate", "update", "insert", "replace"];
        has_verb(&text.to_lowercase(), &verbs.map(str::to_owned))
    }

    #[test]
    fn a_verb_is_found_after_whatever_may_stand_before_it() {
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
    fn what_one_dialect_skips_and_another_runs_is_read() {
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
    fn a_quotation_a_comment_a_function_and_a_column_are_no_verbs() {
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
    fn opened_and_never_closed_takes_no_square_of_the_length() {
        // Squared these take minutes, so that a busy machine makes no difference.
        for opened in [r"\'", "/*", "/*!", "'\"`", "--x", "((", "#\\"] {
            let text = opened.repeat(300_000);
            assert!(!found(&format!("{text} dropped")), "{opened}");
        }
    }
}
