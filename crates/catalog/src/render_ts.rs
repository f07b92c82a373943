//! Renders types as TypeScript, which a model reads before it writes a call.
//!
//! In: the types of some tools, and which of them have names. Out: text in a
//! compact style, to save tokens: one field per line, no indentation, comments
//! only where the author wrote something.
//!
//! Text from the server cannot end the comment or literal that contains it.

use crate::describe::json_text;
use crate::named_types::{NamedType, NamedTypes};
use crate::names::is_identifier;
use crate::types::{Description, Field, Object, Presence, Tag, Tuple, Type, TypeId, Types};

/// Writes types with their chosen names.
#[derive(Clone, Copy)]
pub(crate) struct TypeScript<'a> {
    types: &'a Types,
    shared: &'a NamedTypes,
    integers: Integers,
    words: Words,
}

/// Whether comments are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Written,
    LeftOut,
}

/// Whether integers are marked with `@int`: it matters for arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Integers {
    Told,
    Plain,
}

impl<'a> TypeScript<'a> {
    pub(crate) fn new(types: &'a Types, shared: &'a NamedTypes) -> Self {
        Self { types, shared, integers: Integers::Told, words: Words::Written }
    }

    /// The same types without any comment.
    pub(crate) fn without_words(self) -> Self {
        Self { words: Words::LeftOut, integers: Integers::Plain, ..self }
    }

    /// The definition of a named type.
    pub(crate) fn definition(&self, named: &NamedType) -> String {
        let mut docs = Docs::default();
        let bare = self.strip(named.body, &mut docs);
        docs.tags.extend(self.integer_tag(bare.id));
        let name = &named.name;
        let text = match self.types.get(bare.id) {
            Type::Object(object) if !object.fields.is_empty() && !bare.or_null => {
                format!("interface {name} {}", self.object(object))
            }
            _ if bare.id == named.body => format!("type {name} = {}", self.bare(bare.id)),
            _ => format!("type {name} = {}", self.stripped(bare)),
        };
        docs.after_first_line(text)
    }

    /// The function of a tool. `output` is a type as text.
    pub(crate) fn function(&self, function: &str, input: Option<TypeId>, output: &str) -> String {
        let parameter = input.map_or_else(String::new, |input| self.parameter(input));
        format!("function {function}({parameter}): Promise<{output}>")
    }

    /// The one parameter of a function.
    pub(crate) fn parameter(&self, input: TypeId) -> String {
        let mark = if self.is_optional(input) { "?" } else { "" };
        let mut docs = Docs::default();
        let stripped = self.strip(input, &mut docs);
        // The comment above has an example of the whole input.
        docs.tags.retain(|tag| tag.name != "example");
        let text = self.stripped(stripped);
        // A line comment would hide the rest of the line.
        match text.contains('\n') {
            true => docs.after_first_line(format!("input{mark}: {text}")),
            false => format!("input{mark}: {}", docs.before(text)),
        }
    }

    /// The type of a result.
    pub(crate) fn result(&self, output: TypeId) -> String {
        Self { integers: Integers::Plain, ..*self }.used(output)
    }

    /// Whether the argument can be omitted: no field is required.
    fn is_optional(&self, input: TypeId) -> bool {
        let required = |field: &Field| field.presence == Presence::Required;
        match self.types.get(self.types.bare(input)) {
            Type::Object(object) => !object.fields.iter().any(required),
            _ => false,
        }
    }

    /// A type at its place of use.
    fn written(&self, id: TypeId) -> String {
        let mut docs = Docs::default();
        let stripped = self.strip(id, &mut docs);
        docs.before(self.stripped(stripped))
    }

