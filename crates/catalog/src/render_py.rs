//! Types as Python: `TypedDict` classes and one stub per tool.
//!
//! In: the types of a server's tools, and which of them have names. Out: the text
//! of one module, for Python 3.11 and later, that a type checker accepts.
//!
//! Python has no anonymous objects: each gets a class, named after the place
//! where it is used. Types that Python cannot express (an intersection, an object with
//! both its own fields and further ones) become `Any`, or lose the further ones.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::Value;
use tidegate_model::is_hidden;

use crate::named_types::{NamedTypes, is_reserved};
use crate::names::{is_python_identifier, pascal_case, python_parameter};
use crate::types::{Description, Field, Object, Presence, Tag, Type, TypeId, Types};

/// The beginning of every module.
const HEAD: &str = "from __future__ import annotations\n\
                    from typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n\
                    OMIT: Any = ...  # leave the argument out\n\
                    def _call() -> Any: raise NotImplementedError(\"runs inside tidegate only\")\n";

/// One tool for the module.
pub(crate) struct Stub<'a> {
    pub(crate) function: &'a str,
    pub(crate) words: &'a str,
    pub(crate) input: Option<TypeId>,
    pub(crate) output: Option<TypeId>,
}

/// The tools' own part of a module.
pub(crate) fn without_head(module: &str) -> &str {
    module.strip_prefix(HEAD).unwrap_or(module)
}

/// The module of a server.
pub(crate) fn module(types: &Types, shared: &NamedTypes, stubs: &[Stub<'_>]) -> String {
    let taken = stubs.iter().map(|stub| stub.function.to_owned());
    let taken: HashSet<String> =
        taken.chain(shared.named.iter().map(|named| named.name.clone())).collect();
    let mut python = Python { types, shared, taken, classes: HashMap::new(), text: String::new() };
    for named in &shared.named {
        python.definition(&named.name, named.body);
    }
    for stub in stubs {
        python.stub(stub);
    }
    format!("{HEAD}{}", python.text)
}

struct Python<'a> {
    types: &'a Types,
    shared: &'a NamedTypes,
    taken: HashSet<String>,
    /// Objects that have a class.
    classes: HashMap<TypeId, String>,
    /// The text so far. A class comes after those it uses.
    text: String,
}

