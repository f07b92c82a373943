//! What was read out of a program before it runs: facts, and nothing about them.
//!
//! In: a front end per language (oxc in the worker for TypeScript, ruff's parser in
//! the gateway for Python) writes it. Out: the rules of `validate` judge it, the
//! same for both languages. It crosses the wire as JSON, so all of it is bounded
//! here: by [`Reading::push`] where it is made, by [`Reading::bounded`] where it
//! arrives.
//! Must stay true: a reading that lost anything says so (`complete`).
//!
//! # Paths
//!
//! A path is what something stands for after all that the program does to its name
//! was undone (aliases, destructuring, imports, text that is put together), in the
//! words of the language, with dots:
//!
//! * `child_process.exec`, `os.system`: of a module, however it was imported;
//! * `eval`, `process.env.HOME`, `document.cookie`: of a global. Builtins of Python
//!   have no module before them: `eval`, `open`;
//! * `servers.crm.get_lead`: of our own tree, as written;
//! * `fetch().json`: `()` behind a name is what a call (or `new`) of it gives;
//!   awaiting changes nothing;
//! * `?.exec`: a member of something of which nothing is known;
//! * `process.[]`: a member whose name is computed and not known.
//!
//! What a program declares itself is never a path: its own `eval` gives no fact.

use serde::{Deserialize, Serialize};

/// How many facts a reading holds. Chosen: ten times what a program of a thousand
/// lines gives.
pub const MOST_FACTS: usize = 6000;

/// Longest path or text of a fact, in bytes. What is longer is cut.
pub const LONGEST_TEXT: usize = 240;

/// How many arguments of a call are told.
pub const MOST_ARGUMENTS: usize = 6;

/// How many keys of an object are told, and how many sources of a value.
pub const MOST_PARTS: usize = 12;

/// How deep objects in arguments are told.
const DEEPEST: u32 = 2;

/// All that is known of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// In the order of the source.
    pub facts: Vec<Fact>,
    /// What was counted.
    pub measures: Measures,
    /// Whether all of the program was read. False if it was not understood, or if
    /// something was cut off.
    pub complete: bool,
}

/// One thing that a program does, at one place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fact {
    /// What it does.
    pub kind: FactKind,
    /// What it does it to (see the module's words about paths). For a name the
    /// identifier, for a text its beginning.
    pub path: String,
    /// Line of the program as written, from 1.
    pub line: u32,
    /// Column, in characters, from 1.
    pub column: u32,
    /// What is known of the arguments; for a write of what is written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Known>,
    /// Whether it is in a loop, or in a function that is called for each of a list.
    #[serde(skip_serializing_if = "is_false")]
    pub repeated: bool,
    /// Whether the path was put together out of pieces (`'ev' + 'al'`, `chr(101)`)
    /// where a plain name would have done.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FactKind {
    /// A module is imported: `import`, `require`, `__import__`. The path is the
    /// module, or what is taken out of it; `[]` if the name is computed.
    Import,
    /// Something is called; a decorator and a tagged template are calls too.
    Call,
    /// Something is constructed with `new`.
    New,
    /// A global, a member of it or of a module is read without being called.
    #[default]
    Read,
    /// Something that is not the program's own is assigned to.
    Write,
    /// Something that is not the program's own is deleted.
    Remove,
    /// A loop that does not end by itself. The path is `endless` (nothing in it ends
    /// it or gives way), `spinning` (it waits for the clock without giving way) or
    /// `growing` (each turn doubles something).
    Loop,
    /// A function that calls itself whatever happens, or one that makes more of
    /// itself. The path is its name.
    Recursion,
    /// Something is made that is larger than any program needs: the path is `text`,
    /// `list` or `number`, the first argument its size if that is known.
    Bulk,
    /// An identifier that looks like another one. The path is the identifier.
    Name,
    /// A long literal that looks encoded. The path is its beginning, the first
    /// argument its length, the second its entropy in bits per character.
    Text,
    /// Something of the language itself that is worth a rule; the path says what:
    /// `with`, `debugger`, `encoding` (a cookie of Python), `dunder` …
    Syntax,
}

/// What is known of a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// The value itself, as far as it is known.
    #[serde(skip_serializing_if = "Form::is_unknown")]
    pub form: Form,
    /// Paths of what it was made of: of values that were read (`document.cookie`)
    /// and of calls whose result went in (`atob`, `base64.b64decode`,
    /// `servers.crm.get_lead`), outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
}

/// The value itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Nothing is known.
    #[default]
    Unknown,
    /// This text (cut).
    Text(String),
    /// A text of which this is known (cut), with `…` for each part that is not.
    Begins(String),
    /// This number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A function of the program's own.
    Function,
    /// A list of the program's own.
    List,
    /// An object (keyword arguments of Python too) with these keys among others.
    Object(Vec<(String, Known)>),
}

