//! What is known of a value without running anything.
//!
//! Small and cheap to copy: what can be large is shared, and nothing grows beyond
//! its bound, so that reading a program takes time in proportion to its length.

use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tidegate_model::reading::{Form, Known, MOST_PARTS};

/// How much text is put together. Chosen: names and short programs are far below it.
pub(super) const LONGEST_FOLDED: usize = 2048;

/// How many elements of a list are known.
pub(super) const LONGEST_LIST: usize = 512;

/// How deep lists and objects are told as literals.
const DEEPEST_LITERAL: u32 = 6;

/// Where what is in a value has nothing to say: keeping them would push out what has.
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

/// A value, and the paths that it was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub(super) shape: Shape,
    pub(super) from: Vec<Rc<str>>,
}

/// What a value is.
#[derive(Clone, Debug, Default)]
pub(super) enum Shape {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Something that is not the program's own.
    Path {
        path: Rc<str>,
        hidden: bool,
    },
    /// A text, or the beginning of one; `hidden` if it was put together.
    Text {
        text: Rc<str>,
        whole: bool,
        hidden: bool,
    },
    Number(f64),
    Flag(bool),
    /// `null` or `undefined`.
    Nothing,
    /// A function of the program, by its number.
    Function(usize),
    List(Rc<Vec<Value>>),
    Object(Rc<Object>),
    /// Something else of the program's own: a class, a regular expression.
    Own,
}

/// An object that the program wrote down.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    pub(super) entries: Vec<(Rc<str>, Value)>,
    /// Whether it may have other keys.
    pub(super) open: bool,
}

impl Value {
    pub(super) fn of(shape: Shape) -> Self {
        Self { shape, from: Vec::new() }
    }

    pub(super) fn path(path: impl Into<Rc<str>>) -> Self {
        Self::of(Shape::Path { path: path.into(), hidden: false })
    }

    pub(super) fn text(text: &str) -> Self {
        Self::cut(text, false)
    }

    /// A text that was put together.
    pub(super) fn folded(text: &str, from: Vec<Rc<str>>) -> Self {
        Self { from, ..Self::cut(text, true) }
    }

    /// A text of which this is known.
    pub(super) fn beginning(text: &str) -> Self {
        let end = text.floor_char_boundary(LONGEST_FOLDED);
        Self::of(Shape::Text { text: text[..end].into(), whole: false, hidden: false })
    }

    pub(super) fn made_from(from: Vec<Rc<str>>) -> Self {
        Self { shape: Shape::Unknown, from }
    }

    fn cut(text: &str, hidden: bool) -> Self {
        let end = text.floor_char_boundary(LONGEST_FOLDED);
        Self::of(Shape::Text { text: text[..end].into(), whole: end == text.len(), hidden })
    }

    pub(super) fn as_path(&self) -> Option<&str> {
        match &self.shape {
            Shape::Path { path, .. } => Some(path),
            _ => None,
        }
    }