    /// Removes descriptions and limits, down to a type that has a name or has neither.
    fn strip(&self, mut id: TypeId, docs: &mut Docs) -> Stripped {
        let start = id;
        let mut or_null = false;
        loop {
            if id != start && self.shared.name_of(self.types, id).is_some() {
                return Stripped { id, or_null };
            }
            match self.types.get(id) {
                // The definition of a named type strips its own body.
                Type::Described(said, inner) => {
                    if self.words == Words::Written {
                        docs.describe(said);
                    }
                    id = *inner;
                }
                Type::Constrained(tags, inner) => {
                    if self.words == Words::Written {
                        docs.tags.extend(tags.iter().cloned());
                    }
                    id = *inner;
                }
                // "This or null": limits of "this" are shown as limits of the field.
                Type::Union(members) => match members.as_slice() {
                    [one, other]
                        if *self.types.get(*other) == Type::Null && self.has_limits(*one) =>
                    {
                        or_null = true;
                        id = *one;
                    }
                    _ => return Stripped { id, or_null },
                },
                _ => return Stripped { id, or_null },
            }
        }
    }

    fn has_limits(&self, id: TypeId) -> bool {
        matches!(self.types.get(id), Type::Constrained(..))
            && self.shared.name_of(self.types, id).is_none()
    }

    fn stripped(&self, stripped: Stripped) -> String {
        let text = self.named_or_bare(stripped.id);
        match stripped.or_null {
            true => format!("{text}|null"),
            false => text,
        }
    }

    /// TypeScript has only `number`.
    fn integer_tag(&self, id: TypeId) -> Option<Tag> {
        let named = self.shared.name_of(self.types, id).is_some();
        if named || self.integers == Integers::Plain {
            return None;
        }
        let has_integer = match self.types.get(id) {
            Type::Integer => true,
            Type::List(item) => return self.integer_tag(*item),
            Type::Union(members) => {
                members.iter().any(|member| *self.types.get(*member) == Type::Integer)
            }
            _ => false,
        };
        has_integer.then(|| Tag { name: "int", value: String::new() })
    }

    fn named_or_bare(&self, id: TypeId) -> String {
        match self.shared.name_of(self.types, id) {
            Some(named) => named.name.clone(),
            None => self.bare(id),
        }
    }

    fn bare(&self, id: TypeId) -> String {
        match self.types.get(id) {
            Type::Unknown | Type::Recursive(_) => "unknown".into(),
            Type::Never => "never".into(),
            Type::Null => "null".into(),
            Type::Boolean => "boolean".into(),
            Type::Integer | Type::Number => "number".into(),
            Type::String => "string".into(),
            // JSON of a scalar is a TypeScript literal.
            Type::TextLiteral(text) | Type::Literal(text) => text.clone(),
            Type::List(item) => format!("{}[]", self.operand(*item)),
            Type::Tuple(tuple) => self.tuple(tuple),
            Type::Object(object) => self.object(object),
            Type::Union(members) => self.joined(members, "|"),
            Type::Intersection(members) => self.joined(members, "&"),
            Type::Described(..) | Type::Constrained(..) => self.written(id),
        }
    }

    fn joined(&self, members: &[TypeId], sign: &str) -> String {
        let members: Vec<String> = members.iter().map(|member| self.operand(*member)).collect();
        members.join(sign)
    }

    /// A type as an operand, in parentheses if it needs them.
    fn operand(&self, id: TypeId) -> String {
        let text = self.used(id);
        let mut docs = Docs::default();
        if self.shared.name_of(self.types, id).is_some() {
            return text;
        }
        let bare = self.strip(id, &mut docs);
        let is_named = self.shared.name_of(self.types, bare.id).is_some();
        let is_one = match self.types.get(bare.id) {
            Type::Union(_) | Type::Intersection(_) => is_named,
            _ => true,
        };
        if is_one && !bare.or_null && docs.is_empty() { text } else { format!("({text})") }
    }

    /// A type inside another: by its name if it has one.
    fn used(&self, id: TypeId) -> String {
        match self.shared.name_of(self.types, id) {
            Some(named) => named.name.clone(),
            None => self.written(id),
        }
    }

