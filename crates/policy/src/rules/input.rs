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
use super::sql;

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
    /// The enclosing keys, between dots: `.filter.owner.`. List indices are left out.
    path: String,
    loose_path: String,
    text: MatchText<'a>,
    kind: LeafKind,
}

#[derive(PartialEq, Eq)]
enum LeafKind {
    String,
    /// A number, a boolean or null, as JSON.
    Scalar,
    /// A key itself, which is data if a tool accepts arbitrary keys.
    Key,
}

/// The argument key that a rule names.
#[derive(Debug)]
pub(super) enum ArgumentKey {
    Any,
    /// As written, and in loose form; both between dots.
    Path(String, Box<Finder<'static>>),
}

impl ArgumentKey {
    pub(super) fn new(text: &str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        let path = format!(".{text}.");
        let loose = Finder::new(MatchText::new(path.as_str()).loose()).into_owned();
        Self::Path(path, Box::new(loose))
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
            collect_object(arguments, ".", &mut leaves);
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
    /// least one is at the exact path that the rule names.
    pub(super) fn every(&self, key: &ArgumentKey, patterns: &[Pattern]) -> Option<Precision> {
        let mut least = None;
        let mut in_place = false;
        for leaf in self.0.iter().filter(|leaf| leaf.is_value() && leaf.is_under(key)) {
            let precision = leaf.precision_of(patterns)?;
            least = Some(least.map_or(precision, |least: Precision| least.min(precision)));
            in_place |= match key {
                ArgumentKey::Any => true,
                ArgumentKey::Path(path, _) => leaf.path.starts_with(path.as_str()),
            };
        }
        least.filter(|_| in_place)
    }

    /// Whether a string contains one of these SQL verbs.
    pub(super) fn any_sql(&self, verbs: &[String]) -> bool {
        let texts = self.0.iter().filter(|leaf| leaf.kind == LeafKind::String);
        texts.into_iter().any(|leaf| sql::has_verb(leaf.text.loose(), verbs))
    }
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

    fn precision_of(&self, patterns: &[Pattern]) -> Option<Precision> {
        patterns.iter().filter(|pattern| self.text.fits(pattern)).map(Pattern::precision).max()
    }
}

/// Recursion is bounded by the JSON parser: 128 levels.
fn collect<'a>(value: &'a Value, path: &str, leaves: &mut Vec<Leaf<'a>>) {
    let (text, kind) = match value {
        Value::Object(object) => return collect_object(object, path, leaves),
        Value::Array(items) => return items.iter().for_each(|item| collect(item, path, leaves)),
        Value::String(text) => (MatchText::new(text.as_str()), LeafKind::String),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            (MatchText::new(value.to_string()), LeafKind::Scalar)
        }
    };
    leaves.push(Leaf::new(path, text, kind));
}

fn collect_object<'a>(object: &'a Map<String, Value>, path: &str, leaves: &mut Vec<Leaf<'a>>) {
    for (key, value) in object {
        leaves.push(Leaf::new(path, MatchText::new(key.as_str()), LeafKind::Key));
        collect(value, &format!("{path}{key}."), leaves);
    }
}

impl<'a> Leaf<'a> {
    fn new(path: &str, text: MatchText<'a>, kind: LeafKind) -> Self {
        Self {
            path: path.to_owned(),
            loose_path: MatchText::new(path).loose().to_owned(),
            text,
            kind,
        }
    }
}
