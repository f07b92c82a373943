//! Values of expressions, as far as they are known without running anything.
//!
//! In: the parts of an expression. Out: a [`Value`]: its known part, and the paths that it was
//! derived from.
//! Invariant: cheap to clone, and bounded: texts and lists beyond their bounds become unknown.

use std::rc::Rc;

use ruff_python_ast::{Expr, Parameters, Stmt};
use serde_json::{Map, Value as Json};
use tidegate_model::KnownArguments;
use tidegate_model::reading::{AbstractValue, MAX_PARTS, MAX_TEXT_BYTES, ValueForm};

/// Maximum bytes of an assembled text, and maximum length of a list. Chosen: far beyond a
/// hidden name, and short enough to be created repeatedly.
pub(super) const MAX_FOLDED_BYTES: usize = 4096;
pub(super) const MAX_LIST_LENGTH: usize = 512;

/// Maximum nesting of lists and dicts reported as literals.
const MAX_LITERAL_DEPTH: u32 = 6;

/// Maximum alternative values of a name.
const MAX_ALTERNATIVES: usize = 8;

/// A value, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) kind: ValueKind<'a>,
    /// The paths it was derived from, outermost first.
    pub(super) from: Sources,
    /// Whether it was assembled from pieces, or reached by a name that was.
    pub(super) hidden: bool,
}

/// The paths that a value was derived from.
pub(super) type Sources = Option<Rc<[Rc<str>]>>;