    fn tuple(&self, tuple: &Tuple) -> String {
        let mut items: Vec<String> = Vec::new();
        for (at, item) in tuple.items.iter().enumerate() {
            let mark = if at < tuple.required { "" } else { "?" };
            let text = if mark.is_empty() { self.used(*item) } else { self.operand(*item) };
            items.push(format!("{text}{mark}"));
        }
        items.extend(tuple.rest.map(|rest| format!("...{}[]", self.operand(rest))));
        format!("[{}]", items.join(", "))
    }

    fn object(&self, object: &Object) -> String {
        if object.fields.is_empty() {
            return match object.rest {
                // TypeScript evaluates the arguments of `Record` eagerly, which fails for a
                // type that is still being defined.
                Some(rest) if self.types.mentions_rows(rest) => {
                    format!("{{[key: string]: {}}}", self.used(rest))
                }
                Some(rest) => format!("Record<string, {}>", self.used(rest)),
                None => "{}".into(),
            };
        }
        let mut lines: Vec<String> = object.fields.iter().map(|field| self.field(field)).collect();
        lines.extend(object.rest.map(|rest| {
            // The fields must fit the index signature too, so it cannot be more specific.
            match self.types.get(rest) {
                _ if self.words == Words::LeftOut => "[key: string]: unknown".to_owned(),
                Type::Unknown => "[key: string]: unknown".to_owned(),
                _ => format!("[key: string]: unknown // {}", one_line(&self.used(rest))),
            }
        }));
        format!("{{\n{}\n}}", lines.join("\n"))
    }

    fn field(&self, field: &Field) -> String {
        let mark = if field.presence == Presence::Required { "" } else { "?" };
        let mut docs = Docs::default();
        let text = match self.shared.name_of(self.types, field.ty) {
            Some(named) => named.name.clone(),
            None => {
                let stripped = self.strip(field.ty, &mut docs);
                docs.tags.extend(self.integer_tag(stripped.id));
                self.stripped(stripped)
            }
        };
        let name = property_name(&field.name);
        // Every object inherits this member, and TypeScript would report that its type does
        // not fit.
        let inherited = OBJECT_MEMBERS.contains(&field.name.as_str());
        let text = if inherited && mark == "?" { "any".to_owned() } else { text };
        docs.after_first_line(format!("{name}{mark}: {text}"))
    }
}

/// Members that every object inherits.
const OBJECT_MEMBERS: [&str; 7] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// A type without its descriptions and limits.
#[derive(Clone, Copy)]
struct Stripped {
    id: TypeId,
    /// Whether null fits as well.
    or_null: bool,
}

/// The comments on a type.
#[derive(Default)]
struct Docs {
    texts: Vec<String>,
    tags: Vec<Tag>,
}

impl Docs {
    fn describe(&mut self, said: &Description) {
        if !said.text.is_empty() {
            self.texts.push(said.text.clone());
        }
        self.tags.extend(said.tags.iter().cloned());
    }

    fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.tags.is_empty()
    }

    fn text(&self) -> String {
        let mut words: Vec<String> = self.texts.iter().map(|text| one_line(text)).collect();
        for tag in &self.tags {
            let value = one_line(&tag.value);
            words.push(if value.is_empty() {
                format!("@{}", tag.name)
            } else {
                format!("@{} {value}", tag.name)
            });
        }
        inert(&words.join(" "))
    }

    /// A line comment is the cheapest.
    fn after_first_line(&self, text: String) -> String {
        let docs = self.text();
        if docs.is_empty() {
            return text;
        }
        match text.split_once('\n') {
            Some((first, rest)) => format!("{first} // {docs}\n{rest}"),
            None => format!("{text} // {docs}"),
        }
    }

    /// In the middle of a line.
    fn before(&self, text: String) -> String {
        match self.text() {
            docs if docs.is_empty() => text,
            docs => format!("/* {docs} */ {text}"),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that can neither end the comment that contains it nor move a terminal's cursor.
pub(crate) fn inert(text: &str) -> String {
    // In this order: a removed character may have been between `*` and `/`.
    let text: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    text.replace("*/", "* /")
}

fn property_name(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { json_text(name) }
}
