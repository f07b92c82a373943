//! What a call does by the text that its tool executes: SQL statements and command lines.
//!
//! In: a tool, and the arguments of a call. Out: the strictest effect of any text in them.
//! A tool that says in its name, in its description or in the name of an argument that it
//! executes SQL or commands is believed, and then the name and the nesting of an argument do
//! not matter. Where nothing says what a tool executes, only complete statements count, so
//! that prose does not.

use serde_json::{Map, Value};
use tidegate_model::{Effect, ToolDef, ToolRef};

use super::command_parts::{self, Parts};
use super::keywords::{
    COMMAND_KEYS, DATABASES, EXECUTING, RUNNING, SCRIPT_KEYS, SHELLS, SIDE_KEYS, SQL_WORDS,
    TEXT_KEYS,
};
use super::names::{READING, compound_words, words_of};
use crate::shell;
use crate::sql::{Evidence, SqlText};

/// How often text is followed into text: JSON in a string.
const MAX_DEPTH: u8 = 3;

/// The longest text that is searched for JSON, in bytes.
const MAX_JSON_BYTES: usize = 64 * 1024;

/// What a text does, and the word that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextEffect {
    pub(super) effect: Effect,
    pub(super) word: String,
}

/// What arguments execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Executed {
    /// The strictest effect of the texts in them.
    pub(super) effect: Option<TextEffect>,
    /// Whether the tool executes text and none is known.
    pub(super) is_open: bool,
}

/// What a tool executes, as far as its definition says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Executor {
    sql: bool,
    commands: bool,
    /// Text of some kind.
    runs: bool,
    /// It is about a database.
    database: bool,
    /// Its name says that it executes what it is sent.
    executes: bool,
}

/// What a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is SQL.
    Sql,
    /// A query of some language, mostly SQL.
    Query,
    Command,
    /// It may be a statement or a command, and prose as well.
    Either,
    /// The same, and it may be long data.
    Beside,
    /// It is sent to a database, as data or as a statement.
    Stored,
    Data,
}

/// Where a text is in the arguments.
#[derive(Debug, Clone, Copy)]
struct Slot {
    kind: Kind,
    weight: Weight,
}

/// How likely the text in a slot is the one that is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// The key names something that accompanies it.
    Side,
    Unnamed,
    /// The key says so.
    Named,
}

/// One text in the arguments.
struct Candidate<'a> {
    text: Text<'a>,
    slot: Slot,
}