impl Python<'_> {
    fn definition(&mut self, name: &str, body: TypeId) {
        let bare = self.types.bare(body);
        let words = self.words(body);
        match self.types.get(bare).clone() {
            Type::Object(object) if !object.fields.is_empty() => {
                self.classes.insert(bare, name.to_owned());
                self.class(name, &object, &words);
            }
            _ => {
                let inner =
                    if bare == body { self.bare(bare, name) } else { self.used(bare, name) };
                let _ = writeln!(
                    self.text,
                    "{name}: TypeAlias = {}{}",
                    evaluated(&inner),
                    remark(&words)
                );
            }
        }
    }

    fn stub(&mut self, stub: &Stub<'_>) {
        let place = pascal_case(stub.function);
        let parameters = self.parameters(stub.input, &place);
        let output = match stub.output {
            Some(output) => self.used(output, &format!("{place}Result")),
            None => "Any".to_owned(),
        };
        let words = docstring(stub.words);
        let _ = write!(
            self.text,
            "def {}({parameters}) -> {output}:\n{words} return _call()\n",
            stub.function
        );
    }

    /// Arguments by name. A property that is not an identifier can still be passed with `**{…}`.
    fn parameters(&mut self, input: Option<TypeId>, place: &str) -> String {
        let Some(input) = input else { return String::new() };
        let Type::Object(object) = self.types.get(self.types.bare(input)).clone() else {
            return "**arguments: Any".into();
        };
        let mut lines = Vec::new();
        let mut names: HashSet<String> = HashSet::new();
        let mut further = object.rest.is_some();
        for field in &object.fields {
            let Some(name) =
                python_parameter(&field.name).filter(|name| names.insert(name.clone()))
            else {
                further = true;
                continue;
            };
            let ty = self.used(field.ty, &format!("{place}{}", pascal_case(&field.name)));
            let default = if field.presence == Presence::Required { "" } else { " = OMIT" };
            let words = self.words_unless_named(field.ty);
            lines.push(format!("{name}: {}{default},{}", ty, remark(&words)));
        }
        if further {
            let free =
                ["arguments", "more", "others"].into_iter().find(|name| !names.contains(*name));
            lines.push(format!("**{}: Any", free.unwrap_or("_more_arguments")));
        }
        if lines.is_empty() {
            return String::new();
        }
        // `*` followed only by `**` is a syntax error.
        let star = if lines.len() == 1 && further { "" } else { "*,\n" };
        format!("{star}{}\n", lines.join("\n"))
    }

    /// A type at its place of use; `place` names the class if one is needed.
    fn used(&mut self, id: TypeId, place: &str) -> String {
        if let Some(named) = self.shared.name_of(self.types, id) {
            return named.name.clone();
        }
        match self.types.get(id).clone() {
            Type::Described(_, inner) | Type::Constrained(_, inner) => self.used(inner, place),
            _ => self.bare(id, place),
        }
    }

    fn bare(&mut self, id: TypeId, place: &str) -> String {
        match self.types.get(id).clone() {
            Type::Unknown | Type::Recursive(_) | Type::Intersection(_) => "Any".into(),
            // Nothing fits; `Never` would make the whole function unreachable.
            Type::Never => "Any".into(),
            Type::Null => "None".into(),
            Type::Boolean => "bool".into(),
            Type::Integer => "int".into(),
            Type::Number => "float".into(),
            Type::String => "str".into(),
            Type::TextLiteral(text) => format!("Literal[{}]", python_text(&text)),
            Type::Literal(text) => number_literal(&text),
            Type::List(item) => format!("list[{}]", self.used(item, place)),
            Type::Tuple(tuple) => {
                // JSON has only lists: a tuple is sent as a list and comes back as one.
                let kinds = tuple.items.iter().copied().chain(tuple.rest);
                let kinds: Vec<String> = kinds.map(|kind| self.used(kind, place)).collect();
                format!("list[{}]", union(kinds))
            }
            Type::Union(members) => {
                let members = members.iter().map(|member| self.used(*member, place)).collect();
                union(members)
            }
            Type::Object(object) if object.fields.is_empty() => match object.rest {
                Some(rest) => format!("dict[str, {}]", self.used(rest, place)),
                None => "dict[str, Any]".into(),
            },
            Type::Object(object) => {
                if let Some(name) = self.classes.get(&id) {
                    return name.clone();
                }
                let name = self.free_name(place);
                self.classes.insert(id, name.clone());
                self.class(&name, &object, &[]);
                name
            }
            Type::Described(_, inner) | Type::Constrained(_, inner) => self.used(inner, place),
        }
    }

    fn class(&mut self, name: &str, object: &Object, words: &[String]) {
        let simple = object.fields.iter().all(|field| is_class_field(&field.name));
        let mut lines = Vec::new();
        let mut seen = HashSet::new();
        for field in &object.fields {
            if !seen.insert(&field.name) {
                continue;
            }
            lines.push(self.field(field, name, simple));
        }
        let (open, close) = match simple {
            true => (format!("class {name}(TypedDict):{}\n", remark(words)), "\n".to_owned()),
            false => {
                (format!("{name} = TypedDict('{name}', {{{}\n", remark(words)), "\n})\n".to_owned())
            }
        };
        let _ = write!(self.text, "{open}{}{close}", lines.join("\n"));
    }

    fn field(&mut self, field: &Field, class: &str, simple: bool) -> String {
        let place = shortened(format!("{class}{}", pascal_case(&field.name)));
        let ty = self.used(field.ty, &place);
        let ty = if simple { ty } else { evaluated(&ty) };
        let ty = match field.presence {
            Presence::Required => ty,
            Presence::Optional => format!("NotRequired[{ty}]"),
        };
        let words = remark(&self.words_unless_named(field.ty));
        match simple {
            true => format!(" {}: {ty}{words}", field.name),
            false => {
                let name = python_text(&Value::from(field.name.as_str()).to_string());
                format!("{name}: {ty},{words}")
            }
        }
    }

    fn free_name(&mut self, place: &str) -> String {
        let place = pascal_case(place);
        let name = std::iter::once(place.clone())
            .chain((2_u32..).map(|number| format!("{place}{number}")))
            .find(|name| !self.taken.contains(name) && !is_reserved(name))
            .unwrap_or(place);
        self.taken.insert(name.clone());
        name
    }

    fn words_unless_named(&self, id: TypeId) -> Vec<String> {
        match self.shared.name_of(self.types, id) {
            Some(_) => Vec::new(),
            None => self.words(id),
        }
    }

    /// The descriptions and tags of a type, down to one that has a name.
    fn words(&self, mut id: TypeId) -> Vec<String> {
        let start = id;
        let mut words = Vec::new();
        let tag = |tag: &Tag| format!("@{} {}", tag.name, tag.value).trim_end().to_owned();
        loop {
            if id != start && self.shared.name_of(self.types, id).is_some() {
                return words;
            }
            match self.types.get(id) {
                Type::Described(Description { text, tags }, inner) => {
                    words.extend((!text.is_empty()).then(|| text.clone()));
                    words.extend(tags.iter().map(tag));
                    id = *inner;
                }
                Type::Constrained(tags, inner) => {
                    words.extend(tags.iter().map(tag));
                    id = *inner;
                }
                _ => return words,
            }
        }
    }
}

