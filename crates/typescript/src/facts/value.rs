//! Values, as far as they are known without running anything.
//!
//! In: literals and operations. Out: a [`Value`] and its sources.
//! Invariant: small and cheap to copy. Large parts are shared and nothing grows beyond its
//! bound, so that the analysis takes time proportional to the program.

use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tidegate_model::KnownArguments;
use tidegate_model::reading::{AbstractValue, MAX_PARTS, ValueForm};

/// Maximum bytes of an assembled text. Chosen: names and short programs are far shorter.
pub(super) const MAX_FOLDED_BYTES: usize = 2048;

/// Maximum elements of a known list.
pub(super) const MAX_LIST_LENGTH: usize = 512;

/// Maximum nesting of lists and objects reported as literals.
const MAX_LITERAL_DEPTH: u32 = 6;

/// Sources that are uninformative: keeping them would crowd out informative ones.
const PLAIN: [&str; 16] = [
    "Array",
    "Boolean",
    "Date",
    "Error",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "RegExp",
    "Set",
    "console",
    "isNaN",
    "structuredClone",
];

/// A value, and the paths that it was derived from.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub(super) shape: ValueKind,
    pub(super) from: Vec<Rc<str>>,
}

/// The kind of a value.
#[derive(Clone, Debug, Default)]
pub(super) enum ValueKind {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Something that the program did not define.
    Path {
        path: Rc<str>,
        hidden: bool,
    },
    /// A text, or the beginning of one; `hidden` if it was assembled.
    Text {
        text: Rc<str>,
        whole: bool,
        hidden: bool,
    },
    Number(f64),
    Flag(bool),
    Null,
    /// `undefined`.
    Nothing,
    /// A function of the program, by its index.
    Function(usize),
    List(Rc<Vec<Value>>),
    Object(Rc<Object>),
    /// Anything else that the program defined: a class, a regular expression.
    Own,
}

/// An object literal.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub(super) entries: Vec<(Rc<str>, Value)>,
    /// Whether it may have other keys.
    pub(super) open: bool,
}

impl Value {
    pub(super) fn of(shape: ValueKind) -> Self {
        Self { shape, from: Vec::new() }
    }

    pub(super) fn path(path: impl Into<Rc<str>>) -> Self {
        Self::of(ValueKind::Path { path: path.into(), hidden: false })
    }

    pub(super) fn text(text: &str) -> Self {
        Self::cut(text, false)
    }

    /// An assembled text.
    pub(super) fn folded(text: &str, from: Vec<Rc<str>>) -> Self {
        Self { from, ..Self::cut(text, true) }
    }

    /// A text with this known beginning.
    pub(super) fn beginning(text: &str) -> Self {
        let end = text.floor_char_boundary(MAX_FOLDED_BYTES);
        Self::of(ValueKind::Text { text: text[..end].into(), whole: false, hidden: false })
    }

    pub(super) fn made_from(from: Vec<Rc<str>>) -> Self {
        Self { shape: ValueKind::Unknown, from }
    }

    fn cut(text: &str, hidden: bool) -> Self {
        let end = text.floor_char_boundary(MAX_FOLDED_BYTES);
        Self::of(ValueKind::Text { text: text[..end].into(), whole: end == text.len(), hidden })
    }