    /// A text of which all is known.
    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text { text, whole: true, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        match &self.shape {
            Shape::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn is_hidden(&self) -> bool {
        matches!(self.shape, Shape::Path { hidden: true, .. } | Shape::Text { hidden: true, .. })
    }

    /// Whether it counts as true, if that is known.
    pub(super) fn truth(&self) -> Option<bool> {
        match &self.shape {
            Shape::Flag(flag) => Some(*flag),
            Shape::Number(number) => Some(*number != 0.0 && !number.is_nan()),
            Shape::Text { text, .. } => Some(!text.is_empty()),
            Shape::Nothing => Some(false),
            Shape::Function(_) | Shape::List(_) | Shape::Object(_) | Shape::Own => Some(true),
            Shape::Unknown | Shape::Path { .. } => None,
        }
    }

    /// How the language writes it as text, if it is a plain value.
    pub(super) fn as_piece(&self) -> Option<(String, bool)> {
        match &self.shape {
            Shape::Text { text, whole, .. } => Some((text.to_string(), *whole)),
            Shape::Number(number) => Some((number.to_string(), true)),
            Shape::Flag(flag) => Some((flag.to_string(), true)),
            _ => None,
        }
    }

    /// The paths that it was made of, itself among them.
    pub(super) fn sources(&self) -> Vec<Rc<str>> {
        let mut sources = Vec::new();
        self.add_sources(&mut sources, 2);
        sources
    }

    pub(super) fn add_sources(&self, into: &mut Vec<Rc<str>>, depth: u32) {
        if let Shape::Path { path, .. } = &self.shape {
            add_source(into, path);
        }
        self.from.iter().for_each(|path| add_source(into, path));
        let Some(depth) = depth.checked_sub(1) else { return };
        match &self.shape {
            Shape::List(list) => {
                list.iter().take(MOST_PARTS).for_each(|one| one.add_sources(into, depth));
            }
            Shape::Object(object) => {
                let values = object.entries.iter().take(MOST_PARTS);
                values.for_each(|(_, value)| value.add_sources(into, depth));
            }
            _ => {}
        }
    }

    /// One of two values: what is not the program's own is told.
    pub(super) fn or(self, other: Self) -> Self {
        let mut from = self.from.clone();
        other.from.iter().for_each(|path| add_source(&mut from, path));
        let shape = match (self.shape, other.shape) {
            (shape @ Shape::Path { .. }, _) | (_, shape @ Shape::Path { .. }) => shape,
            (Shape::Unknown | Shape::Nothing, shape) => shape,
            (shape, _) => shape,
        };
        Self { shape, from }
    }

    /// As the rules are told of it.
    pub(super) fn known(&self) -> Known {
        self.known_within(2)
    }

    fn known_within(&self, depth: u32) -> Known {
        let form = match &self.shape {
            Shape::Text { text, whole: true, .. } => Form::Text(text.to_string()),
            Shape::Text { text, whole: false, .. } => Form::Begins(text.to_string()),
            Shape::Number(number) => Form::Number(*number),
            Shape::Flag(flag) => Form::Flag(*flag),
            Shape::Function(_) => Form::Function,
            Shape::List(_) => Form::List,
            Shape::Object(object) if depth > 0 => Form::Object(
                object
                    .entries
                    .iter()
                    .take(MOST_PARTS)
                    .map(|(key, value)| (key.to_string(), value.known_within(depth - 1)))
                    .collect(),
            ),
            Shape::Object(_)
            | Shape::Unknown
            | Shape::Path { .. }
            | Shape::Nothing
            | Shape::Own => Form::Unknown,
        };
        let mut from: Vec<String> = self.sources().iter().map(ToString::to_string).collect();
        if let Shape::Path { path, .. } = &self.shape
            && from.first().is_none_or(|first| **first != **path)
        {
            from.insert(0, path.to_string());
        }
        Known { form, from }
    }

    /// The entries of an object that are literals through and through.
    pub(super) fn literals(&self) -> Map<String, Json> {
        let Shape::Object(object) = &self.shape else { return Map::new() };
        let literal = |(key, value): &(Rc<str>, Self)| {
            value.literal(DEEPEST_LITERAL).map(|value| (key.to_string(), value))
        };
        object.entries.iter().filter_map(literal).collect()
    }

    fn literal(&self, depth: u32) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        match &self.shape {
            Shape::Text { text, whole: true, .. } => Some(Json::from(&**text)),
            Shape::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "in the range of whole numbers"
                )]
                let whole = *number as i64;
                Some(Json::from(whole))
            }
            Shape::Number(number) => serde_json::Number::from_f64(*number).map(Json::Number),
            Shape::Flag(flag) => Some(Json::Bool(*flag)),
            Shape::List(list) => list.iter().map(|one| one.literal(depth)).collect(),
            Shape::Object(object) => {
                let literal = |(key, value): &(Rc<str>, Self)| {
                    value.literal(depth).map(|value| (key.to_string(), value))
                };
                Some(Json::Object(object.entries.iter().filter_map(literal).collect()))
            }
            _ => None,
        }
    }
}

/// Adds a path that says something.
pub(super) fn add_source(into: &mut Vec<Rc<str>>, path: &Rc<str>) {
    let first = path.split('.').next().unwrap_or_default().trim_end_matches("()");
    let plain = first == "?" || (PLAIN.contains(&first) && &**path != "Date.now");
    if !plain && into.len() < MOST_PARTS && !into.contains(path) {
        into.push(Rc::clone(path));
    }
}