/// Limits the length of the names of deeply nested classes.
fn shortened(mut place: String) -> String {
    place.truncate(place.floor_char_boundary(80));
    place
}

/// A comment at the end of a line.
fn remark(words: &[String]) -> String {
    let text = words.join(" ");
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    if text.is_empty() { String::new() } else { format!(" # {text}") }
}

/// A docstring whose text cannot end it.
fn docstring(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    if text.is_empty() { String::new() } else { format!(" \"\"\"{text}\"\"\"\n") }
}

/// Quotes an annotation that Python evaluates while it loads the module, since it may refer
/// to a later class. Quoted annotations cannot contain escapes.
fn evaluated(annotation: &str) -> String {
    let only_literals = annotation.starts_with("Literal[") && !annotation.contains(" | ");
    if only_literals {
        return annotation.to_owned();
    }
    if annotation.contains(['\\', '"']) { "Any".to_owned() } else { format!("\"{annotation}\"") }
}

fn union(members: Vec<String>) -> String {
    let mut known: HashSet<String> = HashSet::new();
    let mut seen: Vec<String> = Vec::new();
    let mut literals: Vec<String> = Vec::new();
    for member in members {
        if member == "Any" {
            return member;
        }
        if !known.insert(member.clone()) {
            continue;
        }
        match member.strip_prefix("Literal[").and_then(|inner| inner.strip_suffix(']')) {
            Some(inner) => literals.push(inner.to_owned()),
            None => seen.push(member),
        }
    }
    if !literals.is_empty() {
        seen.insert(0, format!("Literal[{}]", literals.join(", ")));
    }
    if seen.is_empty() { "Any".into() } else { seen.join(" | ") }
}

/// A JSON string literal as a Python one.
pub(crate) fn python_text(json: &str) -> String {
    match serde_json::from_str::<String>(json) {
        Ok(text) => {
            let mut result = String::from("'");
            for c in text.chars() {
                match c {
                    '\'' | '\\' => result.extend(['\\', c]),
                    c if c.is_control() || is_hidden(c) => {
                        let _ = write!(result, "\\U{:08x}", c as u32);
                    }
                    c => result.push(c),
                }
            }
            result.push('\'');
            result
        }
        Err(_) => "''".into(),
    }
}

/// Python has literals of integers and booleans, but not of fractions.
fn number_literal(json: &str) -> String {
    match json {
        "true" => "Literal[True]".into(),
        "false" => "Literal[False]".into(),
        number if number.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()) => {
            format!("Literal[{number}]")
        }
        _ => "float".into(),
    }
}

/// Python mangles names with two leading underscores inside a class.
fn is_class_field(name: &str) -> bool {
    is_python_identifier(name) && !name.starts_with("__")
}
