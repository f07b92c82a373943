//! The input of rules in a form that patterns can be compared with.
//!
//! In: a [`RuleInput`]. Out: names, and the strings in the arguments with their keys.
//! Built once per decision; arguments are collected only if a rule needs them.

use std::cell::OnceCell;

use memchr::memmem::Finder;
use serde_json::{Map, Value};
use tidegate_model::RiskLevel;

use super::RuleInput;
use super::pattern::{MatchText, Pattern};
use super::specificity::Precision;
use crate::sql::SqlText;

/// A rule input, prepared for comparison with patterns.
pub(super) struct NormalizedInput<'a> {
    /// Server and tool.
    pub(super) tool: Option<(MatchText<'a>, MatchText<'a>)>,
    pub(super) profiles: Vec<MatchText<'a>>,
    pub(super) level: RiskLevel,
    arguments: Option<&'a Map<String, Value>>,
    values: OnceCell<Values<'a>>,
}

/// Every value in the arguments, as text.
pub(super) struct Values<'a>(Vec<Leaf<'a>>);

struct Leaf<'a> {
    /// The enclosing keys. List indices are left out.
    keys: Vec<&'a str>,
    /// The same between dots, in loose form: `.filter.owner.`. A key that contains a dot
    /// looks like two here, so this path only ever makes a decision stricter.
    loose_path: String,
    text: MatchText<'a>,
    kind: LeafKind,
    /// Strings only.
    sql: Option<SqlText<'a>>,
}

#[derive(PartialEq, Eq)]
enum LeafKind {
    /// A string, or a number, a boolean or null as JSON.
    Value,
    /// A key itself, which is data if a tool accepts arbitrary keys.
    Key,
}

/// The argument key that a rule names.
#[derive(Debug)]
pub(super) enum ArgumentKey {
    Any,
    /// Its keys, and its path in loose form between dots.
    Path(Vec<String>, Box<Finder<'static>>),
}

impl ArgumentKey {
    pub(super) fn new(text: &str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        let path = format!(".{text}.");
        let loose = Finder::new(MatchText::new(path.as_str()).loose()).into_owned();
        Self::Path(text.split('.').map(str::to_owned).collect(), Box::new(loose))
    }
}

impl<'a> NormalizedInput<'a> {
    pub(super) fn new(input: &RuleInput<'a>) -> Self {
        let tool = input.tool;
        Self {
            tool: tool.map(|tool| {
                (MatchText::new(tool.server.as_str()), MatchText::new(tool.tool.as_str()))
            }),
            profiles: input.profiles.iter().map(|&name| MatchText::new(name)).collect(),
            level: input.level,
            arguments: input.arguments,
            values: OnceCell::new(),
        }
    }

    pub(super) fn values(&self) -> Option<&Values<'a>> {
        let arguments = self.arguments?;
        Some(self.values.get_or_init(|| {
            let mut leaves = Vec::new();
            collect_object(arguments, &mut Vec::new(), &mut leaves);
            Values(leaves)
        }))
    }
}

impl Values<'_> {
    /// The best precision with which any value under the key matches, at any depth.
    pub(super) fn any(&self, key: &ArgumentKey, patterns: &[Pattern]) -> Option<Precision> {
        let found = self.0.iter().filter(|leaf| leaf.is_under(key));
        found.filter_map(|leaf| leaf.precision_of(patterns)).max()
    }

    /// The lowest precision with which all values under the key match, if they all do and at
    /// least one is exactly where the rule says. An object there has another shape than the
    /// rule describes, so nothing in it counts.
    pub(super) fn every(&self, key: &ArgumentKey, patterns: &[Pattern]) -> Option<Precision> {
        let mut least = None;
        let mut in_place = false;
        for leaf in self.0.iter().filter(|leaf| leaf.is_value() && leaf.is_under(key)) {
            let precision = leaf.precision_of(patterns)?;
            least = Some(least.map_or(precision, |least: Precision| least.min(precision)));
            in_place |= match key {
                ArgumentKey::Any => true,
                ArgumentKey::Path(keys, _) => match leaf.place(keys) {
                    Place::Exact => true,
                    Place::Inside => return None,
                    Place::Elsewhere => false,
                },
            };
        }
        least.filter(|_| in_place)
    }

    /// Whether a statement with one of these verbs is in a string.
    pub(super) fn any_sql(&self, verbs: &[String]) -> bool {
        self.0.iter().filter_map(|leaf| leaf.sql.as_ref()).any(|text| text.has_verb(verbs))
    }
}

/// Where a value is, compared with the path of a rule.
enum Place {
    Exact,
    Inside,
    Elsewhere,
}

impl Leaf<'_> {
    fn is_value(&self) -> bool {
        self.kind != LeafKind::Key
    }

    fn is_under(&self, key: &ArgumentKey) -> bool {
        match key {
            ArgumentKey::Any => true,
            ArgumentKey::Path(_, loose) => {
                self.is_value() && loose.find(self.loose_path.as_bytes()).is_some()
            }
        }
    }

    fn place(&self, keys: &[String]) -> Place {
        match self.keys.get(..keys.len()) {
            Some(start) if start.iter().zip(keys).all(|(own, key)| own == key) => {
                if self.keys.len() == keys.len() { Place::Exact } else { Place::Inside }
            }
            Some(_) | None => Place::Elsewhere,
        }
    }

    fn precision_of(&self, patterns: &[Pattern]) -> Option<Precision> {
        patterns.iter().filter(|pattern| self.text.fits(pattern)).map(Pattern::precision).max()
    }
}

/// Recursion is bounded by the JSON parser: 128 levels.
fn collect<'a>(value: &'a Value, keys: &mut Vec<&'a str>, leaves: &mut Vec<Leaf<'a>>) {
    match value {
        Value::Object(object) => collect_object(object, keys, leaves),
        Value::Array(items) => items.iter().for_each(|item| collect(item, keys, leaves)),
        Value::String(text) => {
            let sql = Some(SqlText::new(text));
            let leaf = Leaf::new(keys, MatchText::new(text.as_str()), LeafKind::Value);
            leaves.push(Leaf { sql, ..leaf });
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            leaves.push(Leaf::new(keys, MatchText::new(value.to_string()), LeafKind::Value));
        }
    }
}

fn collect_object<'a>(
    object: &'a Map<String, Value>,
    keys: &mut Vec<&'a str>,
    leaves: &mut Vec<Leaf<'a>>,
) {
    for (key, value) in object {
        leaves.push(Leaf::new(keys, MatchText::new(key.as_str()), LeafKind::Key));
        keys.push(key);
        collect(value, keys, leaves);
        keys.pop();
    }
}

impl<'a> Leaf<'a> {
    fn new(keys: &[&'a str], text: MatchText<'a>, kind: LeafKind) -> Self {
        let mut path = String::from(".");
        for key in keys {
            path.push_str(key);
            path.push('.');
        }
        let loose_path = MatchText::new(path.as_str()).into_loose();
        Self { keys: keys.to_vec(), loose_path, text, kind, sql: None }
    }
}