enum Text<'a> {
    Line(&'a str),
    /// A command and its arguments, or the parts of one text.
    Words(Vec<&'a str>),
    /// The same, from several places.
    Owned(Vec<String>),
    /// An environment variable that can change what a command does.
    Variable(&'a str),
    /// A value of a JSON document inside of a string.
    Inner(String),
}

impl Executor {
    pub(super) fn new(id: &ToolRef, tool: &ToolDef) -> Self {
        let (name, server) = (compound_words(&tool.name), compound_words(&id.server));
        let has = |words: &[String], list: &[&str]| {
            words.iter().any(|word| list.contains(&word.as_str()))
        };
        let described = |wanted: &[&str]| {
            let text = tool.description.as_deref().unwrap_or_default();
            wanted.iter().any(|word| contains_word(text, word))
        };
        let runs = has(&name, RUNNING);
        let reads = name.first().is_some_and(|word| READING.contains(&word.as_str()));
        let database = has(&name, DATABASES) || has(&server, DATABASES) || described(&["sql"]);
        // `read_query` executes what it is sent, whatever it says about it.
        let is_query = has(&name, &["query", "queries", "statement", "statements"]);
        let sql = runs && database
            || name.iter().any(|word| word.contains("sql"))
            || is_query && runs && name.len() > 1;
        let shells = has(&name, SHELLS) && (!reads || runs);
        let commands = !sql && (shells || runs && described(&["shell", "bash", "terminal"]));
        let executes = has(&name, EXECUTING) || shells;
        Self { sql, commands, runs: runs || shells, database, executes }
    }

    /// What the arguments execute.
    pub(super) fn executed(self, arguments: &Map<String, Value>) -> Executed {
        let mut found = Vec::new();
        let outside = Slot { kind: Kind::Data, weight: Weight::Unnamed };
        self.collect_object(arguments, outside, &mut found);
        let most = found.iter().map(|one| one.slot.weight).max().unwrap_or(Weight::Side);
        let effects = found.iter().filter_map(|one| one.effect(most));
        let effect = effects.max_by_key(|one| one.effect.strictness());
        let runs_text = self.sql || self.commands || self.runs;
        Executed { effect, is_open: runs_text && most == Weight::Side }
    }

    /// The slot under this key, in another one.
    fn slot(self, key: &str, outer: Slot) -> Slot {
        let key = key.to_ascii_lowercase();
        let is = |list: &[&str]| list.contains(&key.as_str());
        let is_query = is(&["query", "queries", "q"]);
        let is_statement = is(&["statement", "statements", "stmt"]);
        let of_sql = |is_certain: bool| {
            let kind = if is_certain { Kind::Sql } else { Kind::Query };
            Slot { kind, weight: Weight::Named }
        };
        if key.contains("sql") {
            return of_sql(words_of(&key).iter().all(|word| SQL_WORDS.contains(&word.as_str())));
        }
        if is_statement || is_query && (self.sql || self.database) {
            return of_sql(self.sql && self.database);
        }
        if is(SCRIPT_KEYS) && self.database && !self.commands {
            return of_sql(true);
        }
        if is(COMMAND_KEYS) && (self.commands || self.runs && !self.sql) {
            return Slot { kind: Kind::Command, weight: Weight::Named };
        }
        let weight = match outer.weight {
            Weight::Named => Weight::Named,
            _ if is(SIDE_KEYS) => Weight::Side,
            _ => Weight::Unnamed,
        };
        let is_certain = self.database && self.executes && is(TEXT_KEYS);
        let kind = match outer.kind {
            Kind::Data if self.sql && is_certain => Kind::Sql,
            Kind::Data if self.sql => Kind::Query,
            Kind::Data if self.commands => Kind::Command,
            Kind::Data if self.executes || is_query || is(COMMAND_KEYS) => Kind::Either,
            Kind::Data if self.runs => Kind::Beside,
            Kind::Data if self.database => Kind::Stored,
            // Values beside a statement.
            Kind::Sql if is(SIDE_KEYS) => Kind::Query,
            kind => kind,
        };
        Slot { kind, weight }
    }

    /// Recursion is bounded by the JSON parser: 128 levels.
    fn collect<'a>(self, value: &'a Value, slot: Slot, found: &mut Vec<Candidate<'a>>) {
        match value {
            Value::String(_) if slot.kind == Kind::Data => {}
            Value::String(text) => {
                let mut inner = Vec::new();
                inner_texts(text, 0, &mut inner);
                found.push(Candidate { text: Text::Line(text), slot });
                // A document is a query of some other language.
                let kind = if slot.kind == Kind::Sql { Kind::Query } else { slot.kind };
                let slot = Slot { kind, ..slot };
                found.extend(
                    inner.into_iter().map(|text| Candidate { text: Text::Inner(text), slot }),
                );
            }
            Value::Array(items) => {
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                if words.len() == items.len() && words.len() > 1 && slot.kind != Kind::Data {
                    collect_words(words, slot, found);
                    return;
                }
                // The words of a command may be in lists of their own.
                let first = items.first().and_then(Value::as_str);
                let is_word = |word: &str| !word.trim().contains(char::is_whitespace);
                let mut each = slot;
                if slot.kind == Kind::Command && first.is_some_and(is_word) {
                    let words = command_parts::flattened(value);
                    found.push(Candidate { text: Text::Owned(words), slot });
                    each.kind = Kind::Either;
                }
                items.iter().for_each(|item| self.collect(item, each, found));
            }
            Value::Object(object) => self.collect_object(object, slot, found),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn collect_object<'a>(
        self,
        object: &'a Map<String, Value>,
        outer: Slot,
        found: &mut Vec<Candidate<'a>>,
    ) {
        let parts = self.parts_of(object, outer);
        for (key, value) in object {
            let slot = self.slot(key, outer);
            let is_joined = parts.as_ref().is_some_and(|parts| parts.key == key);
            if !is_joined {
                self.collect(value, slot, found);
            }
            // A statement can be a key as well.
            if slot.kind != Kind::Data && command_parts::may_be_text(key) {
                let slot = Slot { kind: Kind::Beside, weight: Weight::Side };
                found.push(Candidate { text: Text::Line(key), slot });
            }
        }
        let slot = Slot { kind: Kind::Command, weight: Weight::Named };
        if let Some(parts) = parts {
            let text = match parts.line {
                Some(line) => Text::Inner(line),
                None => Text::Owned(parts.words),
            };
            found.push(Candidate { text, slot });
        }
        if self.commands || self.runs && !self.sql {
            let variable = command_parts::risky_variable(object);
            found.extend(variable.map(|name| Candidate { text: Text::Variable(name), slot }));
        }
    }

    /// A command and what is given beside it as its arguments.
    fn parts_of<'a>(self, object: &'a Map<String, Value>, outer: Slot) -> Option<Parts<'a>> {
        let programs = &["bin", "executable", "program"];
        let find = |least: Weight| {
            object.iter().find_map(|(key, value)| {
                let slot = self.slot(key, outer);
                let is_command = slot.kind == Kind::Command && slot.weight >= least
                    || self.runs
                        && !self.sql
                        && programs.contains(&key.to_ascii_lowercase().as_str());
                Some((key.as_str(), value.as_str()?)).filter(|_| is_command)
            })
        };
        let (key, command) = find(Weight::Named).or_else(|| find(Weight::Unnamed))?;
        command_parts::joined(object, key, command)
    }
}