    pub(super) fn as_path(&self) -> Option<&str> {
        match &self.shape {
            ValueKind::Path { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The text, if all of it is known.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.shape {
            ValueKind::Text { text, whole: true, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        match &self.shape {
            ValueKind::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn is_hidden(&self) -> bool {
        matches!(
            self.shape,
            ValueKind::Path { hidden: true, .. } | ValueKind::Text { hidden: true, .. }
        )
    }

    /// Whether it is truthy, if that is known.
    pub(super) fn truth(&self) -> Option<bool> {
        match &self.shape {
            ValueKind::Flag(flag) => Some(*flag),
            ValueKind::Number(number) => Some(*number != 0.0 && !number.is_nan()),
            ValueKind::Text { text, .. } => Some(!text.is_empty()),
            ValueKind::Null | ValueKind::Nothing => Some(false),
            ValueKind::Function(_) | ValueKind::List(_) | ValueKind::Object(_) | ValueKind::Own => {
                Some(true)
            }
            ValueKind::Unknown | ValueKind::Path { .. } => None,
        }
    }

    /// The value converted to text, if it is a primitive.
    pub(super) fn as_piece(&self) -> Option<(String, bool)> {
        match &self.shape {
            ValueKind::Text { text, whole, .. } => Some((text.to_string(), *whole)),
            ValueKind::Number(number) => Some((number.to_string(), true)),
            ValueKind::Flag(flag) => Some((flag.to_string(), true)),
            _ => None,
        }
    }

    /// The paths that it was derived from, including itself.
    pub(super) fn sources(&self) -> Vec<Rc<str>> {
        let mut sources = Vec::new();
        self.add_sources(&mut sources, 2);
        sources
    }

    pub(super) fn add_sources(&self, into: &mut Vec<Rc<str>>, depth: u32) {
        if let ValueKind::Path { path, .. } = &self.shape {
            add_source(into, path);
        }
        self.from.iter().for_each(|path| add_source(into, path));
        let Some(depth) = depth.checked_sub(1) else { return };
        match &self.shape {
            ValueKind::List(list) => {
                list.iter().take(MAX_PARTS).for_each(|one| one.add_sources(into, depth));
            }
            ValueKind::Object(object) => {
                let values = object.entries.iter().take(MAX_PARTS);
                values.for_each(|(_, value)| value.add_sources(into, depth));
            }
            _ => {}
        }
    }

    /// One of two values: the one that the program did not define is kept.
    pub(super) fn or(self, other: Self) -> Self {
        let mut from = self.from.clone();
        other.from.iter().for_each(|path| add_source(&mut from, path));
        let shape = match (self.shape, other.shape) {
            (shape @ ValueKind::Path { .. }, _) | (_, shape @ ValueKind::Path { .. }) => shape,
            (ValueKind::Unknown | ValueKind::Null | ValueKind::Nothing, shape) => shape,
            (shape, _) => shape,
        };
        Self { shape, from }
    }

    /// The value as a fact reports it.
    pub(super) fn known(&self) -> AbstractValue {
        self.known_within(2)
    }

    fn known_within(&self, depth: u32) -> AbstractValue {
        let form = match &self.shape {
            ValueKind::Text { text, whole: true, .. } => ValueForm::Text(text.to_string()),
            ValueKind::Text { text, whole: false, .. } => ValueForm::Begins(text.to_string()),
            ValueKind::Number(number) => ValueForm::Number(*number),
            ValueKind::Flag(flag) => ValueForm::Flag(*flag),
            ValueKind::Function(_) => ValueForm::Function,
            ValueKind::List(_) => ValueForm::List,
            ValueKind::Object(object) if depth > 0 => ValueForm::Object(
                object
                    .entries
                    .iter()
                    .take(MAX_PARTS)
                    .map(|(key, value)| (key.to_string(), value.known_within(depth - 1)))
                    .collect(),
            ),
            ValueKind::Object(_)
            | ValueKind::Unknown
            | ValueKind::Path { .. }
            | ValueKind::Null
            | ValueKind::Nothing
            | ValueKind::Own => ValueForm::Unknown,
        };
        let mut from: Vec<String> = self.sources().iter().map(ToString::to_string).collect();
        if let ValueKind::Path { path, .. } = &self.shape
            && from.first().is_none_or(|first| **first != **path)
        {
            from.insert(0, path.to_string());
        }
        AbstractValue { form, from }
    }

    /// What is known about the value as the arguments of a tool.
    pub(super) fn arguments(&self) -> KnownArguments {
        match &self.shape {
            ValueKind::Object(object) => {
                let mut known = KnownArguments { open: object.open, ..KnownArguments::default() };
                for (key, value) in &object.entries {
                    match value.shape {
                        // Not sent.
                        ValueKind::Nothing => known.remove(key),
                        _ => {
                            let (literal, is_whole) = value.literal(MAX_LITERAL_DEPTH);
                            known.add(key.to_string(), literal, is_whole);
                        }
                    }
                }
                known
            }
            ValueKind::Null | ValueKind::Nothing => KnownArguments::default(),
            _ => KnownArguments::unknown(),
        }
    }

    /// The literal parts of the value, and whether they are all of it.
    fn literal(&self, depth: u32) -> (Option<Json>, bool) {
        let Some(depth) = depth.checked_sub(1) else { return (None, false) };
        match &self.shape {
            ValueKind::Text { text, whole: true, .. } => (Some(Json::from(&**text)), true),
            ValueKind::Text { text, whole: false, .. } => {
                let rest = if text.contains('…') { "" } else { "…" };
                (Some(Json::from(format!("{text}{rest}"))), false)
            }
            ValueKind::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "in the range of whole numbers"
                )]
                let whole = *number as i64;
                (Some(Json::from(whole)), true)
            }
            ValueKind::Number(number) => {
                let number = serde_json::Number::from_f64(*number).map(Json::Number);
                let is_whole = number.is_some();
                (number, is_whole)
            }
            ValueKind::Flag(flag) => (Some(Json::Bool(*flag)), true),
            ValueKind::Null => (Some(Json::Null), true),
            ValueKind::List(list) => {
                let elements = list.iter().map(|one| match one.literal(depth) {
                    (literal, true) => literal,
                    (_, false) => None,
                });
                let elements: Option<Vec<Json>> = elements.collect();
                let is_whole = elements.is_some() && list.len() < MAX_LIST_LENGTH;
                (elements.map(Json::Array), is_whole)
            }
            ValueKind::Object(object) => {
                let mut is_whole = !object.open;
                let mut literals = Map::new();
                for (key, value) in &object.entries {
                    let (literal, is_known) = value.literal(depth);
                    let is_sent = !matches!(value.shape, ValueKind::Nothing);
                    is_whole &= is_known || !is_sent;
                    literals.remove(&**key);
                    literals.extend(literal.map(|literal| (key.to_string(), literal)));
                }
                (Some(Json::Object(literals)), is_whole)
            }
            _ => (None, false),
        }
    }
}

/// Adds an informative path.
pub(super) fn add_source(into: &mut Vec<Rc<str>>, path: &Rc<str>) {
    let first = path.split('.').next().unwrap_or_default().trim_end_matches("()");
    let plain = first == "?" || (PLAIN.contains(&first) && &**path != "Date.now");
    if !plain && into.len() < MAX_PARTS && !into.contains(path) {
        into.push(Rc::clone(path));
    }
}
