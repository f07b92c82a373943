//! Renders tools as stubs for a Python type checker. Programs read a different form
//! (`render_py.rs`).
//!
//! In: the types of a server's tools, which tools a program calls, and how. Out: the text of
//! one stub module. Results are classes: their keys can be read as keys and as attributes,
//! and a call can be awaited or not. Each function takes arguments only in the form that the
//! program uses, since several overloads produce vague errors.
//! Invariant: every value that may be valid is allowed. A number may be an integer, a union is
//! mostly `Any`, and nullable types are mostly written without null. Every type name is
//! qualified: a field `list` must not change the meaning of `list[…]` in the next one.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::named_types::{NamedTypes, is_reserved};
use crate::names::{is_python_identifier, pascal_case};
use crate::render_py::python_text;
use crate::types::{Object, Presence, Type, TypeId, Types};

const HEAD: &str = "import builtins as _b\n\
                    import types as _y\n\
                    import typing as _t\n\
                    import tidegate_answers as _a\n\
                    def __getattr__(name: _b.str) -> _t.Any: ...\n";

const ANY: &str = "_t.Any";

/// Appended to the type of an optional argument.
const OMITTED: &str = " | None | _y.EllipsisType = ...";

/// An object with more fields becomes `Any`: the checker sees each field as a function. Chosen.
const MAX_FIELDS: usize = 200;

/// Methods of `dict`: an attribute of this name is not a key.
const METHODS: [&str; 11] = [
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

/// Module aliases used in the generated types.
const OWN: [&str; 4] = ["_a", "_b", "_t", "_y"];

/// How a program passes the arguments of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// By name or position.
    Named,
    /// As one dict.
    Object,
    /// In both ways, or unknown.
    Both,
}

/// One tool for the module.
pub(crate) struct Callable<'a> {
    pub(crate) function: &'a str,
    /// Other spellings that the program uses.
    pub(crate) spellings: Vec<&'a str>,
    /// The parameters in positional order: the name in Python, and the tool's own name.
    pub(crate) parameters: &'a [(String, String)],
    pub(crate) passed: ArgumentStyle,
    pub(crate) input: Option<TypeId>,
    pub(crate) output: Option<TypeId>,
}

/// The stub module of a server.
pub(crate) fn stubs(types: &Types, shared: &NamedTypes, tools: &[Callable<'_>]) -> String {
    let names = |tool: &Callable<'_>| -> Vec<String> {
        tool.spellings.iter().chain([&tool.function]).map(|name| (*name).to_owned()).collect()
    };
    let taken = tools.iter().flat_map(names).collect();
    let mut stubs = Stubs {
        types,
        shared,
        taken,
        answers: HashMap::new(),
        inputs: HashMap::new(),
        text: String::new(),
    };
    for tool in tools {
        stubs.tool(tool);
    }
    format!("{HEAD}{}", stubs.text)
}

struct Stubs<'a> {
    types: &'a Types,
    shared: &'a NamedTypes,
    taken: HashSet<String>,
    /// Objects that have a class, in results and in arguments.
    answers: HashMap<TypeId, String>,
    inputs: HashMap<TypeId, String>,
    /// The text so far. A class comes after those it uses.
    text: String,
}

