//! The facts that a reader finds in a program before it runs, without judgement.
//!
//! In: the front end of a language (oxc for TypeScript, ruff's parser for Python) writes it in
//! the reader. Out: the rules of `validate` judge it, the same for both languages. It crosses
//! the wire as JSON, so it is bounded: by [`Reading::push`] where it is made, and by
//! [`Reading::bounded`] where it arrives.
//! Invariant: a reading that lost facts says so (`complete`).
//!
//! # Paths
//!
//! A path says what an expression refers to, after aliases, destructuring, imports and
//! concatenated strings were resolved, in the language's own names, joined by dots:
//!
//! * `child_process.exec`, `os.system`: a member of a module, however it was imported;
//! * `eval`, `process.env.HOME`, `document.cookie`: a global or a member of one. Builtins of
//!   Python have no module: `eval`, `open`;
//! * `servers.crm.get_lead`: a tool of our own tree, as written;
//! * `fetch().json`: `()` after a name stands for the result of a call (or `new`); `await`
//!   changes nothing;
//! * `?.exec`: a member of an unknown value;
//! * `process.[]`: a member whose name is computed and unknown.
//!
//! Declarations of the program itself have no path: its own `eval` gives no fact.

use serde::{Deserialize, Serialize};

/// The most facts in a reading. Chosen: ten times as many as a program of a thousand lines has.
pub const MAX_FACTS: usize = 6000;

/// The longest path or text of a fact, in bytes. A longer one is truncated.
pub const MAX_TEXT_BYTES: usize = 240;

/// The most arguments of a call that are listed.
pub const MAX_ARGUMENTS: usize = 6;

/// The most keys of an object, and sources of a value, that are listed.
pub const MAX_PARTS: usize = 12;

/// The path of a [`FactKind::Syntax`] fact: a value is compared with a literal that is a token
/// of personal data. The first argument is the token.
pub const TOKEN_COMPARISON: &str = "token_comparison";

/// How deep objects in arguments are described.
const MAX_DEPTH: u32 = 2;

/// The facts about a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// In the order of the source.
    pub facts: Vec<Fact>,
    /// Counts and measures of the source.
    pub measures: Measures,
    /// Whether the whole program was read. False if it does not parse, or if something was
    /// truncated.
    pub complete: bool,
}

/// One thing that a program does, with its position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fact {
    /// What it does.
    pub kind: FactKind,
    /// Its object (see Paths in the module docs): the identifier for a name, the beginning for a
    /// text.
    pub path: String,
    /// Line of the program as written, from 1.
    pub line: u32,
    /// Column, in characters, from 1.
    pub column: u32,
    /// The arguments; for a write, the written value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<AbstractValue>,
    /// Whether it is in a loop, or in a function that is called for each item of a list.
    #[serde(skip_serializing_if = "is_false")]
    pub repeated: bool,
    /// Whether the path was concatenated (`'ev' + 'al'`, `chr(101)`) where a plain name would
    /// do.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
}

/// The kind of a fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactKind {
    /// A module is imported: `import`, `require`, `__import__`. The path is the module, or the
    /// imported member; `[]` if the name is computed.
    Import,
    /// Something is called, including decorators and tagged templates.
    Call,
    /// Something is constructed with `new`.
    New,
    /// A global, or a member of a global or module, is read without being called.
    #[default]
    Read,
    /// Something that is not the program's own is assigned to.
    Write,
    /// Something that is not the program's own is deleted.
    Remove,
    /// A loop that does not end by itself. The path is `endless` (nothing in it exits or
    /// yields), `spinning` (it polls the clock without yielding) or `growing` (each iteration
    /// doubles something).
    Loop,
    /// A function that calls itself unconditionally, or that multiplies itself. The path is its
    /// name.
    Recursion,
    /// Something is created that is larger than any program needs: the path is `text`, `list` or
    /// `number`, the first argument its size if known.
    Bulk,
    /// An identifier that looks like another one. The path is the identifier.
    Name,
    /// A long literal that looks encoded. The path is its beginning, the first
    /// argument its length, the second its entropy in bits per character.
    Text,
    /// A construct of the language that is worth a rule; the path names it:
    /// `with`, `debugger`, `encoding` (a cookie of Python), `dunder` …
    Syntax,
}

/// What is known about a value without running the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AbstractValue {
    /// The value, as far as it is known.
    #[serde(skip_serializing_if = "ValueForm::is_unknown")]
    pub form: ValueForm,
    /// Paths of its sources: values that were read (`document.cookie`) and calls whose results
    /// went into it (`atob`, `base64.b64decode`, `servers.crm.get_lead`), outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
}

/// The form of a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueForm {
    /// Nothing is known.
    #[default]
    Unknown,
    /// This text, truncated.
    Text(String),
    /// A partly known text, truncated, with `…` for each unknown part.
    Begins(String),
    /// This number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A function of the program.
    Function,
    /// A list of the program.
    List,
    /// An object, or keyword arguments of Python, with at least these keys.
    Object(Vec<(String, AbstractValue)>),
}

