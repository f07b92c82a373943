//! What is known of the value of an expression.
//!
//! In: what an expression is made of. Out: a [`Value`], which says what it is as far
//! as that can be told without running anything, and out of what it was made.
//! Must stay true: cheap to clone, and bounded: texts and lists beyond their bounds
//! become unknown.

use std::rc::Rc;

use ruff_python_ast::{Expr, Parameters, Stmt};
use serde_json::{Map, Value as Json};
use tidegate_model::reading::{Form, Known, LONGEST_TEXT, MOST_PARTS};

use super::frames::FrameId;

/// Longest text that is put together, in bytes, and longest list. Chosen: far beyond
/// a hidden name, and short enough to be made over and over.
pub(super) const LONGEST: usize = 4096;
pub(super) const LONGEST_LIST: usize = 512;

/// How deep lists and dicts are told as literals.
const DEEPEST_LITERAL: u32 = 6;

/// How many values a name may have at once.
const ALTERNATIVES: usize = 8;

/// A value, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) kind: Kind<'a>,
    /// Paths of what it was made of, outermost first.
    pub(super) from: From,
    /// Whether it was put together out of pieces, or reached by a name that was.
    pub(super) hidden: bool,
}

/// Paths of what something was made of.
pub(super) type From = Option<Rc<[Rc<str>]>>;

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    Unknown,
    Text(Rc<str>),
    /// A text that begins with this.
    Begins(Rc<str>),
    Bytes(Rc<[u8]>),
    Int(i128),
    Float(f64),
    Flag(bool),
    None,
    List(Rc<[Value<'a>]>),
    Dict(Rc<[(Value<'a>, Value<'a>)]>),
    /// Something with so many elements that they are not listed.
    Count(f64),
    /// Something that is not the program's own: see the words about paths in
    /// `tidegate_model::Reading`.
    Path(Rc<str>),
    /// A `pathlib.Path` of this text, or of one that begins with it.
    File {
        text: Rc<str>,
        whole: bool,
    },
    Function(Function<'a>),
    /// A class of the program's own.
    Class,
    /// What `operator.attrgetter` and `methodcaller` give.
    Getter(Rc<str>),
    OneOf(Rc<[Value<'a>]>),
}

/// A function of the program's own, and the frame around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function<'a> {
    pub(super) parameters: Option<&'a Parameters>,
    pub(super) body: Body<'a>,
    pub(super) around: FrameId,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Body<'a> {
    Statements(&'a [Stmt]),
    Expression(&'a Expr),
}

impl<'a> Value<'a> {
    pub(super) fn of(kind: Kind<'a>) -> Self {
        Self { kind, from: None, hidden: false }
    }

    pub(super) fn unknown() -> Self {
        Self::of(Kind::Unknown)
    }

    pub(super) fn unknown_from(from: From) -> Self {
        Self { kind: Kind::Unknown, from, hidden: false }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::of(match text.len() > LONGEST {
            true => Kind::Begins(text[..text.floor_char_boundary(LONGEST)].into()),
            false => Kind::Text(text.into()),
        })
    }

    /// A path; one that is too long to be told is unknown.
    pub(super) fn path(path: &str) -> Self {
        match path.len() <= LONGEST_TEXT {
            true => Self::of(Kind::Path(path.into())),
            false => Self::unknown(),
        }
    }

    pub(super) fn with_from(mut self, from: From) -> Self {
        self.from = from;
        self
    }

    pub(super) fn hidden_if(mut self, hidden: bool) -> Self {
        self.hidden |= hidden;
        self
    }

    pub(super) fn as_path(&self) -> Option<&Rc<str>> {
        match &self.kind {
            Kind::Path(path) => Some(path),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&Rc<str>> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values that it may have.
    pub(super) fn alternatives(&self) -> &[Self] {
        match &self.kind {
            Kind::OneOf(values) => values,
            _ => std::slice::from_ref(self),
        }
    }

    /// One of both.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut values: Vec<Self> = self.alternatives().to_vec();
        for value in other.alternatives() {
            if !values.iter().any(|known| known.is_same(value)) {
                values.push(value.clone());
            }
        }
        if values.len() == 1 {
            return values.remove(0);
        }
        let from = union([&self.from, &other.from]);
        let hidden = self.hidden || other.hidden;
        let too_many = values.len() > ALTERNATIVES;
        let kind = if too_many { Kind::Unknown } else { Kind::OneOf(values.into()) };
        Self { kind, from, hidden }
    }

    /// What stays sure of it when it may have been changed: what it stands for.
    pub(super) fn widened(&self) -> Self {
        match &self.kind {
            Kind::Path(_) | Kind::Function(_) | Kind::Class | Kind::Getter(_) => self.clone(),
            Kind::OneOf(values) => {
                let all = values.iter().map(Self::widened);
                all.reduce(|one, other| one.or(&other)).unwrap_or_else(Self::unknown)
            }
            _ => Self { kind: Kind::Unknown, from: self.from.clone(), hidden: false },
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Unknown, Kind::Unknown) => self.from == other.from,
            (Kind::Text(one), Kind::Text(other)) | (Kind::Path(one), Kind::Path(other)) => {
                one == other
            }
            (Kind::Begins(one), Kind::Begins(other)) => one == other,
            (Kind::Int(one), Kind::Int(other)) => one == other,
            (Kind::Flag(one), Kind::Flag(other)) => one == other,
            (Kind::None, Kind::None) | (Kind::Class, Kind::Class) => true,
            _ => false,
        }
    }

    /// What an argument says about it.
    pub(super) fn known(&self) -> Known {
        self.known_within(2)
    }

    fn known_within(&self, depth: u32) -> Known {
        let form = match &self.kind {
            Kind::Text(text) => Form::Text(start_of(text)),
            Kind::Begins(text) => Form::Begins(start_of(text)),
            Kind::File { text, whole: true } => Form::Text(start_of(text)),
            Kind::File { text, whole: false } => Form::Begins(start_of(text)),
            Kind::Bytes(bytes) => {
                let some = &bytes[..bytes.len().min(LONGEST_TEXT)];
                Form::Text(String::from_utf8_lossy(some).into_owned())
            }
            #[expect(clippy::cast_precision_loss, reason = "rules compare sizes")]
            Kind::Int(number) => Form::Number(*number as f64),
            Kind::Float(number) => Form::Number(*number),
            Kind::Flag(flag) => Form::Flag(*flag),
            Kind::List(_) => Form::List,
            Kind::Dict(entries) if depth > 0 => Form::Object(
                entries
                    .iter()
                    .take(MOST_PARTS)
                    .filter_map(|(key, value)| {
                        Some((start_of(key.as_text()?), value.known_within(depth - 1)))
                    })
                    .collect(),
            ),
            Kind::Function(_) => Form::Function,
            _ => Form::Unknown,
        };
        let paths = self.alternatives().iter().filter_map(Self::as_path);
        let mut from: Vec<String> = paths.map(ToString::to_string).collect();
        from.extend(self.from.iter().flat_map(|from| from.iter()).map(ToString::to_string));
        Known { form, from }
    }
}

fn start_of(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST_TEXT)].to_owned()
}

/// All of what several things were made of.
pub(super) fn union<'f>(parts: impl IntoIterator<Item = &'f From>) -> From {
    let mut found: From = None;
    for from in parts.into_iter().flatten() {
        found = match found {
            None => Some(Rc::clone(from)),
            Some(known) if Rc::ptr_eq(&known, from) => Some(known),
            Some(known) => {
                let mut all = known.to_vec();
                for path in from.iter() {
                    if all.len() < MOST_PARTS && !all.contains(path) {
                        all.push(Rc::clone(path));
                    }
                }
                Some(all.into())
            }
        };
    }
    found
}

/// The same with one more, outermost.
pub(super) fn also_from(path: &Rc<str>, from: &From) -> From {
    let rest = from.iter().flat_map(|from| from.iter()).filter(|known| *known != path);
    Some(std::iter::once(path).chain(rest).take(MOST_PARTS).cloned().collect())
}

/// The arguments of a call that are literals through and through: those of one dict,
/// and those with names.
pub(super) fn literals<'v, 'a: 'v>(
    object: Option<&Value<'a>>,
    named: impl Iterator<Item = (&'v str, &'v Value<'a>)>,
) -> Map<String, Json> {
    let mut found = match object.and_then(|object| object.literal(DEEPEST_LITERAL + 1)) {
        Some(Json::Object(entries)) => entries,
        _ => Map::new(),
    };
    for (name, value) in named {
        if let Some(value) = value.literal(DEEPEST_LITERAL) {
            found.insert(name.to_owned(), value);
        }
    }
    found
}

impl Value<'_> {
    fn literal(&self, depth: u32) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        match &self.kind {
            Kind::Text(text) => Some(Json::from(&**text)),
            Kind::Int(number) => i64::try_from(*number).ok().map(Json::from),
            Kind::Float(number) => serde_json::Number::from_f64(*number).map(Json::Number),
            Kind::Flag(flag) => Some(Json::Bool(*flag)),
            Kind::None => Some(Json::Null),
            Kind::List(list) => list.iter().map(|one| one.literal(depth)).collect(),
            Kind::Dict(entries) => {
                let literal = |(key, value): &(Self, Self)| {
                    Some((key.as_text()?.to_string(), value.literal(depth)?))
                };
                Some(Json::Object(entries.iter().filter_map(literal).collect()))
            }
            _ => None,
        }
    }
}