#[derive(Clone, Debug)]
pub(super) enum ValueKind<'a> {
    Unknown,
    Text(Rc<str>),
    /// A text that starts with this.
    Prefix(Rc<str>),
    Bytes(Rc<[u8]>),
    Int(i128),
    Float(f64),
    Flag(bool),
    None,
    List(Rc<[Value<'a>]>),
    Dict(Rc<[(Value<'a>, Value<'a>)]>),
    /// An iterable with too many elements to list.
    Count(f64),
    /// Something that the program does not define. For paths, see
    /// `tidegate_model::reading`.
    Path(Rc<str>),
    /// A `pathlib.Path` with this text, or with one that starts with it.
    File {
        text: Rc<str>,
        whole: bool,
    },
    Function(Function<'a>),
    /// A class that the program defines.
    Class,
    /// The result of `operator.attrgetter` and `methodcaller`.
    Getter(Rc<str>),
    OneOf(Rc<[Value<'a>]>),
}

/// The index of a frame (`frames.rs`).
pub(super) type FrameId = usize;

/// A function that the program defines, and the frame around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function<'a> {
    pub(super) parameters: Option<&'a Parameters>,
    pub(super) body: FunctionBody<'a>,
    pub(super) around: FrameId,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FunctionBody<'a> {
    Statements(&'a [Stmt]),
    Expression(&'a Expr),
}

impl<'a> Value<'a> {
    pub(super) fn of(kind: ValueKind<'a>) -> Self {
        Self { kind, from: None, hidden: false }
    }

    pub(super) fn unknown() -> Self {
        Self::of(ValueKind::Unknown)
    }

    pub(super) fn unknown_from(from: Sources) -> Self {
        Self { kind: ValueKind::Unknown, from, hidden: false }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::of(match text.len() > MAX_FOLDED_BYTES {
            true => ValueKind::Prefix(text[..text.floor_char_boundary(MAX_FOLDED_BYTES)].into()),
            false => ValueKind::Text(text.into()),
        })
    }

    /// A path; unknown if it is too long to be reported.
    pub(super) fn path(path: &str) -> Self {
        match path.len() <= MAX_TEXT_BYTES {
            true => Self::of(ValueKind::Path(path.into())),
            false => Self::unknown(),
        }
    }

    pub(super) fn with_from(mut self, from: Sources) -> Self {
        self.from = from;
        self
    }

    pub(super) fn hidden_if(mut self, hidden: bool) -> Self {
        self.hidden |= hidden;
        self
    }

    pub(super) fn as_path(&self) -> Option<&Rc<str>> {
        match &self.kind {
            ValueKind::Path(path) => Some(path),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&Rc<str>> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The possible values.
    pub(super) fn alternatives(&self) -> &[Self] {
        match &self.kind {
            ValueKind::OneOf(values) => values,
            _ => std::slice::from_ref(self),
        }
    }

    /// Either of two values.
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
        let from = union_sources([&self.from, &other.from]);
        let hidden = self.hidden || other.hidden;
        let too_many = values.len() > MAX_ALTERNATIVES;
        let kind = if too_many { ValueKind::Unknown } else { ValueKind::OneOf(values.into()) };
        Self { kind, from, hidden }
    }

    /// The part that stays certain when the value may have changed: its referent.
    pub(super) fn widened(&self) -> Self {
        match &self.kind {
            ValueKind::Path(_)
            | ValueKind::Function(_)
            | ValueKind::Class
            | ValueKind::Getter(_) => self.clone(),
            ValueKind::OneOf(values) => {
                let all = values.iter().map(Self::widened);
                all.reduce(|one, other| one.or(&other)).unwrap_or_else(Self::unknown)
            }
            _ => Self { kind: ValueKind::Unknown, from: self.from.clone(), hidden: false },
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (ValueKind::Unknown, ValueKind::Unknown) => self.from == other.from,
            (ValueKind::Text(one), ValueKind::Text(other))
            | (ValueKind::Path(one), ValueKind::Path(other)) => one == other,
            (ValueKind::Prefix(one), ValueKind::Prefix(other)) => one == other,
            (ValueKind::Int(one), ValueKind::Int(other)) => one == other,
            (ValueKind::Flag(one), ValueKind::Flag(other)) => one == other,
            (ValueKind::None, ValueKind::None) | (ValueKind::Class, ValueKind::Class) => true,
            _ => false,
        }
    }

    /// The value as a fact reports it.
    pub(super) fn known(&self) -> AbstractValue {
        self.known_within(2)
    }

    fn known_within(&self, depth: u32) -> AbstractValue {
        let form = match &self.kind {
            ValueKind::Text(text) => ValueForm::Text(start_of(text)),
            ValueKind::Prefix(text) => ValueForm::Begins(start_of(text)),
            ValueKind::File { text, whole: true } => ValueForm::Text(start_of(text)),
            ValueKind::File { text, whole: false } => ValueForm::Begins(start_of(text)),
            ValueKind::Bytes(bytes) => {
                let some = &bytes[..bytes.len().min(MAX_TEXT_BYTES)];
                ValueForm::Text(String::from_utf8_lossy(some).into_owned())
            }
            #[expect(clippy::cast_precision_loss, reason = "rules compare sizes")]
            ValueKind::Int(number) => ValueForm::Number(*number as f64),
            ValueKind::Float(number) => ValueForm::Number(*number),
            ValueKind::Flag(flag) => ValueForm::Flag(*flag),
            ValueKind::List(_) => ValueForm::List,
            ValueKind::Dict(entries) if depth > 0 => ValueForm::Object(
                entries
                    .iter()
                    .take(MAX_PARTS)
                    .filter_map(|(key, value)| {
                        Some((start_of(key.as_text()?), value.known_within(depth - 1)))
                    })
                    .collect(),
            ),
            ValueKind::Function(_) => ValueForm::Function,
            _ => ValueForm::Unknown,
        };
        let paths = self.alternatives().iter().filter_map(Self::as_path);
        let mut from: Vec<String> = paths.map(ToString::to_string).collect();
        from.extend(self.from.iter().flat_map(|from| from.iter()).map(ToString::to_string));
        AbstractValue { form, from }
    }
}

fn start_of(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
}

/// The combined sources of several values.
pub(super) fn union_sources<'f>(parts: impl IntoIterator<Item = &'f Sources>) -> Sources {
    let mut found: Sources = None;
    for from in parts.into_iter().flatten() {
        found = match found {
            None => Some(Rc::clone(from)),
            Some(known) if Rc::ptr_eq(&known, from) => Some(known),
            Some(known) => {
                let mut all = known.to_vec();
                for path in from.iter() {
                    if all.len() < MAX_PARTS && !all.contains(path) {
                        all.push(Rc::clone(path));
                    }
                }
                Some(all.into())
            }
        };
    }
    found
}

/// The same with one more source, outermost.
pub(super) fn with_source(path: &Rc<str>, from: &Sources) -> Sources {
    let rest = from.iter().flat_map(|from| from.iter()).filter(|known| *known != path);
    Some(std::iter::once(path).chain(rest).take(MAX_PARTS).cloned().collect())
}

/// What is known about the arguments of a tool, as `arguments_of` in `api.py` takes them.
pub(super) fn known_arguments<'a>(
    positional: &[Value<'a>],
    named: &[(&'a str, Value<'a>)],
) -> KnownArguments {
    let mut known = KnownArguments::default();
    match positional {
        // It may be a dict with all arguments.
        [one] if !matches!(one.kind, ValueKind::Dict(_)) && one.literal(1).0.is_none() => {
            known.open = true;
        }
        [Value { kind: ValueKind::Dict(entries), .. }] => add_entries(&mut known, entries),
        several => {
            let whole = |value: &Value<'a>| match value.literal(MAX_LITERAL_DEPTH) {
                (literal, true) => literal,
                (_, false) => None,
            };
            known.positional = several.iter().map(whole).collect();
        }
    }
    for (name, value) in named {
        match &value.kind {
            ValueKind::Dict(entries) if *name == "**" => add_entries(&mut known, entries),
            _ if *name == "**" => known.open = true,
            _ => {
                let (literal, is_whole) = value.literal(MAX_LITERAL_DEPTH);
                known.add((*name).to_owned(), literal, is_whole);
            }
        }
    }
    known
}

/// Adds the entries of a dict to arguments.
fn add_entries(known: &mut KnownArguments, entries: &[(Value<'_>, Value<'_>)]) {
    for (key, value) in entries {
        match key.as_text() {
            Some(key) => {
                let (literal, is_whole) = value.literal(MAX_LITERAL_DEPTH);
                known.add(key.to_string(), literal, is_whole);
            }
            None => known.open = true,
        }
    }
}

/// Whether a value is truthy, if that is known.
pub(super) fn truth(kind: &ValueKind<'_>) -> Option<bool> {
    match kind {
        ValueKind::Flag(flag) => Some(*flag),
        ValueKind::Int(number) => Some(*number != 0),
        ValueKind::Float(number) => Some(*number != 0.0),
        ValueKind::None => Some(false),
        ValueKind::Text(text) => Some(!text.is_empty()),
        ValueKind::List(list) => Some(!list.is_empty()),
        ValueKind::Function(_) | ValueKind::Class => Some(true),
        _ => None,
    }
}

impl Value<'_> {
    /// The literal parts of the value, and whether they are all of it.
    fn literal(&self, depth: u32) -> (Option<Json>, bool) {
        let Some(depth) = depth.checked_sub(1) else { return (None, false) };
        let whole = |literal: Option<Json>| {
            let is_whole = literal.is_some();
            (literal, is_whole)
        };
        match &self.kind {
            ValueKind::Text(text) => whole(Some(Json::from(&**text))),
            ValueKind::Prefix(text) => {
                let rest = if text.contains('…') { "" } else { "…" };
                (Some(Json::from(format!("{text}{rest}"))), false)
            }
            ValueKind::Int(number) => whole(i64::try_from(*number).ok().map(Json::from)),
            ValueKind::Float(number) => {
                whole(serde_json::Number::from_f64(*number).map(Json::Number))
            }
            ValueKind::Flag(flag) => whole(Some(Json::Bool(*flag))),
            ValueKind::None => whole(Some(Json::Null)),
            ValueKind::List(list) => {
                let elements = list.iter().map(|one| match one.literal(depth) {
                    (literal, true) => literal,
                    (_, false) => None,
                });
                whole(elements.collect::<Option<Vec<Json>>>().map(Json::Array))
            }
            ValueKind::Dict(entries) => {
                let (mut literals, mut is_whole) = (Map::new(), true);
                for (key, value) in entries.iter() {
                    let (literal, is_known) = value.literal(depth);
                    is_whole &= is_known && key.as_text().is_some();
                    if let Some(key) = key.as_text() {
                        literals.remove(&**key);
                        literals.extend(literal.map(|literal| (key.to_string(), literal)));
                    }
                }
                (Some(Json::Object(literals)), is_whole)
            }
            _ => (None, false),
        }
    }
}