/// Counts and measures of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measures {
    /// Bytes of the source.
    pub bytes: u64,
    /// Lines of the source.
    pub lines: u64,
    /// Characters of the longest line.
    pub longest_line: u64,
    /// Nodes of the syntax tree.
    pub nodes: u64,
    /// The depth of nested statements and expressions.
    pub depth: u64,
    /// Branches of the whole program, plus one.
    pub cyclomatic: u64,
    /// Branches of the function that has the most, plus one.
    pub most_branched: u64,
    /// Letters and digits in string literals that are escaped needlessly (`\x65`).
    pub escapes: u64,
    /// The share of such escapes among the characters in string literals.
    pub escape_density: f64,
    /// Escapes in identifiers (`\u0065val`).
    pub escaped_names: u64,
    /// Share of characters that are neither letters nor digits nor white space,
    /// outside of strings and comments.
    pub symbol_share: f64,
    /// Characters of the longest literal that looks encoded.
    pub longest_encoded: u64,
    /// Its entropy in bits per character.
    pub encoded_entropy: f64,
    /// Members of globals with computed names.
    pub computed_members: u64,
    /// Names and texts that were concatenated from meaningless pieces.
    pub folded_texts: u64,
    /// Identifiers with letters of several scripts.
    pub mixed_names: u64,
    /// Identifiers that begin with `_0x` or consist of look-alike characters only.
    pub mangled_names: u64,
    /// Distinct identifiers.
    pub names: u64,
}

impl Reading {
    /// The reading of a program that does not parse.
    pub fn unread() -> Self {
        Self::default()
    }

    /// Adds a fact within its bounds. One fact too many makes the reading incomplete.
    pub fn push(&mut self, mut fact: Fact) {
        if self.facts.len() >= MAX_FACTS {
            self.complete = false;
            return;
        }
        fact.bound();
        self.facts.push(fact);
    }

    /// The same reading cut to its bounds, for one that another process wrote.
    pub fn bounded(mut self) -> Self {
        if self.facts.len() > MAX_FACTS {
            self.facts.truncate(MAX_FACTS);
            self.complete = false;
        }
        self.facts.iter_mut().for_each(Fact::bound);
        self
    }
}

impl Fact {
    fn bound(&mut self) {
        cut(&mut self.path);
        self.arguments.truncate(MAX_ARGUMENTS);
        self.arguments.iter_mut().for_each(|value| value.bound(MAX_DEPTH));
    }
}

impl AbstractValue {
    /// An unknown value with known sources.
    pub fn made_from(from: Vec<String>) -> Self {
        Self { form: ValueForm::Unknown, from }
    }

    /// A literal text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { form: ValueForm::Text(text.into()), from: Vec::new() }
    }

    /// A literal number.
    pub fn number(number: f64) -> Self {
        Self { form: ValueForm::Number(number), from: Vec::new() }
    }

    fn bound(&mut self, depth: u32) {
        self.from.truncate(MAX_PARTS);
        self.from.iter_mut().for_each(cut);
        match &mut self.form {
            ValueForm::Text(text) | ValueForm::Begins(text) => cut(text),
            // JSON has finite numbers only.
            ValueForm::Number(number) if !number.is_finite() => *number = f64::MAX,
            ValueForm::Object(entries) => match depth.checked_sub(1) {
                None => self.form = ValueForm::Unknown,
                Some(depth) => {
                    entries.truncate(MAX_PARTS);
                    for (key, value) in entries {
                        cut(key);
                        value.bound(depth);
                    }
                }
            },
            ValueForm::Unknown
            | ValueForm::Number(_)
            | ValueForm::Flag(_)
            | ValueForm::Function
            | ValueForm::List => {}
        }
    }
}

impl ValueForm {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

fn cut(text: &mut String) {
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::{AbstractValue, Fact, FactKind, MAX_FACTS, MAX_TEXT_BYTES, Reading, ValueForm};

    fn call(path: &str, arguments: Vec<AbstractValue>) -> Fact {
        Fact { path: path.to_owned(), kind: FactKind::Call, arguments, ..Fact::default() }
    }

    #[test]
    fn a_reading_comes_back_from_json_as_it_was() {
        let entries = vec![("body".to_owned(), AbstractValue::made_from(vec!["atob".to_owned()]))];
        let object = AbstractValue { form: ValueForm::Object(entries), from: Vec::new() };
        let mut reading = Reading { complete: true, ..Reading::default() };
        reading.push(call(
            "fetch",
            vec![AbstractValue::text("http://a"), object, AbstractValue::default()],
        ));
        let text = serde_json::to_string(&reading).unwrap();
        assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
    }

    #[test]
    fn one_fact_too_many_makes_a_reading_incomplete() {
        let mut reading = Reading { complete: true, ..Reading::default() };
        (0..MAX_FACTS).for_each(|_| reading.push(call("a", Vec::new())));
        assert!(reading.complete);
        reading.push(call("a", Vec::new()));
        assert_eq!((reading.facts.len(), reading.complete), (MAX_FACTS, false));
    }

    #[test]
    fn a_received_reading_is_cut_to_its_bounds() {
        let nested = |inner| AbstractValue {
            form: ValueForm::Object(vec![("k".into(), inner)]),
            from: vec![],
        };
        let deep = nested(nested(nested(AbstractValue::number(f64::INFINITY))));
        let facts = vec![call(&"é".repeat(1000), vec![deep, AbstractValue::number(f64::NAN)])];
        let reading = Reading { facts, complete: true, ..Reading::default() }.bounded();
        assert_eq!(reading.facts[0].path.len(), MAX_TEXT_BYTES);
        assert_eq!(
            reading.facts[0].arguments,
            [nested(nested(AbstractValue::default())), AbstractValue::number(f64::MAX)]
        );
    }
}
