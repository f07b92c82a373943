//! What the members of a value are.
//!
//! Here is where the many names of one thing become one path: the global object and
//! its other names, the constructors of functions that hide behind `constructor`.

use std::rc::Rc;

use super::fold::index;
use super::value::{Shape, Value, add_source};

/// Names of the global object.
const GLOBAL: [&str; 7] = ["globalThis", "window", "self", "global", "top", "parent", "frames"];

/// Functions of the language: what constructs them is `Function`.
const FUNCTIONS: [&str; 33] = [
    "Array",
    "ArrayBuffer",
    "AsyncFunction",
    "BigInt",
    "Boolean",
    "Buffer",
    "Date",
    "Error",
    "Function",
    "Map",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TypeError",
    "URL",
    "Uint8Array",
    "WeakMap",
    "atob",
    "btoa",
    "callMCPTool",
    "decodeURIComponent",
    "eval",
    "fetch",
    "isNaN",
    "parseInt",
    "setTimeout",
    "structuredClone",
];

/// How many names a path has. What is further away is unknown.
const LONGEST_PATH: usize = 6;

/// What a global of this name stands for.
pub(super) fn global(name: &str) -> Value {
    match name {
        "undefined" => Value::of(Shape::Nothing),
        "NaN" => Value::of(Shape::Number(f64::NAN)),
        "Infinity" => Value::of(Shape::Number(f64::INFINITY)),
        name if GLOBAL.contains(&name) => Value::path("globalThis"),
        name => Value::path(name),
    }
}

/// A member of a value by its name; `hidden` if the name was put together.
pub(super) fn member(base: &Value, name: &str, hidden: bool) -> Value {
    match &base.shape {
        Shape::Path { path, hidden: already } => {
            let shape = of_path(path, name, hidden || *already);
            let mut from = base.from.clone();
            if matches!(shape, Shape::Unknown) {
                add_source(&mut from, path);
            }
            Value { shape, from }
        }
        Shape::Text { text, .. } => match name {
            "length" => Value::of(Shape::Number(text.chars().count() as f64)),
            "constructor" => Value::path("String"),
            "__proto__" => Value::path("String.prototype"),
            name => match name.parse().ok().and_then(|at: usize| text.chars().nth(at)) {
                Some(one) => Value::folded(one.encode_utf8(&mut [0; 4]), base.from.clone()),
                None => method_of(base, "String", name, hidden),
            },
        },
        Shape::List(list) => match name {
            "length" => Value::default(),
            "constructor" => Value::path("Array"),
            "__proto__" => Value::path("Array.prototype"),
            name => match name.parse().ok().and_then(|at: usize| list.get(at)) {
                Some(value) => value.clone(),
                None => method_of(base, "Array", name, hidden),
            },
        },
        Shape::Object(object) => {
            let found = object.entries.iter().rev().find(|(key, _)| &**key == name);
            match (found, name) {
                (Some((_, value)), _) => value.clone(),
                (None, "constructor") => Value::path("Object"),
                (None, "__proto__") => Value::path("Object.prototype"),
                (None, _) if object.open => of_unknown(base, name, hidden),
                (None, _) => Value { shape: Shape::Own, from: base.from.clone() },
            }
        }
        Shape::Function(_) => match name {
            "constructor" => Value::path("Function"),
            "__proto__" => Value::path("Function.prototype"),
            _ => Value { shape: Shape::Own, from: base.from.clone() },
        },
        Shape::Number(_) if name == "constructor" => Value::path("Number"),
        Shape::Flag(_) if name == "constructor" => Value::path("Boolean"),
        Shape::Own if !matches!(name, "constructor" | "__proto__") => base.clone(),
        Shape::Unknown | Shape::Number(_) | Shape::Flag(_) | Shape::Nothing | Shape::Own => {
            of_unknown(base, name, hidden)
        }
    }
}

/// A member whose name is not known.
pub(super) fn computed(base: &Value, key: &Value) -> Value {
    let mut from = base.from.clone();
    key.add_sources(&mut from, 1);
    match (&base.shape, key.as_number().and_then(index)) {
        (Shape::Path { path, .. }, _) => {
            let path: Rc<str> = format!("{path}.[]").into();
            Value { shape: Shape::Path { path, hidden: false }, from }
        }
        (Shape::List(_) | Shape::Text { .. }, Some(at)) => member(base, &at.to_string(), false),
        // One of them, whichever: those that are not the program's own are told.
        (Shape::List(list), None) => {
            let foreign = list.iter().find(|one| one.as_path().is_some());
            foreign.cloned().unwrap_or_else(|| Value::made_from(base.sources()))
        }
        (Shape::Object(object), _) => {
            let foreign = object.entries.iter().find(|(_, one)| one.as_path().is_some());
            foreign.map_or_else(|| Value::made_from(base.sources()), |(_, one)| one.clone())
        }
        _ => Value::made_from(from),
    }
}

/// What a call of something gives.
pub(super) fn result(callee: &str, from: Vec<Rc<str>>) -> Value {
    let far = callee.split('.').count() >= LONGEST_PATH || callee.len() > 120;
    // What tools give is data, and so is what methods of texts and lists give.
    let data = callee.starts_with("servers.")
        || callee.starts_with("?.")
        || callee == "callMCPTool"
        || callee.contains(".prototype.");
    match far || data {
        true => Value::made_from(from),
        false => Value { from, ..Value::path(format!("{callee}()")) },
    }
}

fn of_path(path: &str, name: &str, hidden: bool) -> Shape {
    let last = path.rsplit('.').next().unwrap_or_default();
    let function =
        FUNCTIONS.contains(&path) || last == "constructor" || path.contains(".prototype.");
    let path: Rc<str> = match name {
        "constructor" if function => "Function".into(),
        // A name of the program's own making may be `prototype`, too.
        "constructor" if last == "prototype" => {
            path.strip_suffix(".prototype").unwrap_or(path).into()
        }
        "__proto__" if function => "Function.prototype".into(),
        // Of a module that has one.
        "default" => path.into(),
        name if path == "globalThis" => match global(name).shape {
            Shape::Path { path, .. } => path,
            other => return other,
        },
        _ if path.split('.').count() >= LONGEST_PATH || path.len() + name.len() > 160 => {
            return Shape::Unknown;
        }
        name => format!("{path}.{name}").into(),
    };
    Shape::Path { path, hidden }
}

fn of_unknown(base: &Value, name: &str, hidden: bool) -> Value {
    let path: Rc<str> = format!("?.{}", &name[..name.floor_char_boundary(120)]).into();
    Value { shape: Shape::Path { path, hidden }, from: base.from.clone() }
}

fn method_of(base: &Value, class: &str, name: &str, hidden: bool) -> Value {
    let path: Rc<str> =
        format!("{class}.prototype.{}", &name[..name.floor_char_boundary(120)]).into();
    Value { shape: Shape::Path { path, hidden }, from: base.from.clone() }
}
