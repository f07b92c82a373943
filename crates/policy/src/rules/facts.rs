//! What rules look at: names, and the texts in the arguments with the keys they are under.
//!
//! Made once for a decision; arguments are gone through only if a rule asks for them.

use std::cell::OnceCell;

use memchr::memmem::Finder;
use serde_json::{Map, Value};
use tidegate_model::Level;

use super::Subject;
use super::pattern::{Pattern, Text};
use super::specificity::Closeness;
use super::sql;

/// A subject in the form in which patterns are compared.
pub(super) struct Facts<'a> {
    /// Server and tool.
    pub(super) tool: Option<(Text<'a>, Text<'a>)>,
    pub(super) profiles: Vec<Text<'a>>,
    pub(super) level: Level,
    arguments: Option<&'a Map<String, Value>>,
    values: OnceCell<Values<'a>>,
}

/// Every text in the arguments.
pub(super) struct Values<'a>(Vec<Leaf<'a>>);

struct Leaf<'a> {
    /// The keys above it, each between dots, as in `.filter.owner.`; lists have none.
    path: String,
    loose_path: String,
    text: Text<'a>,
    kind: Kind,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Text,
    /// A number, a truth value or null, as JSON.
    Plain,
    /// The name of a key, which is data too where a tool takes any.
    Name,
}

/// The key of an argument in a rule.
#[derive(Debug)]
pub(super) enum Key {
    Any,
    /// As written, and loosely; both between dots.
    Path(String, Box<Finder<'static>>),
}

impl Key {
    pub(super) fn new(text: &str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        let path = format!(".{text}.");
        let loose = Finder::new(Text::new(path.as_str()).loose()).into_owned();
        Self::Path(path, Box::new(loose))
    }
}

impl<'a> Facts<'a> {
    pub(super) fn new(subject: &Subject<'a>) -> Self {
        let tool = subject.tool;
        Self {
            tool: tool.map(|tool| (Text::new(tool.server.as_str()), Text::new(tool.tool.as_str()))),
            profiles: subject.profiles.iter().map(|&name| Text::new(name)).collect(),
            level: subject.level,
            arguments: subject.arguments,
            values: OnceCell::new(),
        }
    }

    pub(super) fn values(&self) -> Option<&Values<'a>> {
        let arguments = self.arguments?;
        Some(self.values.get_or_init(|| {
            let mut leaves = Vec::new();
            collect_object(arguments, ".", &mut leaves);
            Values(leaves)
        }))
    }
}

impl Values<'_> {
    /// Whether a value under the key fits, at whatever depth; how closely.
    pub(super) fn any(&self, key: &Key, patterns: &[Pattern]) -> Option<Closeness> {
        let found = self.0.iter().filter(|leaf| leaf.is_under(key));
        found.filter_map(|leaf| leaf.closest(patterns)).max()
    }

    /// Whether every value under the key fits, and one is where the rule says; how closely.
    pub(super) fn every(&self, key: &Key, patterns: &[Pattern]) -> Option<Closeness> {
        let mut least = None;
        let mut in_place = false;
        for leaf in self.0.iter().filter(|leaf| leaf.is_value() && leaf.is_under(key)) {
            let closeness = leaf.closest(patterns)?;
            least = Some(least.map_or(closeness, |least: Closeness| least.min(closeness)));
            in_place |= match key {
                Key::Any => true,
                Key::Path(path, _) => leaf.path.starts_with(path.as_str()),
            };
        }
        least.filter(|_| in_place)
    }

    /// Whether a text has one of these verbs of SQL.
    pub(super) fn any_sql(&self, verbs: &[String]) -> bool {
        let texts = self.0.iter().filter(|leaf| leaf.kind == Kind::Text);
        texts.into_iter().any(|leaf| sql::has_verb(leaf.text.loose(), verbs))
    }
}

impl Leaf<'_> {
    fn is_value(&self) -> bool {
        self.kind != Kind::Name
    }

    fn is_under(&self, key: &Key) -> bool {
        match key {
            Key::Any => true,
            Key::Path(_, loose) => {
                self.is_value() && loose.find(self.loose_path.as_bytes()).is_some()
            }
        }
    }

    fn closest(&self, patterns: &[Pattern]) -> Option<Closeness> {
        patterns.iter().filter(|pattern| self.text.fits(pattern)).map(Pattern::closeness).max()
    }
}

/// As deep as JSON can be read, which is 128 levels.
fn collect<'a>(value: &'a Value, path: &str, leaves: &mut Vec<Leaf<'a>>) {
    let (text, kind) = match value {
        Value::Object(object) => return collect_object(object, path, leaves),
        Value::Array(items) => return items.iter().for_each(|item| collect(item, path, leaves)),
        Value::String(text) => (Text::new(text.as_str()), Kind::Text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            (Text::new(value.to_string()), Kind::Plain)
        }
    };
    leaves.push(Leaf::new(path, text, kind));
}

fn collect_object<'a>(object: &'a Map<String, Value>, path: &str, leaves: &mut Vec<Leaf<'a>>) {
    for (key, value) in object {
        leaves.push(Leaf::new(path, Text::new(key.as_str()), Kind::Name));
        collect(value, &format!("{path}{key}."), leaves);
    }
}

impl<'a> Leaf<'a> {
    fn new(path: &str, text: Text<'a>, kind: Kind) -> Self {
        Self { path: path.to_owned(), loose_path: Text::new(path).loose().to_owned(), text, kind }
    }
}