impl Stubs<'_> {
    fn tool(&mut self, tool: &Callable<'_>) {
        let place = pascal_case(tool.function);
        let answer = tool.output.map_or(ANY.to_owned(), |output| self.answer(output, &place));
        let function = tool.function;
        let define = |text: &mut String, decorator: &str, parameters: &str| {
            let _ = writeln!(text, "{decorator}def {function}({parameters}) -> {answer}: ...");
        };
        match tool.passed {
            ArgumentStyle::Named => {
                let parameters = self.parameters(tool, &place);
                define(&mut self.text, "", &parameters);
            }
            ArgumentStyle::Object => {
                let parameter = self.only_parameter(tool, &place);
                define(&mut self.text, "", &parameter);
            }
            ArgumentStyle::Both => {
                let parameters = self.parameters(tool, &place);
                let one = "input: _b.dict[_b.str, _t.Any], /, **more: _t.Any";
                define(&mut self.text, "@_t.overload\n", &parameters);
                define(&mut self.text, "@_t.overload\n", one);
            }
        }
        for spelling in tool.spellings.iter().filter(|name| **name != function) {
            let _ = writeln!(self.text, "{spelling} = {function}");
        }
    }

    /// Parameters as `arguments_of` in the guest's `api.py` accepts them.
    fn parameters(&mut self, tool: &Callable<'_>, place: &str) -> String {
        let anything = || "*arguments: _t.Any, **more: _t.Any".to_owned();
        let Some(object) = tool.input.and_then(|input| self.object(input)) else {
            return anything();
        };
        let mut written = Vec::new();
        let mut optional = false;
        for (parameter, own) in tool.parameters {
            let Some(field) = object.fields.iter().find(|field| field.name == *own) else {
                return anything();
            };
            let ty = self.input(field.ty, &format!("{place}{}", pascal_case(own)));
            let required = field.presence == Presence::Required;
            if required && optional {
                // The order of positions would differ from the real one.
                return anything();
            }
            optional |= !required;
            let omitted = if required { "" } else { OMITTED };
            written.push(format!("{parameter}: {ty}{omitted}"));
        }
        if object.rest.is_some() || object.fields.len() > tool.parameters.len() {
            let free = ["more", "others"].into_iter().find(|name| !has_name(tool, name));
            written.push(format!("**{}: _t.Any", free.unwrap_or("_more_arguments")));
        }
        written.join(", ")
    }

    /// The one dict that holds all arguments.
    fn only_parameter(&mut self, tool: &Callable<'_>, place: &str) -> String {
        let object = tool.input.and_then(|input| self.object(input));
        let Some(object) = object.filter(|object| object.rest.is_none()) else {
            return "input: _b.dict[_b.str, _t.Any], /".to_owned();
        };
        let name =
            self.typed_dict(&format!("{place}Input"), &object, OMITTED.trim_end_matches(" = ..."));
        format!("input: {name}, /")
    }

    fn object(&self, id: TypeId) -> Option<Object> {
        match self.types.get(self.types.bare(id)) {
            Type::Object(object) if !object.fields.is_empty() => Some(object.clone()),
            _ => None,
        }
    }

    /// The type of an argument, or of a part of it.
    fn input(&mut self, id: TypeId, place: &str) -> String {
        let bare = self.types.bare(id);
        match self.types.get(bare).clone() {
            Type::Null => "None".into(),
            Type::Boolean => "_b.bool".into(),
            Type::Integer => "_b.int".into(),
            Type::Number => "_b.float".into(),
            Type::String => "_b.str".into(),
            Type::TextLiteral(text) => format!("_t.Literal[{}]", python_text(&text)),
            Type::Literal(text) => number_literal(&text).unwrap_or_else(|| "_b.float".into()),
            Type::List(item) => format!("_b.list[{}]", self.input(item, place)),
            Type::Tuple(_) => format!("_b.list[{ANY}]"),
            Type::Union(members) => self.input_union(&members, place),
            Type::Object(object) => match object.rest {
                None if !object.fields.is_empty() => {
                    if let Some(name) = self.inputs.get(&bare) {
                        return name.clone();
                    }
                    let place = self.name_of(id, place);
                    let name = self.typed_dict(&place, &object, "");
                    self.inputs.insert(bare, name.clone());
                    name
                }
                _ => format!("_b.dict[_b.str, {ANY}]"),
            },
            Type::Unknown
            | Type::Never
            | Type::Intersection(_)
            | Type::Recursive(_)
            | Type::Constrained(..)
            | Type::Described(..) => ANY.into(),
        }
    }

    /// For a union of several objects a checker reports only that none fits, and it does so for
    /// unknown keys too. So they become `dict[str, Any]`.
    fn input_union(&mut self, members: &[TypeId], place: &str) -> String {
        let mut seen: Vec<String> = Vec::new();
        for member in members {
            let written = match self.object(*member) {
                Some(_) => format!("_b.dict[_b.str, {ANY}]"),
                None => self.input(*member, place),
            };
            if written == ANY {
                return written;
            }
            if !seen.contains(&written) {
                seen.push(written);
            }
        }
        if seen.is_empty() { ANY.into() } else { seen.join(" | ") }
    }

    fn typed_dict(&mut self, place: &str, object: &Object, omitted: &str) -> String {
        let name = self.free_name(place);
        let mut fields = Vec::new();
        let mut known = HashSet::new();
        for field in object.fields.iter().filter(|field| known.insert(&field.name)) {
            let ty =
                self.input(field.ty, &shortened(format!("{name}{}", pascal_case(&field.name))));
            let ty = match field.presence {
                Presence::Required => ty,
                Presence::Optional => format!("_t.NotRequired[{ty}{omitted}]"),
            };
            fields.push(format!("{}: {ty}", key_text(&field.name)));
        }
        let fields = fields.join(", ");
        let _ = writeln!(self.text, "{name} = _t.TypedDict('{name}', {{{fields}}})");
        name
    }

    /// The type that a call returns: a value that can also be awaited.
    fn answer(&mut self, id: TypeId, place: &str) -> String {
        let place = &format!("{place}Result");
        let bare = self.types.bare(id);
        match self.types.get(bare).clone() {
            Type::String | Type::TextLiteral(_) => "_a.Text".into(),
            Type::Integer => "_a.Integer".into(),
            Type::List(item) => format!("_a.List[{}]", self.part(item, place)),
            Type::Object(_) => self.part(id, place),
            // `bool` cannot be subclassed; the other types can be anything.
            _ => ANY.into(),
        }
    }

    /// The type of a part of a result.
    fn part(&mut self, id: TypeId, place: &str) -> String {
        let bare = self.types.bare(id);
        match self.types.get(bare).clone() {
            Type::Boolean => "_b.bool".into(),
            Type::Integer => "_b.int".into(),
            Type::String | Type::TextLiteral(_) => "_b.str".into(),
            Type::List(item) => format!("_b.list[{}]", self.part(item, place)),
            Type::Union(members) => self.part_union(&members, place),
            Type::Object(object)
                if object.fields.is_empty() || object.fields.len() > MAX_FIELDS =>
            {
                let rest = object.rest.filter(|_| object.fields.is_empty());
                let rest = rest.map_or(ANY.into(), |rest| self.part(rest, place));
                format!("_a.Dict[{rest}]")
            }
            Type::Object(object) => {
                if let Some(name) = self.answers.get(&bare) {
                    return name.clone();
                }
                let place = self.name_of(id, place);
                let name = self.free_name(&place);
                self.answers.insert(bare, name.clone());
                self.class(&name, &object);
                name
            }
            // A number may be an integer, and is used like one.
            Type::Number
            | Type::Literal(_)
            | Type::Null
            | Type::Tuple(_)
            | Type::Unknown
            | Type::Never
            | Type::Intersection(_)
            | Type::Recursive(_)
            | Type::Constrained(..)
            | Type::Described(..) => ANY.into(),
        }
    }

    /// A union without null: its only remaining member, or `Any` if several remain.
    fn part_union(&mut self, members: &[TypeId], place: &str) -> String {
        let is_null = |id: &TypeId| *self.types.get(self.types.bare(*id)) == Type::Null;
        let members: Vec<TypeId> = members.iter().copied().filter(|id| !is_null(id)).collect();
        let is_text = |id: &TypeId| {
            matches!(self.types.get(self.types.bare(*id)), Type::String | Type::TextLiteral(_))
        };
        match members.as_slice() {
            [only] => self.part(*only, place),
            several if !several.is_empty() && several.iter().all(is_text) => "_b.str".into(),
            _ => ANY.into(),
        }
    }

    fn class(&mut self, name: &str, object: &Object) {
        let mut keys = Vec::new();
        let mut attributes = String::new();
        let mut is_open = object.rest.is_some();
        let mut known = HashSet::new();
        for field in object.fields.iter().filter(|field| known.insert(&field.name)) {
            let ty = self.part(field.ty, &shortened(format!("{name}{}", pascal_case(&field.name))));
            keys.push((format!("_t.Literal[{}]", key_text(&field.name)), ty.clone()));
            match attribute(&field.name) {
                Attribute::Plain => {
                    let _ = writeln!(attributes, " {}: {ty}", field.name);
                }
                Attribute::Method => {}
                // Later annotations could mistake it for one of our classes.
                Attribute::Odd => is_open = true,
            }
        }
        if object.rest.is_some() {
            keys.push(("_b.str".into(), ANY.into()));
        }
        let decorator = if keys.len() > 1 { " @_t.overload\n" } else { "" };
        let _ = write!(
            self.text,
            "class {name}(_a.Object, _t.Coroutine[_t.Any, _t.Any, '{name}']):\n{attributes}"
        );
        for (key, ty) in keys {
            let method = format!("def __getitem__(self, key: {key}) -> {ty}: ...");
            let _ = writeln!(self.text, "{decorator} {method}");
        }
        if is_open {
            self.text.push_str(" def __getattr__(self, name: _b.str) -> _t.Any: ...\n");
        }
    }

    /// The name that the type has in the files for programs, or else a name from its place.
    fn name_of(&self, id: TypeId, place: &str) -> String {
        let named = self.shared.name_of(self.types, id);
        named.map_or(place.to_owned(), |named| named.name.clone())
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
}

fn has_name(tool: &Callable<'_>, name: &str) -> bool {
    tool.parameters.iter().any(|(parameter, _)| parameter == name)
}

enum Attribute {
    Plain,
    Method,
    Odd,
}

/// How a key can be read as an attribute.
fn attribute(name: &str) -> Attribute {
    if METHODS.contains(&name) || name.starts_with("__") || !is_python_identifier(name) {
        return Attribute::Method;
    }
    match OWN.contains(&name) || name.starts_with(|c: char| c.is_ascii_uppercase()) {
        true => Attribute::Odd,
        false => Attribute::Plain,
    }
}

fn key_text(name: &str) -> String {
    python_text(&serde_json::Value::from(name).to_string())
}

/// Limits the length of the names of deeply nested classes.
fn shortened(mut place: String) -> String {
    place.truncate(place.floor_char_boundary(80));
    place
}

/// Python has literals of integers and booleans, but not of fractions.
fn number_literal(json: &str) -> Option<String> {
    match json {
        "true" => Some("_t.Literal[True]".into()),
        "false" => Some("_t.Literal[False]".into()),
        number if number.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()) => {
            Some(format!("_t.Literal[{number}]"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