/// What was counted in a program.
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
    /// How deep statements and expressions are nested.
    pub depth: u64,
    /// Branches of the whole program, plus one.
    pub cyclomatic: u64,
    /// Branches of its most branched function, plus one.
    pub most_branched: u64,
    /// Letters and digits in string literals that are written as escapes (`\x65`),
    /// which nobody has to.
    pub escapes: u64,
    /// Share of the characters in string literals that are written as such escapes.
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
    /// Members of globals whose name is computed.
    pub computed_members: u64,
    /// Names and texts that were put together out of pieces that say nothing.
    pub folded_texts: u64,
    /// Identifiers of letters of several scripts.
    pub mixed_names: u64,
    /// Identifiers that begin with `_0x` or consist of nothing but look-alikes.
    pub mangled_names: u64,
    /// Identifiers in all, each once.
    pub names: u64,
}

impl Reading {
    /// A reading of a program that was not understood.
    pub fn unread() -> Self {
        Self::default()
    }

    /// Adds a fact, cut to its bounds. One too many makes the reading incomplete.
    pub fn push(&mut self, mut fact: Fact) {
        if self.facts.len() >= MOST_FACTS {
            self.complete = false;
            return;
        }
        fact.bound();
        self.facts.push(fact);
    }

    /// The same within its bounds, for a reading that somebody else wrote.
    pub fn bounded(mut self) -> Self {
        if self.facts.len() > MOST_FACTS {
            self.facts.truncate(MOST_FACTS);
            self.complete = false;
        }
        self.facts.iter_mut().for_each(Fact::bound);
        self
    }
}

impl Fact {
    fn bound(&mut self) {
        cut(&mut self.path);
        self.arguments.truncate(MOST_ARGUMENTS);
        self.arguments.iter_mut().for_each(|known| known.bound(DEEPEST));
    }
}

impl Known {
    /// A value of which nothing is known but what it is made of.
    pub fn made_from(from: Vec<String>) -> Self {
        Self { form: Form::Unknown, from }
    }

    /// A text of the program.
    pub fn text(text: impl Into<String>) -> Self {
        Self { form: Form::Text(text.into()), from: Vec::new() }
    }

    /// A number of the program.
    pub fn number(number: f64) -> Self {
        Self { form: Form::Number(number), from: Vec::new() }
    }

    fn bound(&mut self, depth: u32) {
        self.from.truncate(MOST_PARTS);
        self.from.iter_mut().for_each(cut);
        match &mut self.form {
            Form::Text(text) | Form::Begins(text) => cut(text),
            // JSON has no other numbers.
            Form::Number(number) if !number.is_finite() => *number = f64::MAX,
            Form::Object(entries) => match depth.checked_sub(1) {
                None => self.form = Form::Unknown,
                Some(depth) => {
                    entries.truncate(MOST_PARTS);
                    for (key, value) in entries {
                        cut(key);
                        value.bound(depth);
                    }
                }
            },
            Form::Unknown | Form::Number(_) | Form::Flag(_) | Form::Function | Form::List => {}
        }
    }
}

impl Form {
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

fn cut(text: &mut String) {
    text.truncate(text.floor_char_boundary(LONGEST_TEXT));
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::{Fact, FactKind, Form, Known, LONGEST_TEXT, MOST_FACTS, Reading};

    fn call(path: &str, arguments: Vec<Known>) -> Fact {
        Fact { path: path.to_owned(), kind: FactKind::Call, arguments, ..Fact::default() }
    }

    #[test]
    fn a_reading_comes_back_from_json_as_it_was() {
        let entries = vec![("body".to_owned(), Known::made_from(vec!["atob".to_owned()]))];
        let object = Known { form: Form::Object(entries), from: Vec::new() };
        let mut reading = Reading { complete: true, ..Reading::default() };
        reading.push(call("fetch", vec![Known::text("http://a"), object, Known::default()]));
        let text = serde_json::to_string(&reading).unwrap();
        assert_eq!(serde_json::from_str::<Reading>(&text).unwrap(), reading);
    }

    #[test]
    fn one_fact_too_many_makes_a_reading_incomplete() {
        let mut reading = Reading { complete: true, ..Reading::default() };
        (0..MOST_FACTS).for_each(|_| reading.push(call("a", Vec::new())));
        assert!(reading.complete);
        reading.push(call("a", Vec::new()));
        assert_eq!((reading.facts.len(), reading.complete), (MOST_FACTS, false));
    }

    #[test]
    fn what_arrives_is_cut_to_its_bounds() {
        let nested = |inner| Known { form: Form::Object(vec![("k".into(), inner)]), from: vec![] };
        let deep = nested(nested(nested(Known::number(f64::INFINITY))));
        let facts = vec![call(&"é".repeat(1000), vec![deep, Known::number(f64::NAN)])];
        let reading = Reading { facts, complete: true, ..Reading::default() }.bounded();
        assert_eq!(reading.facts[0].path.len(), LONGEST_TEXT);
        assert_eq!(
            reading.facts[0].arguments,
            [nested(nested(Known::default())), Known::number(f64::MAX)]
        );
    }
}