/// A list of texts: the words of one command, or several texts.
fn collect_words<'a>(words: Vec<&'a str>, slot: Slot, found: &mut Vec<Candidate<'a>>) {
    let are_lines = words.first().is_some_and(|word| word.trim().contains(char::is_whitespace));
    let kind = match slot.kind {
        // A word of a command says nothing on its own.
        Kind::Command if !are_lines => Kind::Either,
        kind => kind,
    };
    let each = Slot { kind, ..slot };
    found.extend(words.iter().map(|word| Candidate { text: Text::Line(word), slot: each }));
    if slot.kind != Kind::Command || !are_lines {
        found.push(Candidate { text: Text::Words(words), slot });
    }
}

impl Candidate<'_> {
    /// Its effect. Beside a text that is more likely the one that is executed, it has to be
    /// complete.
    fn effect(&self, most: Weight) -> Option<TextEffect> {
        let kind = if self.slot.weight < most { Kind::Beside } else { self.slot.kind };
        let of_words = |words: &[&str]| match kind {
            Kind::Command => shell::of_words(words).map(TextEffect::from),
            _ => of_line(&words.join(" "), kind),
        };
        match &self.text {
            Text::Line(line) => of_line(line, kind),
            Text::Inner(line) => of_line(line, kind),
            Text::Words(words) => of_words(words),
            Text::Owned(words) => of_words(&words.iter().map(String::as_str).collect::<Vec<_>>()),
            Text::Variable(name) => {
                Some(TextEffect { effect: Effect::Destructive, word: (*name).to_owned() })
            }
        }
    }
}

fn of_line(line: &str, kind: Kind) -> Option<TextEffect> {
    let sql = |evidence| {
        let found = SqlText::new(line).effect(evidence)?;
        Some(TextEffect { effect: found.effect, word: found.word.to_uppercase() })
    };
    let either = |evidence| match sql(evidence) {
        Some(found) if found.effect == Effect::Destructive => Some(found),
        adds => shell::of_possible_line(line).map(TextEffect::from).or(adds),
    };
    match kind {
        Kind::Sql => sql(Evidence::Certain),
        Kind::Query => sql(Evidence::Named),
        Kind::Command => shell::of_line(line).map(TextEffect::from),
        Kind::Either if shell::is_too_long(line) => {
            Some(TextEffect { effect: Effect::Destructive, word: "a long text".to_owned() })
        }
        Kind::Either => either(Evidence::Possible),
        Kind::Beside => either(Evidence::Beside),
        Kind::Stored => sql(Evidence::Beside).filter(|one| one.effect == Effect::Destructive),
        Kind::Data => None,
    }
}

impl From<shell::ShellEffect> for TextEffect {
    fn from(found: shell::ShellEffect) -> Self {
        Self { effect: found.effect, word: found.command }
    }
}

/// The texts in a JSON document that is itself a text.
fn inner_texts(text: &str, depth: u8, found: &mut Vec<String>) {
    let is_document = text.trim_start().starts_with(['{', '[', '"']);
    if depth >= MAX_DEPTH || text.len() > MAX_JSON_BYTES || !is_document {
        return;
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        texts_of(value, depth, found);
    }
}

fn texts_of(value: Value, depth: u8, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            inner_texts(&text, depth + 1, found);
            found.push(text);
        }
        Value::Array(items) => items.into_iter().for_each(|item| texts_of(item, depth, found)),
        Value::Object(object) => {
            for (key, value) in object {
                texts_of(value, depth, found);
                found.extend(Some(key).filter(|key| command_parts::may_be_text(key)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a description contains a word, in any case: `SQL`, not `SQLAlchemy`.
fn contains_word(text: &str, word: &str) -> bool {
    let Some(&first) = word.as_bytes().first() else { return false };
    let bytes = text.as_bytes();
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes).any(|at| {
        let end = at + word.len();
        let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        bytes.get(at..end).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
            && !letter(end)
            && !(at > 0 && letter(at - 1))
    })
}
